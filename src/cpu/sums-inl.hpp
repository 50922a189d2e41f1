// Sums in progress on one thread: which window and how many levels the next tile is tried with, the counts so
// far, and what happens to a tile that does not fit. Included once per instruction set.

#include "cpu/buckets-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// The sum of lane counts as one integer; each lane may use all 64 bits, unless `few_tiles` says that it does
/// not.
HWY_INLINE Int128 TotalOf(const LaneCounts& counts, bool few_tiles) {
  if (few_tiles) return hn::GetLane(hn::SumOfLanes(DI(), hn::LoadU(DI(), counts)));
  Int128 total = 0;
  for (std::size_t i = 0; i < lanes; ++i) total += counts[i];
  return total;
}

HWY_INLINE double DoubleAt(const double* x, std::size_t i) {  // x need not be aligned
  double value;
  std::memcpy(&value, reinterpret_cast<const char*>(x) + i * sizeof value, sizeof value);
  return value;
}

HWY_INLINE bool IsFinite(double x) { return (bits_of(x) & infinity_bits) != infinity_bits; }

/// Fewer terms than this are added to limbs one by one, at 5 to 10 ns each: clearing and emptying the buckets
/// takes 4 us.
constexpr std::size_t fewest_for_buckets = 512;

/// Sums of terms by buckets. Add() takes at most a tile, whole vectors, and says whether all terms were
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
  /// Adds the terms that the buckets do not take. Of data of all exponents every second tile has some.
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
    const bool finite = IsFinite(x);
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
    if (IsFinite(x) && IsFinite(y)) return false;
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

/// Which way the next tile of a sum goes. After a tile that needed more than the usual, so does the next one,
/// and each time that this happens again soon, for twice as many tiles: data of one kind comes in runs, and a
/// vain attempt costs as much as a success.
class Course {
 public:
  explicit Course(int usual) : usual_(usual), levels_(usual), most_levels_(usual) {}
  int levels() const { return levels_; }
  int usual() const { return usual_; }
  /// The most that were ever used.
  int most_levels() const { return most_levels_; }
  bool bucketing() const { return bucketing_; }
  void use_levels(int levels) {
    levels_ = levels;
    if (levels > most_levels_) most_levels_ = levels;
    bucketing_ = false;
    Persist();
  }
  void use_buckets() {
    bucketing_ = true;
    Persist();
  }
  /// A tile went as foreseen.
  void succeeded() {
    ++tiles_;
    if ((bucketing_ || levels_ != usual_) && tiles_ >= persistence_) {
      bucketing_ = false;
      levels_ = usual_;
      tiles_ = 0;
    }
  }

 private:
  void Persist() {
    persistence_ = tiles_ >= longest ? 1 : HWY_MIN(2 * persistence_, longest);
    tiles_ = 0;
  }

  static constexpr int longest = 32;
  const int usual_;
  int levels_, most_levels_;
  int persistence_ = 1;
  int tiles_ = longest;  // since the last change of course
  bool bucketing_ = false;
};

/// A sum of terms that are doubles (Buckets: TermBuckets), or exact products of doubles
/// (ExactProductBuckets).
template <template <class> class Buckets, class Sum>
class BinnedSum {
 public:
  /// `usual_levels` are tried first.
  BinnedSum(Sum& sum, int usual_levels) : sum_(sum), course_(usual_levels) {}
  BinnedSum(const BinnedSum&) = delete;
  BinnedSum& operator=(const BinnedSum&) = delete;

  /// Adds `vectors` vectors of terms: a multiple of unroll, at most tile_vectors.
  template <class Terms>
  void Add(const Terms& terms, std::size_t vectors, double one) {
    if (open_ && !course_.bucketing() && Try(terms, vectors, one))
      course_.succeeded();
    else
      AddOther(terms, vectors, one);
  }

  void Finish() {
    FlushCounts();
    buckets_.Flush(sum_);
  }

 private:
  template <class Terms>
  HWY_INLINE bool Try(const Terms& terms, std::size_t vectors, double one) {
    if (tiles_ == max_tiles) Open(window_.top);
    const bool are_zero = tiles_++ == 0;
    switch (course_.levels()) {
      case 1:
        return AddTile<1>(terms, vectors, window_, one, counts_, are_zero);
      case 2:
        return AddTile<2>(terms, vectors, window_, one, counts_, are_zero);
      case 3:
        return AddTile<3>(terms, vectors, window_, one, counts_, are_zero);
      default:
        return AddTile<4>(terms, vectors, window_, one, counts_, are_zero);
    }
  }

  /// The first tile, and any that the window, the levels or doubles themselves can't hold.
  template <class Terms>
  HWY_NOINLINE void AddOther(const Terms& terms, std::size_t vectors, double one) {
    // The first elements tell where to begin; for a short vector it matters that the others need not be
    // looked at twice.
    if (!open_ && OpenFor(HighestField(terms, unroll)) && Try(terms, vectors, one)) return;
    if (!course_.bucketing()) {
      const int highest = HighestField(terms, vectors);
      if (highest != infinite_field && TryOther(terms, vectors, one, highest)) return;
      course_.use_buckets();
    }
    course_.succeeded();
    // What comes after a few infinities is ordinary data: they must not send all of it through the buckets.
    if (!AddToBuckets(terms, vectors)) course_.use_levels(course_.usual());
  }

  bool AddToBuckets(const ExactProducts& terms, std::size_t vectors) {
    return buckets_.Add(terms.x, terms.y, vectors, sum_);
  }
  bool AddToBuckets(const Values<double>& terms, std::size_t vectors) {
    return buckets_.Add(terms.x, vectors * lanes, sum_);
  }
  template <class Terms>
  bool AddToBuckets(const Terms& terms, std::size_t vectors) {
    double x[tile_elements];
    for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(terms(v), D(), x + v * lanes);
    return buckets_.Add(x, vectors * lanes, sum_);
  }

  /// Opens a window for terms of exponent field up to `highest`, with a binade to spare for those to come, if
  /// there is one.
  bool OpenFor(int highest) {
    if (highest < 0 || highest == infinite_field || top_of(highest) > BinWindow::highest_top) return false;
    Open(HWY_MIN(HWY_MAX(top_of(highest) + 1, BinWindow::lowest_top), BinWindow::highest_top));
    return true;
  }

  /// Tries a tile with the other windows and levels that may hold it. `highest` is the largest exponent field
  /// of the terms.
  template <class Terms>
  bool TryOther(const Terms& terms, std::size_t vectors, double one, int highest) {
    if (highest < 0 && !std::is_same_v<Terms, ExactProducts>) return true;  // nothing but zeros
    const int own_top = HWY_MAX(top_of(HWY_MAX(highest, 0)), BinWindow::lowest_top);
    if (own_top > BinWindow::highest_top) return false;
    if (!open_ || own_top > window_.top) {
      OpenFor(HWY_MAX(highest, 0));
      course_.use_levels(course_.usual());
      if (Try(terms, vectors, one)) return true;
    }
    if (highest < 0) return false;
    // Below, it has as many levels as the smallest term's last place needs; where those are too many, the
    // tile's own window may do.
    const int bits_below = std::is_same_v<Terms, ExactProducts> ? fraction_bits + 1 : 0;
    const int last_place = last_place_of(LowestField(terms, vectors)) - bits_below;
    if (LevelsFor(window_.top, last_place) > BinWindow::max_levels && own_top < window_.top) Open(own_top);
    course_.use_levels(HWY_MAX(course_.usual(), LevelsFor(window_.top, last_place)));
    return course_.levels() <= BinWindow::max_levels && Try(terms, vectors, one);
  }

  void Open(int top) {
    FlushCounts();
    std::memset(counts_, 0, sizeof counts_);
    window_.top = top;
    open_ = true;
  }

  /// Moves the counts to the sum; they must be cleared before the next tile.
  void FlushCounts() {
    if (!open_) return;
    const bool few_tiles = tiles_ < few_tiles_limit;
    tiles_ = 0;
    // Two levels of a short vector fit one integer; see ExactSum.
    const Int128 first = TotalOf(counts_[0], few_tiles);
    const Int128 second = TotalOf(counts_[1], few_tiles);
    if (few_tiles) {
      sum_.add(first * (Int128{1} << BinWindow::width) + second, window_.unit(1));
    } else {
      sum_.add(first, window_.unit(0));
      sum_.add(second, window_.unit(1));
    }
    if (course_.most_levels() > 2)
      for (int k = 2; k < BinWindow::max_levels; ++k)
        sum_.add(TotalOf(counts_[k], few_tiles), window_.unit(k));
  }

  static int LevelsFor(int top, int last_place) {
    return (top - last_place + BinWindow::width - 1) / BinWindow::width;
  }

  // A block changes a lane's count by at most unroll * 2^51 = 2^53, a tile has two.
  static constexpr int max_tiles = 1 << 8;
  // With fewer tiles than this the sum over the lanes is below 2^63 too, and below 2^126 after a shift by a
  // level.
  static constexpr int few_tiles_limit = 1 << 5;
  static_assert(tile_vectors / bin_block * unroll * max_tiles < std::size_t{1} << (63 - 51) && lanes <= 16);

  Sum& sum_;
  Course course_;
  int tiles_ = 0;
  bool open_ = false;
  BinWindow window_;
  LaneCounts counts_[BinWindow::max_levels];  // cleared when a window is opened
  Buckets<Sum> buckets_;
};

/// A sum of squares of doubles, by slices: fewer operations than exact products in bins (measured on Zen 4,
/// from L1: 33 instead of 21 GB/s).
template <class Sum>
class SquareSum {
 public:
  explicit SquareSum(Sum& sum) : sum_(sum), course_(by_minimum) {}
  SquareSum(const SquareSum&) = delete;
  SquareSum& operator=(const SquareSum&) = delete;

  /// Adds the squares of `vectors` vectors of doubles: a multiple of unroll, at most tile_vectors.
  void Add(const double* x, std::size_t vectors) {
    if (open_ && !course_.bucketing() && Try(x, vectors))
      course_.succeeded();
    else
      AddOther(x, vectors);
  }

  void Finish() {
    FlushCounts();
    buckets_.Flush(sum_);
  }

 private:
  HWY_INLINE bool Try(const double* x, std::size_t vectors) {
    if (tiles_ == max_tiles) Open(window_.top);
    const bool are_zero = tiles_++ == 0;
    switch (course_.levels()) {
      case by_minimum:
        return AddSquares<few, false>(x, vectors, window_, counts_, are_zero);
      case by_each:
        return AddSquares<few, true>(x, vectors, window_, counts_, are_zero);
      default:
        return AddSquares<many, true>(x, vectors, window_, counts_, are_zero);
    }
  }

  HWY_NOINLINE void AddOther(const double* x, std::size_t vectors) {
    if (!course_.bucketing()) {
      const int highest = HighestField(Values<double>{x}, vectors);
      if (highest != infinite_field && TryOther(x, vectors, highest)) return;
      course_.use_buckets();
    }
    course_.succeeded();
    if (!buckets_.Add(x, x, vectors, sum_)) course_.use_levels(course_.usual());
  }

  /// Tries a tile with the other windows and slices that may hold it.
  bool TryOther(const double* x, std::size_t vectors, int highest) {
    if (highest < 0) return true;  // nothing but zeros
    const int own_top = HWY_MAX(top_of(highest), SliceWindow::lowest_top);
    if (own_top > SliceWindow::highest_top) return false;
    if (!open_ || own_top > window_.top) {
      Open(own_top);
      course_.use_levels(by_minimum);
      if (Try(x, vectors)) return true;
    }
    if (TryWithoutSmall(x, vectors)) return true;
    const int last_place = last_place_of(LowestField(Values<double>{x}, vectors));
    if (window_.unit(many - 1) > last_place && own_top < window_.top) Open(own_top);
    for (const int way : {by_each, by_many}) {
      if (way == by_each && window_.unit(few - 1) > last_place && window_.unit(many - 1) <= last_place)
        continue;
      course_.use_levels(way);
      if (Try(x, vectors)) return true;
    }
    return false;
  }

  /// Tries a tile without the elements that are too small for it, if they are few: their squares are added
  /// one by one. (One in 10^5 of normal deviates is, so one tile in 50; with a slice more for all of such a
  /// tile and of the next, the norm of a long vector took a tenth longer.)
  HWY_NOINLINE bool TryWithoutSmall(const double* x, std::size_t vectors) {
    constexpr std::size_t most = 8;
    const D d;
    const V limit = hn::Set(d, power_of_two(window_.unit(few - 1) + fraction_bits));
    HWY_ALIGN double rest[tile_elements];
    double small[most];
    std::size_t count = 0;
    for (std::size_t i = 0; i < vectors * lanes; i += lanes) {
      const V element = hn::LoadU(d, x + i);
      const auto is_small = hn::Lt(hn::Abs(element), limit);
      hn::Store(hn::IfThenZeroElse(is_small, element), d, rest + i);
      if (HWY_LIKELY(hn::AllFalse(d, is_small))) continue;
      if ((count += hn::CountTrue(d, is_small)) > most) return false;
      std::size_t last = count;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (rest[i + lane] == 0) small[--last] = DoubleAt(x, i + lane);
    }
    if (tiles_ == max_tiles) Open(window_.top);
    const bool are_zero = tiles_++ == 0;
    if (!AddSquares<few, true>(rest, vectors, window_, counts_, are_zero)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const Decomposed parts = decompose(small[i]);
      sum_.add(static_cast<Int128>(static_cast<Uint128>(parts.significand) * parts.significand),
               2 * parts.exponent);
    }
    return true;
  }

  void Open(int top) {
    FlushCounts();
    std::memset(counts_, 0, sizeof counts_);
    window_.top = top;
    open_ = true;
  }

  /// Moves the counts to the sum; they must be cleared before the next tile.
  void FlushCounts() {
    if (!open_) return;
    const bool few_tiles = tiles_ < few_tiles_limit;
    tiles_ = 0;
    const int slices = course_.most_levels() > by_each ? many : few;
    for (int j = 0; j < slices; ++j)
      for (int i = 0; i <= j; ++i)  // the pair (i, j) stands for (j, i) too
        sum_.add(TotalOf(counts_[pair_of(i, j)], few_tiles),
                 window_.unit(i) + window_.unit(j) + (i != j ? 1 : 0));
  }

  // Slices, and the ways that take them.
  static constexpr int few = 3;
  static constexpr int many = SliceWindow::max_slices;
  enum Way { by_minimum, by_each, by_many };

  // A block changes a lane's count by at most 2^51, a tile has eight.
  static constexpr int max_tiles = 1 << 8;
  static constexpr int few_tiles_limit = 1 << 5;
  static_assert(tile_vectors / slice_block * max_tiles < std::size_t{1} << (63 - 51) && lanes <= 16);

  Sum& sum_;
  Course course_;
  int tiles_ = 0;
  bool open_ = false;
  SliceWindow window_;
  LaneCounts counts_[pairs(SliceWindow::max_slices)];  // cleared when a window is opened
  ExactProductBuckets<Sum> buckets_;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
