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

/// Buckets that are emptied in time.
template <class Buckets, class Sum>
class BucketSum {
 public:
  /// Adds vectors of finite terms.
  template <class Terms>
  void Add(const Terms& terms, std::size_t vectors, Sum& sum) {
    const auto n = static_cast<std::int64_t>(vectors * lanes);
    static_assert(tile_elements * 2 < Buckets::capacity);
    if (terms_ == 0)
      for (Buckets& buckets : buckets_) buckets.clear();
    if (terms_ + n > Buckets::capacity) Flush(sum);
    terms_ += n;
    AddToBuckets(terms, vectors, buckets_);
  }
  void Flush(Sum& sum) {
    if (terms_ == 0) return;
    for (Buckets& buckets : buckets_) buckets.move_to(sum);
    terms_ = 0;
  }

 private:
  static constexpr std::size_t sets = 4;
  std::int64_t terms_ = 0;
  Buckets buckets_[sets];  // cleared at first use
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

/// Copies a tile with every element that is not finite, or whose partner is not, replaced by zero, and counts
/// the terms that were.
inline void CountSpecials(const double* x, const double* y, std::size_t n, double* finite_x, double* finite_y,
                          Specials& specials) {
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(finite_x + i, reinterpret_cast<const char*>(x) + i * sizeof(double), sizeof(double));
    std::memcpy(finite_y + i, reinterpret_cast<const char*>(y) + i * sizeof(double), sizeof(double));
    if ((bits_of(finite_x[i]) & infinity_bits) == infinity_bits ||
        (bits_of(finite_y[i]) & infinity_bits) == infinity_bits) {
      specials.count(finite_x[i] * finite_y[i]);  // IEEE's product of specials is the contract's
      finite_x[i] = finite_y[i] = 0;
    }
  }
}

/// A sum of terms that are doubles, or exact products of doubles.
template <class Buckets, class Sum>
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
    if constexpr (std::is_same_v<Terms, ExactProducts>) {
      if (AllFinite(Values<double>{terms.x}, vectors) && AllFinite(Values<double>{terms.y}, vectors)) {
        buckets_.Add(terms, vectors, sum_);
      } else {
        double x[tile_elements];
        double y[tile_elements];
        CountSpecials(terms.x, terms.y, vectors * lanes, x, y, sum_.specials);
        buckets_.Add(ExactProducts{x, y}, vectors, sum_);
      }
    } else if (AllFinite(terms, vectors)) {
      buckets_.Add(terms, vectors, sum_);
    } else {
      double x[tile_elements];
      double ones[tile_elements];
      for (std::size_t v = 0; v < vectors; ++v) {
        hn::StoreU(terms(v), D(), x + v * lanes);
        hn::StoreU(hn::Set(D(), 1.0), D(), ones + v * lanes);
      }
      CountSpecials(x, ones, vectors * lanes, x, ones, sum_.specials);
      // What is left is ordinary data: a few infinities among it must not send all of it through the buckets.
      course_.use_levels(course_.usual());
      AddFinite(x, vectors, one);
    }
  }

  HWY_NOINLINE void AddFinite(const double* x, std::size_t vectors, double one) {
    Add(Values<double>{x}, vectors, one);
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
  BucketSum<Buckets, Sum> buckets_;
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
    if (AllFinite(Values<double>{x}, vectors)) {
      buckets_.Add(ExactProducts{x, x}, vectors, sum_);
    } else {
      double finite[tile_elements];
      double partner[tile_elements];
      CountSpecials(x, x, vectors * lanes, finite, partner, sum_.specials);
      course_.use_levels(course_.usual());
      Add(finite, vectors);
    }
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
  BucketSum<ProductBuckets, Sum> buckets_;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
