// Sums of squares in progress on one thread. Included once per instruction set.
#include "cpu/reduce/binned_sum-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// A sum of squares of doubles, by slices: fewer operations than exact products in bins (Zen 4, from L1: 33
/// instead of 21 GB/s). Terms are the doubles.
template <class Sum>
class SquareSum : public WindowedSum<SquareSum<Sum>, SliceWindow, pairs(SliceWindow::max_slices),
                                     ExactProductBuckets<Sum>, Sum> {
  using Base =
      WindowedSum<SquareSum, SliceWindow, pairs(SliceWindow::max_slices), ExactProductBuckets<Sum>, Sum>;
  friend Base;

 public:
  explicit SquareSum(Sum& sum) : Base(sum, by_minimum) {}

 private:
  static constexpr bool opens_at_first = false;
  using Base::buckets_, Base::counts_, Base::policy_, Base::sum_, Base::window_;
  using Terms = Values<double>;

  // Numbers of slices, and the attempts with them in the order of their price, which stand for levels.
  static constexpr int few = 3;
  static constexpr int many = SliceWindow::max_slices;
  enum Attempt { by_minimum, by_each, by_many };

  HWY_INLINE bool AddTile(const Terms& terms, std::size_t vectors, double /*one*/, int attempt,
                          bool are_zero) {
    switch (attempt) {
      case by_minimum:
        return AddSquares<few, false>(terms.x, vectors, window_, counts_, are_zero);
      case by_each:
        return AddSquares<few, true>(terms.x, vectors, window_, counts_, are_zero);
      default:
        return AddSquares<many, true>(terms.x, vectors, window_, counts_, are_zero);
    }
  }

  bool OpenFor(int highest) {
    this->Open(HWY_MAX(top_of(highest), SliceWindow::lowest_top));
    return true;
  }

  bool TryMoreLevels(const Terms& terms, std::size_t vectors, double one, int own_top) {
    if (TryWithoutSmall(terms.x, vectors)) return true;
    const int last_place = last_place_of(LowestField(terms, vectors));
    if (window_.unit(many - 1) > last_place && own_top < window_.top) this->Open(own_top);
    for (const int attempt : {by_each, by_many}) {
      if (attempt == by_each && window_.unit(few - 1) > last_place && window_.unit(many - 1) <= last_place)
        continue;
      policy_.use_levels(attempt);
      if (this->Try(terms, vectors, one)) return true;
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
    const bool are_zero = this->CountTile();
    if (!AddSquares<few, true>(rest, vectors, window_, counts_, are_zero)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const Decomposed parts = decompose(small[i]);
      sum_.add(static_cast<Int128>(static_cast<Uint128>(parts.significand) * parts.significand),
               2 * parts.exponent);
    }
    return true;
  }

  bool AddToBuckets(const Terms& terms, std::size_t vectors) {
    return buckets_.Add(terms.x, terms.x, vectors, sum_);
  }

  void MoveCounts(bool few_tiles) {
    const int slices = policy_.most_levels() > by_each ? many : few;
    for (int j = 0; j < slices; ++j)
      for (int i = 0; i <= j; ++i)  // the pair (i, j) stands for (j, i) too
        sum_.add(TotalOf(counts_[pair_of(i, j)], few_tiles),
                 window_.unit(i) + window_.unit(j) + (i != j ? 1 : 0));
  }

  // A block changes a lane's count by at most 2^51; a tile has eight blocks.
  static_assert(tile_vectors / slice_block * Base::max_tiles < std::size_t{1} << (63 - 51));
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
