// Any bytes as numbers between blanks, of any type: a DataError, or what a plain reader of such texts finds.
#include <cstdint>
#include <cstdlib>
#include <limits>
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

template <class T>
io::NumberStatus parse(const std::string& text, T& value) {
  return io::number_parser(element_type_of<T>)(text, reinterpret_cast<std::byte*>(&value));
}

/// An integer type must agree with what double makes of a text.
template <class T>
void check_integer(const std::string& text, io::NumberStatus of_double, double real) {
  T value = 0;
  switch (parse(text, value)) {
    case io::NumberStatus::number:
      require(of_double == io::NumberStatus::number && static_cast<double>(value) == real,
              "an integer is the double that is nearest to it");
      return;
    case io::NumberStatus::not_a_number:
      require(of_double == io::NumberStatus::not_a_number, "a number is one to every type");
      return;
    case io::NumberStatus::not_an_integer:
      require(of_double == io::NumberStatus::number, "what is no integer is a number");
      return;
    case io::NumberStatus::out_of_range:
      require(real >= static_cast<double>(std::numeric_limits<T>::max()) ||
                  real <= static_cast<double>(std::numeric_limits<T>::min()),
              "what is out of range is a large number");
  }
}

void check_number(std::string_view bytes) {
  const std::string text(bytes);
  if (text.find('\0') != std::string::npos) return;
  double value = 0;
  const io::NumberStatus status = parse(text, value);
  check_integer<std::int8_t>(text, status, value);
  check_integer<std::uint8_t>(text, status, value);
  check_integer<std::int64_t>(text, status, value);
  check_integer<std::uint64_t>(text, status, value);
  require((status == io::NumberStatus::number) == is_number(text), "a number to C is a number");
  if (status != io::NumberStatus::number) return;
  const double expected = std::strtod(text.c_str(), nullptr);
  require(value == expected || (value != value && expected != expected), "C's value");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 4, size - 4);
  check_number(text);
  TextFormat format;
  format.type = static_cast<ElementType>((data[1] >> 4) % 13);
  format.separator = ' ';
  format.missing = static_cast<MissingValues>((data[0] >> 2) % 3);
  format.header = (data[0] & 128) != 0 ? TextHeader::absent : TextHeader::automatic;
  if ((data[0] & 64) != 0) format.comment = TextFormat::no_comment;
  fuzz::choose_options(format, data[2], data[3]);
  fuzz::read_text_twice(text, format, 1 + data[1] % 16);
  return 0;
}
