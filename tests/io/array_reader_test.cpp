#include "foldline/array_reader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "npy_file.hpp"

namespace foldline {
namespace {

using test::bytes_of;
using test::contains;
using test::FedPipe;
using test::npy;
using test::npy_dictionary;
using test::TemporaryFile;
using Shape = std::vector<std::int64_t>;

const std::string native = std::endian::native == std::endian::little ? "<" : ">";
const std::string foreign = std::endian::native == std::endian::little ? ">" : "<";

std::vector<double> counted(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

std::string reversed_elements(std::string bytes, std::size_t element) {
  for (std::size_t i = 0; i < bytes.size(); i += element)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + element));
  return bytes;
}

std::string npy_of(const std::vector<double>& values) {
  return npy(npy_dictionary(native + "f8", std::string("(") + std::to_string(values.size()) + ",)"),
             bytes_of(values));
}

/// Everything the reader gives, read through a buffer of `buffer_size` bytes.
std::string read_all(ArrayReader& reader, std::size_t buffer_size = 1000) {
  std::vector<std::byte> buffer(buffer_size);
  std::string result;
  while (const std::int64_t count = reader.read(buffer)) {
    const auto bytes = static_cast<std::size_t>(count * size_of(reader.type()));
    EXPECT_LE(bytes, buffer_size);
    result.append(reinterpret_cast<const char*>(buffer.data()), bytes);
  }
  EXPECT_EQ(reader.read(buffer), 0);  // the end stays the end
  return result;
}

/// The message of the DataError that opening and reading gives; "" if it gives none.
template <class Open>
std::string error_of_reading(const Open& open) {
  try {
    ArrayReader reader = open();
    read_all(reader);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

std::string npy_error(const std::string& content) {
  const TemporaryFile file(content);
  const std::string from_file = error_of_reading([&] { return ArrayReader::open_npy(file.path()); });
  FedPipe pipe(content);
  const std::string from_pipe = error_of_reading([&] { return ArrayReader::open_npy(pipe.path()); });
  EXPECT_EQ(from_file.empty(), from_pipe.empty()) << from_file << " | " << from_pipe;
  return from_file;
}

TEST(ArrayReader, ReadsAFileInBlocksOfAnySize) {
  const std::vector<double> values = counted(100);
  const TemporaryFile file(npy_of(values));
  for (const std::size_t buffer_size : {8u, 9u, 15u, 16u, 792u, 800u, 801u, 5000u}) {
    ArrayReader reader = ArrayReader::open_npy(file.path());
    EXPECT_EQ(reader.name(), file.path());
    EXPECT_EQ(reader.type(), ElementType::float64);
    EXPECT_EQ(reader.shape(), Shape{100});
    EXPECT_EQ(reader.size(), 100);
    EXPECT_EQ(reader.position(), 0);
    EXPECT_EQ(read_all(reader, buffer_size), bytes_of(values));
    EXPECT_EQ(reader.position(), 100);
  }
}

TEST(ArrayReader, ReadsAPipeThatGivesSevenBytesAtATime) {
  const std::vector<double> values = counted(100);
  FedPipe pipe(npy_of(values));
  ArrayReader reader = ArrayReader::open_npy(pipe.path());
  EXPECT_EQ(reader.size(), 100);
  EXPECT_EQ(read_all(reader), bytes_of(values));
}

TEST(ArrayReader, ReadsAllVersionsTypesAndByteOrders) {
  const std::string data = bytes_of(counted(6));  // 48 bytes, looked at as elements of each size
  for (const int version : {1, 2, 3}) {
    for (const std::size_t element : {2u, 4u, 8u}) {
      const std::string code = std::string("f") + std::to_string(element),
                        shape = std::string("(2, ") + std::to_string(24 / element) + ")";
      const TemporaryFile same(npy(npy_dictionary(native + code, shape), data, version));
      ArrayReader reader = ArrayReader::open_npy(same.path());
      EXPECT_EQ(read_all(reader, element * 5), data);
      const TemporaryFile other(npy(npy_dictionary(foreign + code, shape), data, version));
      reader = ArrayReader::open_npy(other.path());
      EXPECT_EQ(read_all(reader, element * 5), reversed_elements(data, element));
    }
  }
}

TEST(ArrayReader, ReadsEmptyAndZeroDimensionalArrays) {
  const TemporaryFile empty(npy(npy_dictionary("<f4", "(3, 0)"), ""));
  ArrayReader reader = ArrayReader::open_npy(empty.path());
  EXPECT_EQ(reader.size(), 0);
  EXPECT_EQ(reader.shape(), (Shape{3, 0}));
  EXPECT_EQ(read_all(reader), "");
  const TemporaryFile scalar(npy(npy_dictionary(native + "f8", "()"), bytes_of(counted(1))));
  reader = ArrayReader::open_npy(scalar.path());
  EXPECT_EQ(reader.size(), 1);
  EXPECT_EQ(reader.shape(), Shape{});
  EXPECT_EQ(read_all(reader), bytes_of(counted(1)));
}

TEST(ArrayReader, TellsFortranOrder) {
  const TemporaryFile file(npy(npy_dictionary(native + "f8", "(2, 2)", true), bytes_of(counted(4))));
  EXPECT_TRUE(ArrayReader::open_npy(file.path()).fortran_order());
}

TEST(ArrayReader, RefusesFilesOfTheWrongLength) {
  const std::string whole = npy_of(counted(100));
  EXPECT_EQ(npy_error(whole), "");
  EXPECT_TRUE(
      contains(npy_error(whole.substr(0, whole.size() - 8)),
               ": header promises 800 bytes of data, the file has 792: it is truncated; write it again"));
  EXPECT_TRUE(contains(npy_error(whole.substr(0, whole.size() - 1)), "the file has 799: it is truncated"));
  EXPECT_TRUE(contains(npy_error(whole + "x"),
                       "header promises 800 bytes of data, the file has 801: more than one array"));
  EXPECT_TRUE(contains(npy_error(whole + whole), "more than one array"));
  EXPECT_TRUE(contains(npy_error(npy(npy_dictionary("<f8", "(0,)"), "x")), "header promises 0 bytes"));
}

TEST(ArrayReader, RefusesEveryPrefixOfAFile) {
  const std::string whole = npy_of(counted(3));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(npy_error(whole.substr(0, length)), "") << length;
}

TEST(ArrayReader, RefusesLyingHeadersWithoutAllocating) {
  EXPECT_TRUE(contains(npy_error(npy(npy_dictionary("<f8", "(1000000000000000000,)"), "12345678")),
                       "header promises 8000000000000000000 bytes of data, the file has 8"));
  EXPECT_TRUE(contains(npy_error(test::npy_preamble(2, 1 << 20) + std::string(1 << 20, ' ')),
                       "header of 1048576 bytes"));
  EXPECT_TRUE(contains(npy_error(test::npy_preamble(1, 500) + "{"), "truncated"));
}

TEST(ArrayReader, NoticesAFileThatShrinksWhileItIsRead) {
  const TemporaryFile file(npy_of(counted(1000)));
  ArrayReader reader = ArrayReader::open_npy(file.path());
  std::vector<std::byte> buffer(800);
  EXPECT_EQ(reader.read(buffer), 100);
  ASSERT_EQ(::truncate(file.path().c_str(), 1000), 0);
  EXPECT_TRUE(contains(error_of_reading([&] { return std::move(reader); }),
                       "had 8000 bytes of data when it was opened"));
}

TEST(ArrayReader, RefusesWhatIsNotAFile) {
  const auto npy_at = [](const std::string& path) {
    return error_of_reading([&] { return ArrayReader::open_npy(path); });
  };
  EXPECT_EQ(npy_at("/tmp/no/such/file.npy"), "/tmp/no/such/file.npy: no such file; check the path");
  EXPECT_EQ(npy_at("/"), "/: is a directory; name a file");
  EXPECT_EQ(npy_at(""), "'': is no path; name a file");
  EXPECT_NE(npy_at(std::string("/dev/null\0.npy", 14)), "");
  EXPECT_TRUE(contains(npy_at("/dev/null"), "is empty"));
}

TEST(ArrayReader, SaysThatAFileIsNotReadable) {
  const TemporaryFile file("x");
  ASSERT_EQ(::chmod(file.path().c_str(), 0), 0);
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  EXPECT_TRUE(
      contains(error_of_reading([&] { return ArrayReader::open_npy(file.path()); }), "permission denied"));
}

TEST(ArrayReader, ReadsRawNumbers) {
  const std::vector<double> values = counted(100);
  const TemporaryFile file("header" + bytes_of(values));
  RawFormat format{.type = ElementType::float64, .offset = 6};
  ArrayReader reader = ArrayReader::open_raw(file.path(), format);
  EXPECT_EQ(reader.size(), 100);
  EXPECT_EQ(reader.shape(), Shape{100});
  EXPECT_EQ(read_all(reader), bytes_of(values));

  FedPipe pipe("header" + bytes_of(values));
  reader = ArrayReader::open_raw(pipe.path(), format);
  EXPECT_EQ(reader.size(), std::nullopt);
  EXPECT_EQ(reader.shape(), std::nullopt);
  EXPECT_EQ(read_all(reader), bytes_of(values));
  EXPECT_EQ(reader.size(), 100);
  EXPECT_EQ(reader.shape(), Shape{100});

  format.byte_order = native_byte_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  reader = ArrayReader::open_raw(file.path(), format);
  EXPECT_EQ(read_all(reader), reversed_elements(bytes_of(values), 8));

  // With a shape, only that much is read; a file may hold more.
  format.byte_order = native_byte_order;
  format.shape = Shape{5, 10};
  reader = ArrayReader::open_raw(file.path(), format);
  EXPECT_EQ(reader.size(), 50);
  EXPECT_EQ(read_all(reader), bytes_of(counted(50)));
  FedPipe again("header" + bytes_of(values));
  reader = ArrayReader::open_raw(again.path(), format);
  EXPECT_EQ(read_all(reader), bytes_of(counted(50)));
}

TEST(ArrayReader, ReadsEmptyRawFiles) {
  const TemporaryFile file("");
  ArrayReader reader = ArrayReader::open_raw(file.path(), {});
  EXPECT_EQ(reader.size(), 0);
  EXPECT_EQ(read_all(reader), "");
  FedPipe pipe("");
  reader = ArrayReader::open_raw(pipe.path(), {});
  EXPECT_EQ(read_all(reader), "");
  EXPECT_EQ(reader.size(), 0);
}

TEST(ArrayReader, RefusesRawFilesThatDoNotFit) {
  const std::string content(100, 'x');
  const auto raw_error = [&](const RawFormat& format) {
    const TemporaryFile file(content);
    const std::string from_file =
        error_of_reading([&] { return ArrayReader::open_raw(file.path(), format); });
    FedPipe pipe(content);
    const std::string from_pipe =
        error_of_reading([&] { return ArrayReader::open_raw(pipe.path(), format); });
    EXPECT_EQ(from_file.empty(), from_pipe.empty()) << from_file << " | " << from_pipe;
    return from_file;
  };
  EXPECT_EQ(raw_error({.type = ElementType::float32}), "");
  EXPECT_EQ(raw_error({.type = ElementType::float32, .offset = 100}), "");
  EXPECT_TRUE(
      contains(raw_error({.type = ElementType::float64}), "not a multiple of the 8 bytes of a float64"));
  EXPECT_TRUE(contains(raw_error({.type = ElementType::float32, .offset = 101}), "ends before byte 101"));
  EXPECT_TRUE(
      contains(raw_error({.type = ElementType::float32, .offset = 0x7fffffffffffffff}), "ends before byte"));
  EXPECT_TRUE(contains(raw_error({.type = ElementType::float32, .shape = Shape{26}}), "needs 104 bytes"));
}

TEST(ArrayReader, RefusesSenselessRawFormats) {
  const auto open = [](const RawFormat& format) { return ArrayReader::open_raw("/dev/null", format); };
  EXPECT_THROW(open({.shape = Shape{-1}}), InvalidArgument);
  EXPECT_THROW(open({.shape = Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}}), InvalidArgument);
  EXPECT_THROW(open({.offset = -1}), InvalidArgument);
  EXPECT_THROW(open({.shape = Shape{2}, .offset = 0x7fffffffffffffff}), InvalidArgument);
}

TEST(ArrayReader, RefusesABufferSmallerThanAnElement) {
  const TemporaryFile file(npy_of(counted(3)));
  ArrayReader reader = ArrayReader::open_npy(file.path());
  std::vector<std::byte> buffer(7);
  EXPECT_THROW(reader.read(buffer), InvalidArgument);
}

}  // namespace
}  // namespace foldline
