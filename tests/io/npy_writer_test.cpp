#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "foldline/array_reader.hpp"
#include "foldline/array_writer.hpp"
#include "npy_file.hpp"

namespace foldline::test {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::int64_t>;

std::string bytes_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

template <class T>
std::span<const std::byte> as_bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

/// A folder of its own for each test, so that a test can see what was left there.
class NpyWriter : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "foldline-test-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name = "x.npy") const { return folder_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  /// The message of what `action` throws, which is an Exception.
  template <class Exception, class Action>
  static std::string message_of(const Action& action) {
    try {
      action();
    } catch (const Exception& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  fs::path folder_;
};

template <class T>
void write_all(const std::string& path, const NpyFormat& format, const std::vector<T>& values) {
  ArrayWriter writer = ArrayWriter::create_npy(path, format);
  writer.write(as_bytes(values));
  writer.commit();
}

TEST_F(NpyWriter, WritesWhatTheReaderReads) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  write_all(path(), {ElementType::float32, Shape{2, 3}, true}, values);
  ArrayReader reader = ArrayReader::open_npy(path());
  EXPECT_EQ(reader.type(), ElementType::float32);
  EXPECT_EQ(*reader.shape(), (Shape{2, 3}));
  EXPECT_TRUE(reader.fortran_order());
  std::vector<float> read(6);
  EXPECT_EQ(reader.read(std::as_writable_bytes(std::span(read))), 6);
  EXPECT_EQ(read, values);
}

// What NumPy 1.24 writes for numpy.save("x.npy", numpy.array([1.0])), byte by byte.
TEST_F(NpyWriter, TheSameBytesAsNumPy) {
  write_all(path(), {ElementType::float64, Shape{1}}, std::vector<double>{1.0});
  const std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
  const std::string padded = text + std::string(117 - text.size(), ' ') + "\n";
  EXPECT_EQ(bytes_of_file(path()), npy_preamble(1, 118) + padded + bytes_of(std::vector<double>{1.0}));
}

TEST_F(NpyWriter, DataBeginsAtAMultipleOf64) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape(20, 1), Shape(40, 1), Shape(64, 1)}) {
    const std::vector<double> values(shape == Shape{0} ? 0 : 1, 2.5);
    write_all(path(), {ElementType::float64, shape}, values);
    const std::string content = bytes_of_file(path());
    EXPECT_EQ((content.size() - values.size() * 8) % 64, 0u);
    EXPECT_EQ(*ArrayReader::open_npy(path()).shape(), shape);
  }
}

TEST_F(NpyWriter, ALengthThatIsKnownInTheEndOnly) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 0.0);
  ArrayWriter writer = ArrayWriter::create_npy(path(), {});
  for (int i = 0; i < 200; ++i) writer.write(as_bytes(values));
  writer.commit();
  ArrayReader reader = ArrayReader::open_npy(path());
  EXPECT_EQ(*reader.shape(), (Shape{200'000}));
  std::vector<double> read(1000);
  ASSERT_EQ(reader.read(std::as_writable_bytes(std::span(read))), 1000);
  EXPECT_EQ(read, values);
}

TEST_F(NpyWriter, NothingIsThereBeforeTheCommit) {
  put(path(), "old");
  {
    ArrayWriter writer = ArrayWriter::create_npy(path(), {ElementType::float64, Shape{2}});
    writer.write(as_bytes(std::vector<double>{1, 2}));
    EXPECT_EQ(bytes_of_file(path()), "old");
  }
  EXPECT_EQ(bytes_of_file(path()), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(NpyWriter, AProcessThatIsKilledLeavesNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    ArrayWriter writer = ArrayWriter::create_npy(path(), {ElementType::float64, Shape{2}});
    writer.write(as_bytes(std::vector<double>{1}));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  if (files() != 0) GTEST_SKIP() << "this file system has no files without a name";
}

TEST_F(NpyWriter, ModeComesFromTheUmask) {
  const mode_t before = ::umask(027);
  write_all(path(), {ElementType::float64, Shape{}}, std::vector<double>{1});
  ::umask(before);
  struct stat status = {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(NpyWriter, AFileThatIsReplacedKeepsItsMode) {
  put(path(), "old");
  for (const mode_t mode : {0600u, 0664u, 0755u}) {
    ASSERT_EQ(::chmod(path().c_str(), mode), 0);
    write_all(path(), {ElementType::float64, Shape{}}, std::vector<double>{1});
    struct stat status = {};
    ASSERT_EQ(::stat(path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
}

TEST_F(NpyWriter, AFileThatNobodyMayWriteToIsNotReplaced) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write to any file";
  put(path(), "old");
  ASSERT_EQ(::chmod(path().c_str(), 0444), 0);
  EXPECT_THROW(write_all(path(), {ElementType::float64, Shape{}}, std::vector<double>{1}), foldline::Error);
}

TEST_F(NpyWriter, ASymbolicLinkStaysOne) {
  put(path("target.npy"), "old");
  fs::create_symlink("target.npy", path());
  write_all(path(), {ElementType::float64, Shape{}}, std::vector<double>{1});
  EXPECT_TRUE(fs::is_symlink(path()));
  EXPECT_EQ(ArrayReader::open_npy(path("target.npy")).size(), 1);
}

TEST_F(NpyWriter, AFullDiskLeavesTheOldFile) {
  put(path(), "old");
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {65536, before.rlim_max};  // writes beyond it fail as on a full disk
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::vector<double> block(4096);
  const std::string known = message_of<Error>(
      [&] { ArrayWriter::create_npy(path(), {ElementType::float64, Shape{std::int64_t{1} << 20}}); });
  const std::string unknown = message_of<Error>([&] {
    ArrayWriter writer = ArrayWriter::create_npy(path(), {});
    for (int i = 0; i < 10; ++i) writer.write(as_bytes(block));
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signal_before);
  EXPECT_TRUE(contains(known, "cannot be written"));
  EXPECT_TRUE(contains(unknown, "cannot be written"));
  EXPECT_EQ(bytes_of_file(path()), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(NpyWriter, AFullDevice) {
  EXPECT_TRUE(contains(message_of<Error>([] {
                         write_all("/dev/full", {ElementType::float64, Shape{1}}, std::vector<double>{1});
                       }),
                       "cannot be written"));
}

TEST_F(NpyWriter, APipeOfKnownSize) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    write_all(path(), {ElementType::float64, Shape{2}}, std::vector<double>{1, 2});
    ::_exit(0);
  }
  ArrayReader reader = ArrayReader::open_npy(path());
  std::vector<double> read(2);
  EXPECT_EQ(reader.read(std::as_writable_bytes(std::span(read))), 2);
  EXPECT_EQ(read, (std::vector<double>{1, 2}));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(contains(message_of<InvalidArgument>([] { ArrayWriter::create_npy("/dev/null", {}); }),
                       "number of elements is not known"));
}

TEST_F(NpyWriter, RefusesWhatMakesNoSense) {
  const auto create = [&](const std::string& where, const NpyFormat& format) {
    return message_of<Error>([&] { ArrayWriter::create_npy(where, format); });
  };
  constexpr std::int64_t huge = std::int64_t{1} << 60;
  EXPECT_TRUE(contains(create(path(), {ElementType::bfloat16, Shape{1}}), "NumPy has no bfloat16"));
  EXPECT_TRUE(contains(create(path(), {ElementType::float64, Shape{-1}}), "negative"));
  EXPECT_TRUE(contains(create(path(), {ElementType::float64, Shape{huge}}), "2^63"));
  EXPECT_TRUE(contains(create(path(), {ElementType::float64, Shape{huge - 1}}), "2^63"));
  EXPECT_TRUE(contains(create(folder_, {ElementType::float64, Shape{1}}), "is a directory"));
  EXPECT_TRUE(contains(create(path("no/x.npy"), {ElementType::float64, Shape{1}}), "cannot be created"));
  EXPECT_TRUE(contains(create("", {ElementType::float64, Shape{1}}), "is no path"));
  EXPECT_EQ(files(), 0u);
}

TEST_F(NpyWriter, RefusesAnotherNumberOfElements) {
  ArrayWriter writer = ArrayWriter::create_npy(path(), {ElementType::float64, Shape{2}});
  const std::vector<double> three = {1, 2, 3};
  EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { writer.write(as_bytes(three)); }), "more elements"));
  EXPECT_TRUE(
      contains(message_of<InvalidArgument>([&] { writer.write(as_bytes(three).first(9)); }), "whole"));
  writer.write(as_bytes(three).first(8));
  EXPECT_TRUE(contains(message_of<InvalidArgument>([&] { writer.commit(); }), "1 of 2 elements"));
  EXPECT_FALSE(fs::exists(path()));
}

}  // namespace
}  // namespace foldline::test
