// Classes of characters in numbers: a digit, a sign, something to strip, or a letter, which no number has.
#pragma once

#include <cstdint>
#include <string_view>

namespace foldline::io {

enum class CharacterKind : std::uint8_t {
  letter,  ///< and whatever is none of the others
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

/// Removes the first character of a text, which must have one, and returns it. What is not UTF-8 is taken for
/// Windows-1252, byte by byte.
Character take_character(std::string_view& text);

}  // namespace foldline::io
