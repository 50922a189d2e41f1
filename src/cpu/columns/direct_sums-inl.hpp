// Sums in a few doubles: what a lane keeps of its terms, and what may be said of the exact sums afterwards.
// Included once per instruction set, after columns-inl.hpp.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

HWY_INLINE LaneMask NoLanes() { return hn::MaskFromVec(hn::Zero(D())); }

/// A vector of numbers known to be hi + lo, but for `bound`; exactly so where `exact`. |lo| is at most half a
/// unit in the last place of hi.
struct Approximate {
  V hi, lo, bound;
  LaneMask exact;
};

/// Terms that some sums add up before they add that to others.
constexpr std::int64_t batch_of_terms = 1024;

/// What is the same for all results of a call.
struct DirectConstants {
  /// Sums are of batches or, of rows, of all terms at once.
  DirectConstants(std::int64_t terms, bool has_batches) : n(static_cast<double>(terms)) {
    // The 8 lanes of a result, at most, are merged at the end.
    const double additions = n + 16;
    // Each of as many sums is at most n M, its error at most 2^-53 of that, and so for the sum of the errors.
    errors_of_errors = additions * additions * additions * 0x1p-103;
    errors = additions * additions * 0x1p-51;
    int log = 0;
    while ((std::int64_t{1} << log) < terms + 8) ++log;
    range_of_floats = 29 - log;
    range_of_doubles = 53 - 2 * log;
    // Sums of batches, and those of the batches' sums: each addition loses half a unit of n M at most.
    const double batch = has_batches ? std::fmin(n, batch_of_terms) : n;
    const double batches = std::ceil(n / batch) + 1;
    const double of_batch = batch + 16;
    errors_of_batches = (n + 16) * (of_batch + batches) * 0x1p-52;
    errors_of_anchors = batches * (batches + of_batch) * (batches + of_batch) * 0x1p-104;
  }
  double n, errors_of_errors, errors, errors_of_batches, errors_of_anchors;
  bool are_exact = false;  // all additions of a chunk's sums, if the processor notes that
  // Differences of exponents up to which sums are exact. n floats below 2^(E + 1), multiples of
  // 2^(e - 23): a double has room for all partial sums. Errors of sums of doubles are multiples of 2^(e - 52)
  // and at most 2^-53 of n 2^(E + 1) each: a double has room for their sums.
  std::int64_t range_of_floats, range_of_doubles;
};

/// How much a lane keeps. Of doubles and long integers, the errors of its sums; of floats not, since a double
/// has room for them; of short integers all is exact.
enum class Keeps : std::uint8_t { errors, range, nothing };

/// TwoSum with half of its operations in the multiplier, and the error added to others. `one` is 1, unknown
/// to the compiler. (Zen 4 adds one vector a cycle, and multiplies and adds another.)
HWY_INLINE void AddTwoSum(V& total, V& error, V x, V one) {
#if HWY_NATIVE_FMA
  const V sum = hn::Add(total, x);
  const V x_taken = hn::MulSub(sum, one, total);
  const V total_taken = hn::NegMulAdd(x_taken, one, sum);
  const V x_lost = hn::NegMulAdd(x_taken, one, x);
  error = hn::MulAdd(hn::Add(hn::Sub(total, total_taken), x_lost), one, error);
  total = sum;
#else
  const SumAndError<V> next = TwoSum(total, x);
  total = next.sum;
  error = hn::Add(error, hn::Mul(next.error, one));
#endif
}

/// Elements as they are added: floats by floats, whose bits are half as wide, others as doubles.
HWY_INLINE V Doubles(V x) { return x; }
HWY_INLINE V Doubles(hn::Vec<F> x) { return hn::PromoteTo(D(), x); }

/// In place of what is not kept.
struct NotKept {};
template <bool is_kept, class Vector>
using IfKept = std::conditional_t<is_kept, Vector, NotKept>;

/// Sums of the elements and of their squares, in each lane.
template <Keeps keeps, bool values, bool squares>
struct DirectSums {
  using Total = DirectSums;
  static constexpr bool notes_inexact = false;
  static constexpr std::int64_t batch = std::numeric_limits<std::int64_t>::max();
  static constexpr Keeps kept = keeps;
  static constexpr bool has_values = values, has_squares = squares;
  static constexpr bool has_range = keeps != Keeps::nothing, has_errors = keeps == Keeps::errors;
  IfKept<values, V> sum;
  IfKept<squares, V> square;
  IfKept<values && has_errors, V> error;
  IfKept<squares && has_errors, V> square_error;
  // The largest magnitude, and the smallest one but zero, less one, where zero wraps to the largest. As bits
  // of a double or, without errors, of a float, shifted left: no sign.
  using BitsTag = hn::RebindToUnsigned<std::conditional_t<has_errors, D, F>>;
  using Bits = hn::Vec<BitsTag>;
  using SignedTag = hn::RebindToSigned<BitsTag>;
  static constexpr int log_field = has_errors ? fraction_bits + 1 : 24;
  static constexpr hn::TFromD<BitsTag> infinity =
      (std::uint64_t{1} << (8 * sizeof(hn::TFromD<BitsTag>) - log_field)) - 1;
  IfKept<has_range, Bits> largest;
  IfKept<has_range && values, Bits> smallest;

  // Without values, for the target: an implicit one is not, and GCC cannot inline NEON's into it.
  HWY_ATTR DirectSums() {}  // NOLINT(cppcoreguidelines-pro-type-member-init)

  /// load(k) gives the first `terms` terms; some sums need to know how large elements are, and say it in
  /// `scale` to the next ones.
  template <class Load>
  HWY_INLINE void Start(std::int64_t /*terms*/, const Load& load, V& /*scale*/) {
    const auto elements = load(0);
    const V x = Doubles(elements);
    if constexpr (values) sum = x;
    if constexpr (squares) square = hn::Mul(x, x);
    if constexpr (values && has_errors) error = hn::Zero(D());
    if constexpr (squares && has_errors) square_error = ProductError(x, x, square);
    if constexpr (has_range) largest = Magnitudes(elements);
    if constexpr (has_range && values) smallest = MinusOne(largest);
  }

  template <class Elements>
  HWY_INLINE void Add(Elements elements, V one) {
    const V x = Doubles(elements);
    if constexpr (has_range) {
      const Bits magnitude = Magnitudes(elements);
      largest = hn::Max(largest, magnitude);
      if constexpr (values) smallest = hn::Min(smallest, MinusOne(magnitude));
    }
    if constexpr (values) AddTo(sum, error, x, one);
    if constexpr (squares) {
      if constexpr (has_errors) {
        const V product = hn::Mul(x, x);
        AddTo(square, square_error, product, one);
        square_error = hn::Add(square_error, ProductError(x, x, product));
      } else {
        square = hn::MulAdd(x, x, square);
      }
    }
  }

  /// Of lanes of two results each: the sums of pairs of lanes, which pair(p, q, x, y) brings together.
  template <class Pair>
  static HWY_INLINE DirectSums Merged(const DirectSums& a, const DirectSums& b, const Pair& pair) {
    DirectSums result;
    const auto sums = [&](const auto& a_sum, const auto& b_sum, const auto& a_error, const auto& b_error,
                          auto& of, auto& error_of) FOLDLINE_LAMBDA {
      V x;
      V y;
      pair(a_sum, b_sum, of, x);
      if constexpr (has_errors) {
        pair(a_error, b_error, error_of, y);
        error_of = hn::Add(error_of, y);
      }
      AddTo(of, error_of, x, hn::Set(D(), 1));
    };
    if constexpr (values) sums(a.sum, b.sum, a.error, b.error, result.sum, result.error);
    if constexpr (squares)
      sums(a.square, b.square, a.square_error, b.square_error, result.square, result.square_error);
    const auto bits = [&](Bits p, Bits q, Bits& x, Bits& y) FOLDLINE_LAMBDA {
      V one;
      V other;
      if constexpr (has_errors) {
        pair(hn::BitCast(D(), p), hn::BitCast(D(), q), one, other);
        x = hn::BitCast(BitsTag(), one);
        y = hn::BitCast(BitsTag(), other);
      } else {
        const hn::RebindToUnsigned<D> wide;
        pair(hn::BitCast(D(), hn::PromoteTo(wide, p)), hn::BitCast(D(), hn::PromoteTo(wide, q)), one, other);
        x = hn::TruncateTo(BitsTag(), hn::BitCast(wide, one));
        y = hn::TruncateTo(BitsTag(), hn::BitCast(wide, other));
      }
    };
    Bits x;
    Bits y;
    if constexpr (has_range) {
      bits(a.largest, b.largest, x, y);
      result.largest = hn::Max(x, y);
    }
    if constexpr (has_range && values) {
      bits(a.smallest, b.smallest, x, y);
      result.smallest = hn::Min(x, y);
    }
    return result;
  }

  HWY_INLINE Approximate Values(const DirectConstants& constants) const {
    const V zero = hn::Zero(D());
    if constexpr (!has_range) {
      return {sum, zero, zero, hn::Eq(zero, zero)};
    } else {
      const LaneMask exact = hn::And(HasExactSum(constants), hn::Lt(Largest(), hn::Inf(D())));
      const double factor = has_errors ? constants.errors_of_errors : constants.errors;
      const V bound = hn::IfThenZeroElse(exact, hn::Mul(Largest(), hn::Set(D(), factor)));
      if constexpr (has_errors) {
        const SumAndError<V> total = TwoSum(sum, error);
        // -0 stays -0.
        return {hn::IfThenElse(hn::Eq(error, zero), sum, total.sum), total.error, bound, exact};
      } else {
        return {sum, zero, bound, exact};
      }
    }
  }
  HWY_INLINE Approximate Squares(const DirectConstants& constants) const {
    const V zero = hn::Zero(D());
    if constexpr (!has_range) {
      return {square, zero, zero, hn::Eq(zero, zero)};
    } else {
      const LaneMask is_zero = hn::Eq(Largest(), zero);
      const V most = hn::Mul(Largest(), Largest());
      if constexpr (has_errors) {
        // Squares and their errors may have lost what is below 2^-1074.
        const V bound =
            hn::MulAdd(most, hn::Set(D(), constants.errors_of_errors), hn::Set(D(), constants.n * 0x1p-1070));
        const SumAndError<V> total = TwoSum(square, square_error);
        return {total.sum, total.error, hn::IfThenZeroElse(is_zero, bound), is_zero};
      } else {
        return {square, zero, hn::Mul(most, hn::Set(D(), constants.errors)), is_zero};
      }
    }
  }
  /// Whether all elements are the same finite number, as their exact sum shows: if all that are not zero have
  /// the same magnitude, it is n times that only if none has the other sign and none is zero.
  HWY_INLINE LaneMask AreEqual(const Approximate& total, const DirectConstants& constants) const {
    if constexpr (!has_range || !values) {
      return NoLanes();
    } else {
      const LaneMask same =
          ForDoubles(hn::RebindMask(SignedTag(), hn::Eq(hn::Add(smallest, hn::Set(BitsTag(), 1)), largest)));
      const LaneMask is_all = hn::Eq(hn::Abs(total.hi), hn::Mul(Largest(), hn::Set(D(), constants.n)));
      const LaneMask is_zero = hn::Eq(Largest(), hn::Zero(D()));
      return hn::Or(is_zero, hn::And(total.exact, hn::And(same, is_all)));
    }
  }
  HWY_INLINE V Largest() const {
    const Bits magnitude = hn::ShiftRight<1>(largest);
    if constexpr (has_errors) {
      return hn::BitCast(D(), magnitude);
    } else {
      return hn::PromoteTo(D(), hn::BitCast(F(), magnitude));
    }
  }
  /// Whether the sums of finite elements are exact.
  HWY_INLINE LaneMask HasExactSum(const DirectConstants& constants) const {
    const auto fields = hn::Sub(Fields(largest), Fields(smallest));
    const std::int64_t most = has_errors ? constants.range_of_doubles : constants.range_of_floats;
    return ForDoubles(hn::Lt(fields, hn::Set(SignedTag(), static_cast<hn::TFromD<SignedTag>>(most + 1))));
  }
  /// Infinities or NaN among the elements, and NaN.
  HWY_INLINE LaneMask HasSpecial() const {
    return ForDoubles(
        hn::Eq(Fields(largest), hn::Set(SignedTag(), static_cast<hn::TFromD<SignedTag>>(infinity))));
  }
  HWY_INLINE LaneMask HasNan() const { return hn::AndNot(hn::Eq(Largest(), hn::Inf(D())), HasSpecial()); }

 private:
  static HWY_INLINE hn::Vec<SignedTag> Fields(Bits bits) {
    return hn::BitCast(SignedTag(), hn::ShiftRight<log_field>(bits));
  }
  /// A mask of lanes of bits as one of doubles.
  static HWY_INLINE LaneMask ForDoubles(hn::Mask<SignedTag> mask) {
    if constexpr (has_errors) {
      return hn::RebindMask(D(), mask);
    } else {
      const VI wide = hn::PromoteTo(DI(), hn::VecFromMask(SignedTag(), mask));
      return hn::RebindMask(D(), hn::Ne(wide, hn::Zero(DI())));
    }
  }
  template <class Elements>
  static HWY_INLINE Bits Magnitudes(Elements elements) {
    return hn::ShiftLeft<1>(hn::BitCast(BitsTag(), ForBits(elements)));
  }
  /// Floats whose errors are kept are measured as doubles.
  static HWY_INLINE auto ForBits(V elements) { return elements; }
  static HWY_INLINE auto ForBits(hn::Vec<F> elements) {
    if constexpr (has_errors) {
      return Doubles(elements);
    } else {
      return elements;
    }
  }
  static HWY_INLINE Bits MinusOne(Bits magnitude) { return hn::Sub(magnitude, hn::Set(BitsTag(), 1)); }
  template <class Error>
  static HWY_INLINE void AddTo(V& total, Error& error_of_total, V x, V one) {
    if constexpr (has_errors)
      AddTwoSum(total, error_of_total, x, one);
    else
      total = hn::Add(total, x);
  }
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
