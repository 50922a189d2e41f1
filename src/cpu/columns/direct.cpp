// Which blocks have sums in a few doubles.
#include "cpu/columns/direct.hpp"

#include <cstdlib>

#include "contract/operation_table.hpp"

namespace foldline::cpu {

namespace {

bool takes_types(const DirectBlock& block) {
  const ElementType type = block.x.type;
  if (is_floating(type)) return is_floating(block.out_type);
  if (type == ElementType::boolean) return false;
  if (is_floating(block.out_type)) return true;
  if (size_of(type) == 8 && needs_of(block.operation).squares) return false;
  const bool is_unsigned = name_of(type).starts_with('u');
  return block.out_type == ElementType::int64 || (block.out_type == ElementType::uint64 && is_unsigned);
}

bool takes_terms(const DirectBlock& block) {
  const Needs& needs = needs_of(block.operation);
  const std::int64_t terms = block.x.rows;
  if (terms <= most_direct_terms) return terms > 0;
  // Long contiguous vectors have faster kernels.
  if (std::abs(block.x.row_stride) == 1 && is_along_rows(block.x)) return false;
  if (needs.squares) return terms <= 1 << 16 && is_floating(block.x.type);
  // Sums of integers of 32 bits are below 2^53; shorter ones are faster as integers.
  return terms <= 1 << 21 && (is_floating(block.x.type) || size_of(block.x.type) >= 4);
}

}  // namespace

ReduceDirect direct_kernel_for(Target target, const DirectBlock& block) {
  const Needs& needs = needs_of(block.operation);
  const bool is_deviation = needs.values && needs.squares;
  if (needs.extrema || needs.magnitudes || !takes_terms(block) || !takes_types(block) ||
      (is_deviation && block.ddof >= block.x.rows))
    return nullptr;
  if (is_floating(block.x.type)) return direct_float_kernel(target);
  return size_of(block.x.type) >= 4 ? direct_long_kernel(target) : direct_short_kernel(target);
}

}  // namespace foldline::cpu
