// MPI's own functions, which the library to preload takes over: run with LD_PRELOAD.
#include <algorithm>

#include "foldline/mpi/error.hpp"
#include "scan_cases.hpp"
#include "spread.hpp"

namespace spread {

namespace {

/// One call on float or double. Ranks' arrays are `count` elements long, or that for each rank's block.
template <class T>
std::string check(const Ranks& ranks, std::uint64_t seed, Random& random, MPI_Datatype datatype) {
  enum Way { all_reduce, reduce, scatter, scan };
  const auto way = static_cast<Way>(random.between(0, 3));
  const bool in_place = random.coin();
  const auto type = foldline::element_type_of<T>;
  const auto count = static_cast<std::size_t>(random.log_uniform(random.one_in(20) ? 20'000 : 200));
  const std::size_t size = way == scatter ? count * static_cast<std::size_t>(ranks.count) : count;
  const int root = static_cast<int>(random.between(0, ranks.count - 1)), n = static_cast<int>(count);
  std::vector<std::vector<double>> arrays;
  for (int rank = 0; rank < ranks.count; ++rank)
    arrays.push_back(any_values(type, static_cast<std::int64_t>(size), random));
  const auto own = cases::as<T>(arrays[static_cast<std::size_t>(ranks.rank)]);
  auto buffer = in_place ? own : std::vector<T>(size);
  const bool is_root = way == reduce && ranks.rank == root;
  const void* send = in_place && (way != reduce || is_root) ? MPI_IN_PLACE : own.data();
  void* const result = buffer.data();
  if (way == all_reduce) MPI_Allreduce(send, result, n, datatype, MPI_SUM, ranks.comm);
  if (way == reduce) MPI_Reduce(send, is_root ? result : nullptr, n, datatype, MPI_SUM, root, ranks.comm);
  if (way == scatter) MPI_Reduce_scatter_block(send, result, n, datatype, MPI_SUM, ranks.comm);
  if (way == scan) MPI_Scan(send, result, n, datatype, MPI_SUM, ranks.comm);
  buffer.resize(count);
  if (way == reduce && !is_root) return "";

  // Each rank looks at some of its own results.
  const std::size_t first = way == scatter ? count * static_cast<std::size_t>(ranks.rank) : 0;
  const std::size_t step = count / 200 + 1;
  std::vector<std::uint64_t> actual, expected;
  oracle::BigIntegers oracle;
  for (std::size_t i = seed % step; i < count; i += step) {
    std::vector<double> terms;
    for (const auto& array : arrays) terms.push_back(array[first + i]);
    if (way == scan) terms.resize(static_cast<std::size_t>(ranks.rank) + 1);
    oracle.load(terms, false);
    expected.push_back(oracle.result(Operation::sum, type));
    actual.push_back(cases::bits_of(buffer[i]));
  }
  const std::string wrong = cases::difference(actual, expected);
  const char* const names[] = {"MPI_Allreduce", "MPI_Reduce", "MPI_Reduce_scatter_block", "MPI_Scan"};
  return wrong.empty() ? "" : std::string(names[way]) + (in_place ? " in place: " : ": ") + wrong;
}

}  // namespace

std::string check_preloaded(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  if (random.one_in(10)) {  // what is not ours goes to MPI
    const int one = ranks.rank;
    const double mine = ranks.rank;
    int sum = 0;
    double largest = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, ranks.comm);
    MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, ranks.comm);
    return sum == ranks.count * (ranks.count - 1) / 2 && largest == ranks.count - 1
               ? ""
               : "another operation is wrong";
  }
  return random.coin() ? check<double>(ranks, seed, random, MPI_DOUBLE)
                       : check<float>(ranks, seed, random, MPI_FLOAT);
}

}  // namespace spread
