// The separator of a text's columns.
#pragma once

#include "foldline/text_reader.hpp"
#include "io/text_source.hpp"

namespace foldline::io {

/// Bytes at the start of a text that are searched for its layout.
inline constexpr std::size_t most_looked_at = std::size_t{1} << 20;

/// The format's separator, or the one in the first line of the source, which begins with a row, or with what
/// may be a comment or a row.
char choose_separator(TextSource& source, const TextFormat& format);

}  // namespace foldline::io
