// Random arrays reduced element by element, column sums and scans.
#include <algorithm>

#include "foldline/mpi.hpp"
#include "oracle_scan.hpp"
#include "scan_cases.hpp"
#include "spread.hpp"

namespace spread {

namespace {

using foldline::VectorView;
namespace mpi = foldline::mpi;

/// Every rank's array: element i of rank r. Now and then the ranks' elements i are from one generator, which
/// knows what cancels.
std::vector<std::vector<double>> arrays_of(int ranks, ElementType type, std::int64_t size, Random& random) {
  std::vector<std::vector<double>> arrays(static_cast<std::size_t>(ranks),
                                          std::vector<double>(static_cast<std::size_t>(size)));
  const bool by_element = size <= 64;
  std::vector<double> values;
  if (!by_element) values = any_values(type, size * ranks, random);
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    if (by_element) values = any_values(type, ranks, random);
    for (std::size_t r = 0; r < arrays.size(); ++r)
      arrays[r][i] = values[by_element ? r : i * arrays.size() + r];
  }
  return arrays;
}

std::vector<std::uint64_t> sums_of(const std::vector<std::vector<double>>& arrays, Operation operation,
                                   ElementType result) {
  std::vector<std::uint64_t> sums;
  oracle::BigIntegers oracle;
  std::vector<double> terms(arrays.size());
  for (std::size_t i = 0; i < arrays[0].size(); ++i) {
    for (std::size_t r = 0; r < arrays.size(); ++r) terms[r] = arrays[r][i];
    oracle.load(terms);
    sums.push_back(oracle.result(operation, result));
  }
  return sums;
}

std::int64_t any_stride(Random& random) {
  return random.one_in(3) ? random.between(1, 3) * (random.coin() ? 1 : -1) : 1;
}

std::int64_t any_size(Random& random) {
  if (random.one_in(30)) return 0;
  return random.one_in(100) ? random.between(1, 3) * 262'144
                            : random.log_uniform(random.one_in(8) ? 3000 : 64);
}

}  // namespace

std::string check_arrays(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  const ElementType type = any_type(random);
  ElementType result = random.coin() ? type : any_type(random);
  const bool scattered = random.coin(), in_place = random.one_in(3);
  if (in_place) result = type;
  constexpr std::array operations = {Operation::sum, Operation::sum, Operation::sum, Operation::mean,
                                     Operation::two_norm};
  const auto operation = operations[static_cast<std::size_t>(random.between(0, operations.size() - 1))];
  const std::int64_t size = any_size(random);
  const auto arrays = size > 100'000 ? std::vector<std::vector<double>>(static_cast<std::size_t>(ranks.count),
                                                                        any_values(type, size, random))
                                     : arrays_of(ranks.count, type, size, random);
  const auto split = random_split(size, ranks.count, random);
  const auto own = static_cast<std::size_t>(ranks.rank);
  const std::int64_t first = scattered ? split[own] : 0, count = scattered ? split[own + 1] - first : size;
  const std::int64_t stride = any_stride(random), misalignment = random.between(0, 7);
  const cases::Layout x(arrays[own], type, stride, misalignment);
  cases::OutputLayout out(in_place ? size : count, result, any_stride(random), misalignment);
  if (in_place) {
    out.write(cases::encoded(arrays[own], type));
    const auto view = out.view();
    if (scattered)
      mpi::reduce_scatter(view, view.part(first, count), ranks.comm, operation);
    else
      mpi::all_reduce(view, ranks.comm, operation);
  } else if (scattered) {
    mpi::reduce_scatter(x.view(), out.view(), ranks.comm, operation);
  } else {
    mpi::all_reduce(x.view(), out.view(), ranks.comm, operation);
  }
  const std::string what = std::string(scattered ? "reduce_scatter" : "all_reduce") +
                           (in_place ? " in place" : "") + " of " + std::to_string(size) + " " +
                           std::string(name_of(type)) + " to " + std::string(name_of(result)) + " " +
                           std::string(name_of(operation)) + ": ";
  if (!out.padding_is_untouched()) return what + "wrote where it must not";
  std::vector<std::uint64_t> results = out.results();
  if (scattered) {
    if (in_place) results = {results.begin() + first, results.begin() + first + count};
    results = all_words(ranks, results);
  } else if (!are_the_same(ranks, results)) {
    return what + "ranks differ";
  }
  if (!ranks.checks(seed)) return "";
  std::vector<std::uint64_t> expected;
  if (size > 100'000) {  // ranks' arrays are equal: a few elements, and all that are alike
    expected = results;
    for (int i = 0; i < 100; ++i) {
      const auto at = static_cast<std::size_t>(random.between(0, size - 1));
      std::vector<std::vector<double>> one(arrays.size(), {arrays[0][at]});
      expected[at] = sums_of(one, operation, result)[0];
    }
  } else {
    expected = sums_of(arrays, operation, result);
  }
  const std::string wrong = cases::difference(results, expected);
  return wrong.empty() ? "" : what + wrong;
}

std::string check_columns(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  const ElementType type = any_type(random), result = random.coin() ? type : any_type(random);
  const std::int64_t columns = random.one_in(40) ? 0 : random.log_uniform(random.one_in(10) ? 400 : 30);
  const std::int64_t rows = random.one_in(20) ? 0 : random.log_uniform(random.one_in(10) ? 300 : 30);
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  if (random.coin()) {
    values = any_values(type, rows * columns, random);
  } else {
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto column = any_values(type, rows, random);
      for (std::int64_t i = 0; i < rows; ++i)
        values[static_cast<std::size_t>(i * columns + j)] = column[static_cast<std::size_t>(i)];
    }
  }
  const auto split = random_split(rows, ranks.count, random);
  const std::int64_t first = split[static_cast<std::size_t>(ranks.rank)];
  const std::int64_t count = split[static_cast<std::size_t>(ranks.rank) + 1] - first;
  const bool row_major = random.coin();
  std::vector<double> part;
  for (std::int64_t i = 0; i < count * columns; ++i)
    part.push_back(values[static_cast<std::size_t>(row_major ? first * columns + i
                                                             : (first + i % count) * columns + i / count)]);
  const cases::Layout layout(part, type, 1, random.between(0, 7));
  const foldline::MatrixView matrix(layout.view().data(), type, count, columns,
                                    row_major ? foldline::Layout::row_major : foldline::Layout::column_major,
                                    row_major ? columns : std::max<std::int64_t>(count, 1));
  cases::OutputLayout out(columns, result, any_stride(random));
  mpi::column_sums(matrix,
                   foldline::MutableArrayView(out.view().data(), result, {columns}, {out.view().stride()}),
                   ranks.comm);
  const std::string what = "column_sums of " + std::to_string(rows) + " x " + std::to_string(columns) + " " +
                           std::string(name_of(type)) + " to " + std::string(name_of(result)) + ": ";
  if (!out.padding_is_untouched()) return what + "wrote where it must not";
  if (!are_the_same(ranks, out.results())) return what + "ranks differ";
  if (!ranks.checks(seed)) return "";
  std::vector<std::uint64_t> expected;
  oracle::BigIntegers oracle;
  for (std::int64_t j = 0; j < columns; ++j) {
    std::vector<double> column;
    for (std::int64_t i = 0; i < rows; ++i)
      column.push_back(values[static_cast<std::size_t>(i * columns + j)]);
    oracle.load(column, false);
    expected.push_back(oracle.result(Operation::sum, result));
  }
  const std::string wrong = cases::difference(out.results(), expected);
  return wrong.empty() ? "" : what + wrong;
}

std::string check_scan(const Ranks& ranks, std::uint64_t seed) {
  Random random(seed);
  const ElementType type = any_type(random);
  ElementType result = random.coin() ? type : any_type(random);
  const std::int64_t size = random.one_in(30) ? 0 : random.log_uniform(random.one_in(10) ? 5000 : 300);
  const std::vector<double> x = any_values(type, size, random);
  const bool exclusive = random.coin(), in_place = random.one_in(4);
  if (in_place) result = type;
  double init = !exclusive || random.coin()
                    ? 0.0
                    : generators::Values(ElementType::float64, random).in_binade(random.between(-80, 80));
  if (exclusive && random.one_in(16)) init = random.coin() ? -0.0 : HUGE_VAL;
  const auto split = random_split(size, ranks.count, random);
  const auto first = static_cast<std::size_t>(split[static_cast<std::size_t>(ranks.rank)]);
  const auto count = static_cast<std::size_t>(split[static_cast<std::size_t>(ranks.rank) + 1]) - first;
  const auto part = std::span(x).subspan(first, count);
  const cases::Layout layout(part, type, any_stride(random), random.between(0, 7));
  cases::OutputLayout out(static_cast<std::int64_t>(count), result, any_stride(random), random.between(0, 7));
  if (in_place) out.write(cases::encoded(part, type));
  const VectorView from = in_place ? VectorView(out.view()) : layout.view();
  if (exclusive)
    mpi::exclusive_scan(from, out.view(), ranks.comm, foldline::Scalar(init));
  else
    mpi::inclusive_scan(from, out.view(), ranks.comm);
  const std::string what = std::string(exclusive ? "exclusive" : "inclusive") + "_scan of " +
                           std::to_string(size) + " " + std::string(name_of(type)) + " to " +
                           std::string(name_of(result)) + ": ";
  if (!out.padding_is_untouched()) return what + "wrote where it must not";
  const auto results = all_words(ranks, out.results());
  if (!ranks.checks(seed)) return "";
  const std::string wrong = cases::difference(
      results, exclusive ? oracle::exclusive_scan(x, init, result) : oracle::inclusive_scan(x, result));
  return wrong.empty() ? "" : what + wrong;
}

}  // namespace spread
