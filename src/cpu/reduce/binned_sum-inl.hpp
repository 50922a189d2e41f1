// Sums in progress on one thread: the window and the levels that the next tile is tried with, the counts so
// far, and the treatment of tiles that do not fit. Included once per instruction set.

#include "cpu/reduce/term_buckets-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// The sum of lane counts as one integer. Each lane may use all 64 bits unless `few_tiles`.
HWY_INLINE Int128 TotalOf(const LaneCounts& counts, bool few_tiles) {
  if (few_tiles) return hn::GetLane(hn::SumOfLanes(DI(), hn::LoadU(DI(), counts)));
  Int128 total = 0;
  for (std::size_t i = 0; i < lanes; ++i) total += counts[i];
  return total;
}

/// Chooses the levels, or buckets, for the next tile. After a tile that needed more than usual the next ones
/// start there, twice as many each time it happens again soon: data of one kind comes in runs, and a failed
/// attempt costs as much as a success.
class WindowPolicy {
 public:
  explicit WindowPolicy(int usual) : usual_(usual), levels_(usual), most_levels_(usual) {}
  int levels() const { return levels_; }
  int usual() const { return usual_; }
  /// The largest number ever used.
  int most_levels() const { return most_levels_; }
  bool uses_buckets() const { return uses_buckets_; }
  void use_levels(int levels) {
    levels_ = levels;
    if (levels > most_levels_) most_levels_ = levels;
    uses_buckets_ = false;
    Persevere();
  }
  void use_buckets() {
    uses_buckets_ = true;
    Persevere();
  }
  /// A tile fitted at the first attempt.
  void succeeded() {
    ++tiles_;
    if ((uses_buckets_ || levels_ != usual_) && tiles_ >= persistence_) {
      uses_buckets_ = false;
      levels_ = usual_;
      tiles_ = 0;
    }
  }

 private:
  void Persevere() {
    persistence_ = tiles_ >= longest ? 1 : HWY_MIN(2 * persistence_, longest);
    tiles_ = 0;
  }

  static constexpr int longest = 32;
  const int usual_;
  int levels_, most_levels_;
  int persistence_ = 1;
  int tiles_ = longest;  // since the last change
  bool uses_buckets_ = false;
};

/// A sum of terms that are doubles (Buckets: TermBuckets), or exact products of doubles
/// (ExactProductBuckets).
template <template <class> class Buckets, class Sum>
class BinnedSum {
 public:
  /// `usual_levels`: the number of levels tried first.
  BinnedSum(Sum& sum, int usual_levels) : sum_(sum), policy_(usual_levels) {}
  BinnedSum(const BinnedSum&) = delete;
  BinnedSum& operator=(const BinnedSum&) = delete;

  /// Adds `vectors` vectors of terms: a multiple of unroll, at most tile_vectors.
  template <class Terms>
  void Add(const Terms& terms, std::size_t vectors, double one) {
    if (open_ && !policy_.uses_buckets() && Try(terms, vectors, one))
      policy_.succeeded();
    else
      AddMisfit(terms, vectors, one);
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
    switch (policy_.levels()) {
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

  /// Adds the first tile, and any that does not fit the window or the levels.
  template <class Terms>
  HWY_NOINLINE void AddMisfit(const Terms& terms, std::size_t vectors, double one) {
    // The first elements choose the window: a short vector need not be read twice.
    if (!open_ && OpenFor(HighestField(terms, unroll)) && Try(terms, vectors, one)) return;
    if (!policy_.uses_buckets()) {
      const int highest = HighestField(terms, vectors);
      if (highest != infinite_field && TryOtherWindows(terms, vectors, one, highest)) return;
      policy_.use_buckets();
    }
    policy_.succeeded();
    // Data after a few infinities are ordinary: they must not all go through buckets.
    if (!AddToBuckets(terms, vectors)) policy_.use_levels(policy_.usual());
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

  /// Opens a window for terms of exponent field up to `highest`, with one binade to spare. Returns false if
  /// there is none.
  bool OpenFor(int highest) {
    if (highest < 0 || highest == infinite_field || top_of(highest) > BinWindow::highest_top) return false;
    Open(BinWindow::clamped(top_of(highest) + 1));
    return true;
  }

  /// Tries a tile with another window or more levels. `highest` is the largest exponent field of the terms.
  template <class Terms>
  bool TryOtherWindows(const Terms& terms, std::size_t vectors, double one, int highest) {
    if (highest < 0 && !std::is_same_v<Terms, ExactProducts>) return true;  // nothing but zeros
    const int own_top = HWY_MAX(top_of(HWY_MAX(highest, 0)), BinWindow::lowest_top);
    if (own_top > BinWindow::highest_top) return false;
    if (!open_ || own_top > window_.top) {
      OpenFor(HWY_MAX(highest, 0));
      policy_.use_levels(policy_.usual());
      if (Try(terms, vectors, one)) return true;
    }
    if (highest < 0) return false;
    // Takes as many levels as the last place of the smallest term needs; if those are too many, tries a
    // window just above this tile.
    const int bits_below = std::is_same_v<Terms, ExactProducts> ? fraction_bits + 1 : 0;
    const int last_place = last_place_of(LowestField(terms, vectors)) - bits_below;
    if (BinWindow::levels_for(window_.top, last_place) > BinWindow::max_levels && own_top < window_.top)
      Open(own_top);
    policy_.use_levels(HWY_MAX(policy_.usual(), BinWindow::levels_for(window_.top, last_place)));
    return policy_.levels() <= BinWindow::max_levels && Try(terms, vectors, one);
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
    if (policy_.most_levels() > 2)
      for (int k = 2; k < BinWindow::max_levels; ++k)
        sum_.add(TotalOf(counts_[k], few_tiles), window_.unit(k));
  }

  // A block changes a lane's count by at most unroll * 2^51 = 2^53; a tile has two blocks.
  static constexpr int max_tiles = 1 << 8;
  // With fewer tiles than this the sum over the lanes is below 2^63, and below 2^126 after a shift by a
  // level.
  static constexpr int few_tiles_limit = 1 << 5;
  static_assert(tile_vectors / bin_block * unroll * max_tiles < std::size_t{1} << (63 - 51) && lanes <= 16);

  Sum& sum_;
  WindowPolicy policy_;
  int tiles_ = 0;
  bool open_ = false;
  BinWindow window_;
  LaneCounts counts_[BinWindow::max_levels];  // cleared when a window is opened
  Buckets<Sum> buckets_;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
