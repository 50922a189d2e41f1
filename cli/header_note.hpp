// Notes about the guess whether the first line of a text is a header.
#pragma once

#include <foldline/text_reader.hpp>

#include "options.hpp"

namespace foldline::cli {

/// Writes a line to standard error if it is a terminal and the first line may not be what it was taken for: a
/// header that nobody asked for, or numbers that may be years and name columns.
void note_header(const TextReader& reader, const Options& options);

}  // namespace foldline::cli
