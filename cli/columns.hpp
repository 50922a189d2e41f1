// Columns of several files that are one data set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace foldline::cli {

/// For each of a file's columns the index of the one of the same name among `first`, those of the first file;
/// of several of one name, the first goes to the first and so on. Throws DataError, which begins with `file`,
/// unless both files have the same columns.
std::vector<std::size_t> matched_columns(const std::vector<std::string>& columns,
                                         const std::vector<std::string>& first, const std::string& file);

}  // namespace foldline::cli
