// Exact matrix products, tile by tile: tensor cores multiply 8-bit slices, and their products are added
// exactly, level by level. Entries that the first levels do not determine are summed term by term.
#include "cuda/product/exact_product.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "contract/moments.hpp"
#include "cuda/product/byte_slices.hpp"
#include "cuda/product/product_entries.hpp"
#include "cuda/runtime/check.hpp"
#include "results/product_entry.hpp"

namespace foldline::cuda {

namespace {

/// Rows and columns of a tile of C. Its slices and levels take about 250 MB for 10 levels and 2048 terms.
constexpr std::int64_t tile_side = 2048;
/// The most terms of a line whose slices are in memory at a time.
constexpr std::int64_t max_terms = 8192;
/// With more levels, summing term by term is faster.
constexpr int max_levels = 24;
/// With fewer rows or columns, summing term by term is faster than cutting the factors.
constexpr std::int64_t few_lines = 16;
/// At most this many entries of at least this many terms are computed as reductions of the whole device.
constexpr std::int64_t few_entries = 256, long_lines = 1 << 16;
/// At most one in this many entries is left to be summed term by term; if there are more, more levels are
/// computed.
constexpr std::int64_t few_left = 256;

std::int64_t padded(std::int64_t size, std::int64_t step) { return (size + step - 1) / step * step; }

MatrixOperand part_of(const MatrixOperand& matrix, std::int64_t row, std::int64_t column, std::int64_t rows,
                      std::int64_t columns) {
  MatrixOperand part = matrix;
  part.data = matrix.at(row, column);
  part.rows = rows;
  part.columns = columns;
  return part;
}

/// Allocates parts of one block of memory; without memory (null) only computes its size.
class Layout {
 public:
  explicit Layout(std::byte* memory) : memory_(memory) {}
  template <class T>
  T* take(std::int64_t count) {
    constexpr std::int64_t alignment = 256;
    const std::int64_t offset = size_;
    size_ += padded(count * std::int64_t{sizeof(T)}, alignment);
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + offset);
  }
  std::int64_t size() const { return size_; }

 private:
  std::byte* memory_;
  std::int64_t size_ = 0;
};

class ExactProduct {
 public:
  ExactProduct(const MatrixProduct& product, const Plan& plan, Resources& resources, cudaStream_t stream)
      : whole_(product), plan_(plan), resources_(resources), stream_(stream), terms_(product.a.columns) {}

  void run() {
    const std::int64_t rows = whole_.c.rows, columns = whole_.c.columns;
    if (rows * columns <= few_entries && terms_ >= long_lines) return reduce_entries();
    if (terms_ == 0 || std::min(rows, columns) < few_lines) {
      add_up_entries(whole_, nullptr, rows * columns, stream_);
      return;
    }
    reserve(0, 0);
    find_scales();
    std::vector<LineScale> scales(static_cast<std::size_t>(rows + columns));
    copy(scales.data(), a_scales_, rows);
    copy(scales.data() + rows, b_scales_, columns);
    check(cudaStreamSynchronize(stream_), "a matrix product");
    for (std::int64_t row = 0; row < rows; row += tile_side)
      for (std::int64_t column = 0; column < columns; column += tile_side)
        make_tile(row, column, scales.data() + row, scales.data() + rows + column);
  }

 private:
  void reduce_entries() const {
    for (std::int64_t row = 0; row < whole_.c.rows; ++row)
      for (std::int64_t column = 0; column < whole_.c.columns; ++column) {
        Moments moments;
        const MatrixOperand &a = whole_.a, &b = whole_.b;
        reduce({.needs = {.products = true},
                .x = VectorView(a.at(row, 0), a.type, terms_, a.column_stride),
                .y = VectorView(b.at(0, column), b.type, terms_, b.row_stride),
                .two_vectors = true},
               plan_, stream_, moments);
        finish_on_host(row, column, moments.products);
      }
  }

  void finish_on_host(std::int64_t row, std::int64_t column, const ExactSum<ProductLimbs>& sum) const {
    const ElementType type = whole_.c.type;
    const auto bytes = static_cast<std::size_t>(size_of(type));
    const auto finish = [&]<class T>(T before) {
      if (whole_.beta != 0)
        check(cudaMemcpy(&before, whole_.c.at(row, column), bytes, cudaMemcpyDeviceToHost),
              "copying an entry");
      EntryScratch numbers;
      const double value = rounded_entry(sum, whole_.alpha, whole_.beta, static_cast<double>(before),
                                         format_of(type), numbers);
      const T entry = narrow_exactly<T>(value);
      check(cudaMemcpy(whole_.entry(row, column), &entry, bytes, cudaMemcpyHostToDevice), "copying an entry");
    };
    if (type == ElementType::float64)
      finish(0.0);
    else
      finish(0.0F);
  }

  void find_scales() const {
    cuda::find_scales(whole_.a, a_scales_, stream_);
    cuda::find_scales(whole_.b.transposed(), b_scales_, stream_);
  }

  void copy(LineScale* to, const LineScale* from, std::int64_t count) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof *to, cudaMemcpyDeviceToHost,
                          stream_),
          "copying from the device");
  }

  /// Allocates memory for `slices` slices of each factor and `levels` levels. Returns true if the previous
  /// content is kept.
  bool reserve(int slices, int levels) {
    tile_rows_ = padded(std::min(tile_side, whole_.c.rows), row_step);
    tile_columns_ = padded(std::min(tile_side, whole_.c.columns), column_step);
    chunk_ = std::min(padded(terms_, term_step), max_terms);
    if (levels > 0) chunk_ = std::min(chunk_, max_pair_terms / levels / term_step * term_step);
    const std::int64_t bytes = lay_out(nullptr, slices, levels);
    const bool is_new = resources_.make_product_memory(static_cast<std::size_t>(bytes));
    lay_out(resources_.product_memory, slices, levels);
    return !is_new;
  }

  /// Assigns all parts of a block of memory; returns its size.
  std::int64_t lay_out(std::byte* memory, int slices, int levels) {
    Layout layout(memory);
    a_scales_ = layout.take<LineScale>(whole_.c.rows);
    b_scales_ = layout.take<LineScale>(whole_.c.columns);
    const std::int64_t entries = std::min(tile_side, whole_.c.rows) * std::min(tile_side, whole_.c.columns);
    left_ = {layout.take<std::uint32_t>(entries), layout.take<std::uint32_t>(1)};
    a_ = {layout.take<std::int8_t>(slices * tile_rows_ * chunk_), slices, tile_rows_, chunk_};
    b_ = {layout.take<std::int8_t>(slices * tile_columns_ * chunk_), slices, tile_columns_, chunk_};
    const std::int64_t sums = levels * tile_rows_ * tile_columns_;
    sums_ = {layout.take<std::int32_t>(sums), tile_rows_, tile_columns_};
    totals_ = {layout.take<std::int64_t>(is_one_chunk() ? 0 : sums), tile_rows_, tile_columns_};
    return layout.size();
  }
  bool is_one_chunk() const { return terms_ <= chunk_; }

  /// Levels that determine most entries if all terms are of about the same size: for an entry as large as the
  /// product of the largest terms, the error is 2^-12 of its last bit.
  int first_levels() const {
    const int precision = format_of(whole_.c.type).precision;
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(terms_)));
    return (bits + precision + 17 + slice_bits - 1) / slice_bits;
  }

  void make_tile(std::int64_t row, std::int64_t column, const LineScale* a_scales,
                 const LineScale* b_scales) {
    const std::int64_t rows = std::min(tile_side, whole_.c.rows - row);
    const std::int64_t columns = std::min(tile_side, whole_.c.columns - column);
    MatrixProduct tile = whole_;
    tile.a = part_of(whole_.a, row, 0, rows, terms_);
    tile.b = part_of(whole_.b, 0, column, terms_, columns);
    tile.c = part_of(whole_.c, row, column, rows, columns);
    const FiniteLines of_a = finite_lines(a_scales, rows), of_b = finite_lines(b_scales, columns);
    const std::int64_t never = rows * columns - of_a.count * of_b.count;
    std::int64_t left = rows * columns;
    if (of_a.slices == 0 || of_b.slices == 0) return add_up_entries(tile, nullptr, left, stream_);

    const int all = of_a.slices + of_b.slices - 1;
    for (int levels = std::min(all, first_levels());; levels = std::min(all, levels + levels / 2)) {
      if (!reserve(std::min(levels, std::max(of_a.slices, of_b.slices)), levels)) find_scales();
      const Slicing slicing = {std::min(of_a.slices, levels), std::min(of_b.slices, levels), levels,
                               levels == all ? 0 : left_out_by(levels)};
      left = settle(tile, row, column, slicing);
      // With beta != 0 C is overwritten, so an entry cannot be computed twice.
      if (levels == all || levels + levels / 2 > max_levels || whole_.beta != 0) break;
      if ((left - never) * few_left <= rows * columns) break;
    }
    add_up_entries(tile, left_.entry, left, stream_);
  }

  /// The number of lines whose terms are all finite, and the most slices of any of them.
  struct FiniteLines {
    std::int64_t count = 0;
    int slices = 0;
  };
  static FiniteLines finite_lines(const LineScale* scales, std::int64_t count) {
    FiniteLines lines;
    for (std::int64_t i = 0; i < count; ++i) {
      if (scales[i].slices == not_finite) continue;
      ++lines.count;
      lines.slices = std::max(lines.slices, scales[i].slices);
    }
    return lines;
  }

  /// A bound of the levels from `levels` on, in units of the last leading level: level s is at most (s + 1)
  /// terms 2^14, and each level weighs 2^8 times less than the one before.
  Int128 left_out_by(int levels) const {
    const auto most = static_cast<Int128>(terms_) * (levels + 2) << 14;
    const int shift = slice_bits * (leading_levels - 1 - levels);
    return shift >= 0 ? most << shift : (most >> std::min(-shift, 127)) + 1;
  }

  struct Slicing {
    int a_slices, b_slices, levels;
    Int128 left_out;
  };

  /// Computes levels and rounds the entries that they determine. Returns the number of those left.
  std::int64_t settle(const MatrixProduct& tile, std::int64_t row, std::int64_t column,
                      const Slicing& slicing) {
    if (!is_one_chunk())
      check(cudaMemsetAsync(
                totals_.data, 0,
                sizeof *totals_.data * static_cast<std::size_t>(slicing.levels * tile_rows_ * tile_columns_),
                stream_),
            "clearing memory");
    const MatrixOperand rows_of_b = tile.b.transposed();
    for (std::int64_t k = 0; k < terms_; k += chunk_) {
      const std::int64_t count = std::min(chunk_, terms_ - k);
      Slices a = a_, b = b_;
      a.count = slicing.a_slices;
      b.count = slicing.b_slices;
      a.terms = b.terms = padded(count, term_step);
      cut_rows(part_of(tile.a, 0, k, tile.a.rows, count), a_scales_ + row, a, stream_);
      cut_rows(part_of(rows_of_b, 0, k, rows_of_b.rows, count), b_scales_ + column, b, stream_);
      multiply_slices(a, b, slicing.levels, sums_, stream_);
      if (!is_one_chunk()) add_sums(sums_, totals_, slicing.levels, stream_);
    }
    check(cudaMemsetAsync(left_.count, 0, sizeof *left_.count, stream_), "clearing memory");
    const auto round = [&](const auto& sums) {
      round_entries(tile, a_scales_ + row, b_scales_ + column, sums, slicing.levels, slicing.left_out, left_,
                    stream_);
    };
    if (is_one_chunk())
      round(sums_);
    else
      round(totals_);
    std::uint32_t left = 0;
    check(cudaMemcpyAsync(&left, left_.count, sizeof left, cudaMemcpyDeviceToHost, stream_),
          "copying from the device");
    check(cudaStreamSynchronize(stream_), "a matrix product");
    return left;
  }

  const MatrixProduct& whole_;
  const Plan& plan_;
  Resources& resources_;
  cudaStream_t stream_;
  std::int64_t terms_;
  std::int64_t tile_rows_ = 0, tile_columns_ = 0, chunk_ = 0;  // padded
  // In device memory.
  LineScale *a_scales_ = nullptr, *b_scales_ = nullptr;
  EntryList left_ = {};
  Slices a_ = {}, b_ = {};
  Levels<std::int32_t> sums_ = {};    // of a chunk of the terms
  Levels<std::int64_t> totals_ = {};  // over all chunks, if there are several
};

}  // namespace

void exact_product(const MatrixProduct& product, const Plan& plan, Resources& resources,
                   cudaStream_t stream) {
  ExactProduct(product, plan, resources, stream).run();
  check(cudaStreamSynchronize(stream), "a matrix product");
}

}  // namespace foldline::cuda
