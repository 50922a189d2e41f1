// Scans of short vectors of bfloat16, floats and doubles: neighbours in lanes, contiguous ones turned to
// lanes and back. Included once per instruction set.

#include "cpu/simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Differences of exponents up to which sums of so many elements are exact, see DirectConstants.
template <class T>
int RangeOf(std::int64_t terms) {
  int log = 0;
  while ((std::int64_t{1} << log) < terms + 8) ++log;
  return sizeof(T) == 8 ? 53 - 2 * log : 53 - log - (sizeof(T) == 4 ? 24 : 8);
}

/// Rows in vectors to columns in vectors.
HWY_INLINE void Transpose([[maybe_unused]] V (&row)[lanes]) {
#if HWY_TARGET != HWY_SCALAR
  const D d;
  V pair[lanes];
  Repeat<lanes / 2>([&](auto k) FOLDLINE_LAMBDA {
    pair[k] = hn::InterleaveLower(d, row[2 * k], row[2 * k + 1]);
    pair[lanes / 2 + k] = hn::InterleaveUpper(d, row[2 * k], row[2 * k + 1]);
  });
  if constexpr (lanes == 2) {
    row[0] = pair[0];
    row[1] = pair[1];
  } else if constexpr (lanes == 4) {
    Repeat<2>([&](auto odd) FOLDLINE_LAMBDA {
      row[odd] = hn::ConcatLowerLower(d, pair[2 * odd + 1], pair[2 * odd]);
      row[2 + odd] = hn::ConcatUpperUpper(d, pair[2 * odd + 1], pair[2 * odd]);
    });
  } else {
    Repeat<2>([&](auto odd) FOLDLINE_LAMBDA {
      const V* const of = pair + 4 * odd;
      const auto blocks = [&](V even, V other, int at) FOLDLINE_LAMBDA {
        row[at + odd] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(other), even);
        row[at + 2 + odd] = hn::OddEvenBlocks(other, hn::SwapAdjacentBlocks(even));
      };
      blocks(hn::ConcatLowerLower(d, of[2], of[0]), hn::ConcatLowerLower(d, of[3], of[1]), 0);
      blocks(hn::ConcatUpperUpper(d, of[2], of[0]), hn::ConcatUpperUpper(d, of[3], of[1]), 4);
    });
  }
#endif
}

// Vectors of 16 bits at any strides, piece by piece.
constexpr std::int64_t elements_of_piece = 128;
/// Calls visit(words, count, first) for each piece of a vector. Words after the last one are others of the
/// vector, or zeros.
template <class Visit>
HWY_INLINE void ForEachPiece(const ShortScans& scans, std::int64_t index, const Visit& visit) {
  std::uint16_t words[elements_of_piece] = {};
  const std::byte* const x = scans.x + index * scans.x_across * 2;
  for (std::int64_t first = 0; first < scans.terms; first += elements_of_piece) {
    const std::int64_t count = HWY_MIN(elements_of_piece, scans.terms - first);
    const std::byte* const from = x + first * scans.x_along * 2;
    if (scans.x_along == 1)
      std::memcpy(words, from, static_cast<std::size_t>(count) * sizeof words[0]);
    else
      CopyStrided(from, scans.x_along * 2, count, words);
    visit(words, count, first);
  }
}
/// Scans a vector of which a double holds all prefix sums: load(words) gives lanes, store(lanes, words)
/// rounds them.
template <class Load, class Store>
HWY_INLINE void AddInPieces(const ShortScans& scans, std::int64_t index, const Load& load,
                            const Store& store) {
  constexpr std::int64_t step = lanes;
  double sum = -0.0;
  double sums[elements_of_piece];
  std::byte* const out = scans.out + index * scans.out_across * 2;
  ForEachPiece(scans, index,
               [&](std::uint16_t* words, std::int64_t count, std::int64_t first) FOLDLINE_LAMBDA {
                 for (std::int64_t k = 0; k < count; k += step) hn::StoreU(load(words + k), D(), sums + k);
                 for (std::int64_t k = 0; k < count; ++k) sums[k] = sum += sums[k];
                 for (std::int64_t k = 0; k < count; k += step) store(hn::LoadU(D(), sums + k), words + k);
                 std::byte* const to = out + first * scans.out_along * 2;
                 if (scans.out_along == 1)
                   std::memcpy(to, words, static_cast<std::size_t>(count) * sizeof words[0]);
                 else
                   for (std::int64_t k = 0; k < count; ++k)
                     std::memcpy(to + k * scans.out_along * 2, words + k, sizeof words[0]);
               });
}

/// Scans of doubles, floats or bfloat16.
template <class T>
class FloatingScans {
  using Words = hn::Rebind<std::uint16_t, D>;
  using Tag = std::conditional_t<sizeof(T) == 8, D, std::conditional_t<sizeof(T) == 4, F, Words>>;
  using Lane = hn::TFromD<Tag>;
  using Bits = hn::RebindToUnsigned<D>;
  static constexpr std::int64_t size = sizeof(T), step = lanes;
  static constexpr std::uint64_t magnitude = std::numeric_limits<std::uint64_t>::max() >> 1;
  // Fields of exponents, as doubles, from which on a sum of doubles may overflow, or others are infinite.
  static constexpr int beyond = sizeof(T) == 8 ? 0x7ff - 16 : 0x7ff;
  // Vectors of a tile, which stays in the nearest cache, and groups of lanes.
  static constexpr std::int64_t most_kept = 512, most_groups = 32;

 public:
  explicit FloatingScans(const ShortScans& scans) : scans_(scans), range_(RangeOf<T>(scans.terms)) {}

  std::int64_t Scan(std::uint8_t* uncertain) const {
    std::int64_t left = 0;
    const auto one_by_one = [&](std::int64_t from, std::int64_t end) {
      for (std::int64_t i = from; i < end; ++i)
        if (!ScanOne(i)) {
          uncertain[i] = 1;
          ++left;
        }
    };
    std::int64_t i = 0;
    if constexpr (lanes > 1) {
      if (scans_.x_across == 1 && scans_.out_across == 1) {
        const std::int64_t most = HWY_MAX(HWY_MIN(most_kept / scans_.terms, most_groups), 1);
        for (std::int64_t groups = 0; i + step <= scans_.vectors; i += groups * step) {
          groups = HWY_MIN((scans_.vectors - i) / step, most);
          bool fits[most_groups];
          if (groups > 1)
            ScanTile(i, groups, fits);
          else
            fits[0] = ScanLanes(i);
          for (std::int64_t g = 0; g < groups; ++g)
            if (!fits[g]) one_by_one(i + g * step, i + (g + 1) * step);
        }
      } else if ((scans_.x_along == 1 || scans_.x_across == 1) &&
                 (scans_.out_along == 1 || scans_.out_across == 1) && scans_.terms <= most_turned) {
        for (; i + step <= scans_.vectors; i += step)
          if (!ScanRows(i)) one_by_one(i, i + step);
      }
    }
    one_by_one(i, scans_.vectors);
    return left;
  }

 private:
  /// The largest magnitude of each lane, and the smallest but zero, less one, so that zero is the largest.
  struct Range {
    hn::Vec<Bits> largest = hn::Zero(Bits());
    hn::Vec<Bits> smallest = hn::Set(Bits(), std::numeric_limits<std::uint64_t>::max());
    HWY_ATTR Range() {}
    HWY_INLINE void Take(V x) {
      const auto word = hn::And(hn::BitCast(Bits(), x), hn::Set(Bits(), magnitude));
      largest = hn::Max(largest, word);
      smallest = hn::Min(smallest, hn::Sub(word, hn::Set(Bits(), 1)));
    }
    /// That of all lanes, in each.
    HWY_INLINE Range Together() const {
      Range all;
      all.largest = hn::MaxOfLanes(Bits(), largest);
      all.smallest = hn::MinOfLanes(Bits(), smallest);
      return all;
    }
    /// Whether sums are exact in all lanes.
    HWY_INLINE bool IsWithin(int most) const {
      const DI di;
      const VI high = hn::BitCast(di, hn::ShiftRight<fraction_bits>(largest));
      const VI low =
          hn::BitCast(di, hn::ShiftRight<fraction_bits>(hn::And(smallest, hn::Set(Bits(), magnitude))));
      const auto is_narrow = hn::Lt(hn::Sub(high, low), hn::Set(di, most + 1));
      return hn::AllTrue(di, hn::And(is_narrow, hn::Lt(high, hn::Set(di, beyond))));
    }
  };
  /// Prefix sums of each lane.
  struct Sums {
    V sum, error;
    explicit HWY_INLINE Sums(V first) : sum(first), error(hn::Zero(D())) {}
    HWY_INLINE void Add(V x) {
      if constexpr (sizeof(T) == 8) {
        const SumAndError<V> next = TwoSum(sum, x);
        sum = next.sum;
        error = hn::Add(error, next.error);
      } else {
        sum = hn::Add(sum, x);
      }
    }
    HWY_INLINE V Rounded() const {
      if constexpr (sizeof(T) != 8) return sum;
      // -0 stays -0.
      return hn::IfThenElse(hn::Eq(error, hn::Zero(D())), sum, hn::Add(sum, error));
    }
  };

  bool ScanOne(std::int64_t index) const {
    if constexpr (sizeof(T) == 2) {
      return ScanPieces(index);
    } else {
      return ScanElements(index);
    }
  }
  HWY_NOINLINE bool ScanPieces(std::int64_t index) const {
    const auto load = [](const std::uint16_t* x)
                          FOLDLINE_LAMBDA { return LoadLanes(reinterpret_cast<const T*>(x)); };
    Range range;
    ForEachPiece(scans_, index,
                 [&](const std::uint16_t* words, std::int64_t count, std::int64_t) FOLDLINE_LAMBDA {
                   for (std::int64_t k = 0; k < count; k += step) range.Take(load(words + k));
                 });
    if (!range.Together().IsWithin(range_)) return false;
    AddInPieces(scans_, index, load, [](V sums, std::uint16_t* out) FOLDLINE_LAMBDA {
      StoreLanes(sums, reinterpret_cast<T*>(out));
    });
    return true;
  }
  bool ScanElements(std::int64_t index) const {
    // Elements may lie at any address, so there is no pointer to T.
    const std::byte* const x = scans_.x + index * scans_.x_across * size;
    std::byte* const out = scans_.out + index * scans_.out_across * size;
    const std::int64_t x_step = scans_.x_along * size, out_step = scans_.out_along * size;
    std::uint64_t largest = 0;
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();  // as in Range
    for (std::int64_t k = 0; k < scans_.terms; ++k) {
      const double element = LoadOne(x + k * x_step);
      std::uint64_t bits;
      std::memcpy(&bits, &element, sizeof bits);
      bits &= magnitude;
      largest = bits > largest ? bits : largest;
      smallest = bits - 1 < smallest ? bits - 1 : smallest;
    }
    const int high = static_cast<int>(largest >> fraction_bits);
    if (high >= beyond || high - static_cast<int>((smallest & magnitude) >> fraction_bits) > range_)
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
  HWY_NOINLINE bool ScanLanes(std::int64_t index) const {
    const auto* x = reinterpret_cast<const T*>(scans_.x) + index;
    auto* out = reinterpret_cast<T*>(scans_.out) + index;
    Range range;
    for (std::int64_t k = 0; k < scans_.terms; ++k) range.Take(LoadLanes(x + k * scans_.x_along));
    if (!range.IsWithin(range_)) return false;
    Sums sums(LoadLanes(x));
    StoreLanes(sums.sum, out);
    for (std::int64_t k = 1; k < scans_.terms; ++k) {
      sums.Add(LoadLanes(x + k * scans_.x_along));
      StoreLanes(sums.Rounded(), out + k * scans_.out_along);
    }
    return true;
  }

  /// Groups of neighbours: copied row by row, and so are the results, as rows may be so far apart that few of
  /// them are in a cache together.
  HWY_NOINLINE void ScanTile(std::int64_t index, std::int64_t groups, bool (&fits)[most_groups]) const {
    const auto* x = reinterpret_cast<const T*>(scans_.x) + index;
    auto* out = reinterpret_cast<T*>(scans_.out) + index;
    V term[most_kept];
    for (std::int64_t k = 0; k < scans_.terms; ++k, x += scans_.x_along)
      for (std::int64_t g = 0; g < groups; ++g) term[k * groups + g] = LoadLanes(x + g * step);
    const std::int64_t end = scans_.terms * groups;
    for (std::int64_t g = 0; g < groups; ++g) {
      Range range;
      for (std::int64_t k = g; k < end; k += groups) range.Take(term[k]);
      fits[g] = range.IsWithin(range_);
      Sums sums(hn::Set(D(), -0.0));
      for (std::int64_t k = g; k < end; k += groups) {
        sums.Add(term[k]);
        term[k] = sums.Rounded();
      }
    }
    for (std::int64_t k = 0; k < scans_.terms; ++k, out += scans_.out_along)
      for (std::int64_t g = 0; g < groups; ++g)
        if (fits[g]) StoreLanes(term[k * groups + g], out + g * step);
  }

  /// A lane for each vector from `index` on. Elements, results or both are contiguous, and neighbours in the
  /// other array.
  HWY_NOINLINE bool ScanRows(std::int64_t index) const {
    const auto* const x = reinterpret_cast<const T*>(scans_.x) + index * scans_.x_across;
    auto* const out = reinterpret_cast<T*>(scans_.out) + index * scans_.out_across;
    const std::int64_t terms = scans_.terms;
    V term[most_turned];
    if (scans_.x_across == 1)
      for (std::int64_t k = 0; k < terms; ++k) term[k] = LoadLanes(x + k * scans_.x_along);
    else
      for (std::int64_t k = 0; k < terms; k += step) LoadTurned(x + k, HWY_MIN(step, terms - k), term + k);
    Range range;
    for (std::int64_t k = 0; k < terms; ++k) range.Take(term[k]);
    if (!range.IsWithin(range_)) return false;
    Sums sums(hn::Set(D(), -0.0));
    if (scans_.out_across == 1) {
      for (std::int64_t k = 0; k < terms; ++k) {
        sums.Add(term[k]);
        StoreLanes(sums.Rounded(), out + k * scans_.out_along);
      }
      return true;
    }
    for (std::int64_t k = 0; k < terms; k += step) {
      const std::int64_t count = HWY_MIN(step, terms - k);
      V row[lanes];
      Repeat<lanes>([&](auto r) FOLDLINE_LAMBDA {
        if (r < count) sums.Add(term[k + r]);
        row[r] = sums.Rounded();
      });
      Transpose(row);
      Repeat<lanes>([&](auto r) FOLDLINE_LAMBDA {
        T* const at = out + r * scans_.out_across + k;
        count == step ? StoreLanes(row[r], at) : StoreSome(row[r], static_cast<std::size_t>(count), at);
      });
    }
    return true;
  }
  /// `count` elements of each row from x on.
  HWY_INLINE void LoadTurned(const T* x, std::int64_t count, V* term) const {
    V row[lanes];
    Repeat<lanes>([&](auto r) FOLDLINE_LAMBDA {
      const T* const at = x + r * scans_.x_across;
      row[r] = count == step ? LoadLanes(at) : LoadSome(at, static_cast<std::size_t>(count));
    });
    Transpose(row);
    Repeat<lanes>([&](auto r) FOLDLINE_LAMBDA { term[r] = row[r]; });
  }

  static HWY_INLINE V Doubles(hn::Vec<Tag> x) {
    if constexpr (sizeof(T) == 8) {
      return x;
    } else if constexpr (sizeof(T) == 4) {
      return hn::PromoteTo(D(), x);
    } else {
      const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<F>(), x));
      return hn::PromoteTo(D(), hn::BitCast(F(), bits));
    }
  }
  static HWY_INLINE hn::Vec<Tag> Narrowed(V x) {
    if constexpr (sizeof(T) == 8) {
      return x;
    } else if constexpr (sizeof(T) == 4) {
      return ToFloats(x);
    } else {
      // To nearest, ties to even, of what a float says for certain; its upper half is the result.
      const hn::RebindToUnsigned<F> d;
      const auto bits = hn::BitCast(d, ToFloats(OddFloat(x)));
      const auto is_odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
      const auto rounded = hn::Add(bits, hn::Add(is_odd, hn::Set(d, 0x7fff)));
      return hn::TruncateTo(Words(), hn::ShiftRight<16>(rounded));
    }
  }
  static HWY_INLINE V LoadLanes(const T* x) {
    return Doubles(hn::LoadU(Tag(), reinterpret_cast<const Lane*>(x)));
  }
  static HWY_INLINE void StoreLanes(V results, T* out) {
    hn::StoreU(Narrowed(results), Tag(), reinterpret_cast<Lane*>(out));
  }
  // Whether vectors of some of these lanes are loaded and stored by one instruction.
  static constexpr bool has_masks = HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86 && sizeof(T) != 2;
  /// The first `count` lanes, and zeros.
  static HWY_INLINE V LoadSome(const T* x, std::size_t count) {
    if constexpr (has_masks) {
      return Doubles(hn::MaskedLoad(hn::FirstN(Tag(), count), Tag(), x));
    } else {
      T some[lanes] = {};
      std::memcpy(some, static_cast<const void*>(x), count * sizeof(T));  // at any address
      return LoadLanes(some);
    }
  }
  static HWY_INLINE void StoreSome(V results, std::size_t count, T* out) {
    if constexpr (has_masks) {
      hn::BlendedStore(Narrowed(results), hn::FirstN(Tag(), count), Tag(), out);
    } else {
      T some[lanes];
      StoreLanes(results, some);
      std::memcpy(static_cast<void*>(out), some, count * sizeof(T));
    }
  }

  static constexpr std::int64_t most_turned = ShortScans::most_contiguous_terms;
  static_assert(most_turned % step == 0);
  const ShortScans& scans_;
  const int range_;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
