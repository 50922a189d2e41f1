// A plug-in of the command (cli/processes.cpp loads it): the little that it needs of one MPI. Nothing of
// foldline is in here.
#include <climits>
#include <cstdlib>
#include <vector>

#include "foldline/mpi/error.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Begins; the place of this process among all. Returns 0 if it could.
EXPORT int foldline_processes_join(int* rank, int* ranks) {
  const bool done = MPI_Init(nullptr, nullptr) == MPI_SUCCESS &&
                    MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
                    MPI_Comm_size(MPI_COMM_WORLD, ranks) == MPI_SUCCESS;
  return done ? 0 : 1;
}

/// Gives every process the bytes of all, one after the other, in memory for free(); `sizes` has a number for
/// each. Null if they are more than an int can count.
EXPORT char* foldline_processes_exchange(const char* own, int size, int* sizes) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allgather(&size, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> offsets(static_cast<std::size_t>(ranks));
  long long end = 0;
  for (int i = 0; i < ranks; ++i) {
    offsets[static_cast<std::size_t>(i)] = static_cast<int>(end);
    end += sizes[i];
    if (end > INT_MAX) return nullptr;
  }
  char* const all = static_cast<char*>(std::malloc(static_cast<std::size_t>(end) + 1));
  if (all == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Allgatherv(own, size, MPI_CHAR, all, sizes, offsets.data(), MPI_CHAR, MPI_COMM_WORLD);
  return all;
}

EXPORT void foldline_processes_leave() { MPI_Finalize(); }
