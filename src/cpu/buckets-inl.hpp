// From vectors of terms of any exponents to buckets (arithmetic/buckets.hpp). Included once per instruction
// set.

#include "cpu/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

// A vector of finite doubles as significands and exponents: x = significand * 2^(exponent - 1023), the
// significand in [1, 2), or below 1 for a zero or a subnormal, whose exponent is 1.
struct Parts {
  V significand;
  VI exponent;
};
HWY_INLINE Parts PartsOf(V x) {
  const DI di;
  const VI exponent_bits = ExponentBits(x);
  const VI one = hn::BitCast(di, hn::Set(D(), 1.0));
  Parts parts = {hn::BitCast(D(), hn::Or(hn::Xor(hn::BitCast(di, x), exponent_bits), one)),
                 hn::ShiftRight<fraction_bits>(exponent_bits)};
  const auto no_hidden_bit = hn::Eq(exponent_bits, hn::Zero(di));
  if (HWY_UNLIKELY(!hn::AllFalse(di, no_hidden_bit))) {
    const V hidden_bit = hn::CopySign(hn::Set(D(), 1.0), x);
    const V without = Sub(parts.significand, hidden_bit);
    parts.significand = hn::IfThenElse(hn::RebindMask(D(), no_hidden_bit), without, parts.significand);
    parts.exponent = hn::IfThenElse(no_hidden_bit, hn::Set(di, 1), parts.exponent);
  }
  return parts;
}

/// significand * 2^(exponent mod 32). The significand is not below 2^-52 or zero, so adding to its exponent
/// field would do for all but zero; multiplication does for zero too.
HWY_INLINE V ShiftedSignificand(V significand, VI exponent) {
  const VI shift = hn::And(exponent, hn::Set(DI(), 31));
  const VI scale = hn::Add(hn::ShiftLeft<fraction_bits>(shift), hn::BitCast(DI(), hn::Set(D(), 1.0)));
  return hn::Mul(significand, hn::BitCast(D(), scale));
}

// Rounds x to a multiple of 2^Unit; gives that multiple as an integer and takes it from x.
template <int Unit>
HWY_INLINE VI TakePiece(V& x) {
  const V anchor = hn::Set(D(), anchor_of(Unit));
  const V sum = Add(x, anchor);
  x = Sub(x, Sub(sum, anchor));
  return hn::Sub(hn::BitCast(DI(), sum), hn::BitCast(DI(), anchor));
}

/// Adds the pieces of one term to its bucket. In one instruction each: left to itself, GCC 12 gathers them
/// with a dozen shuffles.
template <std::size_t pieces>
HWY_INLINE void AddPieces(const std::int64_t* term, std::int64_t* bucket) {
  constexpr std::size_t step = HWY_MIN(pieces, HWY_MIN(lanes, std::size_t{4}));
  const hn::CappedTag<std::int64_t, step> d;
  for (std::size_t i = 0; i < pieces; i += step)
    hn::StoreU(hn::Add(hn::LoadU(d, bucket + i), hn::LoadU(d, term + i)), d, bucket + i);
}

/// Adds a group of terms, taken apart, to buckets. The sets of buckets take turns, because additions to one
/// bucket wait for each other.
template <class Buckets, std::size_t sets>
HWY_INLINE void AddGroup(const std::int64_t* place, const std::int64_t* pieces, Buckets (&buckets)[sets]) {
  static_assert(group % sets == 0);
  // What was stored as vectors is to be read as numbers.
  __asm__ volatile("" : : "r"(place), "r"(pieces) : "memory");
  for (std::size_t i = 0; i < group; i += sets)
    for (std::size_t k = 0; k < sets; ++k)
      AddPieces<Buckets::pieces>(pieces + Buckets::pieces * (i + k),
                                 buckets[k].at(static_cast<std::size_t>(place[i + k])));
}

/// Adds vectors of finite terms to buckets.
template <class Terms, std::size_t sets>
void AddToBuckets(const Terms& terms, std::size_t vectors, SumBuckets (&buckets)[sets]) {
  HWY_ALIGN std::int64_t place[group];
  HWY_ALIGN std::int64_t pieces[group * SumBuckets::pieces];
  for (std::size_t v = 0; v < vectors; v += unroll) {
    for (std::size_t u = 0; u < unroll; ++u) {
      const Parts x = PartsOf(terms(v + u));
      V rest = ShiftedSignificand(x.significand, x.exponent);
      const VI high = TakePiece<SumBuckets::high_unit>(rest);
      const VI low = TakePiece<SumBuckets::low_unit>(rest);
      hn::Store(hn::ShiftRight<5>(x.exponent), DI(), place + u * lanes);
      hn::StoreInterleaved2(high, low, DI(), pieces + u * lanes * SumBuckets::pieces);
    }
    AddGroup(place, pieces, buckets);
  }
}

/// Adds the exact products of vectors of finite doubles to buckets.
template <std::size_t sets>
void AddToBuckets(const ExactProducts& terms, std::size_t vectors, ProductBuckets (&buckets)[sets]) {
  HWY_ALIGN std::int64_t place[group];
  HWY_ALIGN std::int64_t pieces[group * ProductBuckets::pieces];
  for (std::size_t v = 0; v < vectors; v += unroll) {
    for (std::size_t u = 0; u < unroll; ++u) {
      const Parts x = PartsOf(LoadDoubles(terms.x + (v + u) * lanes));
      const Parts y = PartsOf(LoadDoubles(terms.y + (v + u) * lanes));
      const VI exponent = hn::Add(x.exponent, y.exponent);
      const V shifted = ShiftedSignificand(x.significand, exponent);
      V product = hn::Mul(shifted, y.significand);
      V error = ProductError(shifted, y.significand, product);
      const VI high = TakePiece<ProductBuckets::high_unit>(product);
      const VI middle = TakePiece<ProductBuckets::middle_unit>(product);
      const VI middle_of_error = TakePiece<ProductBuckets::middle_unit>(error);
      const VI low = TakePiece<ProductBuckets::low_unit>(product);
      const VI low_of_error = TakePiece<ProductBuckets::low_unit>(error);
      hn::Store(hn::ShiftRight<5>(exponent), DI(), place + u * lanes);
      hn::StoreInterleaved4(high, hn::Add(middle, middle_of_error), hn::Add(low, low_of_error),
                            hn::Zero(DI()), DI(), pieces + u * lanes * ProductBuckets::pieces);
    }
    AddGroup(place, pieces, buckets);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
