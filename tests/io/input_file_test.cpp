#include "foldline/input_file.hpp"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "foldline/array_reader.hpp"
#include "foldline/text_reader.hpp"
#include "npy_file.hpp"

namespace foldline::test {
namespace {

const std::vector<double> stored_values = {1, 2, 3};
const std::string stored_array = npy(npy_dictionary("<f8", "(3,)"), bytes_of(stored_values));

void expect_array(InputFile file) {
  EXPECT_TRUE(file.begins_like_npy());
  EXPECT_TRUE(file.begins_like_npy());  // looking changes nothing
  ArrayReader reader = ArrayReader::open_npy(std::move(file));
  std::vector<double> read(3);
  EXPECT_EQ(reader.read(std::as_writable_bytes(std::span(read))), 3);
  EXPECT_EQ(read, stored_values);
}

void expect_text(InputFile file) {
  EXPECT_FALSE(file.begins_like_npy());
  TextReader reader = TextReader::open(std::move(file), {});
  TextBlock block;
  ASSERT_TRUE(reader.read(block));
  ASSERT_EQ(block.values().size(), 2);
  EXPECT_EQ(*reinterpret_cast<const double*>(block.values().at(1)), 25);
}

TEST(InputFile, LooksIntoRegularFiles) {
  const TemporaryFile npy_file(stored_array), text("14\n25\n");
  expect_array(InputFile::open(npy_file.path()));
  expect_text(InputFile::open(text.path()));
}

TEST(InputFile, LooksIntoPipesAndLosesNothing) {
  for (const std::size_t piece : {1u, 2u, 7u, 1000u}) {
    const FedPipe npy_file(stored_array, piece), text("14\n25\n", piece);
    expect_array(InputFile::open(npy_file.path()));
    expect_text(InputFile::open(text.path()));
  }
}

TEST(InputFile, ShorterThanASignature) {
  for (const char* const content : {"", "1", "\x93NUM"}) {
    const TemporaryFile file(content);
    EXPECT_FALSE(InputFile::open(file.path()).begins_like_npy());
    const FedPipe pipe(content);
    EXPECT_FALSE(InputFile::open(pipe.path()).begins_like_npy());
  }
}

TEST(InputFile, RawNumbersOfAFileAfterALook) {
  const TemporaryFile content(bytes_of(stored_values));
  InputFile file = InputFile::open(content.path());
  EXPECT_FALSE(file.begins_like_npy());
  ArrayReader reader = ArrayReader::open_raw(std::move(file), {.offset = 16});
  EXPECT_EQ(reader.size(), 1);
  std::vector<double> read(1);
  EXPECT_EQ(reader.read(std::as_writable_bytes(std::span(read))), 1);
  EXPECT_EQ(read[0], 3);
}

TEST(InputFile, RawNumbersAfterALook) {
  const FedPipe pipe(bytes_of(stored_values));
  InputFile file = InputFile::open(pipe.path());
  EXPECT_FALSE(file.begins_like_npy());
  ArrayReader reader = ArrayReader::open_raw(std::move(file), {.offset = 8});
  std::vector<double> read(3);
  EXPECT_EQ(reader.read(std::as_writable_bytes(std::span(read))), 2);
  EXPECT_EQ(read[1], 3);
}

}  // namespace
}  // namespace foldline::test
