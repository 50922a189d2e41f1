// Members of archives: found by name, checked against what the archive says, and nothing else read.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compress.hpp"
#include "foldline/array_reader.hpp"
#include "foldline/input_file.hpp"
#include "npy_file.hpp"

namespace foldline::test {
namespace {

const std::string content = "some content, some content, some content\n";

/// All bytes of a member, or the message.
std::string member_of(const std::string& bytes, const std::optional<std::string>& name = std::nullopt,
                      std::size_t piece = 1000) {
  const MemoryFile file(bytes);
  try {
    ArrayReader reader =
        ArrayReader::open_raw(InputFile::open(file.path(), {.member = name}), {.type = ElementType::uint8});
    std::string read;
    std::vector<std::byte> buffer(piece);
    while (const std::int64_t count = reader.read(buffer))
      read.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(count));
    return read;
  } catch (const DataError& error) {
    return std::string("error: ") + error.what();
  }
}

TEST(Zip, MembersStoredAndDeflatedInPiecesOfAnySize) {
  const std::string large(200000, 'x');
  for (const bool deflate : {false, true})
    for (const bool long_numbers : {false, true})
      for (const bool long_directory : {false, true})
        for (const std::string& inner : {std::string(), content, large}) {
          const ZipFile zip = {{{"a.npy", inner, deflate, long_numbers}}, long_directory};
          for (const std::size_t piece : {1u, 64u, 1u << 18})
            if (piece > 1 || inner.size() < 1000) {
              EXPECT_EQ(member_of(zip.bytes(), {}, piece), inner);
            }
        }
}

TEST(Zip, ByName) {
  const std::string strange = "x \xc3\xa9/\"\n.npy";
  const ZipFile zip = {{{"a.npy", "1"}, {"a", "2"}, {"b.npy", "3"}, {strange, "4"}, {"folder/", ""}}};
  EXPECT_EQ(member_of(zip.bytes(), "a.npy"), "1");
  EXPECT_EQ(member_of(zip.bytes(), "a"), "2");
  EXPECT_EQ(member_of(zip.bytes(), "b"), "3");
  EXPECT_EQ(member_of(zip.bytes(), "b.npy"), "3");
  EXPECT_EQ(member_of(zip.bytes(), strange), "4");
  EXPECT_TRUE(contains(member_of(zip.bytes()),
                       R"(has 4 members; name one: "a.npy", "a", "b.npy", "x \xc3\xa9/\"\x0a.npy")"));
  EXPECT_TRUE(contains(member_of(zip.bytes(), "c"), R"(has no member "c"; name one: "a.npy")"));
  const TemporaryFile file(zip.bytes());
  try {
    InputFile::open(file.path(), {.member = "c"});
    FAIL();
  } catch (const UnknownMember& error) {
    EXPECT_EQ(error.member(), "c");
    EXPECT_EQ(error.known(), (std::vector<std::string>{"a.npy", "a", "b.npy", strange}));
  }
  EXPECT_TRUE(contains(InputFile::open(file.path(), {.member = "b"}).name(), file.path() + " \"b.npy\""));
  EXPECT_TRUE(contains(member_of(ZipFile{{{"a", "1"}, {"a", "2"}}}.bytes(), "a"), "has several members"));
  EXPECT_TRUE(contains(member_of(ZipFile{}.bytes()), "without any file"));
  EXPECT_TRUE(contains(member_of(content, "a"), "is no .npz or ZIP archive"));
  EXPECT_EQ(member_of(ZipFile{{{"a.csv", "1"}, {"__MACOSX/._a.csv", "2"}}}.bytes()), "1");
  const ZipFile sheet = {{{"[Content_Types].xml", "1"}, {"sheet.xml", "2"}}};
  EXPECT_TRUE(contains(member_of(sheet.bytes()), "spreadsheet"));
}

TEST(Zip, ManyMembers) {
  ZipFile zip;
  for (int i = 0; i < 3000; ++i)
    zip.members.push_back({std::to_string(i) + ".npy", std::to_string(i), false});
  EXPECT_EQ(member_of(zip.bytes(), "2999"), "2999");
  EXPECT_TRUE(contains(member_of(zip.bytes()), "has 3000 members"));
  EXPECT_TRUE(contains(member_of(zip.bytes()), " and 2994 more"));
}

TEST(Zip, CommentsMayHoldAnything) {
  const std::string empty = ZipFile{}.bytes();
  for (const std::string& comment : {std::string("PK\x05\x06"), empty + "x", std::string(65535, 'P')})
    EXPECT_EQ(member_of(ZipFile{{{"a", content}}, false, comment}.bytes()), content);
  // Which of the two is the end cannot be told.
  EXPECT_TRUE(contains(member_of(ZipFile{{{"a", content}}, false, empty}.bytes()), "damaged"));
}

TEST(Zip, OnlyOfFiles) {
  const FedPipe pipe(ZipFile{{{"a.npy", content}}}.bytes());
  InputFile file = InputFile::open(pipe.path());
  EXPECT_THROW(file.is_empty(), DataError);
}

TEST(Zip, WhatIsNotRead) {
  const auto message = [](const ZipFile::Member& member) { return member_of(ZipFile{{member}}.bytes()); };
  EXPECT_TRUE(contains(message({"a", content, true, false, 1}), "is encrypted"));
  EXPECT_TRUE(contains(message({"a", content, true, false, 0x40}), "is encrypted"));
  EXPECT_TRUE(contains(message({"a", content, true, false, 0, 12}), "method 12"));
  EXPECT_TRUE(contains(message({"a", gzip(content)}), "is compressed twice, by gzip within a ZIP archive"));
  EXPECT_TRUE(contains(message({"a", ZipFile{}.bytes(), false}), "a ZIP archive within a ZIP archive"));
}

TEST(Zip, LiesAboutMembers) {
  for (const bool deflate : {false, true}) {
    const auto message = [&](ZipFile::Member member) {
      member.deflate = deflate;
      return member_of(ZipFile{{member}}.bytes());
    };
    EXPECT_TRUE(contains(message({"a", content, true, false, 0, -1, 1}), "size"));
    EXPECT_TRUE(contains(message({"a", content, true, false, 0, -1, 0xffffffff}), "size"));
    EXPECT_TRUE(contains(message({"a", content, true, false, 0, -1, 0, 1}), "checksum"));
    EXPECT_TRUE(contains(message({"a", content, true, false, 0, deflate ? 0 : 8}), "error: "));
  }
}

// An error, or the content; never other content.
TEST(Zip, CutOffAnywhereAndEveryBitFlipped) {
  for (const bool deflate : {false, true})
    for (const bool longer : {false, true}) {
      std::string bytes = ZipFile{{{"a.npy", content, deflate, longer}}, longer}.bytes();
      for (std::size_t size = 4; size < bytes.size(); ++size)
        EXPECT_TRUE(member_of(bytes.substr(0, size)).starts_with("error: ")) << size;
      for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
        const std::string read = member_of(bytes);
        EXPECT_TRUE(read.starts_with("error: ") || read == content || (bit < 32 && read == bytes)) << bit;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
      }
    }
}

}  // namespace
}  // namespace foldline::test
