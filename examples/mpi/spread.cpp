// Exact sums of data that is spread over the ranks of an MPI communicator:
//
//   cmake -S examples/mpi -B build && cmake --build build && mpirun -n 4 build/spread
#include <foldline/foldline.hpp>
#include <foldline/mpi.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const MPI_Comm comm = MPI_COMM_WORLD;

  // A million numbers, of which this rank has a part.
  std::vector<double> part;
  for (int i = rank; i < 1'000'000; i += ranks) part.push_back(1.0 / (i + 1));

  // A number from all parts: the same bits on every rank, for any number of ranks.
  const double sum = foldline::mpi::sum(part, comm);
  const double norm = foldline::mpi::vector_two_norm(part, comm);
  const double variance = foldline::mpi::variance(part, comm, {.ddof = 1});

  // An array on each rank, added up element by element: each element is rounded once.
  std::vector<float> gradient(1000, 0.1f * static_cast<float>(rank + 1));
  foldline::mpi::all_reduce(gradient, comm);

  // Prefix sums that go on from rank to rank, in place.
  foldline::mpi::inclusive_scan(part, part, comm);

  // Pieces as they come; merged at the end.
  foldline::Accumulator statistics(foldline::Operation::statistics);
  statistics.add(gradient);
  foldline::mpi::all_reduce(statistics, comm);

  // Meanwhile something else: the messages travel, and this rank goes on.
  auto request = foldline::mpi::isum(part, comm);
  const double largest = foldline::max(gradient);
  const double total = request.wait();  // or test(), now and then

  if (rank == 0)
    std::printf("sum %.17g norm %.17g variance %.17g first %.9g count %lld\n", sum, norm, variance,
                static_cast<double>(gradient[0]), static_cast<long long>(statistics.count()));
  MPI_Finalize();
  if (total < largest) return 1;
  // To 15 digits what it is on any number of ranks.
  return sum > 14.3927267228657 && sum < 14.3927267228658 ? 0 : 1;
}
