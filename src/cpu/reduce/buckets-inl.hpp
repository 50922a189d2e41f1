// Vector code that fills the buckets of arithmetic/buckets.hpp. Included once per instruction set.

#include "cpu/simd/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Prefetch distance, in doubles, of loops over buckets, into the next tile too: buckets and data together
/// exceed L1, and the hardware prefetcher does not keep up (from memory 1.2 -> 0.8 ns an element).
constexpr std::size_t prefetch_distance = 512;

HWY_INLINE VI FieldBits(VI bits) {
  return hn::And(bits, hn::Set(DI(), static_cast<std::int64_t>(infinity_bits)));
}

/// The significand of x in [1, 2), or below 1 for a zero or a subnormal.
HWY_INLINE V Significand(V x, VI field) {
  const DI di;
  const V one = hn::Set(D(), 1.0);
  const V significand = hn::BitCast(
      D(), hn::Or(hn::AndNot(hn::Set(di, static_cast<std::int64_t>(infinity_bits)), hn::BitCast(di, x)),
                  hn::BitCast(di, one)));
  const auto no_hidden_bit = hn::Eq(field, hn::Zero(di));
  if (HWY_LIKELY(hn::AllFalse(di, no_hidden_bit))) return significand;
  return hn::IfThenElse(hn::RebindMask(D(), no_hidden_bit), Sub(significand, hn::CopySign(one, x)),
                        significand);
}

/// A vector of products as ProductBuckets takes them; products with a factor that is not finite become zero
/// and set `specials`.
struct ProductTerms {
  VI place, high, low;
};
HWY_INLINE ProductTerms TermsOf(V x, V y, VI& specials) {
  const DI di;
  const hn::RebindToUnsigned<DI> du;
  const VI infinite = hn::Set(di, static_cast<std::int64_t>(infinity_bits));
  const VI lowest = hn::Set(di, static_cast<std::int64_t>(hidden_bit));  // the exponent field 1
  const VI field_x = FieldBits(hn::BitCast(di, x));
  const VI field_y = FieldBits(hn::BitCast(di, y));
  const auto special = hn::Or(hn::Eq(field_x, infinite), hn::Eq(field_y, infinite));
  specials = hn::Or(specials, hn::VecFromMask(di, special));
  const auto fields = hn::BitCast(du, hn::Add(hn::Max(field_x, lowest), hn::Max(field_y, lowest)));
  const VI exponent = hn::BitCast(di, hn::ShiftRight<fraction_bits>(fields));  // 12 bits

  const VI shift = hn::And(exponent, hn::Set(di, ProductBuckets::fields_per_bucket - 1));
  const VI scale = hn::Add(hn::ShiftLeft<fraction_bits>(shift), hn::BitCast(di, hn::Set(D(), 0x1p52)));
  const V shifted = hn::Mul(Significand(x, field_x), hn::BitCast(D(), scale));
  const V factor_x = hn::IfThenZeroElse(hn::RebindMask(D(), special), shifted);
  const V factor_y = Significand(y, field_y);
  // product + error is exact, a multiple of 2^-52 and below 2^57. So the error is below 2^4, and once the
  // product is rounded to an integer, the sum of both remainders needs at most 53 bits.
  const V product = hn::Mul(factor_x, factor_y);
  const V error = ProductError(factor_x, factor_y, product);
  const V whole = hn::Round(product);
  const V rest = Add(Sub(product, whole), error);
  static_assert(ProductBuckets::fields_per_bucket == 1 << 2);
  return {hn::ShiftRight<2>(exponent), ToIntegers(whole), ToIntegers(hn::Mul(rest, hn::Set(D(), 0x1p52)))};
}

/// Stores pairs (high_i, low_i), those of even lanes first, so that nothing moves across 128-bit blocks.
HWY_INLINE void StorePairs(VI high, VI low, std::int64_t* to) {
#if HWY_TARGET == HWY_SCALAR
  hn::Store(high, DI(), to);
  hn::Store(low, DI(), to + 1);
#else
  hn::Store(hn::InterleaveLower(DI(), high, low), DI(), to);
  hn::Store(hn::InterleaveUpper(DI(), high, low), DI(), to + lanes);
#endif
}
/// The position of pair i in that order.
constexpr std::size_t place_of_pair(std::size_t i) { return i % 2 * lanes + i / 2 * 2; }

/// Adds products of vectors of doubles to buckets, without those that have a factor that is not finite.
/// Returns whether there was none. Overflowing buckets are emptied to `sum`.
template <class Sum>
bool AddToBuckets(const double* x, const double* y, std::size_t vectors, ProductBuckets& buckets, Sum& sum) {
  static_assert(group <= 32);
  HWY_ALIGN std::int64_t place[group];
  HWY_ALIGN std::int64_t term[group * ProductBuckets::pieces];
  VI specials = hn::Zero(DI());
  for (std::size_t v = 0; v < vectors; v += unroll) {
    for (std::size_t u = 0; u < unroll; ++u) {
      const std::size_t i = (v + u) * lanes;
      __builtin_prefetch(x + i + prefetch_distance);
      __builtin_prefetch(y + i + prefetch_distance);
      const ProductTerms terms = TermsOf(LoadDoubles(x + i), LoadDoubles(y + i), specials);
      hn::Store(terms.place, DI(), place + u * lanes);
      StorePairs(terms.high, terms.low, term + u * lanes * ProductBuckets::pieces);
    }
    // Keeps the compiler from reading the arrays before the vector stores.
    __asm__ volatile("" : : "r"(place), "r"(term) : "memory");
    constexpr std::size_t step = HWY_MIN(lanes, std::size_t{ProductBuckets::pieces});
    const hn::CappedTag<std::uint64_t, step> d;
    auto out_of_range = hn::Zero(d);
    for (std::size_t i = 0; i < group; i += lanes) {
      const auto* terms = reinterpret_cast<const std::uint64_t*>(term) + ProductBuckets::pieces * i;
      Repeat<static_cast<int>(lanes)>([&](auto lane) FOLDLINE_LAMBDA {
        std::uint64_t* bucket = buckets.at(static_cast<std::size_t>(place[i + lane]));
        for (std::size_t k = 0; k < ProductBuckets::pieces; k += step) {
          const auto total = hn::Add(hn::LoadU(d, bucket + k), hn::LoadU(d, terms + place_of_pair(lane) + k));
          out_of_range = hn::Or(out_of_range, total);
          hn::StoreU(total, d, bucket + k);
        }
      });
    }
    const hn::RebindToSigned<decltype(d)> di;
    if (HWY_UNLIKELY(!hn::AllFalse(di, hn::Lt(hn::BitCast(di, out_of_range), hn::Zero(di)))))
      for (const std::int64_t full : place) buckets.reset(static_cast<std::size_t>(full), sum);
  }
  return AllZero(specials);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
