// Sums in progress on one thread: which window and how many levels the next tile is tried with, the counts so far, and what
// happens to a tile that does not fit. Included once per instruction set.

#include "cpu/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Tiles after which a sum that needed more levels, or the buckets, tries again with fewer.
constexpr int patience_tiles = 16;

/// Number of levels, `width` bits each, from 2^top down to 2^last_place.
HWY_INLINE int LevelsFor(int top, int last_place, int width) { return (top - last_place + width - 1) / width; }

/// The sum of lane counts as one integer; each lane may use all 64 bits.
HWY_INLINE Int128 TotalOf(const LaneCounts& counts) {
  Int128 total = 0;
  for (std::size_t i = 0; i < lanes; ++i) total += counts[i];
  return total;
}

/// A sum of terms that are doubles. `few` levels are tried first.
template <class Sum>
class BinnedSum {
 public:
  explicit BinnedSum(Sum& sum, int few) : sum_(sum), few_(few), levels_(few) {}
  BinnedSum(const BinnedSum&) = delete;
  BinnedSum& operator=(const BinnedSum&) = delete;

  /// Adds `vectors` vectors of terms: a multiple of unroll, at most tile_vectors.
  template <class Terms>
  void Add(const Terms& terms, std::size_t vectors, double one) {
    if (!bucketing_ && Try(terms, vectors, one)) {
      if (levels_ != few_ && --patience_ == 0) levels_ = few_;
      return;
    }
    AddOther(terms, vectors, one);
  }

  void Finish() {
    FlushCounts();
    FlushBuckets();
  }

 private:
  template <class Terms>
  bool Try(const Terms& terms, std::size_t vectors, double one) {
    if (!open_) return false;
    if (++tiles_ == max_tiles) FlushCounts();
    switch (levels_) {
      case 1: return AddTile<1>(terms, vectors, window_, one, counts_);
      case 2: return AddTile<2>(terms, vectors, window_, one, counts_);
      case 3: return AddTile<3>(terms, vectors, window_, one, counts_);
      default: return AddTile<4>(terms, vectors, window_, one, counts_);
    }
  }

  /// The first tile, and any that the window, the levels or doubles themselves can't hold.
  template <class Terms>
  HWY_NOINLINE void AddOther(const Terms& terms, std::size_t vectors, double one) {
    if (bucketing_ && --patience_ > 0) {
      if (AddToBuckets(terms, vectors)) return;
    } else {
      const Exponents exponents = ExponentsOf(terms, vectors);
      if (exponents.zero) return;
      if (exponents.finite() && Fit(exponents) && Try(terms, vectors, one)) {
        bucketing_ = false;
        return;
      }
      bucketing_ = exponents.finite();
      if (bucketing_) patience_ = patience_tiles;
      if (bucketing_ && AddToBuckets(terms, vectors)) return;
    }
    // Not all of it is finite: count what is not, and add the rest.
    double finite[tile_elements];
    for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(terms(v), D(), finite + v * lanes);
    for (std::size_t i = 0; i < vectors * lanes; ++i) {
      if ((bits_of(finite[i]) & infinity_bits) == infinity_bits) {
        sum_.specials.count(finite[i]);
        finite[i] = 0;
      }
    }
    Add(Values<double>{finite}, vectors, one);
  }

  /// Chooses window and levels for a tile; false if no window of max_levels covers it.
  bool Fit(const Exponents& exponents) {
    const int own_top = exponents.top();
    // First keep the window, raised if need be: the tile's own may be too narrow for its neighbours.
    int top = open_ && window_.top > own_top ? window_.top : own_top + 1;
    int levels = LevelsFor(top, exponents.last_place(), BinWindow::width);
    if (levels > BinWindow::max_levels) {
      top = own_top;
      levels = LevelsFor(top, exponents.last_place(), BinWindow::width);
    }
    if (top < BinWindow::lowest_top) {
      top = BinWindow::lowest_top;
      levels = LevelsFor(top, exponents.last_place(), BinWindow::width);
    }
    if (top > BinWindow::highest_top || levels > BinWindow::max_levels) return false;
    // The estimate takes every element for full 53 bits; after a failure with fewer levels it is worth its price.
    const bool same_window = open_ && top == window_.top;
    levels_ = same_window && levels <= levels_ && levels_ < BinWindow::max_levels ? levels_ + 1 : levels;
    if (levels_ < few_) levels_ = few_;
    patience_ = patience_tiles;
    if (!same_window) {
      FlushCounts();
      window_.top = top;
      open_ = true;
    }
    return true;
  }

  /// False if a term is not finite (then nothing was added).
  template <class Terms>
  bool AddToBuckets(const Terms& terms, std::size_t vectors) {
    double term[tile_elements];
    VI special = hn::Zero(DI());
    const VI exponent_mask = hn::Set(DI(), static_cast<std::int64_t>(infinity_bits));
    for (std::size_t v = 0; v < vectors; ++v) {
      const V x = terms(v);
      hn::StoreU(x, D(), term + v * lanes);
      const VI exponent = hn::And(hn::BitCast(DI(), x), exponent_mask);
      special = hn::Or(special, hn::VecFromMask(DI(), hn::Eq(exponent, exponent_mask)));
    }
    if (!AllZero(special)) return false;
    const std::size_t n = vectors * lanes;
    static_assert(tile_elements * 2 < SumBuckets::capacity);
    if (!bucket_terms_) {
      for (SumBuckets& buckets : buckets_) buckets.clear();
    } else if (bucket_terms_ + static_cast<std::int64_t>(n) > SumBuckets::capacity) {
      FlushBuckets();
    }
    bucket_terms_ += static_cast<std::int64_t>(n);
    // Neighbours go to different sets: additions to one bucket wait for each other.
    static_assert(group % bucket_sets == 0);
    for (std::size_t i = 0; i < n; i += bucket_sets)
      for (std::size_t k = 0; k < bucket_sets; ++k) buckets_[k].add(term[i + k]);
    return true;
  }

  void FlushBuckets() {
    if (bucket_terms_ == 0) return;
    for (SumBuckets& buckets : buckets_) buckets.move_to(sum_);
    bucket_terms_ = 0;
  }

  void FlushCounts() {
    tiles_ = 0;
    if (!open_) return;
    // Two levels of a short vector fit one integer; see ExactSum.
    const Int128 first = TotalOf(counts_[0]);
    const Int128 second = TotalOf(counts_[1]);
    constexpr Int128 fits = Int128{1} << (126 - BinWindow::width);
    if (first > -fits && first < fits) {
      sum_.add(first * (Int128{1} << BinWindow::width) + second, window_.unit(1));
    } else {
      sum_.add(first, window_.unit(0));
      sum_.add(second, window_.unit(1));
    }
    for (int k = 2; k < BinWindow::max_levels; ++k) sum_.add(TotalOf(counts_[k]), window_.unit(k));
    std::memset(counts_, 0, sizeof counts_);
  }

  static constexpr std::size_t bucket_sets = 4;
  // A tile changes a lane's count by at most unroll * 2^51.
  static constexpr int max_tiles = 1 << 9;
  static_assert(unroll * std::int64_t{max_tiles} <= std::int64_t{1} << (63 - 51 - 1));

  Sum& sum_;
  const int few_;
  int levels_;
  int patience_ = 0;
  int tiles_ = 0;
  bool open_ = false;
  bool bucketing_ = false;
  BinWindow window_;
  std::int64_t bucket_terms_ = 0;
  LaneCounts counts_[BinWindow::max_levels] = {};
  SumBuckets buckets_[bucket_sets];  // cleared at first use
};

/// A sum of products of doubles: of x_i y_i, or of squares.
template <bool Square, class Sum>
class SlicedSum {
 public:
  explicit SlicedSum(Sum& sum) : sum_(sum) {}
  SlicedSum(const SlicedSum&) = delete;
  SlicedSum& operator=(const SlicedSum&) = delete;

  /// Adds `vectors` vectors of products, at most deposits_per_tile. y is not used for squares.
  void Add(const double* x, const double* y, std::size_t vectors) {
    if (!bucketing_ && Try(x, y, vectors)) {
      if (slices_ != few && --patience_ == 0) slices_ = few;
      return;
    }
    AddOther(x, y, vectors);
  }

  void Finish() {
    FlushCounts();
    FlushBuckets();
  }

 private:
  bool Try(const double* x, const double* y, std::size_t vectors) {
    if (!open_) return false;
    if (++tiles_ == max_tiles) FlushCounts();
    if constexpr (Square)
      return slices_ == few ? AddSquares<few>(x, vectors, window_x_, counts_)
                            : AddSquares<SliceWindow::max_slices>(x, vectors, window_x_, counts_);
    else
      return slices_ == few ? AddProducts<few>(x, y, vectors, window_x_, window_y_, counts_)
                            : AddProducts<SliceWindow::max_slices>(x, y, vectors, window_x_, window_y_, counts_);
  }

  HWY_NOINLINE void AddOther(const double* x, const double* y, std::size_t vectors) {
    if (!(bucketing_ && --patience_ > 0)) {
      const Exponents ex = ExponentsOf(Values<double>{x}, vectors);
      const Exponents ey = Square ? ex : ExponentsOf(Values<double>{y}, vectors);
      if (ex.finite() && ey.finite()) {
        if (ex.zero || ey.zero) return;
        if (Fit(ex, ey) && Try(x, y, vectors)) {
          bucketing_ = false;
          return;
        }
        bucketing_ = true;
        patience_ = patience_tiles;
      }
    }
    AddToBuckets(x, y, vectors * lanes);
  }

  static int TopFor(const SliceWindow& window, bool open, const Exponents& exponents) {
    return open && window.top > exponents.top() ? window.top : exponents.top();
  }
  static bool Covers(SliceWindow window, int slices, const Exponents& exponents) {
    return window.unit(slices - 1) <= exponents.last_place();
  }

  /// Chooses windows and slices for a tile; false if there are none.
  bool Fit(const Exponents& ex, const Exponents& ey) {
    for (const bool keep : {true, false}) {
      const SliceWindow x{keep ? TopFor(window_x_, open_, ex) : ex.top()};
      const SliceWindow y{Square ? x.top : keep ? TopFor(window_y_, open_, ey) : ey.top()};
      for (const int slices : {few, SliceWindow::max_slices}) {
        if (!Covers(x, slices, ex) || !Covers(y, slices, ey) || !products_are_exact(x, y, slices)) continue;
        if (!open_ || x.top != window_x_.top || y.top != window_y_.top) {
          FlushCounts();
          window_x_ = x;
          window_y_ = y;
          open_ = true;
        }
        slices_ = slices;
        patience_ = patience_tiles;
        return true;
      }
    }
    return false;
  }

  void AddToBuckets(const double* x, const double* y, std::size_t n) {
    static_assert(deposits_per_tile * lanes * 2 < ProductBuckets::capacity);
    if (!bucket_terms_) {
      for (ProductBuckets& buckets : buckets_) buckets.clear();
    } else if (bucket_terms_ + static_cast<std::int64_t>(n) > ProductBuckets::capacity) {
      FlushBuckets();
    }
    bucket_terms_ += static_cast<std::int64_t>(n);
    for (std::size_t i = 0; i < n; ++i) {
      double a;
      double b;
      std::memcpy(&a, reinterpret_cast<const char*>(x) + i * sizeof a, sizeof a);
      std::memcpy(&b, reinterpret_cast<const char*>(Square ? x : y) + i * sizeof b, sizeof b);
      if ((bits_of(a) & infinity_bits) == infinity_bits || (bits_of(b) & infinity_bits) == infinity_bits)
        sum_.specials.count(a * b);  // IEEE's product of specials is the contract's
      else
        buckets_[i % bucket_sets].add(a, b);
    }
  }

  void FlushBuckets() {
    if (bucket_terms_ == 0) return;
    for (ProductBuckets& buckets : buckets_) buckets.move_to(sum_);
    bucket_terms_ = 0;
  }

  void FlushCounts() {
    tiles_ = 0;
    if (!open_) return;
    for (int j = 0; j < SliceWindow::max_slices; ++j) {
      if constexpr (Square) {
        for (int i = 0; i <= j; ++i)  // the pair (i, j) stands for (j, i) too
          sum_.add(TotalOf(counts_[pair_of(i, j)]), window_x_.unit(i) + window_x_.unit(j) + (i != j ? 1 : 0));
      } else {
        for (int i = 0; i < SliceWindow::max_slices; ++i)
          sum_.add(TotalOf(counts_[product_of(i, j)]), window_x_.unit(i) + window_y_.unit(j));
      }
    }
    std::memset(counts_, 0, sizeof counts_);
  }

  static constexpr int few = 3;
  static constexpr std::size_t bucket_sets = 2;
  // A tile changes a lane's count by at most 2^51.
  static constexpr int max_tiles = 1 << 11;

  Sum& sum_;
  int slices_ = few;
  int patience_ = 0;
  int tiles_ = 0;
  bool open_ = false;
  bool bucketing_ = false;
  SliceWindow window_x_, window_y_;
  std::int64_t bucket_terms_ = 0;
  LaneCounts counts_[SliceWindow::max_slices * SliceWindow::max_slices] = {};
  ProductBuckets buckets_[bucket_sets];
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
