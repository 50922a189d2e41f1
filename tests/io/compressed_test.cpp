// Compressed files: the same content however it comes, and an error for every other file, never other
// content.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "compress.hpp"
#include "foldline/array_reader.hpp"
#include "foldline/input_file.hpp"
#include "text_file.hpp"

namespace foldline::test {
namespace {

const std::string small_text = "v\n1\n2\n3.5\n";

/// All bytes, read `piece` at a time; or the message.
std::string content_of(const std::string& path, std::size_t piece = 1000, const Unpacking& unpacking = {}) {
  try {
    ArrayReader reader =
        ArrayReader::open_raw(InputFile::open(path, unpacking), {.type = ElementType::uint8});
    std::string content;
    std::vector<std::byte> buffer(piece);
    while (const std::int64_t count = reader.read(buffer))
      content.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(count));
    return content;
  } catch (const DataError& error) {
    return std::string("error: ") + error.what();
  }
}

std::string content_of_bytes(const std::string& bytes) { return content_of(MemoryFile(bytes).path()); }

bool is_error(const std::string& content) { return content.starts_with("error: "); }

/// More than all buffers, and not like itself.
std::string long_content() {
  std::string result;
  std::uint32_t state = 1;
  for (int i = 0; i < 300000; ++i) {
    state = state * 1664525 + 1013904223;
    result += static_cast<char>(state >> 30);
  }
  return result;
}

TEST(Compressed, FilesAndPipesInPiecesOfAnySize) {
  for (const std::string& content : {std::string(), std::string("x"), small_text, long_content()})
    for (const CompressionFormat& format : compression_formats) {
      const std::string bytes = format.compress(content);
      const TemporaryFile file(bytes);
      for (const std::size_t piece : {1u, 7u, 4096u, 1u << 20}) {
        if (piece < 4096 && content.size() > 1000) continue;
        EXPECT_EQ(content_of(file.path(), piece), content) << format.name;
        const FedPipe pipe(bytes, std::max<std::size_t>(piece, 100));
        EXPECT_EQ(content_of(pipe.path(), piece), content) << format.name;
      }
    }
}

TEST(Compressed, AsTheyStand) {
  for (const CompressionFormat& format : compression_formats) {
    const std::string bytes = format.compress(small_text);
    EXPECT_EQ(content_of(TemporaryFile(bytes).path(), 1000, {.unpack = false}), bytes);
  }
}

TEST(Compressed, ArraysAndTexts) {
  const std::vector<double> values = {1, 2, 3};
  const std::string array = npy(npy_dictionary("<f8", "(3,)"), bytes_of(values));
  for (const CompressionFormat& format : compression_formats) {
    const TemporaryFile array_file(format.compress(array));
    InputFile input = InputFile::open(array_file.path());
    EXPECT_TRUE(input.begins_like_npy());
    EXPECT_FALSE(input.begins_like_text());
    EXPECT_TRUE(input.is_unpacked());
    ArrayReader reader = ArrayReader::open_npy(std::move(input));
    std::vector<double> read(3);
    EXPECT_EQ(reader.read(std::as_writable_bytes(std::span(read))), 3);
    EXPECT_EQ(read, values);
    for (const std::string& wrong : {array + "x", array.substr(0, array.size() - 1)}) {
      const TemporaryFile wrong_file(format.compress(wrong));
      ArrayReader of_wrong = ArrayReader::open_npy(wrong_file.path());
      EXPECT_THROW(of_wrong.read(std::as_writable_bytes(std::span(read))), DataError);
    }
    const TemporaryFile text_file(format.compress(small_text));
    EXPECT_TRUE(InputFile::open(text_file.path()).begins_like_text());
    TextReader text_reader = TextReader::open(text_file.path(), {});
    TextContent content;
    read_blocks(text_reader, content);
    EXPECT_EQ(content.values(), (std::vector<double>{1, 2, 3.5}));
    EXPECT_EQ(text_reader.size(), std::nullopt);
  }
}

TEST(Compressed, OneBehindTheOther) {
  for (const CompressionFormat& format : compression_formats) {
    const std::string two = format.compress(small_text) + format.compress("4\n") + format.compress("");
    EXPECT_EQ(content_of_bytes(two), small_text + "4\n") << format.name;
    // Each begins where a buffer ends, or a few bytes before.
    std::string many, contents;
    while (many.size() < 200000) {
      many += format.compress(small_text);
      contents += small_text;
    }
    EXPECT_EQ(content_of_bytes(many), contents) << format.name;
  }
  const std::string empty_frame = std::string("\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);  // as pzstd begins
  EXPECT_EQ(content_of_bytes(empty_frame + zstd(small_text)), small_text);
}

TEST(Compressed, ZerosMayFillUp) {
  for (const std::size_t zeros : {4u, 512u, 100000u}) {
    const std::string filling(zeros, '\0');
    EXPECT_EQ(content_of_bytes(gzip(small_text) + filling), small_text);
    EXPECT_EQ(content_of_bytes(xz(small_text) + filling + xz("4\n") + filling), small_text + "4\n");
    EXPECT_TRUE(is_error(content_of_bytes(zstd(small_text) + filling)));
    EXPECT_TRUE(is_error(content_of_bytes(bzip2(small_text) + filling)));
  }
  EXPECT_EQ(content_of_bytes(gzip(small_text) + '\0'), small_text);
  EXPECT_TRUE(is_error(content_of_bytes(xz(small_text) + '\0')));  // by its specification a multiple of four
}

TEST(Compressed, NothingElseMayFollow) {
  for (const CompressionFormat& format : compression_formats)
    for (const std::string& garbage :
         {std::string("x"), small_text, format.compress(small_text).substr(0, 5),
          std::string(format.name) == "gzip" ? xz(small_text) : gzip(small_text)})
      EXPECT_TRUE(is_error(content_of_bytes(format.compress(small_text) + garbage))) << format.name;
}

// Nothing of these is ever taken for a whole file. Where the first bytes no longer tell the format, bytes are
// read as they stand: then they are not the content either.
TEST(Compressed, CutOffAnywhere) {
  for (const CompressionFormat& format : compression_formats) {
    const std::string bytes = format.compress(small_text);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::string cut = bytes.substr(0, size), read = content_of_bytes(cut);
      EXPECT_TRUE(is_error(read) || (size < 10 && read == cut)) << format.name << " " << size;
      EXPECT_TRUE(size < 10 || contains(read, "truncated")) << size;
    }
  }
}

TEST(Compressed, EveryBitFlipped) {
  for (const CompressionFormat& format : compression_formats) {
    std::string bytes = format.compress(small_text);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
      const std::string read = content_of_bytes(bytes);
      // Some bits mean nothing, such as the time of a gzip file.
      EXPECT_TRUE(is_error(read) || read == small_text || read == bytes) << format.name << " " << bit;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    }
  }
}

TEST(Compressed, DamageBehindWhatIsUsed) {
  for (const CompressionFormat& format : compression_formats) {
    const std::string bytes = format.compress(long_content());
    const TemporaryFile file(bytes.substr(0, bytes.size() - 1));
    ArrayReader reader = ArrayReader::open_raw(
        file.path(), {.type = ElementType::uint8, .shape = std::vector<std::int64_t>{5}});
    std::vector<std::byte> buffer(5);
    EXPECT_THROW(reader.read(buffer), DataError) << format.name;
    const std::string none = npy(npy_dictionary("<f8", "(0,)"), "");
    EXPECT_THROW(ArrayReader::open_npy(TemporaryFile(format.compress(none) + "x").path()), DataError);
    EXPECT_THROW(ArrayReader::open_npy(TemporaryFile(format.compress(none + "x")).path()), DataError);
  }
}

TEST(Compressed, TwiceIsOnceTooOften) {
  for (const CompressionFormat& inner : compression_formats)
    for (const CompressionFormat& outer : compression_formats) {
      const std::string read = content_of_bytes(outer.compress(inner.compress(small_text)));
      EXPECT_TRUE(
          contains(read, "compressed twice, by " + std::string(inner.name) + " within " + outer.name));
    }
  EXPECT_TRUE(contains(content_of_bytes(gzip(ZipFile{{{"a.npy", small_text}}}.bytes())),
                       "a ZIP archive within gzip"));
}

TEST(Compressed, MemoryIsLimited) {
  const std::string message = content_of_bytes(zstd(small_text, 28));
  EXPECT_TRUE(contains(message, "needs 257 MiB of memory")) << message;
  EXPECT_EQ(content_of_bytes(zstd(small_text, 27)), small_text);
  // A block's header has its size, in words, and ends with a checksum; the dictionary's size is behind the
  // number of the filter and the size of what belongs to it.
  std::string bytes = xz(small_text);
  const std::size_t header = 12, size = 4 * (static_cast<unsigned char>(bytes[header]) + 1u) - 4;
  bytes[bytes.find("\x21\x01", header) + 2] = 36;  // 1 GiB
  const std::uint32_t checksum =
      ::lzma_crc32(reinterpret_cast<const std::uint8_t*>(bytes.data()) + header, size, 0);
  for (std::size_t i = 0; i < 4; ++i) bytes[header + size + i] = static_cast<char>(checksum >> (8 * i));
  EXPECT_TRUE(contains(content_of_bytes(bytes), "MiB of memory to be decompressed"));
}

TEST(Compressed, TextsThatBeginLikeBzip2) {
  const TemporaryFile file("BZh9\n5\n");
  EXPECT_FALSE(InputFile::open(file.path()).is_unpacked());
  TextReader reader = TextReader::open(file.path(), {});
  EXPECT_TRUE(reader.has_header());
}

}  // namespace
}  // namespace foldline::test
