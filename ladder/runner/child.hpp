// Runs work in a child process with a time limit, so that a rung that crashes, hangs or corrupts the GPU
// context does not affect others.
#pragma once

#include <functional>
#include <string>

namespace foldline::ladder {

struct ChildResult {
  enum class End { returned, crashed, timed_out } end;
  std::string text;  ///< what `work` returned, or how the process ended
};

/// Forks; the child returns the text of `work`. The caller must have no other threads and must not have used
/// CUDA, which does not survive a fork.
ChildResult run_in_child(const std::function<std::string()>& work, double seconds);

}  // namespace foldline::ladder
