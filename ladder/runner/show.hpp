// What is shown of a rung: its file without the functions of other rungs, and the device functions that it
// takes from headers.
#pragma once

#include <string>
#include <vector>

#include "runner/outcome.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder {

struct SourceLine {
  int number;  ///< in its file; 0 for a blank line that was added
  std::string text;
};

/// A part of a source.
struct Excerpt {
  std::string path;  ///< "reduce/warp_shuffles.cu"
  std::vector<SourceLine> lines;
};

/// The rung's own file first, then headers.
std::vector<Excerpt> excerpts_of(const Problem& problem, const RungInfo& rung);

/// All of them as one text; a comment says which headers the others come from.
std::string text_of(const std::vector<Excerpt>& excerpts);

/// The same with what a run did in each line in the margin.
std::string text_of(const std::vector<Excerpt>& excerpts, const std::vector<LineCounts>& counts);

}  // namespace foldline::ladder
