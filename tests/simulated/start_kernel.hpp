// How the simulator starts the library's kernels.
#pragma once

namespace simulated {

/// The blocks of each launch; 0 for as many as the library chooses.
extern int blocks;

}  // namespace simulated
