#include "io/text_spelling.hpp"

#include <algorithm>
#include <array>

#include "foldline/error.hpp"
#include "io/text_message.hpp"
#include "io/text_scan.hpp"

namespace foldline::io {
namespace {

constexpr std::string_view no_break_space = "\xc2\xa0", narrow_no_break_space = "\xe2\x80\xaf",
                           apostrophe = "\xe2\x80\x99";

/// The characters that TextFormat::thousands stands for.
std::vector<std::string_view> thousands_of(std::string_view given) {
  if (given == " ") return {" ", no_break_space, narrow_no_break_space};
  if (given == "'" || given == apostrophe) return {"'", apostrophe};
  for (const std::string_view one :
       {std::string_view("."), std::string_view(","), no_break_space, narrow_no_break_space})
    if (given == one) return {one};
  return {};
}

bool is_sign(char c) { return c == '+' || c == '-'; }

/// Whether a text is three digits behind a sign: what Fortran writes if an exponent needs the letter's place.
bool is_exponent_without_letter(std::string_view text) {
  if (text.size() != 4 || !is_sign(text[0])) return false;
  text.remove_prefix(1);
  return take_decimal_digits(text).size() == 3;
}

[[noreturn]] void refuse(const std::string& what) { throw InvalidArgument(what); }

}  // namespace

void validate_spelling(const TextFormat& format) {
  const std::string mark(1, format.decimal_mark);
  if (format.decimal_mark != '.' && format.decimal_mark != ',')
    refuse(quoted(mark) + " cannot begin fractions; the decimal mark is a point or a comma");
  if (!format.thousands.empty() && thousands_of(format.thousands).empty())
    refuse(quoted(format.thousands) +
           " cannot separate thousands; choose a point, a comma, an apostrophe or a space");
  if (format.thousands == mark)
    refuse("decimal mark and separator of thousands are the same, " + quoted(mark) +
           "; choose another for one");
  if (format.separator == ' ' && format.thousands == " ")
    refuse("a space cannot separate both thousands and fields; choose another separator");
  if (format.comment &&
      (*format.comment == format.decimal_mark || format.thousands == std::string(1, *format.comment)))
    refuse(quoted({&*format.comment, 1}) +
           " cannot begin comments, because it is part of numbers; choose another character");
}

bool is_in_numbers(char c, const TextFormat& format) {
  return c == format.decimal_mark || format.thousands == std::string_view(&c, 1);
}

NumberReader::NumberReader(ElementType type, const TextFormat& format)
    : parse_(number_parser(type)),
      decimal_mark_(format.decimal_mark),
      thousands_(thousands_of(format.thousands)),
      fortran_(format.fortran),
      is_plain_(decimal_mark_ == '.') {}

NumberStatus NumberReader::read_other(std::string_view text, std::byte* value) const {
  const std::optional<std::string> plain = respelled(text);
  return plain ? parse_(*plain, value) : NumberStatus::not_a_number;
}

std::optional<Decimal> NumberReader::decimal_of(std::string_view text) const {
  const std::optional<std::string> plain = respelled(text);
  return plain ? read_decimal(*plain) : std::nullopt;
}

/// The text as a plain number is written, if it is one of the format's; anything or nothing if it is none.
std::optional<std::string> NumberReader::respelled(std::string_view text) const {
  std::string result;
  if (!text.empty() && is_sign(text.front())) {
    result += text.front();
    text.remove_prefix(1);
  }
  if (!take_whole_part(text, result)) return std::nullopt;
  const bool has_point = text.starts_with(decimal_mark_);
  if (has_point) {
    text.remove_prefix(1);
    result.append(1, '.').append(take_decimal_digits(text));
  }
  mark_exponent(text, result, has_point);
  for (const char c : text) {  // an exponent, a word, or what is hexadecimal
    if (c == '.' && decimal_mark_ != '.') return std::nullopt;
    result += c == decimal_mark_ ? '.' : c;
  }
  return result;
}

/// Moves digits to the result, and drops what separates thousands; false if these are not groups of three
/// digits. "0.123" is a decimal fraction rather than 123 with a group in front that nobody writes.
bool NumberReader::take_whole_part(std::string_view& text, std::string& to) const {
  std::string_view digits = take_decimal_digits(text);
  to += digits;
  if (thousands_.empty() || !take_thousands(text)) return true;
  if (digits.empty() || digits.size() > 3 || digits.front() == '0') return false;
  do {
    digits = take_decimal_digits(text);
    to += digits;
    if (digits.size() != 3) return false;
  } while (take_thousands(text));
  return true;
}

bool NumberReader::take_thousands(std::string_view& text) const {
  const auto found =
      std::ranges::find_if(thousands_, [&](std::string_view mark) { return text.starts_with(mark); });
  if (found == thousands_.end()) return false;
  text.remove_prefix(found->size());
  return true;
}

/// Writes 'e' for what begins an exponent in Fortran. A point or a sign tells 1.0d5 and 1D+5 from a code such
/// as 1D5, which only the option makes a number.
void NumberReader::mark_exponent(std::string_view& text, std::string& to, bool has_point) const {
  if (text.empty()) return;
  const char letter = static_cast<char>(text.front() | 0x20);
  const bool is_sure = fortran_ || has_point || (text.size() > 1 && is_sign(text[1]));
  if ((letter == 'd' && is_sure) || (letter == 'q' && fortran_))
    text.remove_prefix(1);
  else if (!fortran_ || !has_point || !is_exponent_without_letter(text))
    return;
  to += 'e';
}

}  // namespace foldline::io
