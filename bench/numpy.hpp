// NumPy as a peer: in a process of its own, so not in turns with the others.
#pragma once

#include "options.hpp"
#include "results.hpp"

namespace foldline::bench {

/// Throws std::runtime_error if the options ask for NumPy and that Python has none: asked before the
/// measurements.
void require_numpy(const Options& options);

/// Runs numpy_peer.py for the groups that have been measured with one thread and adds its rows.
/// Throws std::runtime_error if that Python cannot be run.
void add_numpy(const Options& options, Results& results);

}  // namespace foldline::bench
