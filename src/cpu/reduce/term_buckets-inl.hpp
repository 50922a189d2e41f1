// Sums by buckets of terms that no window holds, and of terms that buckets cannot take. Included once per
// instruction set.

#include "cpu/reduce/buckets-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

HWY_INLINE double DoubleAt(const double* x, std::size_t i) {  // x need not be aligned
  double value;
  std::memcpy(&value, reinterpret_cast<const char*>(x) + i * sizeof value, sizeof value);
  return value;
}

/// Fewer terms than this are added to limbs one by one, at 5 to 10 ns each: to clear and empty the buckets
/// takes 4 us.
constexpr std::size_t fewest_for_buckets = 512;

/// A sum of terms by buckets. Add() takes whole vectors, at most a tile, and returns whether all terms were
/// finite.
template <class Sum>
class TermBuckets {
 public:
  HWY_NOINLINE bool Add(const double* x, std::size_t n, Sum& sum) {
    static_assert(tile_elements <= std::size_t{1} << 11);
    if (!open_ && n < fewest_for_buckets) return AddOneByOne(x, n, sum);
    if (!open_) buckets_.clear();
    open_ = true;
    for (std::size_t i = 0; i < n; i += lanes) {
      __builtin_prefetch(x + i + prefetch_distance);
      for (std::size_t k = i; k < i + lanes; ++k) buckets_.add(DoubleAt(x, k), sum);
    }
    return !buckets_.take_unusual() || AddUnusual(x, n, sum);
  }
  void Flush(Sum& sum) {
    if (open_) buckets_.move_to(sum);
  }

 private:
  /// Adds the terms that buckets cannot take. Of data of all exponents every second tile has some.
  static bool AddUnusual(const double* x, std::size_t n, Sum& sum) {
    const DI di;
    const VI infinite = hn::Set(di, static_cast<std::int64_t>(infinity_bits));
    bool all_finite = true;
    for (std::size_t i = 0; i < n; i += lanes) {
      const VI field = FieldBits(hn::BitCast(di, LoadDoubles(x + i)));
      if (HWY_LIKELY(hn::AllFalse(di, hn::Or(hn::Eq(field, hn::Zero(di)), hn::Eq(field, infinite)))))
        continue;
      for (std::size_t k = i; k < i + lanes; ++k) {
        const std::uint64_t bits = bits_of(DoubleAt(x, k)) & infinity_bits;
        if (bits == 0 || bits == infinity_bits) all_finite = AddOne(DoubleAt(x, k), sum) && all_finite;
      }
    }
    return all_finite;
  }

  static bool AddOneByOne(const double* x, std::size_t n, Sum& sum) {
    bool all_finite = true;
    for (std::size_t i = 0; i < n; ++i) all_finite = AddOne(DoubleAt(x, i), sum) && all_finite;
    return all_finite;
  }

  static bool AddOne(double x, Sum& sum) {
    const bool finite = is_finite(x);
    if (!finite)
      sum.specials.count(x);
    else if ((bits_of(x) & ~sign_bit) != 0)
      sum.limbs().add(x);
    return finite;
  }

  bool open_ = false;
  SumBuckets buckets_;  // cleared at first use
};

/// The same for exact products x_i y_i.
template <class Sum>
class ExactProductBuckets {
 public:
  HWY_NOINLINE bool Add(const double* x, const double* y, std::size_t vectors, Sum& sum) {
    const std::size_t n = vectors * lanes;
    if (!open_ && n < fewest_for_buckets) return AddOneByOne(x, y, n, sum);
    if (!open_) buckets_.clear();
    open_ = true;
    if (AddToBuckets(x, y, vectors, buckets_, sum)) return true;
    for (std::size_t i = 0; i < n; ++i) CountIfSpecial(DoubleAt(x, i), DoubleAt(y, i), sum);
    return false;
  }
  void Flush(Sum& sum) {
    if (open_) buckets_.move_to(sum);
  }

 private:
  static bool CountIfSpecial(double x, double y, Sum& sum) {
    if (is_finite(x) && is_finite(y)) return false;
    sum.specials.count(x * y);  // IEEE's product of specials is the contract's
    return true;
  }
  static bool AddOneByOne(const double* x, const double* y, std::size_t n, Sum& sum) {
    bool all_finite = true;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor_x = DoubleAt(x, i);
      const double factor_y = DoubleAt(y, i);
      if (CountIfSpecial(factor_x, factor_y, sum)) {
        all_finite = false;
        continue;
      }
      const Decomposed a = decompose(factor_x);
      const Decomposed b = decompose(factor_y);
      const Uint128 product = static_cast<Uint128>(a.significand) * b.significand;
      if (product != 0) sum.limbs().add(a.negative != b.negative, product, a.exponent + b.exponent);
    }
    return all_finite;
  }

  bool open_ = false;
  ProductBuckets buckets_;  // cleared at first use
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
