// Classes of characters in numbers: a digit, a sign, something to strip, or a letter, which no number has.
#pragma once

#include <cstdint>
#include <string_view>

namespace foldline::io {

enum class CharacterKind : std::uint8_t {
  letter,  ///< and everything else
  digit,   ///< of any script
  minus,   ///< and dashes
  plus,
  point,
  space,     ///< also without width, and control characters
  currency,  ///< of Unicode's category Sc
  bracket,   ///< also quotes and apostrophes
  symbol     ///< other punctuation and mathematical signs
};

struct Character {
  CharacterKind kind = CharacterKind::letter;
  char ascii = '\0';  ///< its ASCII equivalent, if it has one
};

/// Removes and returns the first character of a text, which must not be empty. Bytes that are not UTF-8 are
/// read as Windows-1252.
Character take_character(std::string_view& text);

}  // namespace foldline::io
