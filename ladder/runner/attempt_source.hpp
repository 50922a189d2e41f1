// A learner's solve() as functions that the ladder can find and call.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/problem.hpp"
#include "runner/solution.hpp"

namespace foldline::ladder {

/// What is compiled behind the learner's source: for each variant a function that says whether solve() takes
/// its parameters, and one that calls it; and one for the error that a call has left behind.
std::string calling_functions(const std::vector<Attempt::Variant>& variants);

/// What the two programs do differently with a compiled file.
struct AfterLoading {
  std::function<void()> loaded;      ///< called once
  std::function<std::string()> why;  ///< what is added to the message of an error
};

/// The functions of the compiled file, which is loaded at the first call: in the process that runs it.
LoadedSolution solution_in(const std::filesystem::path& program,
                           const std::vector<Attempt::Variant>& variants, const AfterLoading& after);

}  // namespace foldline::ladder
