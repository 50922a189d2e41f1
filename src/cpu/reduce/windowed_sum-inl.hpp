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

/// A sum in progress. A tile is tried with the current window and the levels that the policy chooses, then in
/// other ways, and at last goes through buckets. `Method`, the derived class, has
///   AddTile(terms, vectors, one, levels, are_zero): adds a tile to the counts and returns true if it fits
///   opens_at_first: whether the first few terms choose the first window, so that short vectors are read once
///   OpenFor(highest): opens a window for terms of exponent field up to `highest`; false if there is none
///   TryMoreLevels(terms, vectors, one, own_top): tries more levels, perhaps with a window that begins at
///     own_top, just above the terms
///   AddToBuckets(terms, vectors): returns whether all terms were finite
///   MoveCounts(few_tiles): moves the counts to the sum; few_tiles as for TotalOf
template <class Method, class BitWindow, int count_arrays, class Buckets, class Sum>
class WindowedSum {
 public:
  WindowedSum(const WindowedSum&) = delete;
  WindowedSum& operator=(const WindowedSum&) = delete;

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

 protected:
  /// `usual_levels`: the number of levels tried first.
  WindowedSum(Sum& sum, int usual_levels) : sum_(sum), policy_(usual_levels) {}

  template <class Terms>
  HWY_INLINE bool Try(const Terms& terms, std::size_t vectors, double one) {
    const bool are_zero = CountTile();
    return method().AddTile(terms, vectors, one, policy_.levels(), are_zero);
  }
  /// Makes room for a tile in the counts; returns whether they are zero.
  HWY_INLINE bool CountTile() {
    if (tiles_ == max_tiles) Open(window_.top);
    return tiles_++ == 0;
  }

  void Open(int top) {
    FlushCounts();
    std::memset(counts_, 0, sizeof counts_);
    window_.top = top;
    open_ = true;
  }

  // A tile changes a lane's count by less than 2^55.
  static constexpr int max_tiles = 1 << 8;

  Sum& sum_;
  WindowPolicy policy_;
  int tiles_ = 0;
  bool open_ = false;
  BitWindow window_;
  LaneCounts counts_[count_arrays];  // cleared when a window is opened
  Buckets buckets_;

 private:
  Method& method() { return static_cast<Method&>(*this); }

  /// Adds the first tile, and any that does not fit the window or the levels.
  template <class Terms>
  HWY_NOINLINE void AddMisfit(const Terms& terms, std::size_t vectors, double one) {
    if (Method::opens_at_first && !open_ && method().OpenFor(HighestField(terms, unroll)) &&
        Try(terms, vectors, one))
      return;
    if (!policy_.uses_buckets()) {
      const int highest = HighestField(terms, vectors);
      if (highest != infinite_field && TryOtherWindows(terms, vectors, one, highest)) return;
      policy_.use_buckets();
    }
    policy_.succeeded();
    // Data after a few infinities are ordinary: they must not all go through buckets.
    if (!method().AddToBuckets(terms, vectors)) policy_.use_levels(policy_.usual());
  }

  /// Tries a tile with another window or more levels. `highest` is the largest exponent field of the terms.
  template <class Terms>
  bool TryOtherWindows(const Terms& terms, std::size_t vectors, double one, int highest) {
    if (highest < 0 && !std::is_same_v<Terms, ExactProducts>) return true;  // nothing but zeros
    const int own_top = HWY_MAX(top_of(HWY_MAX(highest, 0)), BitWindow::lowest_top);
    if (own_top > BitWindow::highest_top) return false;
    if (!open_ || own_top > window_.top) {
      method().OpenFor(HWY_MAX(highest, 0));
      policy_.use_levels(policy_.usual());
      if (Try(terms, vectors, one)) return true;
    }
    return highest >= 0 && method().TryMoreLevels(terms, vectors, one, own_top);
  }

  /// Moves the counts to the sum; they must be cleared before the next tile.
  void FlushCounts() {
    if (!open_) return;
    const bool few_tiles = tiles_ < few_tiles_limit;
    tiles_ = 0;
    method().MoveCounts(few_tiles);
  }

  // With fewer tiles than this the sum over the lanes is below 2^63, and below 2^126 after a shift by a
  // level.
  static constexpr int few_tiles_limit = 1 << 5;
  static_assert(lanes <= 16);
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
