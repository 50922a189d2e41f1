#include "runner/solution.hpp"

#include <utility>

#include "runner/problem.hpp"

namespace foldline::ladder {
namespace {

LoadedSolution loaded;

}  // namespace

void set_solution(LoadedSolution solution) { loaded = std::move(solution); }

void* solution_with(const std::string& parameters) {
  void* const solve = loaded.find(parameters);
  if (solve == nullptr) throw Unsupported("solve() does not take " + parameters);
  return solve;
}

void finish_solution() { loaded.finish(); }

}  // namespace foldline::ladder
