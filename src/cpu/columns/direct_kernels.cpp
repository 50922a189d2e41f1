// Sums in a few doubles, compiled once per instruction set.
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/windows.hpp"
#include "cpu/columns/direct.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/fetch_ahead.hpp"
#include "cpu/simd/highway_targets.hpp"
#include "cpu/simd/inexact.hpp"
#include "cpu/simd/plain_integers.hpp"

#define HWY_TARGET_INCLUDE "cpu/columns/direct_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/columns/direct-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

std::int64_t ReduceBlock(const cpu::DirectBlock& block, std::uint8_t* uncertain) {
  switch (block.x.type) {
    case ElementType::float64:
      return ReduceBlockDirectly<double>(block, uncertain);
    case ElementType::int64:
      return ReduceBlockDirectly<std::int64_t>(block, uncertain);
    case ElementType::uint64:
      return ReduceBlockDirectly<std::uint64_t>(block, uncertain);
    case ElementType::int32:
      return ReduceBlockDirectly<std::int32_t>(block, uncertain);
    case ElementType::uint32:
      return ReduceBlockDirectly<std::uint32_t>(block, uncertain);
    case ElementType::int16:
      return ReduceBlockDirectly<std::int16_t>(block, uncertain);
    case ElementType::uint16:
      return ReduceBlockDirectly<std::uint16_t>(block, uncertain);
    case ElementType::int8:
      return ReduceBlockDirectly<std::int8_t>(block, uncertain);
    case ElementType::uint8:
      return ReduceBlockDirectly<std::uint8_t>(block, uncertain);
    default:
      return ReduceBlockDirectly<float>(block, uncertain);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

namespace {

bool takes_types(const cpu::DirectBlock& block) {
  const ElementType type = block.x.type;
  if (is_floating(type)) return is_floating(block.out_type);
  if (type == ElementType::boolean || (size_of(type) == 8 && needs_of(block.operation).squares)) return false;
  if (is_floating(block.out_type)) return true;
  const bool is_unsigned = name_of(type).starts_with('u');
  return block.out_type == ElementType::int64 || (block.out_type == ElementType::uint64 && is_unsigned);
}

bool takes_terms(const cpu::DirectBlock& block) {
  const Needs& needs = needs_of(block.operation);
  const std::int64_t terms = block.x.rows;
  if (terms <= cpu::most_direct_terms) return terms > 0;
  // Long contiguous vectors have faster kernels.
  if (std::abs(block.x.row_stride) == 1 && cpu::is_along_rows(block.x)) return false;
  if (needs.squares) return terms <= 1 << 16 && is_floating(block.x.type);
  // Sums of integers of 32 bits are below 2^53; shorter ones are faster as integers.
  return terms <= 1 << 21 && (is_floating(block.x.type) || size_of(block.x.type) >= 4);
}

}  // namespace

cpu::ReduceDirect cpu::direct_kernel_for(Target target, const DirectBlock& block) {
  static constexpr simd::Compiled<ReduceDirect> compiled[] = {FOLDLINE_FOR_EACH_TARGET(ReduceBlock)};
  const Needs& needs = needs_of(block.operation);
  const std::int64_t terms = block.x.rows;
  const bool is_deviation = needs.values && needs.squares;
  if (needs.extrema || needs.magnitudes || !takes_terms(block) || !takes_types(block) ||
      (is_deviation && block.ddof >= terms))
    return nullptr;
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
