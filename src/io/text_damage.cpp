#include "io/text_damage.hpp"

#include <algorithm>
#include <array>

#include "io/text_character.hpp"
#include "io/text_number.hpp"

namespace foldline::io {
namespace {

/// Whether a text is a number as most programs write it.
bool is_plain(std::string_view text) {
  std::array<std::byte, 8> ignored;
  return number_parser(ElementType::float64)(text, ignored.data()) == NumberStatus::number;
}

bool is_number(std::string_view text, const NumberReader& numbers) {
  std::array<std::byte, 8> ignored;
  return numbers.read(text, ignored.data()) == NumberStatus::number;
}

/// A field without the characters that may surround a number.
struct Remains {
  std::string text;            ///< in ASCII, with '?' for any other letter
  std::size_t after_sign = 0;  ///< position of the last currency sign
  bool has_letter = false;
  bool has_digit = false;   ///< or a point
  bool has_factor = false;  ///< a bracket, a percent sign or the like, which may change its value
};

Remains remains_of(std::string_view field) {
  using enum CharacterKind;
  Remains remains;
  while (!field.empty()) {
    const auto [kind, ascii] = take_character(field);
    if (kind == currency) remains.after_sign = remains.text.size();
    if (kind == letter) remains.text += ascii == '\0' ? '?' : ascii;
    if (kind == digit || kind == point || kind == minus || kind == plus) remains.text += ascii;
    remains.has_letter |= kind == letter;
    remains.has_digit |= kind == digit || kind == point;
    remains.has_factor |= kind == bracket || kind == symbol;
  }
  return remains;
}

/// Whether a character begins a number rather than a name.
bool begins_number(std::string_view field) {
  using enum CharacterKind;
  constexpr std::array kinds = {digit, minus, plus, point, space, currency, bracket};
  return std::ranges::find(kinds, take_character(field).kind) != kinds.end();
}

/// Replaces letters by the digits that they look like.
std::string with_digits(std::string text) {
  for (char& c : text) c = c == 'O' || c == 'o' ? '0' : c == 'I' || c == 'l' ? '1' : c;
  return text;
}

}  // namespace

FieldKinds::FieldKinds(const TextFormat& format)
    : numbers_(format.type, format), reals_(ElementType::float64, format), markers_(format, numbers_) {}

FieldKind FieldKinds::operator()(std::string_view field) const {
  if (field.empty() || markers_.have(field, numbers_)) return FieldKind::missing;
  if (is_number(field, numbers_) || is_number(field, reals_)) return FieldKind::number;
  if (begins_number(field) || is_spreadsheet_error(field)) return FieldKind::damaged;
  if (field == "#" || field == "%") return FieldKind::name;
  const Remains remains = remains_of(field);
  if (!remains.has_letter && !remains.has_digit) return FieldKind::damaged;  // "?" is a missing value
  if (is_plain(remains.text) || is_plain(std::string_view(remains.text).substr(remains.after_sign)))
    return FieldKind::damaged;
  return remains.has_digit && is_plain(with_digits(remains.text)) ? FieldKind::ambiguous : FieldKind::name;
}

std::optional<std::string> plain_number(std::string_view field) {
  const Remains remains = remains_of(field);
  if (remains.has_factor || remains.text == field || !is_plain(remains.text)) return std::nullopt;
  return remains.text;
}

}  // namespace foldline::io
