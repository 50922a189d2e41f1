// Results of few terms, a lane for each: of neighbouring columns, or of rows whose lanes are added up at the
// end. Included once per instruction set.

#include "cpu/columns/columns-inl.hpp"
//
#include "cpu/columns/direct_sums-inl.hpp"
//
#include "cpu/columns/direct_results-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

template <class T>
constexpr Keeps kept_for = sizeof(T) == 8 || (std::is_integral_v<T> && sizeof(T) == 4) ? Keeps::errors
                           : std::is_integral_v<T>                                     ? Keeps::nothing
                                                                                       : Keeps::range;

/// Stores `count` results, values of `type`.
template <class T>
HWY_INLINE void StoreAs(const double* results, std::size_t count, std::byte* out, std::int64_t stride) {
  for (std::size_t i = 0; i < count; ++i, out += stride * std::int64_t{sizeof(T)}) {
    T result;
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
      result = T(static_cast<float>(results[i]));
    else
      result = static_cast<T>(results[i]);
    std::memcpy(out, &result, sizeof result);
  }
}
HWY_INLINE void StoreResults(V results, const cpu::DirectBlock& block, std::int64_t first,
                             std::size_t count) {
  std::byte* const out = block.out + first * block.out_stride * size_of(block.out_type);
  const bool all = count == lanes && block.out_stride == 1 && lanes > 1;
  if (all && block.out_type == ElementType::float64)
    return hn::StoreU(results, D(), reinterpret_cast<double*>(out));
  if (all && block.out_type == ElementType::float32)
    return hn::StoreU(ToFloats(results), F(), reinterpret_cast<float*>(out));
  double value[lanes];
  hn::StoreU(results, D(), value);
  switch (block.out_type) {
    case ElementType::float64:
      return StoreAs<double>(value, count, out, block.out_stride);
    case ElementType::float32:
      return StoreAs<float>(value, count, out, block.out_stride);
    case ElementType::half:
      return StoreAs<half>(value, count, out, block.out_stride);
    case ElementType::bfloat16:
      return StoreAs<bfloat16>(value, count, out, block.out_stride);
    default:
      return StoreAs<std::int64_t>(value, count, out, block.out_stride);
  }
}

/// Rows' sums, in lanes, to the sums of as many rows, a lane for each. Row k comes to lane order[k] of
/// ReduceRows, which is its own inverse.
#if HWY_TARGET == HWY_SCALAR
template <class Sums>
void Merge(Sums (&)[lanes]) {}
#else
template <class Sums>
HWY_NOINLINE void Merge(Sums (&row)[lanes]) {
  const auto neighbours = [](V p, V q, V& x, V& y) FOLDLINE_LAMBDA {
    x = hn::InterleaveLower(D(), p, q);
    y = hn::InterleaveUpper(D(), p, q);
  };
  const auto halves = [](auto p, auto q, V& x, V& y) FOLDLINE_LAMBDA {
    x = hn::ConcatLowerLower(D(), q, p);
    y = hn::ConcatUpperUpper(D(), q, p);
  };
  const auto blocks = [](auto p, auto q, V& x, V& y) FOLDLINE_LAMBDA {
    x = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(q), p);
    y = hn::OddEvenBlocks(q, hn::SwapAdjacentBlocks(p));
  };
  static_assert(lanes == 2 || lanes == 4 || lanes == 8);
  for (std::size_t k = 0; k < lanes / 2; ++k) row[k] = Sums::Merged(row[2 * k], row[2 * k + 1], neighbours);
  if constexpr (lanes > 2)
    for (std::size_t k = 0; k < lanes / 4; ++k) row[k] = Sums::Merged(row[2 * k], row[2 * k + 1], halves);
  if constexpr (lanes > 4) row[0] = Sums::Merged(row[0], row[1], blocks);
}
#endif

/// Copies elements, some bytes apart, to neighbours.
template <class T>
HWY_INLINE void CopyStrided(const std::byte* from, std::int64_t step, std::int64_t count, T* to) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) >= 4) {
    // Every second element: of two vectors, the last of whose elements has to be there.
    const hn::ScalableTag<T> d;
    constexpr std::int64_t width = hn::MaxLanes(d);
    if (step == 2 * std::int64_t{sizeof(T)})
      for (; i + width < count; i += width) {
        const T* const x = reinterpret_cast<const T*>(from) + 2 * i;
        hn::StoreU(hn::ConcatEven(d, hn::LoadU(d, x + width), hn::LoadU(d, x)), d, to + i);
      }
  }
#endif
  for (from += i * step; i < count; ++i, from += step) std::memcpy(to + i, from, sizeof(T));
}

/// Copies elements of `rows` rows from `row` on and `count` columns as T, `pitch` from row to row.
template <class T>
HWY_NOINLINE void PackRows(const cpu::Columns& block, std::int64_t row, std::int64_t rows,
                           std::int64_t column, std::int64_t count, T* packed, std::int64_t pitch) {
  const std::int64_t size = size_of(block.type);
  const std::int64_t step = block.column_stride * size;
  if (size != sizeof(T) || step == size) {
    for (std::int64_t r = 0; r < rows; ++r, packed += pitch) {
      const std::byte* const source = block.at(row + r, column);
      if (size == sizeof(T))
        std::memcpy(packed, source, static_cast<std::size_t>(count) * sizeof(T));
      else if constexpr (std::is_same_v<T, float>)
        block.type == ElementType::half
            ? Widen<half, hwy::float16_t>(source, step, static_cast<std::size_t>(count), packed)
            : Widen<bfloat16, hwy::bfloat16_t>(source, step, static_cast<std::size_t>(count), packed);
    }
    return;
  }
  if (block.column_stride == 2) {
    for (std::int64_t r = 0; r < rows; ++r)
      CopyStrided(block.at(row + r, column), step, count, packed + r * pitch);
    return;
  }
  const bool by_columns = std::abs(block.row_stride) < std::abs(block.column_stride);
  for (std::int64_t i = 0; i < (by_columns ? count : rows); ++i) {
    const std::byte* source = by_columns ? block.at(row, column + i) : block.at(row + i, column);
    const std::int64_t along = by_columns ? block.row_stride * size : step;
    T* to = by_columns ? packed + i : packed + i * pitch;
    for (std::int64_t k = 0; k < (by_columns ? rows : count);
         ++k, source += along, to += by_columns ? pitch : 1)
      std::memcpy(to, source, sizeof(T));
  }
}

/// Reduces a block: T is the type in memory or, of 16-bit floats, float.
template <class T, class Sums>
class DirectReducer {
 public:
  DirectReducer(const cpu::DirectBlock& block, std::uint8_t* uncertain)
      : block_(block),
        uncertain_(uncertain),
        constants_(block.x.rows),
        wanted_(block.operation, block.x.rows, block.ddof) {}

  /// Returns how many results are not certain.
  std::int64_t Reduce() {
    if (cpu::is_along_rows(block_.x))
      ReduceRows();
    else
      ReduceColumns();
    return left_;
  }

 private:
  HWY_INLINE void Put(const Sums& sums, std::int64_t first, std::size_t count) {
    V result;
    LaneMask certain;
    Finish(sums, constants_, wanted_, block_.out_type, result, certain);
    if (HWY_LIKELY(hn::AllTrue(D(), certain) && block_.out_stride == 1 && count == lanes &&
                   block_.out_type == ElementType::float64))
      return hn::StoreU(result, D(), reinterpret_cast<double*>(block_.out) + first);
    if (hn::AllTrue(D(), certain) && block_.out_stride == 1 && count == lanes && lanes > 1 &&
        block_.out_type == ElementType::float32)
      return hn::StoreU(ToFloats(result), F(), reinterpret_cast<float*>(block_.out) + first);
    PutSome(result, certain, first, count);
  }
  HWY_NOINLINE void PutSome(V result, LaneMask certain, std::int64_t first, std::size_t count) {
    StoreResults(result, block_, first, count);
    if (hn::AllTrue(D(), certain)) return;
    std::int64_t is_certain[lanes];
    hn::StoreU(hn::VecFromMask(DI(), hn::RebindMask(DI(), certain)), DI(), is_certain);
    for (std::size_t i = 0; i < count; ++i) {
      uncertain_[first + static_cast<std::int64_t>(i)] = is_certain[i] == 0;
      left_ += is_certain[i] == 0 ? 1 : 0;
    }
  }

  static HWY_INLINE auto Load(const T* x) {
    if constexpr (std::is_same_v<T, float>) {
      return hn::LoadU(F(), x);
    } else {
      return LoadDoubles(x);
    }
  }

  /// Some columns at a time, whose sums stay in the nearest cache, a few rows at a time.
  void ReduceColumns() {
    const bool in_place = block_.x.column_stride == 1 && size_of(block_.x.type) == sizeof(T);
    // What is turned around is read column by column: those of a chunk stay in a cache.
    const bool is_turned = std::abs(block_.x.row_stride) < std::abs(block_.x.column_stride);
    const std::int64_t most = is_turned ? most_chunk / 4 : most_chunk;
    for (std::int64_t first = 0; first < block_.x.columns; first += most) {
      const Chunk chunk = {first, HWY_MIN(most, block_.x.columns - first)};
      const std::int64_t whole = in_place ? chunk.count / step * step : 0;  // columns of whole vectors
      for (std::int64_t row = 0; row < block_.x.rows; row += rows_at_a_time) {
        const std::int64_t rows = HWY_MIN(std::int64_t{rows_at_a_time}, block_.x.rows - row);
        if (whole != 0)
          AddRows(reinterpret_cast<const T*>(block_.x.at(row, first)), block_.x.row_stride, row, rows, chunk,
                  0, whole);
        if (whole == chunk.count) continue;
        PackRows(block_.x, row, rows, first + whole, chunk.count - whole, buffer_, most_chunk);
        AddRows(buffer_, most_chunk, row, rows, chunk, whole, chunk.count);
      }
    }
  }
  struct Chunk {
    std::int64_t first, count;
  };
  /// What comes after rows of a chunk: the next ones or, after the last ones, the next chunk. Any address
  /// will do.
  const T* Next(std::int64_t row, Chunk chunk) const {
    const std::int64_t next = row + rows_at_a_time;
    return reinterpret_cast<const T*>(next < block_.x.rows ? block_.x.at(next, chunk.first)
                                                           : block_.x.at(0, chunk.first + chunk.count));
  }
  /// Adds rows of the chunk's columns [from, to); x is that of column `from` in row `row`. Stores results
  /// after the last row.
  HWY_NOINLINE void AddRows(const T* x, std::int64_t pitch, std::int64_t row, std::int64_t rows, Chunk chunk,
                            std::int64_t from, std::int64_t to) {
    // Memory does not see by itself what will be wanted next.
    const bool fetches = block_.x.from_memory && x != buffer_;
    const T* ahead = Next(row, chunk);
    const bool are_last = row + rows == block_.x.rows;
    const V one = hn::Set(D(), one_);
    for (std::int64_t i = from; i < to; i += step, x += step, ahead += step) {
      if (fetches && i * std::int64_t{sizeof(T)} % std::int64_t{cpu::cache_line} == 0)
        for (std::int64_t k = 0; k < rows; ++k) __builtin_prefetch(ahead + k * pitch, 0, 2);
      Sums sums;
      const T* at = x;
      std::int64_t left = rows;
      if (row == 0) {
        sums.Start(Load(at));
        at += pitch;
        --left;
      } else {
        sums = sums_[i / step];
      }
      if (left == rows_at_a_time) {
        Repeat<rows_at_a_time>([&](auto k) FOLDLINE_LAMBDA { sums.Add(Load(at + k * pitch), one); });
        left = 0;
      }
      for (; left > 0; --left, at += pitch) {
        sums.Add(Load(at), one);
      }
      if (!are_last) {
        sums_[i / step] = sums;
        continue;
      }
      // Of what has no address the compiler keeps all in registers.
      const Sums finished = sums;
      Put(finished, chunk.first + i, static_cast<std::size_t>(HWY_MIN(step, to - i)));
    }
  }

  void ReduceRows() {
    for (std::int64_t i = 0; i < block_.x.columns; i += std::int64_t{lanes}) {
      const auto count = static_cast<std::size_t>(HWY_MIN(block_.x.columns - i, std::int64_t{lanes}));
      Sums row[lanes];
      // The order in which Merge leaves rows in lanes. Rows that are not there are another one.
      constexpr std::size_t order[8] = {0, 1, 4, 5, 2, 3, 6, 7};
      for (std::size_t k = 0; k < lanes; ++k)
        AddRow(i + static_cast<std::int64_t>(HWY_MIN(k, count - 1)), row[lanes == 8 ? order[k] : k]);
      Merge(row);
      Put(row[0], i, count);
    }
  }

  HWY_NOINLINE void AddRow(std::int64_t index, Sums& result) {
    const auto n = static_cast<std::size_t>(block_.x.rows);
    const T* x = reinterpret_cast<const T*>(block_.x.at(0, index));
    if (block_.x.row_stride != 1 || size_of(block_.x.type) != sizeof(T)) {
      // Its terms as the columns of one row.
      cpu::Columns row = block_.x;
      row.data = block_.x.at(0, index);
      row.column_stride = block_.x.row_stride;
      PackRows(row, 0, 1, 0, block_.x.rows, buffer_, 0);
      x = buffer_;
    }
    if (block_.x.from_memory && n * sizeof(T) <= 2048) {
      // Short rows mostly follow each other; long ones the hardware fetches itself.
      const std::byte* const ahead = block_.x.at(0, index) + 2048;
      for (std::size_t at = 0; at < n * sizeof(T); at += cpu::cache_line)
        __builtin_prefetch(ahead + at, 0, 3);
    }
    const V one = hn::Set(D(), one_);
    Sums sums;
    sums.Start(Load(x));
    std::size_t i = lanes;
    for (; i + lanes <= n; i += lanes) sums.Add(Load(x + i), one);
    if (i < n) {
      // The last whole vector, with -0, which changes no sum, for what was added already.
      using Tag = std::conditional_t<std::is_same_v<T, float>, F, D>;
      sums.Add(hn::IfThenElse(hn::FirstN(Tag(), lanes - (n - i)), hn::Set(Tag(), -0.0F), Load(x + n - lanes)),
               one);
    }
    result = sums;
  }

  std::int64_t left_ = 0;
  const double one_ = cpu::one_in_memory;
  const cpu::DirectBlock& block_;
  std::uint8_t* const uncertain_;
  const DirectConstants constants_;
  const DirectResult wanted_;
  static constexpr std::int64_t most_chunk = 512, step = lanes;
  static constexpr int rows_at_a_time = 8;
  static_assert(most_chunk * rows_at_a_time >= cpu::most_direct_terms);
  Sums sums_[most_chunk / step];
  T buffer_[most_chunk * rows_at_a_time];  // elements in another order or type
};

template <class T, Keeps keeps>
std::int64_t ReduceBlockKeeping(const cpu::DirectBlock& block, std::uint8_t* uncertain) {
  const Needs& needs = needs_of(block.operation);
  if (needs.values && needs.squares)
    return DirectReducer<T, DirectSums<keeps, true, true>>(block, uncertain).Reduce();
  if (needs.squares) return DirectReducer<T, DirectSums<keeps, false, true>>(block, uncertain).Reduce();
  return DirectReducer<T, DirectSums<keeps, true, false>>(block, uncertain).Reduce();
}
template <class T>
std::int64_t ReduceBlockDirectly(const cpu::DirectBlock& block, std::uint8_t* uncertain) {
  if constexpr (std::is_same_v<T, float>)
    // A double needs as many digits as sums of doubles have.
    if (block.out_type == ElementType::float64)
      return ReduceBlockKeeping<float, Keeps::errors>(block, uncertain);
  return ReduceBlockKeeping<T, kept_for<T>>(block, uncertain);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
