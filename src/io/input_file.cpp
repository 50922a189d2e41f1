#include "foldline/input_file.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "io/byte_source.hpp"

namespace foldline {

InputFile::InputFile(std::unique_ptr<io::ByteSource> source) : source_(std::move(source)) {}
InputFile::InputFile(InputFile&& other) noexcept = default;
InputFile& InputFile::operator=(InputFile&& other) noexcept = default;
InputFile::~InputFile() = default;

InputFile InputFile::open(const std::string& path, const Unpacking& unpacking) {
  return InputFile(std::make_unique<io::ByteSource>(path, unpacking));
}

const std::string& InputFile::name() const { return source_->name(); }
bool InputFile::is_unpacked() const { return source_->is_unpacked(); }

bool InputFile::is_empty() { return source_->start().empty(); }

bool InputFile::begins_like_npy() {
  constexpr std::string_view signature = "\x93NUMPY";
  const std::span<const std::byte> start = source_->start();
  return std::ranges::equal(start.first(std::min(start.size(), signature.size())),
                            std::as_bytes(std::span(signature)));
}

/// Binary numbers have zeros and other control characters among 512 bytes, or many bytes beyond ASCII; texts
/// have few accents, in column names.
bool InputFile::begins_like_text() {
  const std::span<const std::byte> start = source_->start();
  std::size_t beyond_ascii = 0;
  for (const std::byte byte : start) {
    const int code = std::to_integer<int>(byte);
    const bool is_space = code >= '\t' && code <= '\r';
    if ((code < ' ' && !is_space) || code == 0x7f) return false;
    if (code > 0x7f) ++beyond_ascii;
  }
  return !start.empty() && beyond_ascii * 10 <= start.size();
}

}  // namespace foldline
