// "did you mean": suggestions for mistyped words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace foldline::cli {

/// Letters to insert, delete or change, or neighbours to swap, that make one word of the other; no letter is
/// edited twice (optimal string alignment, a form of the Damerau-Levenshtein distance). O(|a| |b|) time.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "; did you mean 'sum'?" with the candidate nearest to `word`, or for which other programs have a name near
/// it, such as "total"; "" if none is near: at most a third of the letters may be wrong, and at least one
/// may. Of candidates equally near, the first.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace foldline::cli
