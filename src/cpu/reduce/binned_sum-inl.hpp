// Sums by bins in progress on one thread. Included once per instruction set.
#include "cpu/reduce/windowed_sum-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// A sum of terms that are doubles (Buckets: TermBuckets), or exact products of doubles
/// (ExactProductBuckets).
template <template <class> class Buckets, class Sum>
class BinnedSum
    : public WindowedSum<BinnedSum<Buckets, Sum>, BinWindow, BinWindow::max_levels, Buckets<Sum>, Sum> {
  using Base = WindowedSum<BinnedSum, BinWindow, BinWindow::max_levels, Buckets<Sum>, Sum>;
  friend Base;

 public:
  BinnedSum(Sum& sum, int usual_levels) : Base(sum, usual_levels) {}

 private:
  static constexpr bool opens_at_first = true;
  using Base::buckets_, Base::counts_, Base::policy_, Base::sum_, Base::window_;

  template <class Terms>
  HWY_INLINE bool AddTile(const Terms& terms, std::size_t vectors, double one, int levels, bool are_zero) {
    switch (levels) {
      case 1:
        return AddTileInBins<1>(terms, vectors, window_, one, counts_, are_zero);
      case 2:
        return AddTileInBins<2>(terms, vectors, window_, one, counts_, are_zero);
      case 3:
        return AddTileInBins<3>(terms, vectors, window_, one, counts_, are_zero);
      default:
        return AddTileInBins<4>(terms, vectors, window_, one, counts_, are_zero);
    }
  }

  /// Opens a window for terms of exponent field up to `highest`, with one binade to spare. Returns false if
  /// there is none.
  bool OpenFor(int highest) {
    if (highest < 0 || highest == infinite_field || top_of(highest) > BinWindow::highest_top) return false;
    this->Open(BinWindow::clamped(top_of(highest) + 1));
    return true;
  }

  template <class Terms>
  bool TryMoreLevels(const Terms& terms, std::size_t vectors, double one, int own_top) {
    // Takes as many levels as the last place of the smallest term needs; if those are too many, tries a
    // window just above this tile.
    const int bits_below = std::is_same_v<Terms, ExactProducts> ? fraction_bits + 1 : 0;
    const int last_place = last_place_of(LowestField(terms, vectors)) - bits_below;
    if (BinWindow::levels_for(window_.top, last_place) > BinWindow::max_levels && own_top < window_.top)
      this->Open(own_top);
    policy_.use_levels(HWY_MAX(policy_.usual(), BinWindow::levels_for(window_.top, last_place)));
    return policy_.levels() <= BinWindow::max_levels && this->Try(terms, vectors, one);
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

  void MoveCounts(bool few_tiles) {
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
  static_assert(tile_vectors / bin_block * unroll * Base::max_tiles < std::size_t{1} << (63 - 51));
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
