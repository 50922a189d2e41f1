// What is between the columns of a text.
#pragma once

#include "foldline/text_reader.hpp"
#include "io/text_source.hpp"

namespace foldline::io {

/// Bytes of the first lines that are looked at to find out how a text is laid out.
inline constexpr std::size_t most_looked_at = std::size_t{1} << 20;

/// The separator that the format gives, or that the source has in its first line: the start of the source,
/// which begins with a row, or with what may be a comment or one.
char choose_separator(TextSource& source, const TextFormat& format);

}  // namespace foldline::io
