// The operations and their contestants.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <foldline/accumulator.hpp>

#include "contestant.hpp"
#include "problem.hpp"

namespace foldline::bench {

template <Element T>
struct OperationEntry {
  std::string name;
  int vectors;  ///< that it reads or writes: 1 or 2; 3 of a product of matrices
  std::function<std::vector<Contestant>(const Problem<T>&)> contestants;
  bool writes = false;            ///< the second vector: a plain copy is among its contestants
  std::int64_t most = INT64_MAX;  ///< elements with which it is measured
};

/// The portable code takes some 10 to 100 ns an element: the most elements for which it checks a result.
inline constexpr std::int64_t portable_limit = std::int64_t{1} << 16;

/// The operations of T in the order of the report; for the 16-bit types the sum only, for integers
/// (of 32 and 64 bits) the scan only.
template <Element T>
const std::vector<OperationEntry<T>>& operations();

/// The contestants of one operation, and beside them the plain loop and (if `with_read`) the reading loop.
template <Element T>
std::vector<Contestant> contestants(const OperationEntry<T>& operation, const Problem<T>& problem,
                                    bool with_read);

// One function for each operation, in the file of that name.
template <FloatingElement T>
std::vector<Contestant> sum_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> dot_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> abs_sum_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> two_norm_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> mean_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> variance_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> statistics_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> minmax_contestants(const Problem<T>& problem);
template <Element T>
std::vector<Contestant> scan_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> column_contestants(const Problem<T>& problem);
template <FloatingElement T>
std::vector<Contestant> wide_column_contestants(const Problem<T>& problem);

/// Of square matrices.
template <FloatingElement T>
std::vector<Contestant> matrix_product_contestants(const Problem<T>& problem);

/// A row-major matrix.
struct Shape {
  std::int64_t rows, columns;
};

/// Sums of the columns of a matrix of that shape: "column_sums:6400000x8". Its problem has rows * columns
/// elements.
template <FloatingElement T>
OperationEntry<T> column_sums_of(const Shape& shape);

/// The exact results by another route than the public function: uneven pieces merged in reverse by an
/// Accumulator per operation, with one thread, and with the portable code where that is not too slow.
template <FloatingElement T>
Values second_computation(const Problem<T>& problem, const std::vector<Operation>& results);

/// foldline's exact contestant, with its second computation.
template <FloatingElement T, class Call>
Contestant exact_contestant(const Problem<T>& problem, std::vector<Operation> results, Call call) {
  Contestant made = contestant("foldline exact", Role::foldline, call);
  made.second = [problem, results = std::move(results)] { return second_computation(problem, results); };
  return made;
}

/// foldline's fast contestant. Its result depends on the plan but not on the run.
template <class Call>
Contestant fast_contestant(Call call) {
  Contestant made = contestant("foldline fast", Role::foldline, call);
  made.second = made.result;
  return made;
}

}  // namespace foldline::bench
