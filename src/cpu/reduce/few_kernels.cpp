// Few elements, compiled once per instruction set.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "arithmetic/one_lane.hpp"
#include "contract/few_elements.hpp"
#include "contract/operation_table.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/highway_targets.hpp"

#define HWY_TARGET_INCLUDE "cpu/reduce/few_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/reduce/few-inl.hpp"

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

namespace {

using ReduceFew = bool (*)(Operation operation, const void* x, const void* y, std::size_t size,
                           ElementType elements, ElementType result, double& value);
constexpr simd::Compiled<ReduceFew> compiled[] = {FOLDLINE_FOR_EACH_TARGET(ReduceFew)};

bool is_taken(const VectorView& x, ElementType type) {
  return x.type() == type && (x.stride() == 1 || x.size() == 1);
}

}  // namespace

bool cpu::reduce_few(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                     double& value) {
  const ElementType type = x.type();
  if (type != ElementType::float64 && type != ElementType::float32) return false;
  if (result != ElementType::float64 && result != ElementType::float32) return false;
  if (x.size() == 0 || x.size() > few_elements || !is_taken(x, type)) return false;
  if (takes_two_vectors(operation) && !is_taken(y, type)) return false;
  if (!arithmetic_is_standard()) return false;
  static const ReduceFew reduce = simd::best_kernels(compiled);
  return reduce(operation, x.data(), y.data(), static_cast<std::size_t>(x.size()), type, result, value);
}

}  // namespace foldline
#endif
