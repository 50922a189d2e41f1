// Sums in progress of a group of columns. Each column has a window of its own, since columns may be of any
// scale, and an int64 count per level; limbs are allocated only for columns that need them. Included once per
// instruction set.

#include "cpu/columns/column_rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

constexpr std::int64_t anchor_bits_of(int top) {
  return std::int64_t{top - BinWindow::width + fraction_bits + exponent_bias} << fraction_bits |
         std::int64_t{1} << (fraction_bits - 1);
}
constexpr int top_of_anchor(std::int64_t bits) {
  return static_cast<int>(bits >> fraction_bits) - exponent_bias - fraction_bits + BinWindow::width;
}
static_assert(top_of_anchor(anchor_bits_of(-7)) == -7);

/// Adds one term to the sum of a column that no window holds.
template <class Term>
void AddTerm(double x, ExactSum<SumLimbs>& sum) {
  if (std::is_same_v<Term, MagnitudeTerm>) x = from_bits(bits_of(x) & ~sign_bit);
  if (!is_finite(x))
    sum.specials.count(x);
  else
    sum.limbs().add(x);
}
/// The same for squares.
template <class Term>
void AddTerm(double x, ExactSum<ProductLimbs>& sum) {
  const Decomposed parts = decompose(x);
  if (!is_finite(x))
    sum.specials.count(x * x);
  else
    sum.limbs().add(false, static_cast<Uint128>(parts.significand) * parts.significand, 2 * parts.exponent);
}

/// The sum of one term per element, for each column of a group.
template <class Term, class Sum, int usual_levels>
class ColumnSums {
 public:
  template <class T>
  HWY_INLINE void Add(const ColumnTile<T>& tile, double one, Prefetcher ahead) {
    if (tiles_ == max_tiles) MakeRoom();
    ++tiles_;
    if (tiles_to_examine_ == 0 && Try(tile, usual_levels, one, ahead)) return;
    AddMisfit(tile, one, ahead);
  }

  /// Adds the columns of `other`. Columns with equal windows, as most are that began with the same rows, are
  /// merged side by side.
  void Merge(ColumnSums& other) {
    MakeRoom();
    other.MakeRoom();
    tiles_ += other.tiles_;
    for (std::size_t i = 0; i < group; ++i) {
      if (anchors_[i] != other.anchors_[i])
        other.Flush(i, Limbs(i));
      else
        for (int k = 0; k < other.most_levels_; ++k) counts_[k][i] += other.counts_[k][i];
      if (other.limbs_used_) Limbs(i).merge(other.limbs_[i]);
    }
    most_levels_ = HWY_MAX(most_levels_, other.most_levels_);
  }

  /// Adds the sum of a column to `sum`.
  void AddColumnTo(std::size_t column, Sum& sum) const {
    AddCountsTo(column, sum);
    if (limbs_used_) sum.merge(limbs_[column]);
  }

  /// Rounds the sums, or the means of `rows` terms, to double or float where that is certain.
  void Round(cpu::ColumnResult which, std::int64_t rows, ElementType type, ColumnResults& results) const {
    if (limbs_used_ || most_levels_ > 2) {
      std::memset(results.certain, 0, sizeof results.certain);
      return;
    }
    for (std::size_t i = 0; i < group; i += lanes) {
      const Total total = TotalOfCounts(hn::LoadU(DI(), counts_[0] + i), hn::LoadU(DI(), counts_[1] + i),
                                        hn::LoadU(DI(), anchors_ + i));
      const Enclosure result = which == cpu::ColumnResult::mean
                                   ? QuotientOf(total, hn::Set(D(), static_cast<double>(rows)))
                                   : Enclosure{total.sum, total.sum, hn::Eq(total.error, hn::Zero(D()))};
      RoundEnclosed(result, total.fits, type, results.value + i, results.certain + i);
    }
  }

  /// Opens each column's window above its first few terms, with a few binades to spare.
  template <class T>
  void Begin(const ColumnTile<T>& tile) {
    std::memset(counts_, 0, sizeof counts_);
    limbs_used_ = false;
    tiles_ = 0;
    most_levels_ = usual_levels;
    tiles_to_examine_ = 0;
    LargestOfColumns<Term>(tile, tile.rows, anchors_);
    // anchor_bits_of(BinWindow::clamped(top_of(field) + spare_binades)), vectorised: it matters with 100
    // rows.
    const DI di;
    for (std::size_t i = 0; i < group; i += lanes) {
      VI top = hn::ShiftRight<fraction_bits>(hn::LoadU(di, anchors_ + i));
      top = hn::Add(top, hn::Set(di, 1 - exponent_bias + spare_binades));
      top = hn::Min(hn::Max(top, hn::Set(di, BinWindow::lowest_top)), hn::Set(di, BinWindow::highest_top));
      hn::StoreU(hn::Add(hn::ShiftLeft<fraction_bits>(top), hn::Set(di, anchor_bits_of(0))), di,
                 anchors_ + i);
    }
  }

 private:
  template <class T>
  HWY_INLINE bool Try(const ColumnTile<T>& tile, int levels, double one, Prefetcher ahead) {
    switch (levels) {
      case 1:
        return AddColumnTile<Term, 1>(tile, anchors_, one, counts_, ahead);
      case 2:
        return AddColumnTile<Term, 2>(tile, anchors_, one, counts_, ahead);
      case 3:
        return AddColumnTile<Term, 3>(tile, anchors_, one, counts_, ahead);
      default:
        return AddColumnTile<Term, 4>(tile, anchors_, one, counts_, ahead);
    }
  }

  /// Adds a tile that may not fit: examines it column by column, and tries again.
  template <class T>
  HWY_NOINLINE void AddMisfit(const ColumnTile<T>& tile, double one, Prefetcher ahead) {
    tiles_to_examine_ = tiles_to_examine_ == 0 ? misfit_memory : tiles_to_examine_ - 1;
    double element[tile_rows * group];
    for (std::size_t row = 0; row < tile.rows; ++row)
      for (int u = 0; u < unroll; ++u)
        hn::StoreU(tile.At(row, u), D(), element + row * group + static_cast<std::size_t>(u) * lanes);
    const ColumnTile<double> copy = {element, group, tile.rows};
    const int levels = PrepareColumns(copy, element);
    if (levels > most_levels_) most_levels_ = levels;
    if constexpr (Term::has_error) cpu::underflow_was_noted(true);  // of the attempt before: discard it
    [[maybe_unused]] const bool fits = Try(copy, levels, one, ahead);
    assert(fits);
  }

  /// Moves windows such that every column fits the returned number of levels; the terms of columns that
  /// cannot are added to limbs and set to zero.
  int PrepareColumns(const ColumnTile<double>& tile, double* element) {
    ColumnNumbers largest;
    ColumnNumbers smallest;
    LargestOfColumns<ValueTerm>(tile, tile.rows, largest);
    SmallestOfColumns(tile, smallest);
    int levels = usual_levels;
    for (std::size_t i = 0; i < group; ++i) {
      if (largest[i] == 0) continue;
      const int needed = PrepareColumn(i, static_cast<int>(largest[i] >> fraction_bits),
                                       static_cast<int>(smallest[i] >> fraction_bits));
      if (needed <= BinWindow::max_levels) {
        levels = HWY_MAX(levels, needed);
        continue;
      }
      for (std::size_t row = 0; row < tile.rows; ++row) {
        double& x = element[row * group + i];
        AddTerm<Term>(x, Limbs(i));
        x = 0;
      }
    }
    return levels;
  }

  /// The levels that a column needs for elements of these exponent fields; more than max_levels if none
  /// suffice.
  int PrepareColumn(std::size_t i, int highest, int lowest) {
    constexpr int impossible = BinWindow::max_levels + 1;
    const int top = is_square ? 2 * top_of(highest) : top_of(highest);
    const int last_place = is_square ? 2 * last_place_of(lowest) : last_place_of(lowest);
    if (highest == infinite_field || top > BinWindow::highest_top || last_place < smallest_exponent)
      return impossible;
    if (top > top_of_anchor(anchors_[i])) MoveWindow(i, top + spare_binades);
    const int levels = BinWindow::levels_for(top_of_anchor(anchors_[i]), last_place);
    if (levels <= BinWindow::max_levels ||
        BinWindow::levels_for(BinWindow::clamped(top), last_place) > BinWindow::max_levels)
      return levels;
    MoveWindow(i, top);
    return BinWindow::max_levels;
  }

  void MoveWindow(std::size_t i, int top) {
    if ((counts_[0][i] | counts_[1][i] | counts_[2][i] | counts_[3][i]) != 0) Flush(i, Limbs(i));
    anchors_[i] = anchor_bits_of(BinWindow::clamped(top));
  }

  void AddCountsTo(std::size_t i, Sum& sum) const {
    const int top = top_of_anchor(anchors_[i]);
    const BinWindow window{top};
    sum.add(Int128{counts_[0][i]} * (Int128{1} << BinWindow::width) + counts_[1][i], window.unit(1));
    for (int k = 2; k < most_levels_; ++k) sum.add(counts_[k][i], window.unit(k));
  }
  /// Moves the counts of a column to a sum.
  void Flush(std::size_t i, Sum& sum) {
    AddCountsTo(i, sum);
    for (ColumnNumbers& of_level : counts_) of_level[i] = 0;
  }

  /// Makes room in the counts for max_tiles / 2 tiles. Counts go to limbs only if one is half full, which
  /// takes very many rows of like sign.
  void MakeRoom() {
    constexpr std::int64_t half_full = max_tiles / 2 * most_of_tile;
    bool is_half_full = false;
    for (const ColumnNumbers& of_level : counts_)
      for (const std::int64_t count : of_level) is_half_full |= count > half_full || count < -half_full;
    tiles_ = HWY_MIN(tiles_, max_tiles / 2);
    if (!is_half_full) return;
    for (std::size_t i = 0; i < group; ++i) Flush(i, Limbs(i));
    tiles_ = 0;
  }

  Sum& Limbs(std::size_t i) {
    if (!limbs_used_) limbs_ = std::make_unique<Sum[]>(group);
    limbs_used_ = true;
    return limbs_[i];
  }

  static constexpr bool is_square = std::is_same_v<Sum, ExactSum<ProductLimbs>>;
  static constexpr int spare_binades = 4;
  // The number of tiles that are examined before they are added, after one that did not fit: data of one kind
  // comes in runs.
  static constexpr int misfit_memory = 15;
  // The most by which a tile changes a count, whatever its height.
  static constexpr std::int64_t most_of_tile = std::int64_t{1} << 51;
  static constexpr int max_tiles = 1 << 11;

  ColumnNumbers anchors_;
  ColumnNumbers counts_[BinWindow::max_levels];
  bool limbs_used_;
  int tiles_;  // bound of the counts, in units of most_of_tile
  int most_levels_, tiles_to_examine_;
  std::unique_ptr<Sum[]> limbs_;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
