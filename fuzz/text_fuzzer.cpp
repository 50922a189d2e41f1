// Any bytes as numbers between blanks, of any type: a DataError, or what a plain reader of such texts finds.
#include <cstdlib>
#include <string>

#include "foldline/error.hpp"
#include "io/text_number.hpp"
#include "text_input.hpp"

using namespace foldline;
using fuzz::require;

namespace {

/// Whether the C library reads all of a text as a number: it knows all numbers that we do, and "nan(1)".
bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && static_cast<unsigned char>(text.front()) > ' ' &&
         end == text.c_str() + text.size() && text.back() != ')';
}

void check_number(std::string_view bytes) {
  const std::string text(bytes);
  if (text.find('\0') != std::string::npos) return;
  double value = 0;
  const io::NumberStatus status =
      io::number_parser(ElementType::float64)(text, reinterpret_cast<std::byte*>(&value));
  require((status == io::NumberStatus::number) == is_number(text), "a number to C is a number");
  if (status != io::NumberStatus::number) return;
  const double expected = std::strtod(text.c_str(), nullptr);
  require(value == expected || (value != value && expected != expected), "C's value");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  check_number(text);
  TextFormat format;
  format.type = static_cast<ElementType>(data[0] & 3);
  format.separator = ' ';
  format.missing = static_cast<MissingValues>((data[0] >> 2) % 3);
  format.header = (data[0] & 128) != 0 ? TextHeader::absent : TextHeader::automatic;
  if ((data[0] & 64) != 0) format.comment = std::nullopt;
  fuzz::read_text_twice(text, format, 1 + data[1] % 64);
  return 0;
}
