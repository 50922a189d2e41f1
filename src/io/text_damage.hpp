// Damaged numbers, and their distinction from names.
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
  damaged,    ///< a damaged number: "$5", "(5)"
  ambiguous,  ///< a name, or a number with a letter for a digit: "O3", "l.5"
  name
};

/// Classifies a field, stripped of blanks, that may be a name. docs/text.md has the rules.
class FieldKinds {
 public:
  explicit FieldKinds(const TextFormat& format);
  FieldKind operator()(std::string_view field) const;

 private:
  NumberReader numbers_, reals_;
  MissingMarkers markers_;
};

/// The plain number that a damaged one must mean, if that is unambiguous: "-5" for one with a typographic
/// minus.
std::optional<std::string> plain_number(std::string_view field);

}  // namespace foldline::io
