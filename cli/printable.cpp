#include "printable.hpp"

#include <fmt/format.h>

namespace foldline::cli {

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result;
  for (const char c : text.substr(0, longest))
    result +=
        c >= 0x20 && c < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return result + (text.size() > longest ? "..." : "");
}

}  // namespace foldline::cli
