// NumPy as a peer: in a process of its own, so not in turns with the others.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "results.hpp"

namespace foldline::bench {

/// A Python that has NumPy, looked for before the measurements: the one that the options name, else python3,
/// else /usr/bin/python3. Empty if there is none, or if neither the options nor the targets ask for one.
/// Throws std::runtime_error if the options ask and there is none.
std::string find_numpy(const Options& options);

/// Runs numpy_peer.py for these groups, as far as it knows them, and adds its rows. What NumPy measures runs
/// in one thread, whatever the group's number. Throws std::runtime_error if that Python cannot be run.
void add_numpy(const std::string& python, const std::vector<Case>& groups, const Method& method,
               Results& results);

/// The groups measured with one thread.
std::vector<Case> single_threaded_groups(const Results& results);

}  // namespace foldline::bench
