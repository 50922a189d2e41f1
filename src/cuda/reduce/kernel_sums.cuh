// The sums of a kernel, and the shared memory of its blocks.
#pragma once

#include <algorithm>

#include "cuda/device/block.cuh"
#include "cuda/exact/digits.cuh"
#include "cuda/exact/windowed_sum.cuh"
#include "cuda/reduce/workspace.cuh"

namespace foldline::cuda {

/// Stands for a sum that is not needed.
struct NoSum {
  static constexpr int levels = 0, levels_published = 0;
  static constexpr DigitRange digits{first_exponent, 0};
};

/// True if every spilled term of a sum is one number.
template <class Sum>
inline constexpr bool spills_whole_terms = std::is_same_v<Sum, NoSum>;
template <class Term>
inline constexpr bool spills_whole_terms<WindowedSum<Term>> = true;

/// True if the sum's terms can be added to limbs of a lane's own (lane_limbs.cuh).
template <class Sum>
inline constexpr bool suits_limbs = false;
template <class Term>
inline constexpr bool suits_limbs<WindowedSum<Term>> = requires { requires Term::suits_limbs; };

/// The sums of a kernel: each a WindowedSum, a ThreadSum or NoSum.
template <class Values_, class Magnitudes_, class Products_, bool Extrema_>
struct KernelSums {
  Values_ values;
  Magnitudes_ magnitudes;
  Products_ products;
  static constexpr bool has_values = Values_::levels != 0, has_magnitudes = Magnitudes_::levels != 0,
                        has_products = Products_::levels != 0, extrema = Extrema_;
  static constexpr bool spills_whole_terms = cuda::spills_whole_terms<Values_> &&
                                             cuda::spills_whole_terms<Magnitudes_> &&
                                             cuda::spills_whole_terms<Products_>;
  static constexpr int count = has_values + has_magnitudes + has_products;
  static constexpr bool suits_limbs =
      cuda::suits_limbs<Values_> || cuda::suits_limbs<Magnitudes_> || cuda::suits_limbs<Products_>;
  static constexpr int first_index = Values_::levels != 0 ? 0 : Magnitudes_::levels != 0 ? 1 : 2;
  static constexpr int max_levels = std::max({Values_::levels, Magnitudes_::levels, Products_::levels});
  static constexpr int max_levels_published =
      std::max({Values_::levels_published, Magnitudes_::levels_published, Products_::levels_published});
  /// Index of the first digit of a sum; for `max_sums`, the number of all digits.
  FOLDLINE_HOST_DEVICE static constexpr int first_digit(int index) {
    return (index > 0 ? Values_::digits.count : 0) + (index > 1 ? Magnitudes_::digits.count : 0) +
           (index > 2 ? Products_::digits.count : 0);
  }
};

/// Calls f(sum, index) for every sum that is needed.
template <class Sums, class F>
__device__ __forceinline__ void for_each_sum(Sums& sums, F f) {
  if constexpr (decltype(sums.values)::levels != 0) f(sums.values, 0);
  if constexpr (decltype(sums.magnitudes)::levels != 0) f(sums.magnitudes, 1);
  if constexpr (decltype(sums.products)::levels != 0) f(sums.products, 2);
}

// Sums of floats have buckets for terms that no window holds (exact/buckets.cuh).
template <class Term, int Threads>
class Buckets;
template <class Sum>
concept HasBuckets = requires { typename Sum::Term::Buckets; };

/// Bytes of shared memory for one thread's buckets.
template <class Sum>
inline constexpr int bucket_bytes = 0;
template <HasBuckets Sum>
inline constexpr int bucket_bytes<Sum> = Sum::Term::Buckets::count * static_cast<int>(sizeof(std::int64_t));

/// The sums of a kernel use the same memory one after another.
template <class Sums>
inline constexpr int max_bucket_bytes =
    std::max({bucket_bytes<decltype(Sums::values)>, bucket_bytes<decltype(Sums::magnitudes)>,
              bucket_bytes<decltype(Sums::products)>});

/// True if the launch has memory for buckets. Launches of few tiles, or on devices with little shared memory,
/// do not.
__device__ __forceinline__ bool has_buckets() { return dynamic_memory_bytes() != 0; }

/// Capacity of a warp's queue of batches that did not fit.
inline constexpr int queue_capacity = 96;

template <class Sums, int Threads>
struct BlockMemory {
  static constexpr int digits = Sums::first_digit(max_sums);
  static constexpr int copies =
      digits * 32 * sizeof(int) <= 36 * 1024 ? 32 : 16;  // within 48 KB of static shared memory
  alignas(16) int digit[digits == 0 ? 4 : digits * copies];
  Word limb[max_sums][word_count];
  Word special[max_sums][3];
  Word below[max_sums];  // of the low level
  unsigned highest[max_sums][Threads / 32];
  // 32-bit, and without the low level: two blocks of dot products of floats, with buckets and read-ahead
  // buffers, use all shared memory of an H200 but 6 KB.
  std::int32_t piece[max_sums - Sums::first_index][pieces_per_level * std::max(1, Sums::max_levels)]
                    [Threads / 32];
  std::int64_t total[max_sums - Sums::first_index]
                    [pieces_per_level * std::max(1, Sums::max_levels_published)];  // over all blocks
  std::int64_t lowest_key[Threads / 32], highest_key[Threads / 32];
  unsigned queue[Threads / 32][queue_capacity];
  std::uint32_t epoch;  // number of the launch
  bool combines;

  __device__ void clear() {
    for (int i = threadIdx.x; i < static_cast<int>(sizeof digit / sizeof(int4)); i += Threads)
      reinterpret_cast<int4*>(digit)[i] = int4{0, 0, 0, 0};
    clear_limbs();
    if (threadIdx.x < max_sums) below[threadIdx.x] = 0;
  }
  __device__ void clear_limbs() {
    for (int i = threadIdx.x; i < max_sums * word_count; i += Threads) limb[0][i] = 0;
    if (threadIdx.x < max_sums * 3) special[0][threadIdx.x] = 0;
  }
  template <class Sum>
  __device__ Spill<Sum::digits, copies> spill(const Sum&, int index) {
    return {digit + Sums::first_digit(index) * copies, special[index]};
  }
  /// Moves all digits to the limbs; all threads call, after a barrier.
  __device__ void fold(Sums& sums) {
    for_each_sum(sums, [&](auto& sum, int index) {
      fold_digits<Threads, copies>(digit + Sums::first_digit(index) * copies, sum.digits, limb[index]);
    });
    __syncthreads();
  }
};

}  // namespace foldline::cuda
