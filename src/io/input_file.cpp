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

InputFile InputFile::open(const std::string& path) {
  return InputFile(std::make_unique<io::ByteSource>(path));
}

const std::string& InputFile::name() const { return source_->name(); }
bool InputFile::is_regular() const { return source_->remaining().has_value(); }

bool InputFile::begins_like_npy() {
  constexpr std::string_view signature = "\x93NUMPY";
  const std::span<const std::byte> start = source_->start();
  return std::ranges::equal(start, std::as_bytes(std::span(signature)));
}

}  // namespace foldline
