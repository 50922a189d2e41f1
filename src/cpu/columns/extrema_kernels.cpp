// Minima and maxima of columns and of short rows, of elements as they are in memory; compiled once per
// instruction set.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "contract/operation_table.hpp"
#include "cpu/columns/direct.hpp"
#include "cpu/simd/fetch_ahead.hpp"
#include "cpu/simd/highway_targets.hpp"
#include "foldline/detail/visit_type.hpp"

#define HWY_TARGET_INCLUDE "cpu/columns/extrema_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "cpu/simd/strided-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Elements as integers, in an order in which the wanted one is the largest; NaN is beyond all others.
template <class T, bool lowest>
struct Order {
  static constexpr bool is_floating = FloatingElement<T>;
  using Signed =
      std::conditional_t<sizeof(T) == 8, std::int64_t,
                         std::conditional_t<sizeof(T) == 4, std::int32_t,
                                            std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;
  using Key = std::conditional_t<is_floating, Signed, T>;
  using D = hn::ScalableTag<Key>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr Key most = std::numeric_limits<Key>::max();
  static constexpr Key infinity = std::is_same_v<T, half>       ? static_cast<Key>(0x7c00)
                                  : std::is_same_v<T, bfloat16> ? static_cast<Key>(0x7f80)
                                  : std::is_same_v<T, float>    ? static_cast<Key>(0x7f80'0000)
                                                                : static_cast<Key>(0x7ff0'0000'0000'0000);

  static HWY_INLINE V Keys(V bits) {
    const D d;
    if constexpr (is_floating) {
      const V magnitudes = hn::And(bits, hn::Set(d, most));
      const V keys = hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(d, most)));
      const V turned = lowest ? hn::Not(keys) : keys;
      return hn::IfThenElse(hn::Gt(magnitudes, hn::Set(d, infinity)), hn::Set(d, most), turned);
    }
    return bits;
  }
  static HWY_INLINE V Best(V a, V b) { return lowest && !is_floating ? hn::Min(a, b) : hn::Max(a, b); }

  static HWY_INLINE Key KeyOf(Key bits) {
    if constexpr (is_floating) {
      if ((bits & most) > infinity) return most;
      const auto key = static_cast<Key>(bits < 0 ? bits ^ most : bits);
      return static_cast<Key>(lowest ? ~key : key);
    }
    return bits;
  }
  static HWY_INLINE Key BestOf(Key a, Key b) {
    const bool takes_b = lowest && !is_floating ? b < a : a < b;
    return takes_b ? b : a;
  }
  /// The bits of the element of a key.
  static HWY_INLINE Key BitsOf(Key key) {
    if constexpr (is_floating) {
      constexpr auto quiet = static_cast<Key>(
          infinity | (infinity & ~static_cast<std::int64_t>(
                                     std::uint64_t{static_cast<std::make_unsigned_t<Key>>(infinity)} << 1)) >>
                         1);
      if (key == most) return quiet;
      const auto turned = static_cast<Key>(lowest ? ~key : key);
      return static_cast<Key>(turned < 0 ? turned ^ most : turned);
    }
    return key;
  }
  static HWY_INLINE V Bits(V keys) {
    const D d;
    if constexpr (is_floating) {
      const V turned = lowest ? hn::Not(keys) : keys;
      const V bits = hn::Xor(turned, hn::And(hn::BroadcastSignBit(turned), hn::Set(d, most)));
      return hn::IfThenElse(hn::Eq(keys, hn::Set(d, most)), hn::Set(d, BitsOf(most)), bits);
    }
    return keys;
  }
  static HWY_INLINE Key Load(const std::byte* at) {
    Key bits;
    std::memcpy(&bits, at, sizeof bits);
    return KeyOf(bits);
  }
};

/// The best of what each lane was given.
template <class T, bool lowest>
class Fold {
  using O = Order<T, lowest>;
  using V = typename O::V;

 public:
  explicit HWY_INLINE Fold(V bits) : best_(O::Keys(bits)) {}
  HWY_INLINE void Take(V bits) { best_ = O::Best(best_, O::Keys(bits)); }
  HWY_INLINE V Keys() const { return best_; }

 private:
  V best_;
};

/// Floats and doubles are compared as such: three operations an element instead of seven. A best zero is +0
/// if any element has no sign (a maximum), or -0 if any has one (a minimum).
template <class T, bool lowest>
  requires std::is_same_v<T, float> || std::is_same_v<T, double>
class Fold<T, lowest> {
  using O = Order<T, lowest>;
  using V = typename O::V;
  using F = hn::RebindToFloat<typename O::D>;

 public:
  explicit HWY_INLINE Fold(V bits)
      : best_(hn::BitCast(F(), bits)), signs_(bits), are_numbers_(hn::Eq(best_, best_)) {}
  HWY_INLINE void Take(V bits) {
    const hn::Vec<F> x = hn::BitCast(F(), bits);
    best_ = lowest ? hn::Min(best_, x) : hn::Max(best_, x);
    signs_ = lowest ? hn::Or(signs_, bits) : hn::And(signs_, bits);
    are_numbers_ = hn::And(are_numbers_, hn::Eq(x, x));
  }
  HWY_INLINE V Keys() const {
    const typename O::D d;
    const V zero = hn::AndNot(hn::Set(d, O::most), signs_);
    const V bits =
        hn::IfThenElse(hn::RebindMask(d, hn::Eq(best_, hn::Zero(F()))), zero, hn::BitCast(d, best_));
    return hn::IfThenElse(hn::RebindMask(d, are_numbers_), O::Keys(bits), hn::Set(d, O::most));
  }

 private:
  hn::Vec<F> best_;
  V signs_;
  hn::Mask<F> are_numbers_;
};

template <class T, bool lowest>
class ExtremaReducer {
  using O = Order<T, lowest>;
  using Key = typename O::Key;
  using V = typename O::V;
  static constexpr typename O::D d{};
  static constexpr std::int64_t size = sizeof(T), lanes = O::lanes;
  static constexpr std::int64_t most_columns = 2048, packed_columns = 512;
  static constexpr std::int64_t rows_at_a_time = 8;

 public:
  explicit ExtremaReducer(const cpu::DirectBlock& block) : block_(block), x_(block.x) {}

  void Reduce() const {
    if (x_.row_stride == 1 && x_.column_stride != 1) {
      for (std::int64_t i = 0; i < x_.columns; ++i) Put(i, OfRow(x_.at(0, i), x_.rows, x_.from_memory));
      return;
    }
    if (x_.rows > 16 && std::abs(x_.row_stride) < std::abs(x_.column_stride)) {
      for (std::int64_t i = 0; i < x_.columns; ++i) Put(i, OfStridedRow(i));
      return;
    }
    const std::int64_t most = x_.column_stride == 1 ? most_columns : packed_columns;
    for (std::int64_t first = 0; first < x_.columns; first += most)
      ReduceColumns(first, HWY_MIN(most, x_.columns - first));
  }

 private:
  void Put(std::int64_t column, Key key) const {
    const Key bits = O::BitsOf(key);
    std::memcpy(block_.out + column * block_.out_stride * size, &bits, sizeof bits);
  }
  static HWY_INLINE V BitsAt(const std::byte* at) { return hn::LoadU(d, reinterpret_cast<const Key*>(at)); }

  /// Of contiguous terms; the last vector overlaps the one before, which changes no extremum.
  HWY_INLINE Key OfRow(const std::byte* x, std::int64_t n, bool fetches) const {
    if (n < lanes) {
      Key best = O::Load(x);
      for (std::int64_t i = 1; i < n; ++i) best = O::BestOf(best, O::Load(x + i * size));
      return best;
    }
    Fold<T, lowest> best(BitsAt(x)), other(BitsAt(x + (n - lanes) * size));
    std::int64_t i = lanes;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      if (fetches) cpu::fetch_ahead(x + i * size, 2 * O::lanes * sizeof(T), cpu::numbers_ahead);
      best.Take(BitsAt(x + i * size));
      other.Take(BitsAt(x + (i + lanes) * size));
    }
    if (i + lanes <= n) best.Take(BitsAt(x + i * size));
    Key key[lanes];
    hn::StoreU(O::Best(best.Keys(), other.Keys()), d, key);
    for (std::int64_t step = lanes / 2; step > 0; step /= 2)
      for (std::int64_t k = 0; k < step; ++k) key[k] = O::BestOf(key[k], key[k + step]);
    return key[0];
  }

  /// Of terms with gaps, which are copied together piece by piece.
  Key OfStridedRow(std::int64_t column) const {
    Key piece[most_columns];
    Key best = O::Load(x_.at(0, column));
    for (std::int64_t row = 0; row < x_.rows; row += most_columns) {
      const std::int64_t count = HWY_MIN(most_columns, x_.rows - row);
      CopyStrided(x_.at(row, column), x_.row_stride * size, count, piece);
      best = O::BestOf(best, OfRow(reinterpret_cast<const std::byte*>(piece), count, false));
    }
    return best;
  }

  /// Columns side by side: a few rows at a time, whose best keys so far stay in the nearest cache.
  void ReduceColumns(std::int64_t first, std::int64_t count) const {
    Key best[most_columns];
    Key packed[packed_columns * rows_at_a_time];
    for (std::int64_t row = 0; row < x_.rows; row += rows_at_a_time) {
      const std::int64_t rows = HWY_MIN(rows_at_a_time, x_.rows - row);
      const std::byte* from = x_.at(row, first);
      std::int64_t pitch = x_.row_stride * size;
      if (x_.column_stride != 1) {
        for (std::int64_t r = 0; r < rows; ++r)
          CopyStrided(from + r * pitch, x_.column_stride * size, count, packed + r * packed_columns);
        from = reinterpret_cast<const std::byte*>(packed);
        pitch = packed_columns * size;
      }
      std::int64_t i = 0;
      for (; i + lanes <= count; i += lanes, from += lanes * size) {
        Fold<T, lowest> fold(BitsAt(from));
        for (std::int64_t r = 1; r < rows; ++r) fold.Take(BitsAt(from + r * pitch));
        V keys = fold.Keys();
        if (row > 0) keys = O::Best(keys, hn::LoadU(d, best + i));
        hn::StoreU(keys, d, best + i);
      }
      for (; i < count; ++i, from += size) {
        Key key = O::Load(from);
        for (std::int64_t r = 1; r < rows; ++r) key = O::BestOf(key, O::Load(from + r * pitch));
        best[i] = row == 0 ? key : O::BestOf(best[i], key);
      }
    }
    std::int64_t i = 0;
    if (block_.out_stride == 1)
      for (; i + lanes <= count; i += lanes)
        hn::StoreU(O::Bits(hn::LoadU(d, best + i)), d,
                   reinterpret_cast<Key*>(block_.out + (first + i) * size));
    for (; i < count; ++i) Put(first + i, best[i]);
  }

  const cpu::DirectBlock& block_;
  const cpu::Columns& x_;
};

void ReduceExtremaOf(const cpu::DirectBlock& block) {
  detail::visit_type(block.x.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_same_v<T, bool>) {
      if (block.operation == Operation::minimum)
        ExtremaReducer<T, true>(block).Reduce();
      else
        ExtremaReducer<T, false>(block).Reduce();
    }
  });
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

cpu::ReduceExtrema cpu::extrema_kernel_for(Target target, const DirectBlock& block) {
  static constexpr simd::Compiled<ReduceExtrema> compiled[] = {FOLDLINE_FOR_EACH_TARGET(ReduceExtremaOf)};
  const bool is_one = block.operation == Operation::minimum || block.operation == Operation::maximum;
  if (!is_one || block.x.rows == 0 || block.out_type != block.x.type || block.x.type == ElementType::boolean)
    return nullptr;
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
