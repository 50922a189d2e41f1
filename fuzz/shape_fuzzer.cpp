// Any text as the value of --shape: refused, or lengths that mean what was typed.
#include "../cli/shape.hpp"

#include <string>

#include "require.hpp"

using foldline::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto shape = foldline::cli::parse_shape({reinterpret_cast<const char*>(data), size});
  if (!shape) return 0;
  require(!shape->empty() && shape->size() <= 64, "1 to 64 lengths");
  std::string text;
  for (const std::int64_t length : *shape) {
    require(length >= 0, "no negative length");
    text += (text.empty() ? "" : ",") + std::to_string(length);
  }
  require(foldline::cli::parse_shape(text) == shape, "what is written reads back the same");
  return 0;
}
