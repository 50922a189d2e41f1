#include "io/text_message.hpp"

namespace foldline::io {

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += {'\\', 'x', hexadecimal[byte >> 4], hexadecimal[byte & 15]};
    }
  }
  return result + (text.size() > longest ? "...\"" : "\"");
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string too_long_message(std::int64_t longest) {
  return "the row has more than " + std::to_string(longest) +
         " bytes; is this a text, and is every quote closed? Longer rows can be allowed (--longest-line)";
}

}  // namespace foldline::io
