// The reduction of a whole vector: each thread takes parts and adds to its own moments, which are merged at
// the end.
#include <mutex>

#include "cpu/reduce/kernels.hpp"
#include "cpu/simd/environment.hpp"

namespace foldline::cpu {

void reduce_parts(const Reduction& reduction, const Plan& plan, PartQueue& parts, Moments& moments) {
  if (!is_floating(reduction.x.type())) {
    reduce_integer_parts_for(plan.target)(reduction, parts, moments);
    return;
  }
  const ArithmeticEnvironment environment;
  reduce_parts_for(plan.target)(reduction, plan.accuracy, parts, one_in_memory, moments);
}

void reduce(const Reduction& reduction, const Plan& plan, Moments& moments) {
  const std::int64_t size = reduction.x.size();
  moments.count += size;
  if (size == 0) return;
  PartQueue parts(size, plan.part);
  if (plan.threads == 1) return reduce_parts(reduction, plan, parts, moments);
  std::mutex merging;
#pragma omp parallel num_threads(plan.threads)
  {
    Moments own;
    reduce_parts(reduction, plan, parts, own);
    // A mutex of this call: OpenMP's critical sections are shared by all callers (and clang 19's runtime
    // crashes in them when callers meet under the thread sanitizer).
    const std::lock_guard lock(merging);
    moments.merge(own);
  }
}

}  // namespace foldline::cpu
