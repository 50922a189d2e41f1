// The loops over integers: whole vectors of a tile to each sum. Included once per instruction set.
//
// A tile has at most 256 vectors; the bounds below follow from that.

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Without SIMD instructions vectors are slower than plain loops.
constexpr bool has_vectors = HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;
constexpr std::size_t integer_tile_vectors = 256;
constexpr std::size_t vector_bytes = has_vectors ? hn::MaxLanes(hn::ScalableTag<std::uint8_t>()) : 64;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
constexpr int bits_of_lane = 8 * sizeof(T);
template <class T>
constexpr T top_bit = static_cast<T>(T{1} << (bits_of_lane<T> - 1));

/// A vector of elements; bools become 0 or 1.
template <class T>
HWY_INLINE auto LoadElements(const cpu::Stored<T>* x) {
  const Tag<cpu::Stored<T>> d;
  if constexpr (std::is_same_v<T, bool>)
    return hn::Min(hn::LoadU(d, x), hn::Set(d, 1));
  else
    return hn::LoadU(d, x);
}

// Terms of a sum as vectors of unsigned lanes; each lane is the term plus `bias`.
template <class T>
struct ElementTerms {
  using Lane = std::make_unsigned_t<cpu::Stored<T>>;
  static constexpr Lane bias = std::is_signed_v<T> ? top_bit<Lane> : 0;
  static HWY_INLINE auto Load(const cpu::Stored<T>* x) {
    const auto bits = hn::BitCast(Tag<Lane>(), LoadElements<T>(x));
    if constexpr (bias != 0)
      return hn::Xor(bits, hn::Set(Tag<Lane>(), bias));
    else
      return bits;
  }
};
template <class T>
struct MagnitudeTerms {
  using Lane = std::make_unsigned_t<cpu::Stored<T>>;
  static constexpr Lane bias = 0;
  static HWY_INLINE auto Load(const cpu::Stored<T>* x) {
    if constexpr (std::is_signed_v<T>)
      return hn::BitCast(Tag<Lane>(), hn::Abs(hn::LoadU(Tag<T>(), x)));  // |INT_MIN| is right without a sign
    else
      return ElementTerms<T>::Load(x);
  }
};

/// Adds neighbouring lanes into lanes of twice the width, until they have 64 bits.
template <class V>
HWY_INLINE auto ToLong(V v) {
  using Narrow = hn::DFromV<V>;
  constexpr int bits = bits_of_lane<hn::TFromD<Narrow>>;
  if constexpr (bits == 64) {
    return v;
  } else {
    const hn::RepartitionToWide<Narrow> d;
    const auto pairs = hn::BitCast(d, v);
    const auto mask = hn::Set(d, static_cast<hn::TFromD<decltype(d)>>((std::uint64_t{1} << bits) - 1));
    return ToLong(hn::Add(hn::And(pairs, mask), hn::ShiftRight<bits>(pairs)));
  }
}
template <class V>
HWY_INLINE std::uint64_t SumOfLong(V v) {
  return hn::GetLane(hn::SumOfLanes(Tag<std::uint64_t>(), v));
}

/// A sum of vectors of unsigned lanes that loses no carry. A wide lane is two halves, high * 2^h + low: two
/// terms of 8, 16 or 32 bits side by side, or one term of 64. It is added twice: whole, modulo its width, and
/// its high half alone. The sum of the low halves is the difference, as long as it fits the lane: 256 halves
/// of 8 bits are below 2^16, and so on for all widths. (One shift and two additions per vector; widening both
/// halves takes two operations more.)
template <class Lane>
class HalfSums {
  static constexpr int half = sizeof(Lane) == 8 ? 32 : bits_of_lane<Lane>;
  using D = std::conditional_t<sizeof(Lane) == 8, Tag<Lane>, hn::RepartitionToWide<Tag<Lane>>>;

 public:
  // Explicit: an implicit constructor would not be compiled for the instruction set.
  HWY_INLINE HalfSums()
      : all_(hn::Zero(D())), high_(hn::Zero(D())) {}  // NOLINT(modernize-use-default-member-init)
  HWY_INLINE void Add(hn::Vec<Tag<Lane>> terms) {
    const auto halves = hn::BitCast(D(), terms);
    all_ = hn::Add(all_, halves);
    high_ = hn::Add(high_, hn::ShiftRight<half>(halves));
  }
  HWY_INLINE void Merge(const HalfSums& other) {
    all_ = hn::Add(all_, other.all_);
    high_ = hn::Add(high_, other.high_);
  }
  HWY_INLINE Uint128 Total() const {
    const auto low = hn::Sub(all_, hn::ShiftLeft<half>(high_));
    const auto high = static_cast<Uint128>(SumOfLong(ToLong(high_)));
    return (sizeof(Lane) == 8 ? high << half : high) + SumOfLong(ToLong(low));
  }

 private:
  hn::Vec<D> all_, high_;
};

/// The sum of the terms of `vectors` vectors.
template <class T, class Terms>
HWY_INLINE Int128 SumOfVectors(const cpu::Stored<T>* x, std::size_t vectors) {
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  HalfSums<typename Terms::Lane> even;  // two sums hide the latency of addition
  HalfSums<typename Terms::Lane> odd;
  std::size_t i = 0;
  for (; i + 2 <= vectors; i += 2) {
    cpu::fetch_ahead(x + i * lanes, 2 * lanes, cpu::integers_ahead);
    even.Add(Terms::Load(x + i * lanes));
    odd.Add(Terms::Load(x + (i + 1) * lanes));
  }
  if (i < vectors) even.Add(Terms::Load(x + i * lanes));
  even.Merge(odd);
  return static_cast<Int128>(even.Total()) - Int128{Terms::bias} * static_cast<Int128>(vectors * lanes);
}

/// x_0 y_0 + x_1 y_1, x_2 y_2 + x_3 y_3, ... modulo 2^32; the pairing depends on the processor.
template <class V>
HWY_INLINE auto PairsOfProducts(V x, V y) {
  const Tag<std::int32_t> d;
  auto rest = hn::Zero(d);
  const auto sums = hn::ReorderWidenMulAccumulate(d, x, y, hn::Zero(d), rest);
  return hn::Add(sums, rest);
}

/// Elements of 8 bits are widened to 16. A pair of products is below 2^17 and a tile has at most 2^14
/// elements, so the sum is below 2^31.
template <class T>
HWY_INLINE Int128 ProductsOf8(const cpu::Stored<T>* x, const cpu::Stored<T>* y, std::size_t vectors) {
  const Tag<std::int16_t> d16;
  const Tag<std::int32_t> d32;
  const hn::Rebind<cpu::Stored<T>, decltype(d16)> d8;
  constexpr std::size_t lanes = vector_bytes / 2;
  const auto load = [&](const cpu::Stored<T>* element) HWY_ATTR {
    const auto v = hn::LoadU(d8, element);
    if constexpr (std::is_same_v<T, bool>)
      return hn::PromoteTo(d16, hn::Min(v, hn::Set(d8, 1)));
    else
      return hn::PromoteTo(d16, v);
  };
  auto even = hn::Zero(d32);
  auto odd = hn::Zero(d32);
  for (std::size_t i = 0; i < 2 * vectors; i += 2) {
    even = hn::Add(even, PairsOfProducts(load(x + i * lanes), load(y + i * lanes)));
    odd = hn::Add(odd, PairsOfProducts(load(x + (i + 1) * lanes), load(y + (i + 1) * lanes)));
  }
  return hn::GetLane(hn::SumOfLanes(d32, hn::Add(even, odd)));
}

/// Signed pairs of products are in (-2^31, 2^31]: 2^31 wraps to its negative, so 2^31 - 1 is added to each
/// pair and the sums are of unsigned terms. Unsigned x is x' + 2^15 with x' signed, and x y = x' y' + 2^15 (x
/// + y) - 2^30.
template <class T>
HWY_INLINE Int128 ProductsOf16(const T* x, const T* y, std::size_t vectors) {
  const Tag<std::int16_t> d;
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  constexpr std::int32_t bias = 0x7fffffff;
  const auto load = [&](const T* element) HWY_ATTR {
    const auto v = hn::BitCast(d, hn::LoadU(Tag<T>(), element));
    if constexpr (std::is_signed_v<T>)
      return v;
    else
      return hn::Xor(v, hn::Set(d, top_bit<std::int16_t>));
  };
  HalfSums<std::uint32_t> sums;
  for (std::size_t i = 0; i < vectors * lanes; i += lanes) {
    const auto pairs = PairsOfProducts(load(x + i), load(y + i));
    sums.Add(hn::BitCast(Tag<std::uint32_t>(), hn::Add(pairs, hn::Set(Tag<std::int32_t>(), bias))));
  }
  const auto n = static_cast<std::int64_t>(vectors * lanes);
  const Int128 products = static_cast<Int128>(sums.Total()) - Int128{bias} * (n / 2);
  if constexpr (std::is_signed_v<T>) return products;
  const Int128 sum_x = SumOfVectors<T, ElementTerms<T>>(x, vectors);
  const Int128 sum_y = x == y ? sum_x : SumOfVectors<T, ElementTerms<T>>(y, vectors);
  return products + (sum_x + sum_y) * 32768 - Int128{n} * (std::int64_t{1} << 30);
}

/// Products of 32-bit elements have 64 bits; signed ones are in (-2^62, 2^62], and flipping the top bit adds
/// 2^63.
template <class T>
HWY_INLINE Int128 ProductsOf32(const T* x, const T* y, std::size_t vectors) {
  const Tag<std::uint64_t> d64;
  const Tag<T> d;
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  constexpr std::uint64_t bias = std::is_signed_v<T> ? top_bit<std::uint64_t> : 0;
  const auto product = [&](auto a, auto b) HWY_ATTR {
    return hn::Xor(hn::BitCast(d64, hn::MulEven(a, b)), hn::Set(d64, bias));
  };
  const auto odd_lanes = [&](auto v)
                             HWY_ATTR { return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, v))); };
  HalfSums<std::uint64_t> even;
  HalfSums<std::uint64_t> odd;
  for (std::size_t i = 0; i < vectors * lanes; i += lanes) {
    const auto a = hn::LoadU(d, x + i);
    const auto b = hn::LoadU(d, y + i);
    even.Add(product(a, b));
    odd.Add(product(odd_lanes(a), odd_lanes(b)));
  }
  even.Merge(odd);
  return static_cast<Int128>(even.Total()) - Int128{bias} * static_cast<Int128>(vectors * lanes);
}

/// The sum of x_i y_i of elements of up to 32 bits.
template <class T>
HWY_INLINE Int128 ProductsOfVectors(const cpu::Stored<T>* x, const cpu::Stored<T>* y, std::size_t vectors) {
  if constexpr (sizeof(T) == 1)
    return ProductsOf8<T>(x, y, vectors);
  else if constexpr (sizeof(T) == 2)
    return ProductsOf16(x, y, vectors);
  else
    return ProductsOf32(x, y, vectors);
}

/// Smallest and largest elements so far, lane by lane.
template <class T>
class LaneExtrema {
  using Lane = cpu::Stored<T>;
  static constexpr std::size_t lanes = vector_bytes / sizeof(T);

 public:
  LaneExtrema() {
    for (std::size_t i = 0; i < lanes; ++i) {
      low_[i] = std::numeric_limits<Lane>::max();
      high_[i] = std::numeric_limits<Lane>::lowest();
    }
  }
  HWY_INLINE void Add(const Lane* x, std::size_t vectors) {
    const Tag<Lane> d;
    auto low = hn::LoadU(d, low_);
    auto high = hn::LoadU(d, high_);
    for (std::size_t i = 0; i < vectors * lanes; i += lanes) {
      const auto v = LoadElements<T>(x + i);
      low = hn::Min(low, v);
      high = hn::Max(high, v);
    }
    hn::StoreU(low, d, low_);
    hn::StoreU(high, d, high_);
  }
  /// Only after something was added.
  void MoveTo(T& low, T& high) const {
    for (std::size_t i = 0; i < lanes; ++i) {
      low = static_cast<T>(low_[i]) < low ? static_cast<T>(low_[i]) : low;
      high = high < static_cast<T>(high_[i]) ? static_cast<T>(high_[i]) : high;
    }
  }

 private:
  Lane low_[lanes], high_[lanes];
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
