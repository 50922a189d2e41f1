// Launchers of many processes, such as mpirun.
#pragma once

#include <string>

namespace foldline::cli {

/// This process among those that a launcher of MPI programs has started.
struct Launched {
  int rank = 0, ranks = 1;
  std::string mpi = {};   ///< the plug-in that is for it: "openmpi" or "mpich"
  std::string name = {};  ///< for messages
};

/// What the environment says: of Open MPI, of MPICH and its kin, of MVAPICH, of Slurm's PMI. One rank if
/// nothing does, or if FOLDLINE_MPI=off says that each process is on its own.
Launched launched_by_environment();

}  // namespace foldline::cli
