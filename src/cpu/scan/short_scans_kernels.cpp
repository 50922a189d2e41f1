// Scans of many short vectors at once: those that lie side by side a lane each, others one element after the
// other; compiled once per instruction set.
//
// Where the exponents of a vector's elements are close enough, all prefix sums are exact as one double (of
// floats) or two (of doubles: the sum and the sum of its errors), and each result is rounded once. That is
// known before anything is written. Sums of integers are 64-bit integers.
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "arithmetic/one_lane.hpp"
#include "contract/short_scans.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/highway_targets.hpp"
#include "foldline/detail/visit_type.hpp"

#define HWY_TARGET_INCLUDE "cpu/scan/short_scans_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Differences of exponents up to which sums of so many elements are exact, see DirectConstants.
template <class T>
int RangeOf(std::int64_t terms) {
  int log = 0;
  while ((std::int64_t{1} << log) < terms + 8) ++log;
  return sizeof(T) == 8 ? 53 - 2 * log : 29 - log;
}

/// Scans of floats or doubles.
template <class T>
class FloatingScans {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr std::int64_t size = sizeof(T);
  static constexpr Word magnitude = std::numeric_limits<Word>::max() >> 1;
  static constexpr int log_field = sizeof(T) == 8 ? 52 : 23;
  // Fields of exponents from which on a sum of doubles may overflow, or floats are infinite.
  static constexpr int beyond = sizeof(T) == 8 ? 0x7ff - 16 : 0xff;

 public:
  explicit FloatingScans(const ShortScans& scans) : scans_(scans), range_(RangeOf<T>(scans.terms)) {}

  std::int64_t Scan(std::uint8_t* uncertain) const {
    std::int64_t left = 0;
    std::int64_t i = 0;
    if constexpr (lanes > 1)
      if (scans_.x_across == 1 && scans_.out_across == 1)
        for (; i + std::int64_t{lanes} <= scans_.vectors; i += std::int64_t{lanes}) {
          if (ScanLanes(i)) continue;
          std::memset(uncertain + i, 1, lanes);
          left += std::int64_t{lanes};
        }
    for (; i < scans_.vectors; ++i)
      if (!ScanOne(i)) {
        uncertain[i] = 1;
        ++left;
      }
    return left;
  }

 private:
  bool ScanOne(std::int64_t index) const {
    // Elements may lie at any address, so there is no pointer to T.
    const std::byte* const x = scans_.x + index * scans_.x_across * size;
    std::byte* const out = scans_.out + index * scans_.out_across * size;
    const std::int64_t x_step = scans_.x_along * size, out_step = scans_.out_along * size;
    Word largest = 0;
    Word smallest = std::numeric_limits<Word>::max();  // less one, so that zero is the largest
    for (std::int64_t k = 0; k < scans_.terms; ++k) {
      Word bits;
      std::memcpy(&bits, x + k * x_step, sizeof bits);
      bits &= magnitude;
      largest = bits > largest ? bits : largest;
      smallest = bits - 1 < smallest ? bits - 1 : smallest;
    }
    if (static_cast<int>(largest >> log_field) >= beyond ||
        static_cast<int>(largest >> log_field) - static_cast<int>((smallest & magnitude) >> log_field) >
            range_)
      return false;
    double sum = LoadOne(x);
    double error = 0;
    StoreOne(sum, out);
    for (std::int64_t k = 1; k < scans_.terms; ++k) {
      const double element = LoadOne(x + k * x_step);
      if constexpr (sizeof(T) == 8) {
        const one_lane::SumAndError<double> next = one_lane::TwoSum(sum, element);
        sum = next.sum;
        error += next.error;
        StoreOne(error == 0 ? sum : sum + error, out + k * out_step);
      } else {
        sum += element;
        StoreOne(sum, out + k * out_step);
      }
    }
    return true;
  }
  static HWY_INLINE double LoadOne(const std::byte* x) {
    T value;
    std::memcpy(&value, x, sizeof value);
    return static_cast<double>(value);
  }
  static HWY_INLINE void StoreOne(double result, std::byte* out) {
    const auto value = static_cast<T>(result);
    std::memcpy(out, &value, sizeof value);
  }

  /// Neighbours, from `index` on.
  bool ScanLanes(std::int64_t index) const {
    using Tag = std::conditional_t<sizeof(T) == 8, D, F>;
    using Bits = hn::RebindToUnsigned<Tag>;
    const Tag d;
    const Bits bits;
    const auto* x = reinterpret_cast<const T*>(scans_.x) + index;
    auto* out = reinterpret_cast<T*>(scans_.out) + index;
    auto largest = hn::Zero(bits);
    auto smallest = hn::Set(bits, std::numeric_limits<Word>::max());
    for (std::int64_t k = 0; k < scans_.terms; ++k) {
      const auto word =
          hn::And(hn::BitCast(bits, hn::LoadU(d, x + k * scans_.x_along)), hn::Set(bits, magnitude));
      largest = hn::Max(largest, word);
      smallest = hn::Min(smallest, hn::Sub(word, hn::Set(bits, 1)));
    }
    const hn::RebindToSigned<Tag> fields;
    const auto high = hn::BitCast(fields, hn::ShiftRight<log_field>(largest));
    const auto low =
        hn::BitCast(fields, hn::ShiftRight<log_field>(hn::And(smallest, hn::Set(bits, magnitude))));
    const auto limit = hn::Set(fields, static_cast<hn::TFromD<decltype(fields)>>(range_ + 1));
    const auto end = hn::Set(fields, hn::TFromD<decltype(fields)>{beyond});
    if (!hn::AllTrue(fields, hn::And(hn::Lt(hn::Sub(high, low), limit), hn::Lt(high, end)))) return false;

    V sum = LoadLanes(x);
    V error = hn::Zero(D());
    StoreLanes(sum, out);
    for (std::int64_t k = 1; k < scans_.terms; ++k) {
      const V element = LoadLanes(x + k * scans_.x_along);
      if constexpr (sizeof(T) == 8) {
        const SumAndError<V> next = TwoSum(sum, element);
        sum = next.sum;
        error = hn::Add(error, next.error);
        // -0 stays -0.
        StoreLanes(hn::IfThenElse(hn::Eq(error, hn::Zero(D())), sum, hn::Add(sum, error)),
                   out + k * scans_.out_along);
      } else {
        sum = hn::Add(sum, element);
        StoreLanes(sum, out + k * scans_.out_along);
      }
    }
    return true;
  }
  static HWY_INLINE V LoadLanes(const T* x) {
    if constexpr (sizeof(T) == 8) {
      return hn::LoadU(D(), x);
    } else {
      return hn::PromoteTo(D(), hn::LoadU(F(), x));
    }
  }
  static HWY_INLINE void StoreLanes(V results, T* out) {
    if constexpr (sizeof(T) == 8)
      hn::StoreU(results, D(), out);
    else
      hn::StoreU(ToFloats(results), F(), out);
  }

  const ShortScans& scans_;
  const int range_;
};

/// Scans of integers T, with results of 64 bits: those of fewer always fit.
template <class T>
std::int64_t ScanIntegers(const ShortScans& scans, std::uint8_t* uncertain) {
  using Sum = std::uint64_t;  // or int64, with the same bits
  constexpr std::int64_t block = 64;
  const auto load = [](const std::byte* at) FOLDLINE_LAMBDA {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<Sum>(
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  };
  if constexpr (sizeof(T) == 8) {
    // All magnitudes together, for one look at each element.
    std::uint64_t largest = 0;
    for (std::int64_t i = 0; i < scans.vectors; ++i)
      for (std::int64_t k = 0; k < scans.terms; ++k) {
        const Sum value = load(scans.x + (i * scans.x_across + k * scans.x_along) * std::int64_t{sizeof(T)});
        largest |= std::is_signed_v<T> && static_cast<std::int64_t>(value) < 0 ? ~value : value;
      }
    if (largest > std::uint64_t{INT64_MAX} / 2 / static_cast<std::uint64_t>(scans.terms)) {
      std::memset(uncertain, 1, static_cast<std::size_t>(scans.vectors));
      return scans.vectors;
    }
  }
  std::int64_t i = 0;
  if (scans.x_across == 1 && scans.out_across == 1)
    for (; i + block <= scans.vectors; i += block) {
      Sum sums[block] = {};
      for (std::int64_t k = 0; k < scans.terms; ++k) {
        const std::byte* const x = scans.x + (i + k * scans.x_along) * std::int64_t{sizeof(T)};
        for (std::int64_t c = 0; c < block; ++c) sums[c] += load(x + c * std::int64_t{sizeof(T)});
        std::memcpy(scans.out + (i + k * scans.out_along) * std::int64_t{sizeof(Sum)}, sums, sizeof sums);
      }
    }
  for (; i < scans.vectors; ++i) {
    Sum sum = 0;
    const std::byte* x = scans.x + i * scans.x_across * std::int64_t{sizeof(T)};
    std::byte* out = scans.out + i * scans.out_across * std::int64_t{sizeof(Sum)};
    for (std::int64_t k = 0; k < scans.terms; ++k) {
      sum += load(x + k * scans.x_along * std::int64_t{sizeof(T)});
      std::memcpy(out + k * scans.out_along * std::int64_t{sizeof(Sum)}, &sum, sizeof sum);
    }
  }
  return 0;
}

std::int64_t ScanShortVectors(const ShortScans& scans, std::uint8_t* uncertain) {
  if (scans.type == ElementType::float64) return FloatingScans<double>(scans).Scan(uncertain);
  if (scans.type == ElementType::float32) return FloatingScans<float>(scans).Scan(uncertain);
  return detail::visit_integer(scans.type, [&]<class T>(std::type_identity<T>) -> std::int64_t {
    if constexpr (std::is_same_v<T, bool>)
      return 0;  // not asked for
    else
      return ScanIntegers<T>(scans, uncertain);
  });
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

std::int64_t cpu::scan_short_vectors(const ShortScans& scans, Target target, std::uint8_t* uncertain) {
  using ScanShort = std::int64_t (*)(const ShortScans&, std::uint8_t*);
  static constexpr simd::Compiled<ScanShort> compiled[] = {FOLDLINE_FOR_EACH_TARGET(ScanShortVectors)};
  const ArithmeticEnvironment environment;
  return simd::kernels_for(target, compiled)(scans, uncertain);
}

}  // namespace foldline
#endif
