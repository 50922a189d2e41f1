// Sums of squares in progress on one thread. Included once per instruction set.

#include "cpu/reduce/binned_sum-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// A sum of squares of doubles, by slices: fewer operations than exact products in bins (Zen 4, from L1: 33
/// instead of 21 GB/s).
template <class Sum>
class SquareSum {
 public:
  explicit SquareSum(Sum& sum) : sum_(sum), policy_(by_minimum) {}
  SquareSum(const SquareSum&) = delete;
  SquareSum& operator=(const SquareSum&) = delete;

  /// Adds the squares of `vectors` vectors of doubles: a multiple of unroll, at most tile_vectors.
  void Add(const double* x, std::size_t vectors) {
    if (open_ && !policy_.uses_buckets() && Try(x, vectors))
      policy_.succeeded();
    else
      AddMisfit(x, vectors);
  }

  void Finish() {
    FlushCounts();
    buckets_.Flush(sum_);
  }

 private:
  HWY_INLINE bool Try(const double* x, std::size_t vectors) {
    if (tiles_ == max_tiles) Open(window_.top);
    const bool are_zero = tiles_++ == 0;
    switch (policy_.levels()) {
      case by_minimum:
        return AddSquares<few, false>(x, vectors, window_, counts_, are_zero);
      case by_each:
        return AddSquares<few, true>(x, vectors, window_, counts_, are_zero);
      default:
        return AddSquares<many, true>(x, vectors, window_, counts_, are_zero);
    }
  }

  HWY_NOINLINE void AddMisfit(const double* x, std::size_t vectors) {
    if (!policy_.uses_buckets()) {
      const int highest = HighestField(Values<double>{x}, vectors);
      if (highest != infinite_field && TryOtherWindows(x, vectors, highest)) return;
      policy_.use_buckets();
    }
    policy_.succeeded();
    if (!buckets_.Add(x, x, vectors, sum_)) policy_.use_levels(policy_.usual());
  }

  /// Tries a tile with another window or more slices.
  bool TryOtherWindows(const double* x, std::size_t vectors, int highest) {
    if (highest < 0) return true;  // nothing but zeros
    const int own_top = HWY_MAX(top_of(highest), SliceWindow::lowest_top);
    if (own_top > SliceWindow::highest_top) return false;
    if (!open_ || own_top > window_.top) {
      Open(own_top);
      policy_.use_levels(by_minimum);
      if (Try(x, vectors)) return true;
    }
    if (TryWithoutSmall(x, vectors)) return true;
    const int last_place = last_place_of(LowestField(Values<double>{x}, vectors));
    if (window_.unit(many - 1) > last_place && own_top < window_.top) Open(own_top);
    for (const int way : {by_each, by_many}) {
      if (way == by_each && window_.unit(few - 1) > last_place && window_.unit(many - 1) <= last_place)
        continue;
      policy_.use_levels(way);
      if (Try(x, vectors)) return true;
    }
    return false;
  }

  /// Tries a tile without its few elements that are too small for the window, whose squares are added one by
  /// one. (Of normal deviates one tile in 50 has some; a slice more for that tile and the next made a long
  /// norm take a tenth longer.)
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
    const int slices = policy_.most_levels() > by_each ? many : few;
    for (int j = 0; j < slices; ++j)
      for (int i = 0; i <= j; ++i)  // the pair (i, j) stands for (j, i) too
        sum_.add(TotalOf(counts_[pair_of(i, j)], few_tiles),
                 window_.unit(i) + window_.unit(j) + (i != j ? 1 : 0));
  }

  // Numbers of slices, and the attempts with them in the order of their price.
  static constexpr int few = 3;
  static constexpr int many = SliceWindow::max_slices;
  enum Way { by_minimum, by_each, by_many };

  // A block changes a lane's count by at most 2^51; a tile has eight blocks.
  static constexpr int max_tiles = 1 << 8;
  static constexpr int few_tiles_limit = 1 << 5;
  static_assert(tile_vectors / slice_block * max_tiles < std::size_t{1} << (63 - 51) && lanes <= 16);

  Sum& sum_;
  WindowPolicy policy_;
  int tiles_ = 0;
  bool open_ = false;
  SliceWindow window_;
  LaneCounts counts_[pairs(SliceWindow::max_slices)];  // cleared when a window is opened
  ExactProductBuckets<Sum> buckets_;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
