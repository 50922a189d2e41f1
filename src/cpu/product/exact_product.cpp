// Exact matrix products, tile by tile: the BLAS library multiplies slices, whose products are added as
// integers; entries that this does not settle are computed as dot products.
#include "cpu/product/exact_product.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "arithmetic/slice_levels.hpp"
#include "cpu/product/blas.hpp"
#include "cpu/product/packed_copy.hpp"
#include "cpu/product/slices.hpp"
#include "cpu/simd/environment.hpp"
#include "results/product_entry.hpp"
#include "results/rounded_results.hpp"

namespace foldline::cpu {

namespace {

// Rows and columns of a tile of C: large enough for the BLAS library to be efficient, small enough that the
// slices of its factors, 8 MB each, and its sums, 2 MB a level, take little memory.
constexpr std::int64_t tile_side = 512;
// Longer sums do not use slices; a level then stays below 6 * 64 * 2^53 < 2^62.
constexpr std::int64_t longest_lines = 64 * slice_depth;
// With fewer rows or columns, slicing costs more than adding term by term.
constexpr std::int64_t few_lines = 16;

MatrixOperand part_of(const MatrixOperand& matrix, std::int64_t row, std::int64_t column, std::int64_t rows,
                      std::int64_t columns) {
  MatrixOperand part = matrix;
  if (rows > 0 && columns > 0) part.data = matrix.at(row, column);
  part.rows = rows;
  part.columns = columns;
  return part;
}

double load(const std::byte* from, ElementType type) {
  if (type == ElementType::float64) {
    double value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  float value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

void store(double value, std::byte* to, ElementType type) {
  if (type == ElementType::float64) {
    std::memcpy(to, &value, sizeof value);
  } else {
    const auto narrow = narrow_exactly<float>(value);
    std::memcpy(to, &narrow, sizeof narrow);
  }
}

/// An entry of C within a tile.
struct Entry {
  std::int64_t row, column;
};

/// Computes one tile of an exact product at a time.
class ExactTile {
 public:
  ExactTile(const MatrixProduct& product, const Plan& plan)
      : whole_(product), plan_(plan), rows_of_b_(product.b.transposed()) {
    const std::int64_t depth = product.a.columns;
    by_slices_ =
        depth > 0 && depth <= longest_lines && std::min(product.c.rows, product.c.columns) >= few_lines;
    if (!by_slices_) return;
    a_scales_ = scales_of_rows(product.a, plan.threads);
    b_scales_ = scales_of_rows(rows_of_b_, plan.threads);
  }

  void compute(std::int64_t row, std::int64_t column) {
    row_ = row;
    column_ = column;
    rows_ = std::min(tile_side, whole_.c.rows - row);
    columns_ = std::min(tile_side, whole_.c.columns - column);
    unsettled_.clear();
    if (by_slices_)
      compute_by_slices();
    else
      mark_all_unsettled();
    compute_unsettled();
  }

 private:
  const LineScale& a_scale(std::int64_t i) const { return a_scales_[static_cast<std::size_t>(row_ + i)]; }
  const LineScale& b_scale(std::int64_t j) const { return b_scales_[static_cast<std::size_t>(column_ + j)]; }
  bool is_plain() const { return whole_.alpha == 1 && whole_.beta == 0; }

  void mark_all_unsettled() {
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < columns_; ++j) unsettled_.push_back({i, j});
  }

  void compute_by_slices() {
    a_slices_ = b_slices_ = 1;
    std::int64_t a_cut = 0;
    std::int64_t b_cut = 0;
    for (std::int64_t i = 0; i < rows_; ++i) {
      if (!a_scale(i).can_be_sliced()) continue;
      a_slices_ = std::max(a_slices_, a_scale(i).slices);
      ++a_cut;
    }
    for (std::int64_t j = 0; j < columns_; ++j) {
      if (!b_scale(j).can_be_sliced()) continue;
      b_slices_ = std::max(b_slices_, b_scale(j).slices);
      ++b_cut;
    }
    if (a_cut == 0 || b_cut == 0) return mark_all_unsettled();
    const int all = a_slices_ + b_slices_ - 1;
    // The levels below those of the longer factor hardly ever matter for the rounding, and are nearly half of
    // the work: they are computed only if too many entries need them.
    const int first = all <= 3 || !is_plain() ? all : std::max(a_slices_, b_slices_);
    sums_.assign(static_cast<std::size_t>(all * rows_ * columns_), 0);
    add_levels_between(0, first);
    round_entries(first);
    const std::int64_t never_cut = rows_ * columns_ - a_cut * b_cut;
    const std::int64_t undecided = static_cast<std::int64_t>(unsettled_.size()) - never_cut;
    if (first == all || undecided * many_unsettled <= rows_ * columns_) return;
    add_levels_between(first, all);
    round_entries(all);
  }

  /// Adds the products of slices s of A and t of B with first <= s + t < end to the levels.
  void add_levels_between(int first, int end) {
    const std::int64_t depth = whole_.a.columns;
    products_.resize(static_cast<std::size_t>(rows_ * columns_));
    for (std::int64_t k = 0; k < depth; k += slice_depth) {
      const std::int64_t count = std::min(slice_depth, depth - k);
      const std::int64_t a_size = rows_ * count;
      const std::int64_t b_size = columns_ * count;
      a_numbers_.resize(static_cast<std::size_t>(a_slices_ * a_size));
      b_numbers_.resize(static_cast<std::size_t>(b_slices_ * b_size));
      cut_rows(part_of(whole_.a, row_, k, rows_, count), &a_scale(0), a_slices_, a_numbers_.data(), a_size,
               plan_.threads);
      cut_rows(part_of(rows_of_b_, column_, k, columns_, count), &b_scale(0), b_slices_, b_numbers_.data(),
               b_size, plan_.threads);
      for (int s = 0; s < a_slices_; ++s)
        for (int t = 0; t < b_slices_; ++t) {
          if (s + t < first || s + t >= end) continue;
          multiply(1.0, {a_numbers_.data() + s * a_size, rows_, count, count, 1},
                   {b_numbers_.data() + t * b_size, count, columns_, 1, count}, 0.0,
                   {products_.data(), rows_, columns_, columns_, 1}, plan_.threads);
          add_products_to(sums_.data() + (s + t) * rows_ * columns_);
        }
    }
  }

  void add_products_to(std::int64_t* level) const {
    const std::int64_t size = rows_ * columns_;
    const double* products = products_.data();
#pragma omp parallel for num_threads(plan_.threads) schedule(static)
    for (std::int64_t i = 0; i < size; ++i) level[i] += static_cast<std::int64_t>(products[i]);
  }

  /// Rounds and stores the entries that the first `levels` levels settle; lists the others in unsettled_.
  void round_entries(int levels) {
    const int all = a_slices_ + b_slices_ - 1;
    const std::int64_t chunks = (whole_.a.columns - 1) / slice_depth + 1;
    // At most level `levels`, in units of the last leading one, and less than that again for all levels
    // below.
    const int shift = std::min((levels - leading_levels + 1) * slice_bits, 62);
    const std::int64_t omitted = levels == all ? 0 : 2 * ((chunks * most_slices << 53) >> shift) + 2;
    const FloatFormat format = format_of(whole_.c.type);
    is_settled_.assign(static_cast<std::size_t>(rows_ * columns_), 0);
#pragma omp parallel for num_threads(plan_.threads) schedule(dynamic, 8)
    for (std::int64_t i = 0; i < rows_; ++i) {
      const ArithmeticEnvironment environment;
      for (std::int64_t j = 0; j < columns_; ++j) {
        if (!a_scale(i).can_be_sliced() || !b_scale(j).can_be_sliced()) continue;
        const std::int64_t* const sums = sums_.data() + i * columns_ + j;
        const auto level = [&](int s) { return sums[s * rows_ * columns_]; };
        const int exponent = a_scale(i).top + b_scale(j).top + 2 - 2 * slice_bits;
        const Bounds bounds = bounds_of_levels<slice_bits, leading_levels>(level, levels, exponent, omitted);
        RoundingAttempt entry = {0, false};
        if (is_plain()) entry = rounded(bounds, format);
        if (!entry.is_certain && levels == all) {
          ExactSum<ProductLimbs> total;
          add_levels<slice_bits>(level, levels, exponent, total);
          entry = {finished(total, i, j), true};
        }
        if (!entry.is_certain) continue;
        store(entry.value, whole_.entry(row_ + i, column_ + j), whole_.c.type);
        is_settled_[static_cast<std::size_t>(i * columns_ + j)] = 1;
      }
    }
    unsettled_.clear();
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < columns_; ++j)
        if (is_settled_[static_cast<std::size_t>(i * columns_ + j)] == 0) unsettled_.push_back({i, j});
  }

  double finished(const ExactSum<ProductLimbs>& sum, std::int64_t i, std::int64_t j) const {
    const double before = whole_.beta == 0 ? 0 : load(whole_.c.at(row_ + i, column_ + j), whole_.c.type);
    EntryScratch numbers;
    return rounded_entry(sum, whole_.alpha, whole_.beta, before, format_of(whole_.c.type), numbers);
  }

  /// Computes the unsettled entries as dot products.
  void compute_unsettled() {
    if (unsettled_.empty()) return;
    const std::int64_t depth = whole_.a.columns;
    MatrixOperand a = part_of(whole_.a, row_, 0, rows_, depth);
    MatrixOperand b = part_of(rows_of_b_, column_, 0, columns_, depth);
    // Lines that are not contiguous are slow to read; a copy pays if each is read often.
    std::vector<std::byte> a_copy;
    std::vector<std::byte> b_copy;
    const auto count = static_cast<std::int64_t>(unsettled_.size());
    if (depth <= longest_lines && count > 4 * rows_) use_packed(a, a_copy);
    if (depth <= longest_lines && count > 4 * columns_) use_packed(b, b_copy);
    // Few entries are computed one by one by all threads, many by one thread each.
    const bool one_by_one = count < plan_.threads;
    Plan inner = plan_;
    inner.part =
        std::max<std::int64_t>(1, one_by_one ? std::min(dot_part, (depth - 1) / plan_.threads + 1) : depth);
    if (!one_by_one) inner.threads = 1;
#pragma omp parallel for num_threads(one_by_one ? 1 : plan_.threads) schedule(dynamic, 8)
    for (std::int64_t e = 0; e < count; ++e) {
      const auto [i, j] = unsettled_[static_cast<std::size_t>(e)];
      Moments moments;
      if (depth > 0)
        reduce({.needs = {.products = true},
                .x = VectorView(a.at(i, 0), a.type, depth, a.column_stride),
                .y = VectorView(b.at(j, 0), b.type, depth, b.column_stride),
                .two_vectors = true},
               inner, moments);
      const ArithmeticEnvironment environment;
      store(finished(moments.products, i, j), whole_.entry(row_ + i, column_ + j), whole_.c.type);
    }
  }

  void use_packed(MatrixOperand& matrix, std::vector<std::byte>& copy) const {
    if (matrix.column_stride == 1) return;
    copy = packed_copy(matrix, plan_.threads);
    matrix.data = copy.data();
    matrix.row_stride = matrix.columns;
    matrix.column_stride = 1;
  }

  // Levels that are rounded as one 128-bit integer; lower ones hardly ever matter.
  static constexpr int leading_levels = 3;
  // The remaining levels pay if more than one entry in this many is unsettled: a dot product of 2048 terms
  // takes as long as some hundred entries of them.
  static constexpr std::int64_t many_unsettled = 100;
  // Elements of a thread's share of a long dot product.
  static constexpr std::int64_t dot_part = std::int64_t{1} << 17;

  const MatrixProduct& whole_;
  const Plan& plan_;
  MatrixOperand rows_of_b_;  // B's transpose: its rows are B's columns
  bool by_slices_ = false;
  std::vector<LineScale> a_scales_, b_scales_;

  std::int64_t row_ = 0, column_ = 0, rows_ = 0, columns_ = 0;  // of the tile
  int a_slices_ = 0, b_slices_ = 0;
  std::vector<double> a_numbers_, b_numbers_, products_;
  std::vector<std::int64_t> sums_;  // level by level
  std::vector<char> is_settled_;    // flags of the entries, row by row
  std::vector<Entry> unsettled_;    // entries that slices did not settle
};

}  // namespace

void exact_product(const MatrixProduct& product, const Plan& plan) {
  ExactTile tile(product, plan);
  for (std::int64_t row = 0; row < product.c.rows; row += tile_side)
    for (std::int64_t column = 0; column < product.c.columns; column += tile_side) tile.compute(row, column);
}

}  // namespace foldline::cpu
