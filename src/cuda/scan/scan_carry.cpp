#include "cuda/scan/scan_carry.hpp"

#include "contract/backend.hpp"

namespace foldline::cuda {

ScanCarry carry_of(const ScanState& state) {
  ScanCarry carry = {};
  for (int i = 0; i < limb_rows; i += 2) {
    const std::int64_t word = state.prefix.floor_of_quotient(SumLimbs::first_exponent + 32 * i);
    carry.row[i] = word & 0xffffffff;
    // The sign is in the highest limb.
    carry.row[i + 1] = i + 2 < limb_rows ? (word >> 32) & 0xffffffff : word >> 32;
  }
  carry.row[nan_row] = state.specials.nan;
  carry.row[positive_infinity_row] = state.specials.positive_infinity;
  carry.row[negative_infinity_row] = state.specials.negative_infinity;
  carry.row[other_than_negative_zero_row] = state.only_negative_zeros ? 0 : 1;
  carry.integer = state.integer();
  carry.overflow = no_result;
  return carry;
}

void add_to_state(const ScanCarry& before, const ScanCarry& after, bool integers, ScanState& state) {
  if (integers) {
    state.add_integer(static_cast<Int128>(after.integer - before.integer));
    return;
  }
  state.prefix.assign([&](int i) { return after.row[i]; });
  state.specials = {after.row[nan_row], after.row[positive_infinity_row], after.row[negative_infinity_row]};
  state.only_negative_zeros = after.row[other_than_negative_zero_row] == 0;
}

}  // namespace foldline::cuda
