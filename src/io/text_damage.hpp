// Numbers that something happened to on their way into a text, and names that are not to be taken for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foldline/text_reader.hpp"
#include "io/text_missing.hpp"
#include "io/text_spelling.hpp"

namespace foldline::io {

enum class FieldKind : std::uint8_t {
  number,
  missing,
  damaged,    ///< what was a number: "$5", "(5)"
  ambiguous,  ///< a name, or a number with a letter for a digit: "O3", "l.5"
  name
};

/// Tells what a field is that may be a name, without the blanks around it. docs/text.md has the rules.
class FieldKinds {
 public:
  explicit FieldKinds(const TextFormat& format);
  FieldKind operator()(std::string_view field) const;

 private:
  NumberReader numbers_, reals_;
  MissingMarkers markers_;
};

/// A damaged number as it should be, if nothing else can be meant: "-5" for one with a typographic minus.
std::optional<std::string> plain_number(std::string_view field);

}  // namespace foldline::io
