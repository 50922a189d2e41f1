// The reduction of a whole vector: threads, each with its own moments, merged at the end.
#include <omp.h>

#include <algorithm>

#include "cpu/environment.hpp"
#include "cpu/kernels.hpp"

namespace foldline::cpu {

namespace {
/// Bytes that a thread takes at a time: long enough that taking it costs nothing, short enough that a thread on a busy core
/// does not keep the others waiting.
constexpr std::int64_t part_bytes = std::int64_t{1} << 20;

// Read at run time, so that the compiler can't fold a * one (see bins-inl.hpp).
const volatile double one_in_memory = 1.0;
}  // namespace

void reduce(const Reduction& reduction, const Plan& plan, Moments& moments) {
  const std::int64_t size = reduction.x.size();
  moments.count += size;
  if (size == 0) return;
  const ReduceParts reduce_parts = reduce_parts_for(plan.target);
  const double one = one_in_memory;
  if (plan.threads == 1) {
    PartQueue all(size, size);
    const ArithmeticEnvironment environment;
    reduce_parts(reduction, plan.accuracy, all, one, moments);
    return;
  }
  const std::int64_t per_thread = (size - 1) / plan.threads + 1;
  PartQueue parts(size, std::min(per_thread, part_bytes / size_of(reduction.x.type())));
#pragma omp parallel num_threads(plan.threads)
  {
    const ArithmeticEnvironment environment;
    Moments own;
    reduce_parts(reduction, plan.accuracy, parts, one, own);
#pragma omp critical(foldline_merge)
    moments.merge(own);
  }
}

}  // namespace foldline::cpu
