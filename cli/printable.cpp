#include "printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace foldline::cli {
namespace {

/// The number of bytes of the printable character that a text begins with, or 0.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  std::uint32_t character = byte(0) & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    character = character << 6 | (byte(i) & 0x3f);
  }
  // From U+0080 to U+009F are control characters; longer forms than needed, halves of pairs, and what is
  // beyond Unicode are no characters.
  constexpr std::array<std::uint32_t, 3> least = {0xa0, 0x800, 0x10000};
  const bool is_half = character >= 0xd800 && character < 0xe000;
  return byte(0) < 0xc2 || byte(0) > 0xf4 || character < least[length - 2] || is_half || character > 0x10ffff
             ? 0
             : length;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result;
  for (const char c : text.substr(0, longest))
    result +=
        c >= 0x20 && c < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return result + (text.size() > longest ? "..." : "");
}

std::string escaped(std::string_view line) {
  std::string result;
  while (!line.empty()) {
    const std::size_t length = printable_length(line);
    if (length > 0)
      result += line.substr(0, length);
    else if (line[0] == '\n')
      result += "\\n";
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(line[0]));
    line.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

}  // namespace foldline::cli
