// Sums that need few operations a term: of floats in doubles, of doubles and their remainders below an
// anchor, of long integers. Each may fail to say the result; then others do. Included once per instruction
// set, after direct_sums-inl.hpp.

#undef FOLDLINE_ADDS_UNNOTED

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Sums of floats as doubles. The processor notes whether an addition was not exact, in any lane of a chunk;
/// DirectReducer asks it. NaN and infinities show in the sum.
struct FloatSums {
  using Total = FloatSums;
  static constexpr bool has_values = true, has_squares = false, has_range = true;
  static constexpr bool notes_inexact = true;
  static constexpr std::int64_t batch = batch_of_terms;
  V sum;
  hn::Vec<F> largest;

  HWY_ATTR FloatSums() {}  // NOLINT(cppcoreguidelines-pro-type-member-init)

  template <class Load>
  HWY_INLINE void Start(std::int64_t /*terms*/, const Load& load, V& /*scale*/) {
    const hn::Vec<F> x = load(0);
    sum = hn::PromoteTo(D(), x);
    largest = hn::Abs(x);
  }
  HWY_INLINE void Add(hn::Vec<F> x, V /*one*/) {
    sum = hn::Add(sum, hn::PromoteTo(D(), x));
    largest = LargerMagnitude(largest, x);
  }
  HWY_INLINE void Fold(const FloatSums& batch_sums) {
    sum = hn::Add(sum, batch_sums.sum);
    largest = hn::Max(largest, batch_sums.largest);
  }
  template <class Pair>
  static HWY_INLINE FloatSums Merged(const FloatSums& a, const FloatSums& b, const Pair& pair) {
    FloatSums result;
    V x;
    V y;
    pair(a.sum, b.sum, result.sum, x);
    result.sum = hn::Add(result.sum, x);
    pair(hn::PromoteTo(D(), a.largest), hn::PromoteTo(D(), b.largest), x, y);
    result.largest = ToFloats(hn::Max(x, y));
    return result;
  }

  HWY_INLINE V Bound(const DirectConstants& constants) const {
    const double factor = constants.are_exact ? 0 : constants.errors_of_batches;
    return hn::Mul(hn::PromoteTo(D(), largest), hn::Set(D(), factor));
  }
  HWY_INLINE Approximate Values(const DirectConstants& constants) const {
    const V zero = hn::Zero(D());
    const V bound = Bound(constants);
    return {sum, zero, bound, hn::Eq(bound, zero)};
  }
  HWY_INLINE LaneMask HasSpecial() const { return hn::Not(hn::Lt(hn::Abs(sum), hn::Inf(D()))); }
  /// Doubles have room for all sums of floats: NaN comes of NaN or of infinities of both signs.
  HWY_INLINE LaneMask HasNan() const { return hn::Ne(sum, sum); }
};

/// a + b; with AVX-512 it is not noted if this is not exact.
#define FOLDLINE_ADDS_UNNOTED (HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86)
HWY_INLINE V AddUnnoted(V a, V b) {
#if FOLDLINE_ADDS_UNNOTED
  // With a mask, of all lanes: without one GCC 12 warns of its own header.
  return V{_mm512_maskz_add_round_pd(0xff, a.raw, b.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
#else
  return hn::Add(a, b);
#endif
}
HWY_INLINE SumAndError<V> TwoSumUnnoted(V a, V b) {
  const V sum = AddUnnoted(a, b);
  const V a_taken = AddUnnoted(sum, hn::Neg(b));
  const V b_taken = AddUnnoted(sum, hn::Neg(a_taken));
  return {sum, hn::Add(hn::Sub(a, a_taken), hn::Sub(b, b_taken))};
}

/// Sums of doubles: what additions to an anchor far above them lose is exact in three operations (Dekker) and
/// added to a second sum. An anchor is 1.5 * 2^k; while the magnitudes of a batch of c terms add up to less
/// than 2^(k-2), all partial sums stay between 2^k and 2^(k+1). Then errors are at most 2^(k-53) each, and
/// the sum of them loses at most c^2 2^(k-106), or nothing, if the processor notes no addition that was not
/// exact. It can be asked for that with AVX-512, where all others go unnoted.
struct AnchoredSums {
  static constexpr bool notes_inexact = FOLDLINE_ADDS_UNNOTED;
  static constexpr std::int64_t batch = batch_of_terms;

  /// Sums of batches.
  struct Total {
    static constexpr bool has_values = true, has_squares = false, has_range = true;
    V sum, error;
    V anchor;  // the highest one, or zero of zeros

    HWY_ATTR Total() {}  // NOLINT(cppcoreguidelines-pro-type-member-init)
    /// NaN where the anchor was too low.
    explicit HWY_INLINE Total(const AnchoredSums& sums) : error(sums.error) {
      const D d;
      const V most = hn::Mul(sums.largest, hn::Set(d, 8.0 * batch));
      const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
      sum = hn::IfThenElse(hn::Le(most, sums.anchor), hn::Sub(sums.sum, sums.anchor), nan);
      anchor = hn::IfThenZeroElse(hn::Eq(sums.largest, hn::Zero(d)), sums.anchor);
    }
    /// With B batches the errors of both sums are at most 2^(k-53) (B c + B^2), and so adding them up loses
    /// 2^(k-106) (B c^2 + 2 B (B c + B^2)) at most: less than constants.errors_of_anchors times the anchor.
    HWY_INLINE void Fold(const AnchoredSums& batch_sums) {
      const Total next(batch_sums);
      const SumAndError<V> both = TwoSumUnnoted(sum, next.sum);
      sum = both.sum;
      // Beside a zero of the errors, whose sign counts, -0 changes nothing.
      const V lost = hn::IfThenElse(IsZero(both.error), hn::Set(D(), -0.0), both.error);
      error = hn::Add(error, hn::Add(next.error, lost));
      anchor = hn::Max(anchor, next.anchor);
    }

    HWY_INLINE Approximate Values(const DirectConstants& constants) const {
      const double factor = constants.are_exact ? 0 : constants.errors_of_anchors;
      const V bound = hn::Mul(anchor, hn::Set(D(), factor));
      const SumAndError<V> total = TwoSum(sum, error);
      // The error of zeros is -0 if all of them are.
      return {hn::IfThenElse(IsZero(sum), error, total.sum), total.error, bound, IsZero(bound)};
    }
    HWY_INLINE LaneMask HasSpecial() const { return NoLanes(); }
    HWY_INLINE LaneMask HasNan() const { return NoLanes(); }

   private:
    static HWY_INLINE LaneMask IsZero(V x) { return hn::Eq(x, hn::Zero(D())); }
  };

  V sum, error, largest, anchor;

  HWY_ATTR AnchoredSums() {}  // NOLINT(cppcoreguidelines-pro-type-member-init)

  /// The anchor is 8 binades above what the first `terms` ask for; where these are zero, the largest of all
  /// lanes or, in `scale`, of the lanes before.
  template <class Load>
  HWY_INLINE void Start(std::int64_t terms, const Load& load, V& scale) {
    const V first = load(0);
    largest = hn::Abs(first);
    for (std::int64_t k = 1; k < terms; ++k) largest = LargerMagnitude(largest, load(k));
    const hn::RebindToUnsigned<D> du;
    const V of_lanes = hn::MaxOfLanes(D(), largest);
    scale = hn::IfThenElse(hn::Eq(of_lanes, hn::Zero(D())), scale, of_lanes);
    const V all = hn::IfThenElse(hn::Eq(largest, hn::Zero(D())), scale, largest);
    // 2^k for largest < 2^(e+1): 2^(e+1) times 4 batch, and 8 more.
    constexpr std::uint64_t spare = 1 + 2 + 10 + 8;
    static_assert(batch == 1 << 10);
    const auto lowest = hn::Set(du, std::uint64_t{123} << fraction_bits);
    const auto highest = hn::Set(du, std::uint64_t{2000} << fraction_bits);
    auto field = hn::And(hn::BitCast(du, all), hn::Set(du, std::uint64_t{0x7ff} << fraction_bits));
    field = hn::Add(field, hn::Set(du, spare << fraction_bits));
    field = hn::Min(hn::Max(field, lowest), highest);
    anchor = hn::BitCast(D(), hn::Or(field, hn::Set(du, std::uint64_t{1} << (fraction_bits - 1))));
    sum = anchor;
    error = hn::Set(D(), -0.0);
    Add(first, anchor);
  }
  HWY_INLINE void Add(V x, V /*one*/) {
    const V next = AddUnnoted(sum, x);
    error = hn::Add(error, hn::Sub(x, hn::Sub(next, sum)));
    sum = next;
    largest = LargerMagnitude(largest, x);
  }
};

/// Sums of 64-bit integers modulo 2^64, and those of their upper halves: the lower halves, without signs,
/// make up the difference. Of up to 2^21 terms both are doubles.
template <class T>
struct LongSums {
  using Total = LongSums;
  static constexpr bool notes_inexact = false;
  static constexpr std::int64_t batch = std::numeric_limits<std::int64_t>::max();
  static constexpr bool has_values = true, has_squares = false, has_range = false;
  VI sum, upper;

  HWY_ATTR LongSums() {}  // NOLINT(cppcoreguidelines-pro-type-member-init)

  static HWY_INLINE VI UpperHalves(VI x) {
    const hn::RebindToUnsigned<DI> du;
    if constexpr (std::is_signed_v<T>)
      return hn::ShiftRight<32>(x);
    else
      return hn::BitCast(DI(), hn::ShiftRight<32>(hn::BitCast(du, x)));
  }
  template <class Load>
  HWY_INLINE void Start(std::int64_t /*terms*/, const Load& load, V& /*scale*/) {
    sum = load(0);
    upper = UpperHalves(sum);
  }
  HWY_INLINE void Add(VI x, V /*one*/) {
    sum = hn::Add(sum, x);
    upper = hn::Add(upper, UpperHalves(x));
  }
  HWY_INLINE void Fold(const LongSums& batch_sums) {
    sum = hn::Add(sum, batch_sums.sum);
    upper = hn::Add(upper, batch_sums.upper);
  }
  template <class Pair>
  static HWY_INLINE LongSums Merged(const LongSums& a, const LongSums& b, const Pair& pair) {
    LongSums result;
    V x;
    V y;
    pair(hn::BitCast(D(), a.sum), hn::BitCast(D(), b.sum), x, y);
    result.sum = hn::Add(hn::BitCast(DI(), x), hn::BitCast(DI(), y));
    pair(hn::BitCast(D(), a.upper), hn::BitCast(D(), b.upper), x, y);
    result.upper = hn::Add(hn::BitCast(DI(), x), hn::BitCast(DI(), y));
    return result;
  }

  /// Whether 64 bits hold the sum, with a sign or without.
  HWY_INLINE LaneMask Fit(bool with_sign) const {
    const DI di;
    VI high = hn::Add(upper, hn::ShiftRight<32>(Lower()));
    if (with_sign) high = hn::Add(high, hn::Set(di, std::int64_t{1} << 31));
    return hn::RebindMask(D(), hn::Eq(hn::ShiftRight<32>(high), hn::Zero(di)));
  }
  HWY_INLINE Approximate Values(const DirectConstants& /*constants*/) const {
    const V zero = hn::Zero(D());
    const V high = hn::Mul(hn::ConvertTo(D(), upper), hn::Set(D(), 0x1p32));
    const SumAndError<V> total = TwoSum(high, hn::ConvertTo(D(), Lower()));
    return {total.sum, total.error, zero, hn::Eq(zero, zero)};
  }

 private:
  HWY_INLINE VI Lower() const { return hn::Sub(sum, hn::ShiftLeft<32>(upper)); }
};

/// Sums of squares of 64-bit integers, and perhaps of their values, as of the same doubles: of elements below
/// 2^53, else uncertain.
template <class T, bool values>
struct LongSquares : DirectSums<Keeps::errors, values, true> {
  using Base = DirectSums<Keeps::errors, values, true>;
  using Total = LongSquares;

  HWY_ATTR LongSquares() {}

  template <class Load>
  HWY_INLINE void Start(std::int64_t terms, const Load& load, V& scale) {
    Base::Start(terms, [&](std::int64_t k) FOLDLINE_LAMBDA { return Converted(load(k)); }, scale);
  }
  HWY_INLINE void Add(VI x, V one) { Base::Add(Converted(x), one); }
  template <class Pair>
  static HWY_INLINE LongSquares Merged(const LongSquares& a, const LongSquares& b, const Pair& pair) {
    LongSquares result;
    static_cast<Base&>(result) = Base::Merged(a, b, pair);
    return result;
  }

  /// Whether all elements are doubles.
  HWY_INLINE LaneMask Fit() const { return hn::Lt(Base::Largest(), hn::Set(D(), 0x1p53)); }
  HWY_INLINE Approximate Values(const DirectConstants& constants) const {
    return Doubted(Base::Values(constants));
  }
  HWY_INLINE Approximate Squares(const DirectConstants& constants) const {
    return Doubted(Base::Squares(constants));
  }

 private:
  static HWY_INLINE V Converted(VI x) {
    const DI di;
    // Of unsigned ones beyond 2^63, any number that is too large.
    if constexpr (!std::is_signed_v<T>)
      x = hn::IfThenElse(hn::Lt(x, hn::Zero(di)), hn::Set(di, std::numeric_limits<std::int64_t>::max()), x);
    return hn::ConvertTo(D(), x);
  }
  HWY_INLINE Approximate Doubted(const Approximate& x) const {
    const LaneMask fit = Fit();
    return {x.hi, x.lo, hn::IfThenElse(fit, x.bound, hn::Inf(D())), hn::And(fit, x.exact)};
  }
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
