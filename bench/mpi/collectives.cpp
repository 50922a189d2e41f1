// mpirun -n P mpi_bench_MPI [--rounds N] [--elements N] [--bytes N]: how long exact sums over MPI take beside
// MPI's own, as JSON. Times are the slowest rank's, in seconds: medians of rounds in which the contestants
// take turns.
//
//   sum         the sum of `elements` doubles spread over the ranks, beside the ranks' exact sums of their
//   parts and an MPI_Allreduce of one double all_reduce  arrays of `bytes` reduced element by element, beside
//   MPI_Allreduce
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <foldline/foldline.hpp>
#include <foldline/mpi.hpp>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

double seconds_of(const std::function<void()>& call) {
  MPI_Barrier(world);
  const double start = MPI_Wtime();
  call();
  double time = MPI_Wtime() - start, slowest = 0;
  MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, world);
  return slowest;
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

struct Contest {
  std::string name;
  std::function<void()> exact, plain;
};

/// A line of JSON on rank 0; `speed` is plain / exact.
void run(const Contest& contest, int rounds, int rank, bool last) {
  std::vector<double> exact, plain;
  contest.exact();  // pages and connections
  contest.plain();
  for (int round = 0; round < rounds; ++round) {
    exact.push_back(seconds_of(contest.exact));
    plain.push_back(seconds_of(contest.plain));
  }
  const double a = median(exact), b = median(plain);
  if (rank == 0)
    std::printf("  \"%s\": {\"exact\": %.4g, \"plain\": %.4g, \"speed\": %.3f}%s\n", contest.name.c_str(), a,
                b, b / a, last ? "" : ",");
  std::fflush(stdout);
}

template <foldline::Element T>
Contest arrays(const char* name, std::int64_t bytes, MPI_Datatype type, std::vector<T>& x,
               std::vector<T>& out) {
  const auto size = static_cast<std::size_t>(bytes) / sizeof(T);
  x.resize(size);
  out.resize(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<T>(static_cast<double>(i * 7919 % 1000) * 0.001);
  return {
      name, [&] { foldline::mpi::all_reduce(x, out, world); },
      [&, type] { MPI_Allreduce(x.data(), out.data(), static_cast<int>(x.size()), type, MPI_SUM, world); }};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  long long rounds = 11, elements = 1LL << 27, bytes = 64LL << 20;
  for (int i = 1; i + 1 < argc; i += 2)
    (std::strcmp(argv[i], "--rounds") == 0  ? rounds
     : std::strcmp(argv[i], "--bytes") == 0 ? bytes
                                            : elements) = std::atoll(argv[i + 1]);
  if (rank == 0)
    std::printf("{\n  \"ranks\": %d, \"elements\": %lld, \"bytes\": %lld, \"rounds\": %lld,\n", ranks,
                elements, bytes, rounds);
  const foldline::Context one_thread = {.execution = {.threads = 1}};
  {
    std::vector<double> part(static_cast<std::size_t>(elements / ranks));
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<double>(i * 7919 % 1000) * 0.001;
    double total = 0;
    run({"sum", [&] { total = foldline::mpi::sum(part, world, one_thread); },
         [&] {
           const double own = foldline::sum(part, one_thread);
           MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, world);
         }},
        static_cast<int>(rounds), rank, false);
  }
  {
    std::vector<float> x, out;
    run(arrays("all_reduce float32", bytes, MPI_FLOAT, x, out), static_cast<int>(rounds), rank, false);
  }
  std::vector<double> x, out;
  run(arrays("all_reduce float64", bytes, MPI_DOUBLE, x, out), static_cast<int>(rounds), rank, true);
  if (rank == 0) std::printf("}\n");
  MPI_Finalize();
}
