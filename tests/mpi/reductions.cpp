// Random reductions of spread vectors.
#include <algorithm>
#include <numeric>

#include "foldline/mpi.hpp"
#include "spread.hpp"

namespace spread {

namespace {

using foldline::ReduceOptions;
using foldline::VectorView;
namespace mpi = foldline::mpi;

/// The bits of what the function for `operation` returns on this rank.
std::uint64_t call(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                   std::int64_t ddof, MPI_Comm comm) {
  return cases::with_type(result, [&]<class R>(R) -> std::uint64_t {
    const ReduceOptions options = {.ddof = ddof};
    switch (operation) {
      case Operation::sum:
        return cases::bits_of(mpi::sum<R>(x, comm));
      case Operation::abs_sum:
        return cases::bits_of(mpi::vector_abs_sum<R>(x, comm));
      case Operation::two_norm:
        return cases::bits_of(mpi::vector_two_norm<R>(x, comm));
      case Operation::root_mean_square:
        return cases::bits_of(mpi::root_mean_square<R>(x, comm));
      case Operation::mean:
        return cases::bits_of(mpi::mean<R>(x, comm));
      case Operation::variance:
        return cases::bits_of(mpi::variance<R>(x, comm, options));
      case Operation::standard_deviation:
        return cases::bits_of(mpi::standard_deviation<R>(x, comm, options));
      case Operation::dot:
        return cases::bits_of(mpi::dot<R>(x, y, comm));
      case Operation::weighted_mean:
        return cases::bits_of(mpi::weighted_mean<R>(x, y, comm));
      case Operation::minimum:
        return cases::bits_of(mpi::min<R>(x, comm));
      default:
        return cases::bits_of(mpi::max<R>(x, comm));
    }
  });
}

constexpr std::array operations = {
    Operation::sum,           Operation::abs_sum,         Operation::two_norm,
    Operation::mean,          Operation::variance,        Operation::standard_deviation,
    Operation::dot,           Operation::minimum,         Operation::maximum,
    Operation::weighted_mean, Operation::root_mean_square};

struct Part {
  cases::Layout x, y;
};
Part part_of(const generators::Data& data, const std::vector<std::int64_t>& split, int rank, ElementType type,
             Random& random) {
  const auto first = static_cast<std::size_t>(split[static_cast<std::size_t>(rank)]);
  const auto count = static_cast<std::size_t>(split[static_cast<std::size_t>(rank) + 1]) - first;
  const std::int64_t stride = random.one_in(4) ? random.between(1, 3) * (random.coin() ? 1 : -1) : 1;
  const std::int64_t misalignment = random.one_in(4) ? random.between(0, 7) : 0;
  return {cases::Layout(std::span(data.x).subspan(first, count), type, stride, misalignment),
          cases::Layout(std::span(data.y).subspan(first, count), type, stride, misalignment)};
}

generators::Data any_data(ElementType type, std::int64_t size, Random& random) {
  const auto last = static_cast<std::int64_t>(generators::all_generators.size()) - 1;
  return generators::generate(generators::all_generators[static_cast<std::size_t>(random.between(0, last))],
                              type, size, random);
}

}  // namespace

std::vector<std::uint64_t> all_words(const Ranks& ranks, const std::vector<std::uint64_t>& own) {
  const int size = static_cast<int>(own.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks.count)), offsets(counts.size());
  MPI_Allgather(&size, 1, MPI_INT, counts.data(), 1, MPI_INT, ranks.comm);
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(offsets.back() + counts.back()));
  MPI_Allgatherv(own.data(), size, MPI_UINT64_T, all.data(), counts.data(), offsets.data(), MPI_UINT64_T,
                 ranks.comm);
  return all;
}

bool are_the_same(const Ranks& ranks, const std::vector<std::uint64_t>& words) {
  std::uint64_t digest = words.size();
  for (const std::uint64_t word : words) digest = Random(digest ^ word).bits();
  std::uint64_t low = 0, high = 0;
  MPI_Allreduce(&digest, &low, 1, MPI_UINT64_T, MPI_MIN, ranks.comm);
  MPI_Allreduce(&digest, &high, 1, MPI_UINT64_T, MPI_MAX, ranks.comm);
  return low == high;
}

std::vector<std::int64_t> random_split(std::int64_t size, int ranks, Random& random) {
  std::vector<std::int64_t> split = {0, size};
  for (int i = 1; i < ranks; ++i) split.push_back(random.one_in(4) ? size : random.between(0, size));
  std::ranges::sort(split);
  return split;
}

ElementType any_type(Random& random) {
  return oracle::all_types[static_cast<std::size_t>(random.between(0, oracle::all_types.size() - 1))];
}

std::vector<double> any_values(ElementType type, std::int64_t size, Random& random) {
  std::vector<double> values;
  while (static_cast<std::int64_t>(values.size()) < size) {
    const auto more = any_data(type, size - static_cast<std::int64_t>(values.size()), random).x;
    values.insert(values.end(), more.begin(), more.end());
    if (more.empty()) values.push_back(0);
  }
  values.resize(static_cast<std::size_t>(size));
  return values;
}

std::string check_reduction(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  const ElementType type = any_type(random);
  ElementType result = random.coin() ? type : any_type(random);
  const auto data =
      any_data(type, random.one_in(40) ? 0 : random.log_uniform(random.one_in(20) ? 20'000 : 1000), random);
  const auto operation = operations[static_cast<std::size_t>(random.between(0, operations.size() - 1))];
  const bool is_extremum = operation == Operation::minimum || operation == Operation::maximum;
  if (is_extremum) result = ElementType::float64;
  const std::int64_t ddof = oracle::has_ddof(operation) ? random.between(0, 2) : 0;
  const auto split = random_split(static_cast<std::int64_t>(data.x.size()), ranks.count, random);
  const Part part = part_of(data, split, ranks.rank, type, random);
  if (is_extremum && data.x.empty()) {
    try {
      call(operation, part.x.view(), part.y.view(), result, ddof, ranks.comm);
      return "an extremum of nothing";
    } catch (const foldline::InvalidArgument&) {
      return "";
    }
  }
  const std::uint64_t bits = call(operation, part.x.view(), part.y.view(), result, ddof, ranks.comm);
  const std::string what = std::string(name_of(operation)) + " of " + std::to_string(data.x.size()) + " " +
                           std::string(name_of(type)) + " to " + std::string(name_of(result)) + ": ";
  if (!are_the_same(ranks, {bits})) return what + "ranks differ";
  if (!ranks.checks(seed)) return "";
  oracle::BigIntegers oracle;
  oracle.load(data.x, data.y);
  if (const std::uint64_t expected = oracle.result(operation, result, ddof); bits != expected)
    return what + cases::hex(bits) + " instead of " + cases::hex(expected);
  const cases::Layout x(data.x, type), y(data.y, type);
  return bits == cases::call(operation, x.view(), y.view(), result, ddof) ? ""
                                                                          : what + "not that of one process";
}

std::string check_accumulators(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  const ElementType type = any_type(random);
  const auto data = any_data(type, random.one_in(40) ? 0 : random.log_uniform(500), random);
  const auto operation = static_cast<Operation>(random.between(0, 13));
  const auto split = random_split(static_cast<std::int64_t>(data.x.size()), ranks.count, random);
  const Part part = part_of(data, split, ranks.rank, type, random);
  const auto add = [&](foldline::Accumulator& sums, const VectorView& x, const VectorView& y) {
    if (operation == Operation::dot || operation == Operation::weighted_mean)
      sums.add(x, y);
    else
      sums.add(x);
  };
  foldline::Accumulator own(operation);
  add(own, part.x.view(), part.y.view());
  mpi::all_reduce(own, ranks.comm);
  foldline::Accumulator whole(operation);
  const cases::Layout x(data.x, type), y(data.y, type);
  add(whole, x.view(), y.view());
  if (own.serialise() != whole.serialise())
    return "accumulator for " + std::string(name_of(operation)) + " differs";
  if (operation != Operation::statistics) return "";
  const auto all = mpi::statistics<double>(part.x.view(), ranks.comm, {.ddof = 1});
  const auto local = foldline::statistics<double>(x.view(), {.ddof = 1});
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  return all.count == local.count && same(all.minimum, local.minimum) && same(all.maximum, local.maximum) &&
                 same(all.sum, local.sum) && same(all.mean, local.mean) &&
                 same(all.variance, local.variance) && same(all.abs_sum, local.abs_sum) &&
                 same(all.two_norm, local.two_norm)
             ? ""
             : "statistics differ";
}

}  // namespace spread
