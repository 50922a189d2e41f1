// A computation that several processes share.
#pragma once

#include "advice.hpp"
#include "compute.hpp"
#include "processes.hpp"

namespace foldline::cli {

/// What one process complains about, on all of them.
struct SharedFailure {
  Complaint complaint;
};

/// Throws Error for what processes cannot share: groups, axes, standard input, and all that is no operation
/// on files.
void require_shareable(const Options& options);

/// As compute(): every process reads a part of each file of 64 KiB for each of them, or more, and of the
/// others, and of those that are compressed, process r of P reads files r, r + P, r + 2 P and so on; all get
/// the sums of all. Throws a SharedFailure on every process if one fails: for the first file that one of them
/// fails at. Pipes and devices are failures, since every process opens every file.
Found compute_together(const Options& options, const std::function<void(const std::string&)>& explain,
                       Processes& processes);

}  // namespace foldline::cli
