// The sum of few terms as one double, the sum of all rounding errors as another, and a bound for what the
// second may lack; then the result, if both ends of that interval round to the same number. (Ogita, Rump,
// Oishi, Accurate Sum and Dot Product, SIAM J. Sci. Comput. 26, 2005: Sum2 and Dot2.) Included once per
// instruction set.

#include "cpu/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {
namespace few {

// Four lanes at most: wider vectors take longer to add up at the end than they save.
using D = hn::CappedTag<double, 4>;
using V = hn::Vec<D>;
constexpr std::size_t lanes = hn::MaxLanes(D());

struct Total {
  double sum, error;  // |exact sum - sum - error| <= bound
  double bound;
};

/// Terms added so far, in each lane.
struct Lanes {
  V sum, error;
  V magnitude;  // of the errors: the sum of magnitudes

  HWY_INLINE void AddError(V x) {
    error = hn::Add(error, x);
    magnitude = hn::Add(magnitude, hn::Abs(x));
  }
  HWY_INLINE void Add(V x) {
    const SumAndError<V> next = TwoSum(sum, x);
    sum = next.sum;
    AddError(next.error);
  }
};

template <class T>
HWY_INLINE V Load(const T* x) {
  const hn::Rebind<T, D> d;
  if constexpr (std::is_same_v<T, double>)
    return hn::LoadU(d, x);
  else
    return hn::PromoteTo(D(), hn::LoadU(d, x));
}
/// The first `count` elements, fewer than lanes, and zeros.
template <class T>
HWY_INLINE V LoadSome(const T* x, std::size_t count) {
  const hn::Rebind<T, D> d;
#if HWY_ARCH_X86 && HWY_NATIVE_FMA
  const auto some = hn::MaskedLoad(hn::FirstN(d, count), d, x);  // elsewhere it may read all
#else
  T copy[lanes] = {};
  std::memcpy(copy, static_cast<const void*>(x), count * sizeof(T));
  const auto some = hn::LoadU(d, copy);
#endif
  if constexpr (std::is_same_v<T, double>)
    return some;
  else
    return hn::PromoteTo(D(), some);
}

struct Value {
  template <class T>
  HWY_INLINE void operator()(Lanes& total, V x, V, T) const {
    total.Add(x);
  }
};
struct Magnitude {
  template <class T>
  HWY_INLINE void operator()(Lanes& total, V x, V, T) const {
    total.Add(hn::Abs(x));
  }
};
/// Products of floats are doubles; those of doubles have an error, which is a double unless it underflows.
struct Product {
  template <class T>
  HWY_INLINE void operator()(Lanes& total, V x, V y, T) const {
    const V product = hn::Mul(x, y);
    if constexpr (std::is_same_v<T, double>) {
      const auto may_underflow = hn::Lt(hn::Abs(product), hn::Set(D(), 0x1p-900));
      const auto is_zero = hn::Or(hn::Eq(x, hn::Zero(D())), hn::Eq(y, hn::Zero(D())));
      total.AddError(hn::MulSub(x, y, product));
      // An infinite magnitude of errors makes the result uncertain.
      total.magnitude = hn::IfThenElse(hn::AndNot(is_zero, may_underflow), hn::Inf(D()), total.magnitude);
    }
    total.Add(product);
  }
};

/// Adds the terms of x, or of x and y, and at last the lanes.
template <class Term, class T>
HWY_INLINE Total Sum(const T* x, const T* y, std::size_t size) {
  const V zero = hn::Zero(D());
  Lanes one = {zero, zero, zero};
  Lanes other = one;  // two at a time, since an addition waits for the one before
  std::size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    Term()(one, Load(x + i), Load(y + i), T());
    Term()(other, Load(x + i + lanes), Load(y + i + lanes), T());
  }
  if (i + lanes <= size) {
    Term()(one, Load(x + i), Load(y + i), T());
    i += lanes;
  }
  if (i < size) Term()(other, LoadSome(x + i, size - i), LoadSome(y + i, size - i), T());

  one.Add(other.sum);
  one.error = hn::Add(one.error, other.error);
  one.magnitude = hn::Add(one.magnitude, other.magnitude);
  double sum[lanes];
  double error[lanes];
  double magnitude[lanes];
  hn::StoreU(one.sum, D(), sum);
  hn::StoreU(one.error, D(), error);
  hn::StoreU(one.magnitude, D(), magnitude);
  for (std::size_t step = lanes / 2; step > 0; step /= 2)
    for (std::size_t k = 0; k < step; ++k) {
      const one_lane::SumAndError<double> next = one_lane::TwoSum(sum[k], sum[k + step]);
      sum[k] = next.sum;
      error[k] = error[k] + error[k + step] + next.error;
      magnitude[k] = magnitude[k] + magnitude[k + step] + std::fabs(next.error);
    }
  // The errors were added up in at most 2 * 128 + 20 additions, each with a relative error of 2^-53.
  return {sum[0], error[0], magnitude[0] * 0x1p-44};
}

/// What a result is known to lie between; `exact` if it is `low`.
struct Interval {
  double low, high;
  bool exact;
};
HWY_INLINE Interval Around(double value, double correction, double bound, bool exact) {
  return {value + (correction - bound), value + (correction + bound), exact};
}

/// Rounds to double or float if that is certain. Zero never is: its sign depends on the elements.
HWY_INLINE bool Round(const Interval& result, ElementType type, double& value) {
  const double low = std::fabs(result.low);
  const double high = std::fabs(result.high);
  if (!(low > 0 && high <= std::numeric_limits<double>::max() && (result.low > 0) == (result.high > 0)))
    return false;
  value = result.low;
  if (type == ElementType::float64) return result.low == result.high;
  if (result.exact) {
    value = static_cast<float>(value);
    return true;
  }
  // The ends were rounded themselves. Everything strictly between two doubles that round to the same float
  // rounds to it.
  const auto below = static_cast<float>(from_bits(bits_of(std::fmin(low, high)) - 1));
  const auto above = static_cast<float>(from_bits(bits_of(std::fmax(low, high)) + 1));
  value = value > 0 ? below : -below;
  return below == above && below > 0;
}

/// The sum of doubles, or of their magnitudes, if it is exactly that of two doubles, which one addition
/// rounds. So it is where the interval has no answer, halfway between two doubles, as every third sum of
/// four uniform numbers is: 28 ns instead of 103.
template <bool AreMagnitudes>
HWY_INLINE bool SumOfTwoDoubles(const void* x, std::size_t size, double& value) {
  double sum = 0;
  double error = 0;
  for (std::size_t i = 0; i < size; ++i) {
    double term;
    std::memcpy(&term, static_cast<const std::byte*>(x) + i * sizeof term, sizeof term);
    const one_lane::SumAndError<double> next = one_lane::TwoSum(sum, AreMagnitudes ? std::fabs(term) : term);
    const one_lane::SumAndError<double> errors = one_lane::TwoSum(error, next.error);
    if (errors.error != 0) return false;  // NaN, too, which follows an infinity
    sum = next.sum;
    error = errors.sum;
  }
  value = sum + error;
  return std::fabs(value) > 0 && std::fabs(value) <= std::numeric_limits<double>::max();
}

// A correction is computed to 2^-51 of itself.
constexpr double correction_error = 0x1p-49;

#if HWY_NATIVE_FMA
HWY_INLINE bool CanBeDivided(const Total& total) {
  return std::fabs(total.sum) > 0x1p-900 && std::fabs(total.sum) < 0x1p1000;
}
/// The total divided by n: the remainder of a division is a double. What is left of it may be too small for
/// the correction, but not for `exact`.
HWY_INLINE Interval Quotient(const Total& total, double n) {
  const double quotient = total.sum / n;
  const double left = std::fma(-quotient, n, total.sum) + total.error;
  const double correction = left / n;
  return Around(quotient, correction, std::fabs(correction) * correction_error + 2 * total.bound / n,
                left == 0 && total.bound == 0);
}
/// The square root of the total, and so is the remainder of a square root.
HWY_INLINE Interval Root(const Total& total) {
  const double root = std::sqrt(total.sum);
  const double left = std::fma(-root, root, total.sum) + total.error;
  const double correction = left / (2 * root);
  return Around(root, correction, std::fabs(correction) * correction_error + total.bound / root,
                left == 0 && total.bound == 0);
}
#endif

template <class T>
HWY_INLINE bool Reduce(Operation operation, const T* x, [[maybe_unused]] const T* y, std::size_t size,
                       ElementType result, double& value) {
  const auto sum = [](const Total& total) {
    return Around(total.sum, total.error, total.bound, total.error == 0 && total.bound == 0);
  };
  constexpr bool are_doubles = std::is_same_v<T, double>;
  switch (operation) {
    case Operation::sum:
      if (Round(sum(Sum<Value>(x, x, size)), result, value)) return true;
      if constexpr (are_doubles)
        return result == ElementType::float64 && SumOfTwoDoubles<false>(x, size, value);
      return false;
    case Operation::abs_sum:
      if (Round(sum(Sum<Magnitude>(x, x, size)), result, value)) return true;
      if constexpr (are_doubles)
        return result == ElementType::float64 && SumOfTwoDoubles<true>(x, size, value);
      return false;
#if HWY_NATIVE_FMA
    case Operation::dot:
      return Round(sum(Sum<Product>(x, y, size)), result, value);
    case Operation::two_norm: {
      const Total total = Sum<Product>(x, x, size);
      return CanBeDivided(total) && Round(Root(total), result, value);
    }
    case Operation::mean: {
      const Total total = Sum<Value>(x, x, size);
      if (!CanBeDivided(total)) return false;
      if (Round(Quotient(total, static_cast<double>(size)), result, value)) return true;
      // Quotients are halfway between two doubles only where the divisor is a power of two.
      if constexpr (are_doubles)
        if (result == ElementType::float64 && (size & (size - 1)) == 0 &&
            SumOfTwoDoubles<false>(x, size, value)) {
          value /= static_cast<double>(size);
          return true;
        }
      return false;
    }
#endif
    default:
      return false;
  }
}

}  // namespace few

bool ReduceFew(Operation operation, const void* x, const void* y, std::size_t size, ElementType elements,
               ElementType result, double& value) {
  if (elements == ElementType::float64)
    return few::Reduce(operation, static_cast<const double*>(x), static_cast<const double*>(y), size, result,
                       value);
  return few::Reduce(operation, static_cast<const float*>(x), static_cast<const float*>(y), size, result,
                     value);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
