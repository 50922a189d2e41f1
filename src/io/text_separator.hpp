// What is between the columns of a text.
#pragma once

#include "foldline/text_reader.hpp"
#include "io/text_source.hpp"

namespace foldline::io {

/// The separator that the format gives, or that the source has in its first line: the start of the source,
/// which begins with a row, or with what may be a comment or one.
char choose_separator(TextSource& source, const TextFormat& format);

}  // namespace foldline::io
