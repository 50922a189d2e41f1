// Launchers of many processes, such as mpirun.
#pragma once

#include <string>
#include <vector>

namespace foldline::cli {

/// This process among those that a launcher of MPI programs has started.
struct Launched {
  static constexpr int unknown = 0;
  int rank = 0, ranks = 1;             ///< `ranks` may be unknown
  std::vector<std::string> mpis = {};  ///< the plug-ins that may be for it: "openmpi", "mpich"
  std::string name = {};               ///< for messages
};

/// What the environment says: of mpirun, of Slurm's srun, of others that speak PMI or PMIx. One rank if it
/// says nothing, or if FOLDLINE_MPI=off says that each process is on its own; FOLDLINE_MPI=openmpi or mpich
/// chooses the plug-in.
Launched launched_by_environment();

}  // namespace foldline::cli
