// Names of columns in a comment in front of the first row, as NumPy's savetxt and gnuplot's users write them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foldline/text_reader.hpp"
#include "io/text_layout.hpp"

namespace foldline::io {

/// The words of the comment that names the first row's fields: it has as many as the row, and none of them is
/// a number. Of several comments it is the last one that has all names that the format selects, or just the
/// last one. Empty if there is none.
std::vector<std::string> names_in_comments(const TextLayout& layout, const TextFormat& format);

/// Whether these are all names that the format selects.
bool has_selected_names(const std::vector<std::string>& names, const TextFormat& format);

}  // namespace foldline::io
