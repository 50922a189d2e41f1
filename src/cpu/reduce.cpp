// The reduction of a whole vector: threads, each with its own moments, merged at the end.
#include <mutex>

#include "cpu/environment.hpp"
#include "cpu/kernels.hpp"

namespace foldline::cpu {

namespace {
// Read at run time, so that the compiler can't fold a * one (see bins-inl.hpp).
const volatile double one_in_memory = 1.0;
}  // namespace

void reduce(const Reduction& reduction, const Plan& plan, Moments& moments) {
  const std::int64_t size = reduction.x.size();
  moments.count += size;
  if (size == 0) return;
  const ReduceParts reduce_parts = reduce_parts_for(plan.target);
  const double one = one_in_memory;
  PartQueue parts(size, plan.part);
  if (plan.threads == 1) {
    const ArithmeticEnvironment environment;
    reduce_parts(reduction, plan.accuracy, parts, one, moments);
    return;
  }
  std::mutex merging;
#pragma omp parallel num_threads(plan.threads)
  {
    const ArithmeticEnvironment environment;
    Moments own;
    reduce_parts(reduction, plan.accuracy, parts, one, own);
    // A mutex of this call: OpenMP's critical sections are shared by all callers (and clang 19's runtime
    // crashes in them when callers meet under the thread sanitizer's tool).
    const std::lock_guard lock(merging);
    moments.merge(own);
  }
}

}  // namespace foldline::cpu
