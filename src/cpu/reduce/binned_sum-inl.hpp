// Sums in progress on one thread: which window and how many levels the next tile is tried with, the counts so
// far, and what happens to a tile that does not fit. Included once per instruction set.

#include "cpu/reduce/term_buckets-inl.hpp"

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

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
