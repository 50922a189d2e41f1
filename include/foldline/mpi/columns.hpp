/// @file
/// Column sums of a matrix whose rows are spread over ranks: each rank has some of the rows, in any layout.
///
/// Method: each rank's exact sum of a column is a few floating-point numbers that add up to it without
/// rounding: the rounded sum, what that left over, and so on. These numbers, not the elements, travel: slice
/// r of all columns to rank r, which adds them up and rounds once; then all results go to all ranks.
///
/// Time: one pass over the elements, and a few over the results. Bytes: for k numbers a column (one to four
/// unless its elements span hundreds of binades) each rank sends and receives (k + 1) (P - 1) / P times the
/// results' bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "foldline/array_view.hpp"
#include "foldline/axes.hpp"
#include "foldline/column_accumulator.hpp"
#include "foldline/detail/visit_type.hpp"
#include "foldline/mpi/arrays.hpp"
#include "foldline/mpi/detail/message.hpp"
#include "foldline/mpi/reductions.hpp"

namespace foldline::mpi {

namespace detail {

/// The exact sums of a rank's columns, as numbers of one type that add up to them.
class ColumnParts {
 public:
  ColumnParts(const MatrixView& rows, const Context& context)
      : columns_(rows.columns()),
        type_(widened(rows.type())),
        sums_(Operation::sum, type_, rows.columns(), context),
        is_special_(static_cast<std::size_t>(rows.columns())) {
    add(rows);
    split();
  }
  [[nodiscard]] ElementType type() const { return type_; }
  /// Numbers of each column.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(parts_.size()); }
  /// Number i of column j; -0, which changes no sum, where there is none.
  [[nodiscard]] double part(std::int64_t i, std::int64_t j) const {
    return i < count() ? parts_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] : -0.0;
  }
  /// For each column 1 if numbers of the type cannot hold its sum: it overflows, or has NaN or infinities.
  [[nodiscard]] std::vector<std::uint8_t>& is_special() { return is_special_; }

 private:
  /// The type that the elements are added as: it has each of them, and all sums in its range are sums of some
  /// of its values.
  static ElementType widened(ElementType type) {
    return is_floating(type) && type != ElementType::float64 ? ElementType::float32 : ElementType::float64;
  }

  void add(const MatrixView& rows) {
    if (rows.type() == type_) return sums_.add(rows);
    // Blocks that fit a cache are converted.
    const std::int64_t most = std::max<std::int64_t>(32768 / std::max<std::int64_t>(columns_, 1), 1);
    std::vector<double> block;
    std::vector<float> narrow;
    for (std::int64_t first = 0; first < rows.rows(); first += most) {
      const std::int64_t count = std::min(most, rows.rows() - first);
      block.assign(static_cast<std::size_t>(count * columns_), 0);
      for (const bool high : {false, true}) {
        if (high && size_of(rows.type()) < 8) continue;
        convert(rows, first, count, high, block);
        add_block(block, narrow);
      }
    }
  }

  /// Elements as doubles; a 64-bit integer as two, of its low and of its high 32 bits.
  void convert(const MatrixView& rows, std::int64_t first, std::int64_t count, bool high,
               std::vector<double>& block) const {
    const ArrayView& array = rows.array();
    foldline::detail::visit_type(array.type(), [&]<class T>(std::type_identity<T>) {
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t j = 0; j < columns_; ++j) {
          const std::byte* const at = array.at((first + i) * array.strides()[0] + j * array.strides()[1]);
          double& value = block[static_cast<std::size_t>(i * columns_ + j)];
          if constexpr (std::is_same_v<T, bool>) {
            value = *at != std::byte{0} ? 1 : 0;
          } else {
            T element;
            std::memcpy(&element, at, sizeof element);
            if constexpr (FloatingElement<T>)
              value = static_cast<double>(static_cast<float>(element));
            else if constexpr (sizeof(T) == 8)
              value = high ? static_cast<double>(element >> 32) * 0x1p32
                           : static_cast<double>(static_cast<std::uint32_t>(element));
            else
              value = static_cast<double>(element);
          }
        }
    });
  }

  void add_block(const std::vector<double>& block, std::vector<float>& narrow) {
    const std::int64_t rows = static_cast<std::int64_t>(block.size()) / std::max<std::int64_t>(columns_, 1);
    if (type_ == ElementType::float64) return sums_.add(MatrixView(block.data(), rows, columns_));
    narrow.assign(block.begin(), block.end());  // values of narrower types
    sums_.add(MatrixView(narrow.data(), rows, columns_));
  }

  /// Takes the rounded sums off until nothing is left.
  void split() {
    if (columns_ == 0 || sums_.rows() == 0) return;
    const bool is_float = type_ == ElementType::float32;
    const auto n = static_cast<std::size_t>(columns_);
    std::vector<double> rest(n), minus(n);
    std::vector<float> narrow;
    for (;;) {
      if (is_float) {
        narrow.resize(n);
        sums_.round(narrow);
        std::copy(narrow.begin(), narrow.end(), rest.begin());
      } else {
        sums_.round(rest);
      }
      bool any = false;
      for (std::size_t j = 0; j < n; ++j) {
        if (!std::isfinite(rest[j])) {
          is_special_[j] = 1;
          rest[j] = -0.0;
        }
        // The first part keeps the sign of a zero; a zero that is left over is none.
        if (!parts_.empty() && rest[j] == 0) rest[j] = -0.0;
        if (is_special_[j] != 0) rest[j] = -0.0;
        minus[j] = rest[j] == 0 ? -0.0 : -rest[j];
        any = any || rest[j] != 0;
      }
      if (!parts_.empty() && !any) return;
      parts_.push_back(rest);
      if (!any) return;
      add_block(minus, narrow);
    }
  }

  std::int64_t columns_;
  ElementType type_;
  ColumnAccumulator sums_;
  std::vector<std::vector<double>> parts_;
  std::vector<std::uint8_t> is_special_;
};

}  // namespace detail

/// The sum of each column of all ranks' rows together, rounded once to out's type, on every rank. `out` has
/// one axis, of as many elements as the matrix has columns; a rank without rows gives a matrix of 0 rows.
/// Results of an integer type are exact.
///
/// Throws on every rank: InvalidArgument if shapes do not fit, or columns or types differ among ranks;
/// OverflowError if an integer result does not fit (`out` is then written in part).
inline void column_sums(const MatrixView& rows, const MutableArrayView& out, MPI_Comm comm,
                        const Context& context = {}) {
  using namespace detail;
  const Place place(comm);
  const MessageHandles handles;
  Call call(Function::column_sums, Operation::sum, context);
  call.x_type = call.y_type = static_cast<std::int64_t>(rows.type());
  call.result_type = static_cast<std::int64_t>(out.type());
  call.size = rows.columns();
  const std::int64_t columns = rows.columns();
  std::optional<ColumnParts> parts;
  const std::int64_t all_rows =
      agree(comm, place, call, handles, [&](Message& message) {
        if (out.axes() != 1 || out.size() != columns)
          throw InvalidArgument("column_sums: the sums of " + std::to_string(columns) +
                                " columns do not fit out");
        parts.emplace(rows, context);
        message.count = rows.rows();
      }).count;
  if (all_rows == 0) {  // a sum of nothing is 0, all bits of which are
    for (std::int64_t j = 0; j < columns; ++j)
      std::memset(out.at(j * out.strides()[0]), 0, static_cast<std::size_t>(size_of(out.type())));
    return;
  }
  std::int64_t k = std::max<std::int64_t>(parts->count(), 1);
  check(MPI_Allreduce(MPI_IN_PLACE, &k, 1, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
  const int slice = static_cast<int>(
      std::max<std::int64_t>(elements_of_slice(ElementType::float64, columns, place.ranks) / k, 1));
  const std::int64_t chunk = std::int64_t{slice} * place.ranks;
  std::optional<SliceReduction> reduction;
  std::vector<double> send;
  std::vector<std::byte> results;
  agree(comm, place, call, handles, [&](Message&) {
    send.resize(static_cast<std::size_t>(chunk * k));
    results.resize(static_cast<std::size_t>(chunk * size_of(out.type())));
    reduction.emplace(comm, place, Operation::sum, ElementType::float64, out.type(), slice * k, context);
  });
  for (std::int64_t first = 0; first < columns; first += chunk) {
    // For each rank k rows of its slice; the last one may be longer than what is left.
    auto at = send.begin();
    for (std::int64_t begin = first; begin < first + chunk; begin += slice)
      for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = begin; j < begin + slice; ++j) *at++ = j < columns ? parts->part(i, j) : 0.0;
    reduction->exchange(send.data(), static_cast<int>(slice * k));
    reduction->reduce(
        {results.data() + place.rank * std::int64_t{slice} * size_of(out.type()), out.type(), slice}, k);
    reduction->gather(results.data(), slice);
    const std::int64_t size = std::min(chunk, columns - first);
    copy({results.data(), out.type(), size},
         {out.at(first * out.strides()[0]), out.type(), size, out.strides()[0]});
  }
  std::exception_ptr failure = reduction->failure();
  // Columns that overflow or have special values, one by one.
  std::vector<std::uint8_t>& special = parts->is_special();
  for (std::int64_t first = 0; first < columns; first += chunk)
    check(MPI_Allreduce(MPI_IN_PLACE, special.data() + first,
                        static_cast<int>(std::min(chunk, columns - first)), MPI_UINT8_T, MPI_MAX, comm),
          "MPI_Allreduce");
  const ArrayView& array = rows.array();
  for (std::int64_t j = 0; j < columns; ++j) {
    if (special[static_cast<std::size_t>(j)] == 0) continue;
    const VectorView column(array.size() == 0 ? nullptr : array.at(j * array.strides()[1]), array.type(),
                            array.size() == 0 ? 0 : rows.rows(), array.strides()[0]);
    try {
      gathered(Operation::sum, column, out.type(), comm, {}, context)
          .rounded(Operation::sum, out.type(), {}, context.overflow)
          .visit([&](auto value) { std::memcpy(out.at(j * out.strides()[0]), &value, sizeof value); });
    } catch (const Error&) {
      throw;
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  agree_at_end(comm, place, call, handles, failure);
}

/// The same as a vector.
template <Element R = double>
[[nodiscard]] std::vector<R> column_sums(const MatrixView& rows, MPI_Comm comm, const Context& context = {}) {
  static_assert(!std::same_as<R, bool>, "std::vector<bool> has no elements in memory");
  std::vector<R> sums(static_cast<std::size_t>(rows.columns()));
  column_sums(rows, MutableArrayView(sums), comm, context);
  return sums;
}

}  // namespace foldline::mpi
