// A learner's solve() as functions that the ladder can find and call.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/problem.hpp"

namespace foldline::ladder {

/// What is compiled behind the learner's source: for each variant a function that says whether solve() takes
/// its parameters, and one that calls it.
std::string calling_functions(const std::vector<Attempt::Variant>& variants);

/// Finds the functions of the compiled file, which is loaded at the first call: in the process that runs it.
std::function<void*(const std::string& parameters)> finder_in(const std::filesystem::path& program,
                                                              const std::vector<Attempt::Variant>& variants);

}  // namespace foldline::ladder
