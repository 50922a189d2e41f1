// A number of 128 bits that the blocks of a launch add up in global memory, and that says itself when all of
// them have added: neither a fence nor a ticket is needed, which take 1.2 to 1.4 us on an H200.
//
// Each part of 32 bits of a block's number is added to a word of 64, and 1 to how many have done so, which
// is in the word's highest bits; so is, between the two, how many have set a flag. Whoever finds all blocks
// in all four words has the sum. Addition of integers: no order matters.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/device/block.cuh"
#include "cuda/exact/block_limbs.cuh"

namespace foldline::cuda {

template <int MostBlocks>
struct SharedNumber {
  static constexpr int parts = 4, part_bits = 32;
  static constexpr int count_bits = std::bit_width(static_cast<unsigned>(MostBlocks));
  static constexpr int flag_place = part_bits + count_bits, blocks_place = 64 - count_bits;
  static_assert(flag_place < blocks_place);

  /// What a block adds to the word of a part. The highest part has the sign, and comes as if it had none.
  static __device__ __forceinline__ Word addend(Int128 number, int part, bool flag = false) {
    const auto bits = static_cast<Uint128>(number) + (Uint128{1} << 127);
    return static_cast<std::uint32_t>(bits >> (part_bits * part)) + (Word{flag} << flag_place) +
           (Word{1} << blocks_place);
  }
  static __device__ __forceinline__ int blocks(Word word) { return static_cast<int>(word >> blocks_place); }
  static __device__ __forceinline__ int flags(Word word) {
    return static_cast<int>(word >> flag_place) & ((1 << (blocks_place - flag_place)) - 1);
  }
  /// The sum of all blocks' numbers, from the words that four neighbouring lanes have; all lanes call.
  static __device__ __forceinline__ Int128 sum(Word word, int blocks) {
    Uint128 sum = 0;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      const Word of_all = __shfl_sync(all_lanes, word, part, parts) & ((Word{1} << flag_place) - 1);
      sum += static_cast<Uint128>(of_all) << (part_bits * part);
    }
    return static_cast<Int128>(sum - (static_cast<Uint128>(blocks) << 127));
  }
};

}  // namespace foldline::cuda
