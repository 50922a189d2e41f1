// Files that are no tables of numbers, recognised by their beginning.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace foldline::io {

/// Bytes at the start of a file that decide its kind.
constexpr std::size_t bytes_that_tell = 4096;

/// Throws DataError if a file that begins with `start` is known to be of another kind: compressed, an image,
/// UTF-16 and so on.
void refuse_other_kinds(std::string_view start, const std::string& name);

/// Throws DataError if what a file begins with is no text, or HTML, XML or JSON. `separators`: control
/// characters that the format allows for.
void refuse_other_contents(std::string_view start, std::string_view separators, const std::string& name);

}  // namespace foldline::io
