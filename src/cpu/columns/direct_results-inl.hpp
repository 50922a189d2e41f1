// From sums in a few doubles to results, side by side: quotients and roots with what they lack, and at the
// end the interval in which the exact result lies. If both of its ends round to the same number, that is it.
// Included once per instruction set.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

// A correction is computed to 2^-51 of itself.
constexpr double correction_error = 0x1p-49;

/// x / divisor for a power of two, whose inverse is given.
HWY_INLINE Approximate Scaled(const Approximate& x, double inverse) {
  const V by = hn::Set(D(), inverse);
  return {hn::Mul(x.hi, by), hn::Mul(x.lo, by), hn::Mul(x.bound, by), x.exact};
}

/// x / divisor. Where x is not far from what is subnormal, the remainder may be wrong: see Round.
HWY_INLINE Approximate Quotient(const Approximate& x, double divisor) {
  const V by = hn::Set(D(), divisor);
  const V quotient = hn::Div(x.hi, by);
  const V left = Sub(x.lo, ProductError(quotient, by, x.hi));
  const V correction = hn::Div(left, by);
  const V bound =
      hn::MulAdd(hn::Abs(correction), hn::Set(D(), correction_error), hn::Div(hn::Add(x.bound, x.bound), by));
  return {quotient, correction, bound, hn::And(x.exact, hn::Eq(left, hn::Zero(D())))};
}

HWY_INLINE Approximate Root(const Approximate& x) {
  const V root = hn::Sqrt(x.hi);
  const V left = Sub(x.lo, ProductError(root, root, x.hi));
  const V correction = hn::Div(left, hn::Add(root, root));
  const V bound = hn::MulAdd(hn::Abs(correction), hn::Set(D(), correction_error), hn::Div(x.bound, root));
  return {root, correction, bound, hn::And(x.exact, hn::Eq(left, hn::Zero(D())))};
}

/// n times the sum of squares minus the square of the sum.
/// If all are integers so short that nothing is lost, it is exact.
template <bool is_exact>
HWY_INLINE Approximate Variation(const Approximate& sum, const Approximate& squares, double terms) {
  const V n = hn::Set(D(), terms);
  const V two = hn::Set(D(), 2);
  const V first = hn::Mul(n, squares.hi);
  const V first_error = ProductError(n, squares.hi, first);
  const V second = hn::Mul(sum.hi, sum.hi);
  const V second_error = ProductError(sum.hi, sum.hi, second);
  const SumAndError<V> difference = TwoSum(first, hn::Neg(second));
  const V first_rest = hn::Mul(n, squares.lo);
  const V second_rest = hn::Mul(hn::Mul(two, sum.hi), sum.lo);
  const V rest = Add(Add(difference.error, Sub(first_error, second_error)), Sub(first_rest, second_rest));
  const V magnitudes = Add(Add(hn::Abs(difference.error), Add(hn::Abs(first_error), hn::Abs(second_error))),
                           Add(hn::Abs(first_rest), hn::Abs(second_rest)));
  // What the six operations lose, the square of sum.lo, and what the two sums may lack.
  V bound = hn::MulAdd(sum.lo, sum.lo, hn::Mul(magnitudes, hn::Set(D(), 0x1p-48)));
  bound = hn::MulAdd(hn::Mul(n, two), squares.bound, bound);
  bound = hn::MulAdd(hn::MulAdd(hn::Abs(sum.hi), hn::Set(D(), 4), sum.bound), sum.bound, bound);
  const SumAndError<V> total = TwoSum(difference.sum, rest);
  const V zero = hn::Zero(D());
  if constexpr (is_exact) return {total.sum, total.error, zero, hn::Eq(zero, zero)};
  return {total.sum, total.error, bound, NoLanes()};
}

/// What is done to the sums, the same for all results of a call.
struct DirectResult {
  enum class Of : std::uint8_t { values, squares, variation };
  Of of = Of::values;
  double divisor = 1;
  bool has_root = false;
  double inverse = 1;  // of the divisor if that is a power of two, else 0
  double about = 1;    // a little more than the inverse

  DirectResult(Operation operation, std::int64_t terms, std::int64_t ddof) {
    const auto n = static_cast<double>(terms);
    const auto left = static_cast<double>(terms - ddof);
    switch (operation) {
      case Operation::mean:
        divisor = n;
        break;
      case Operation::two_norm:
      case Operation::root_mean_square:
        of = Of::squares;
        divisor = operation == Operation::two_norm ? 1 : n;
        has_root = true;
        break;
      case Operation::variance:
      case Operation::standard_deviation:
      case Operation::standard_error:
        of = Of::variation;
        divisor = n * left * (operation == Operation::standard_error ? n : 1);
        has_root = operation != Operation::variance;
        break;
      default:
        break;
    }
    int exponent = 0;
    inverse = std::frexp(divisor, &exponent) == 0.5 ? 1 / divisor : 0;
    about = (1 + 0x1p-50) / divisor;
  }
};

/// An exact sum of two doubles rounded to odd: from there one rounding to a shorter type is right.
HWY_INLINE V OddDouble(V hi, V lo) {
  const DI di;
  const VI one = hn::Set(di, 1);
  const VI bits = hn::BitCast(di, hi);
  const VI is_odd = hn::And(bits, one);
  const VI opposite = hn::BroadcastSignBit(hn::Xor(bits, hn::BitCast(di, lo)));
  const V odd = hn::BitCast(D(), hn::Add(bits, hn::Or(opposite, one)));
  const LaneMask stays = hn::Or(hn::RebindMask(D(), hn::Eq(is_odd, one)), hn::Eq(lo, hn::Zero(D())));
  return hn::IfThenElse(stays, hi, odd);
}

/// Magnitudes rounded to nearest, ties to even, without their lowest bits.
template <int bits>
HWY_INLINE V WithoutLowestBits(V magnitude) {
  const hn::RebindToUnsigned<D> du;
  const auto all = hn::BitCast(du, magnitude);
  const auto is_odd = hn::And(hn::ShiftRight<bits>(all), hn::Set(du, 1));
  const auto below_half = hn::Set(du, (std::uint64_t{1} << (bits - 1)) - 1);
  const auto rounded = hn::Add(all, hn::Add(below_half, is_odd));
  return hn::BitCast(D(), hn::ShiftLeft<bits>(hn::ShiftRight<bits>(rounded)));
}
/// Numbers far from subnormal floats and from overflow, rounded to 16 bits.
HWY_INLINE V Narrowed(V x, ElementType type) {
  const D d;
  const V magnitude = hn::Abs(x);
  if (type == ElementType::bfloat16) return hn::CopySign(WithoutLowestBits<45>(magnitude), x);
  // Subnormal halves are multiples of 2^-24, the last place of 2^28.
  const V unit = hn::Set(d, 0x1p28);
  const V subnormal = hn::Sub(hn::Add(magnitude, unit), unit);
  const LaneMask is_normal = hn::Ge(magnitude, hn::Set(d, 0x1p-14));
  return hn::CopySign(hn::IfThenElse(is_normal, WithoutLowestBits<42>(magnitude), subnormal), x);
}

/// Rounds numbers to a floating-point type or, whole ones, to int64. Not certain: near subnormal numbers and
/// overflow, and where the ends of the interval differ.
HWY_INLINE void Round(const Approximate& x, ElementType type, V& result, LaneMask& certain) {
  const D d;
  const DI di;
  if (!is_floating(type)) {
    result = x.hi;
    certain = x.exact;
    return;
  }
  const bool is_double = type == ElementType::float64;
  const double most = is_double ? 0x1p1000 : type == ElementType::half ? 0x1p15 : 0x1p127;
  const V magnitude = hn::Abs(x.hi);
  const LaneMask usable = hn::And(hn::Ge(magnitude, hn::Set(d, is_double ? 0x1p-900 : 0x1p-100)),
                                  hn::Lt(magnitude, hn::Set(d, most)));
  const LaneMask is_zero = hn::And(x.exact, hn::Eq(x.hi, hn::Zero(d)));
  const auto narrow = [type](V y) FOLDLINE_LAMBDA {
    if (type == ElementType::float32) return hn::PromoteTo(D(), ToFloats(y));
    return Narrowed(y, type);
  };
  result = is_double ? x.hi : narrow(OddDouble(x.hi, x.lo));
  if (hn::AllTrue(d, x.exact)) {
    certain = hn::Or(usable, is_zero);
    result = hn::IfThenElse(is_zero, x.hi, result);
    return;
  }
  // Both ends as magnitudes: what is enclosed does not go beyond zero, since |hi| is far larger than the
  // rest.
  const V low = Add(x.hi, Sub(x.lo, x.bound));
  const V high = Add(x.hi, Add(x.lo, x.bound));
  LaneMask agree;
  V enclosed = low;
  if (is_double) {
    agree = hn::Eq(low, high);
  } else {
    // Everything strictly between two doubles that round to the same number rounds to it.
    const V least = hn::Min(hn::Abs(low), hn::Abs(high));
    const V largest = hn::Max(hn::Abs(low), hn::Abs(high));
    const V below = narrow(hn::BitCast(d, hn::Sub(hn::BitCast(di, least), hn::Set(di, 1))));
    const V above = narrow(hn::BitCast(d, hn::Add(hn::BitCast(di, largest), hn::Set(di, 1))));
    agree = hn::And(hn::Eq(below, above), hn::Ge(least, hn::Set(d, 0x1p-100)));
    enclosed = hn::CopySign(below, low);
  }
  // The signs differ, or bits of NaN, where the bound is not small.
  agree = hn::And(agree, hn::Lt(hn::Add(hn::Abs(x.lo), x.bound), hn::Mul(magnitude, hn::Set(d, 0.5))));
  result = hn::IfThenElse(x.exact, result, enclosed);
  result = hn::IfThenElse(is_zero, x.hi, result);
  certain = hn::Or(hn::And(usable, hn::Or(x.exact, agree)), is_zero);
}

/// The results of a vector of lanes.
template <class Sums>
HWY_NOINLINE void FinishAll(const Sums& sums, const DirectConstants& constants, const DirectResult& wanted,
                            ElementType type, V& result, LaneMask& certain) {
  const D d;
  const V zero = hn::Zero(d);
  constexpr bool values = Sums::has_values;
  constexpr bool squares = Sums::has_squares;
  LaneMask is_zero = NoLanes();
  Approximate x = {zero, zero, zero, is_zero};
  if constexpr (values && squares) {
    const Approximate total = sums.Values(constants);
    x = Variation<!Sums::has_range>(total, sums.Squares(constants), constants.n);
    is_zero = sums.AreEqual(total, constants);
  } else if constexpr (squares) {
    x = sums.Squares(constants);
  } else {
    x = sums.Values(constants);
  }
  is_zero = hn::Or(is_zero, hn::And(x.exact, hn::Eq(x.hi, zero)));
  // Quotients and roots of smaller numbers have no exact remainders.
  LaneMask far = hn::Ge(hn::Abs(x.hi), hn::Set(d, 0x1p-900));
  const V sign_of_zero = x.hi;
  if (wanted.inverse != 0)
    x = Scaled(x, wanted.inverse);
  else
    x = Quotient(x, wanted.divisor);
  if (wanted.has_root) x = Root(x);
  Round(x, type, result, certain);
  // A variation is zero, a sum a zero of either sign.
  result = hn::IfThenElse(is_zero, values && squares ? zero : sign_of_zero, result);
  certain = hn::Or(hn::And(certain, far), is_zero);
  if constexpr (Sums::has_range) {
    // NaN gives NaN, and so does the variance of infinities. Of a sum that is infinite so is the exact one;
    // that of infinities of both signs, or of finite numbers that went beyond, is left to the integers.
    const LaneMask has_special = sums.HasSpecial();
    if (hn::AllFalse(d, has_special)) return;
    const LaneMask has_nan = sums.HasNan();
    V special = hn::Inf(d);
    if constexpr (values) special = squares ? hn::Set(d, std::numeric_limits<double>::quiet_NaN()) : sums.sum;
    special = hn::IfThenElse(has_nan, hn::Set(d, std::numeric_limits<double>::quiet_NaN()), special);
    LaneMask known = hn::Or(has_nan, hn::Eq(hn::Abs(special), hn::Inf(d)));
    if constexpr (values && squares) known = has_special;
    result = hn::IfThenElse(has_special, special, result);
    certain = hn::Or(hn::AndNot(has_special, certain), hn::And(has_special, known));
  }
}

/// Means of floats, and sums; near underflow or overflow, and in doubt, not certain.
HWY_INLINE void RoundQuickly(const FloatSums& sums, const DirectConstants& constants,
                             const DirectResult& wanted, V& result, LaneMask& certain) {
  const D d;
  const V bound = sums.Bound(constants);
  V low;
  V high;
  if (wanted.inverse != 0) {
    const V inverse = hn::Set(d, wanted.inverse);
    low = hn::Mul(Sub(sums.sum, bound), inverse);
    high = hn::Mul(hn::Add(sums.sum, bound), inverse);
  } else {
    // The quotient and the two below are rounded: 2^-50 of it is more than they lack.
    const V quotient = hn::Div(sums.sum, hn::Set(d, wanted.divisor));
    const V slack =
        hn::MulAdd(hn::Abs(quotient), hn::Set(d, 0x1p-50), hn::Mul(bound, hn::Set(d, wanted.about)));
    low = Sub(quotient, slack);
    high = hn::Add(quotient, slack);
  }
  const auto narrow = ToFloats(low);
  result = hn::PromoteTo(d, narrow);
  certain = hn::Eq(result, hn::PromoteTo(d, ToFloats(high)));
}
/// The same of doubles that are told by two and a bound.
HWY_INLINE void RoundQuickly(const AnchoredSums::Total& sums, const DirectConstants& constants,
                             const DirectResult& wanted, V& result, LaneMask& certain) {
  Approximate x = sums.Values(constants);
  if (wanted.inverse != 0) {
    x = Scaled(x, wanted.inverse);
  } else {
    // As Quotient, but for two of three divisions.
    const V divisor = hn::Set(D(), wanted.divisor);
    const V about = hn::Set(D(), wanted.about);
    const V quotient = hn::Div(x.hi, divisor);
    x.lo = hn::Mul(Sub(x.lo, ProductError(quotient, divisor, x.hi)), about);
    x.hi = quotient;
    x.bound =
        hn::MulAdd(hn::Abs(x.lo), hn::Set(D(), correction_error), hn::Mul(hn::Add(x.bound, x.bound), about));
  }
  result = Add(x.hi, Sub(x.lo, x.bound));
  certain = hn::Eq(result, Add(x.hi, Add(x.lo, x.bound)));
}

/// The same; sums and means, mostly of ordinary size, in few operations.
template <class Sums>
HWY_INLINE void RoundSums(const Sums& sums, const DirectConstants& constants, const DirectResult& wanted,
                          ElementType type, V& result, LaneMask& certain) {
  const D d;
  constexpr bool is_of_floats = std::is_same_v<Sums, FloatSums>;
  if constexpr (is_of_floats || std::is_same_v<Sums, AnchoredSums::Total>) {
    if (type == (is_of_floats ? ElementType::float32 : ElementType::float64)) {
      RoundQuickly(sums, constants, wanted, result, certain);
      const V magnitude = hn::Abs(result);
      certain = hn::And(
          certain, hn::And(hn::Ge(magnitude, hn::Set(d, 0x1p-100)), hn::Lt(magnitude, hn::Set(d, 0x1p127))));
      if (hn::AllTrue(d, certain)) return;
    }
  } else if constexpr (requires { sums.HasExactSum(constants); } && Sums::has_values && !Sums::has_squares) {
    // The exact sum of two doubles, rounded once, or one double.
    if (wanted.inverse != 0 && type == ElementType::float64) {
      if constexpr (Sums::has_errors) {
        result = hn::Add(sums.sum, sums.error);
      } else {
        result = sums.sum;
      }
      result = hn::Mul(result, hn::Set(d, wanted.inverse));
      const V magnitude = hn::Abs(result);
      certain = hn::And(hn::Ge(magnitude, hn::Set(d, 0x1p-100)), hn::Lt(magnitude, hn::Set(d, 0x1p127)));
      if constexpr (Sums::has_range) certain = hn::And(certain, sums.HasExactSum(constants));
      if (hn::AllTrue(d, certain)) return;
    }
  }
  if constexpr (!Sums::has_values && Sums::has_range) {
    // Norms: what the sum may lack is a constant part of it, since it is at least the largest square.
    constexpr ElementType quick = Sums::has_errors ? ElementType::float64 : ElementType::float32;
    if (wanted.has_root && wanted.divisor == 1 && type == quick) {
      const V root = hn::Sqrt(sums.square);
      LaneMask usable = hn::And(hn::Ge(root, hn::Set(d, 0x1p-100)), hn::Lt(root, hn::Set(d, 0x1p127)));
      if constexpr (requires { sums.Fit(); }) usable = hn::And(usable, sums.Fit());
      if constexpr (Sums::has_errors) {
        const V left = Sub(sums.square_error, ProductError(root, root, sums.square));
        const V half_inverse = hn::Div(hn::Set(d, 0.5), root);
        const V correction = hn::Mul(left, half_inverse);
        // The next term of the root is the square of the correction by twice the root.
        const V next = hn::MulAdd(hn::Mul(correction, correction), half_inverse,
                                  hn::Mul(hn::Abs(correction), hn::Set(d, correction_error)));
        const V bound = Add(hn::MulAdd(root, hn::Set(d, constants.errors_of_errors), next), next);
        result = Add(root, Sub(correction, bound));
        certain = hn::And(usable, hn::Eq(result, Add(root, Add(correction, bound))));
      } else {
        const V bound = hn::Mul(root, hn::Set(d, constants.errors));
        const auto low = ToFloats(Sub(root, bound));
        result = hn::PromoteTo(d, low);
        certain = hn::And(usable, hn::Eq(result, hn::PromoteTo(d, ToFloats(Add(root, bound)))));
      }
      if (hn::AllTrue(d, certain)) return;
    }
  }
  FinishAll(sums, constants, wanted, type, result, certain);
}

/// Rows' sums, in lanes, to the sums of as many rows, a lane for each. Row k comes to lane order[k] of
/// ReduceRows, which is its own inverse.
#if HWY_TARGET == HWY_SCALAR
template <class Sums>
void Merge(Sums (&)[lanes]) {}
#else
template <class Sums>
HWY_NOINLINE void Merge(Sums (&row)[lanes]) {
  const auto neighbours = [](V p, V q, V& x, V& y) FOLDLINE_LAMBDA {
    x = hn::InterleaveLower(D(), p, q);
    y = hn::InterleaveUpper(D(), p, q);
  };
  const auto halves = [](auto p, auto q, V& x, V& y) FOLDLINE_LAMBDA {
    x = hn::ConcatLowerLower(D(), q, p);
    y = hn::ConcatUpperUpper(D(), q, p);
  };
  const auto blocks = [](auto p, auto q, V& x, V& y) FOLDLINE_LAMBDA {
    x = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(q), p);
    y = hn::OddEvenBlocks(q, hn::SwapAdjacentBlocks(p));
  };
  static_assert(lanes == 2 || lanes == 4 || lanes == 8);
  for (std::size_t k = 0; k < lanes / 2; ++k) row[k] = Sums::Merged(row[2 * k], row[2 * k + 1], neighbours);
  if constexpr (lanes > 2)
    for (std::size_t k = 0; k < lanes / 4; ++k) row[k] = Sums::Merged(row[2 * k], row[2 * k + 1], halves);
  if constexpr (lanes > 4) row[0] = Sums::Merged(row[0], row[1], blocks);
}
#endif

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
