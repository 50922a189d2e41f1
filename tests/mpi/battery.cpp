// mpirun -n P battery [--cases N] [--seed FIRST] [--preloaded 1] [--announce 1]: random cases of
// foldline::mpi, or of the library to preload, on P ranks. Prints a line, and one before the first case if it
// is to announce that; ends with 1 if a case is wrong.
#include "foldline/mpi/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "spread.hpp"

namespace {

constexpr std::array checks = {spread::check_reduction, spread::check_accumulators, spread::check_arrays,
                               spread::check_columns,   spread::check_scan,         spread::check_integers,
                               spread::check_requests,  spread::check_gpu_arrays};

std::string check(const spread::Ranks& ranks, std::uint64_t number, bool is_preloaded) {
  const std::uint64_t seed = generators::Random(number).bits();
  try {
    return is_preloaded ? spread::check_preloaded(ranks, seed) : checks[number % checks.size()](ranks, seed);
  } catch (const std::exception& error) {
    return std::string("threw ") + error.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::uint64_t cases = 600, first = 0, is_preloaded = 0, announces = 0;
  for (int i = 1; i + 1 < argc; i += 2)
    (std::strcmp(argv[i], "--cases") == 0      ? cases
     : std::strcmp(argv[i], "--seed") == 0     ? first
     : std::strcmp(argv[i], "--announce") == 0 ? announces
                                               : is_preloaded) = std::strtoull(argv[i + 1], nullptr, 10);
  spread::Ranks ranks = {MPI_COMM_WORLD, 0, 1};
  MPI_Comm_rank(ranks.comm, &ranks.rank);
  MPI_Comm_size(ranks.comm, &ranks.count);
  if (announces != 0) {
    MPI_Barrier(ranks.comm);
    if (ranks.rank == 0) std::printf("begins\n");
    std::fflush(stdout);
  }
  for (std::uint64_t number = first; number < first + cases; ++number)
    if (const std::string wrong = check(ranks, number, is_preloaded != 0); !wrong.empty()) {
      std::printf("case %llu on rank %d of %d: %s\n", static_cast<unsigned long long>(number), ranks.rank,
                  ranks.count, wrong.c_str());
      std::fflush(stdout);
      MPI_Abort(ranks.comm, 1);
    }
  if (ranks.rank == 0)
    std::printf("%llu cases on %d ranks\n", static_cast<unsigned long long>(cases), ranks.count);
  MPI_Finalize();
}
