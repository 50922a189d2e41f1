#include "io/text_missing.hpp"

#include <algorithm>
#include <cstring>

namespace foldline::io {
namespace {

constexpr std::array<std::string_view, 10> usual_words = {"",     "NA",   "N/A",  "n/a",  "#N/A",
                                                          "<NA>", "NULL", "null", "None", "-"};

bool is_same(const std::optional<Decimal>& a, const Decimal& b) {
  return a &&
         (a->digits.empty() ? b.digits.empty() : a->negative == b.negative && compare_magnitudes(*a, b) == 0);
}

}  // namespace

MissingMarkers::MissingMarkers(const TextFormat& format, const NumberReader& reader)
    : words_(format.missing_markers), element_size_(static_cast<std::size_t>(size_of(format.type))) {
  if (!format.only_missing_markers) words_.insert(words_.end(), usual_words.begin(), usual_words.end());
  for (const std::string& marker : format.missing_markers) {
    Number number{.decimal = read_decimal(marker), .values = {}};
    const bool is_zero = number.decimal && number.decimal->digits.empty();
    const bool is_plain = number.decimal.has_value();
    if (!is_plain) number.decimal = reader.decimal_of(marker);
    for (const std::string& text : is_zero ? std::vector<std::string>{"0", "-0"} : std::vector{marker}) {
      std::array<std::byte, 8> value = {};
      const NumberStatus status =
          is_plain ? number_parser(format.type)(text, value.data()) : reader.read(text, value.data());
      if (status == NumberStatus::number) number.values.push_back(value);
    }
    if (number.decimal || !number.values.empty()) numbers_.push_back(std::move(number));
  }
}

bool MissingMarkers::have_number(std::string_view text, const std::byte* value,
                                 const NumberReader& reader) const {
  return std::ranges::any_of(numbers_, [&](const Number& number) {
    const auto is_value = [&](const auto& marked) {
      return std::memcmp(marked.data(), value, element_size_) == 0;
    };
    return std::ranges::any_of(number.values, is_value) &&
           (!number.decimal || is_same(reader.decimal_of(text), *number.decimal));
  });
}

bool MissingMarkers::have(std::string_view text, const NumberReader& reader) const {
  if (std::ranges::find(words_, text) != words_.end()) return true;
  if (numbers_.empty()) return false;
  const std::optional<Decimal> decimal = reader.decimal_of(text);  // out of range, or no integer
  return decimal && std::ranges::any_of(
                        numbers_, [&](const Number& number) { return is_same(number.decimal, *decimal); });
}

}  // namespace foldline::io
