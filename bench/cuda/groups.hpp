// Who competes in which operation.
#pragma once

#include <string>
#include <vector>

#include "bench/operations.hpp"
#include "problem.hpp"

namespace foldline::bench::cuda {

/// "sum", "dot", "abs_sum", "two_norm", "mean", "variance" or "statistics".
const std::vector<std::string>& reductions();

template <FloatingElement T>
Competition reduction(const std::string& name, const DeviceProblem<T>& problem, const std::string& data);

/// The inclusive scan into `out`, which has room for all pieces.
template <Element T>
Competition scan(const DeviceProblem<T>& problem, const DeviceArray<T>& out, const std::string& data);

/// The sums of the columns of matrices of that shape.
Competition column_sums(const DeviceProblem<double>& problem, const Shape& shape, const std::string& data);

/// Kernels that read `bytes` bytes behind the start of the problem's piece.
template <Element T>
std::vector<DeviceContestant> readers(const DeviceProblem<T>& problem, std::int64_t bytes);

}  // namespace foldline::bench::cuda
