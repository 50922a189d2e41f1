// Any bytes as a compressed file or an archive, from memory and from a pipe: a DataError, or some content,
// the same in pieces of any size.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "descriptor.hpp"
#include "foldline/array_reader.hpp"
#include "foldline/input_file.hpp"
#include "require.hpp"

using namespace foldline;
using fuzz::Descriptor;
using fuzz::in_memory;
using fuzz::in_pipe;
using fuzz::require;

namespace {

/// Few bytes may become many gigabytes; the first ones will do.
constexpr std::size_t longest_content = 1 << 18;

std::optional<std::string> content_of(const std::string& path, const Unpacking& unpacking,
                                      std::size_t piece) {
  try {
    ArrayReader reader =
        ArrayReader::open_raw(InputFile::open(path, unpacking), {.type = ElementType::uint8});
    std::vector<std::byte> buffer(piece);
    std::string content;
    while (content.size() < longest_content) {
      const std::int64_t count = reader.read(buffer);
      if (count == 0) break;
      require(count <= static_cast<std::int64_t>(piece), "a piece fits its buffer");
      content.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(count));
    }
    return content.substr(0, longest_content);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

bool begins_like_zip(const std::uint8_t* data, std::size_t size) {
  return size >= 2 && std::memcmp(data, "PK", 2) == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 60000) return 0;  // a pipe holds 64 KiB; more would wait forever
  const Descriptor file = in_memory(data, size);
  const auto content = content_of(file.path(), {}, 65536);
  const std::size_t piece = size == 0 ? 1 : 1 + data[size - 1];
  // A piece less may be read before damage is found, but none is given out after it.
  const auto in_pieces = content_of(file.path(), {}, piece);
  if (content && in_pieces) require(*content == *in_pieces, "pieces of any size agree");
  if (content && content->size() < longest_content) require(in_pieces == content, "whole contents agree");
  if (begins_like_zip(data, size)) {
    content_of(file.path(), {.member = "a"}, 65536);
  } else {
    const Descriptor pipe = in_pipe(data, size);
    require(content_of(pipe.path(), {}, 65536) == content, "file and pipe agree");
  }
  return 0;
}
