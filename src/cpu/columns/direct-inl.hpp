// Results of few terms, a lane for each: of neighbouring columns, or of rows whose lanes are added up at the
// end. Included once per instruction set.

#include "cpu/columns/columns-inl.hpp"
//
#include "cpu/columns/direct_sums-inl.hpp"
//
#include "cpu/columns/plain_sums-inl.hpp"
//
#include "cpu/columns/direct_results-inl.hpp"
//
#include "cpu/columns/direct_stores-inl.hpp"
//
#include "cpu/columns/direct_packing-inl.hpp"
//
#include "cpu/columns/long_squares-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

template <class T>
constexpr Keeps kept_for = sizeof(T) == 8 || (std::is_integral_v<T> && sizeof(T) == 4) ? Keeps::errors
                           : std::is_integral_v<T>                                     ? Keeps::nothing
                                                                                       : Keeps::range;

/// Reduces a block: T is the type in memory or, of 16-bit floats, float.
template <class T, class Sums>
class DirectReducer {
  using Total = typename Sums::Total;
  /// Sums that differ from their totals are of columns only, and have others to fall back on.
  static constexpr bool has_others = !std::is_same_v<Total, Sums>;
  static constexpr bool has_batches = Sums::batch < std::numeric_limits<std::int64_t>::max();

 public:
  DirectReducer(const cpu::DirectBlock& block, std::uint8_t* uncertain)
      : block_(block),
        uncertain_(uncertain),
        constants_(block.x.rows, has_others || !cpu::is_along_rows(block.x)),
        wanted_(block.operation, block.x.rows, block.ddof) {}

  /// Returns how many results are not certain.
  std::int64_t Reduce() {
    if constexpr (has_others)
      ReduceColumns();
    else
      cpu::is_along_rows(block_.x) ? ReduceRows() : ReduceColumns();
    // Whoever looks at the processor's flags finds what most arithmetic leaves.
    if constexpr (Sums::notes_inexact) [[maybe_unused]]
      const volatile double third = one_ / 3;
    return left_;
  }

 private:
  HWY_INLINE void Put(V result, LaneMask certain, std::int64_t first, std::size_t count) {
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
    Note(certain, first, count);
  }
  void Note(LaneMask certain, std::int64_t first, std::size_t count) {
    if (hn::AllTrue(D(), certain)) return;
    std::int64_t is_certain[lanes];
    hn::StoreU(hn::VecFromMask(DI(), hn::RebindMask(DI(), certain)), DI(), is_certain);
    for (std::size_t i = 0; i < count; ++i) {
      uncertain_[first + static_cast<std::int64_t>(i)] = is_certain[i] == 0;
      left_ += is_certain[i] == 0 ? 1 : 0;
    }
  }
  HWY_INLINE void Finish(const Total& sums, std::int64_t first, std::size_t count) {
    if constexpr (std::is_same_v<Sums, LongSums<T>>)
      if (!is_floating(block_.out_type)) {
        std::int64_t sum[lanes];
        hn::StoreU(sums.sum, DI(), sum);
        std::byte* out = block_.out + first * block_.out_stride * std::int64_t{sizeof(T)};
        for (std::size_t i = 0; i < count; ++i, out += block_.out_stride * std::int64_t{sizeof(T)})
          std::memcpy(out, sum + i, sizeof(T));
        return Note(sums.Fit(is_signed(block_.out_type)), first, count);
      }
    V result;
    LaneMask certain;
    RoundSums(sums, constants_, wanted_, block_.out_type, result, certain);
    Put(result, certain, first, count);
  }

  /// Some columns at a time, whose sums stay in the nearest cache, a few rows at a time.
  void ReduceColumns() {
    const cpu::Columns& x = block_.x;
    const bool is_second = x.column_stride == 2 && sizeof(T) >= 4;
    const bool in_place = size_of(x.type) == sizeof(T) && (x.column_stride == 1 || is_second);
    // What is turned around is read column by column: those of a chunk stay in a cache.
    const bool is_turned = std::abs(x.row_stride) < std::abs(x.column_stride);
    const std::int64_t most = is_turned ? most_chunk / 4 : most_chunk;
    const std::int64_t chunks = (x.columns - 1) / most + 1;
    const std::int64_t width = ((x.columns - 1) / chunks / step + 1) * step;
    for (std::int64_t first = 0; first < x.columns; first += width) {
      const std::int64_t count = HWY_MIN(width, x.columns - first);
      Chunk chunk = {first, count, (count - 1) / step + 1, 0};
      // Vectors end with the last column but where something lies after it.
      if (in_place) chunk.in_place = is_second ? (count - 1) / step : count < step ? 0 : chunk.vectors;
      const std::int64_t left = left_;
      if (is_second)
        ReduceChunk<2>(chunk);
      else
        ReduceChunk<1>(chunk);
      if constexpr (has_others) {
        // Few are done one by one; many, as of columns that begin with small numbers, seldom come alone.
        if (left_ - left <= count / 64) continue;
        left_ = left + ReduceRest(first);
        return;
      }
    }
  }
  struct Chunk {
    std::int64_t first, count, vectors, in_place;
    /// The first column of a vector: the last one in place ends with the last column.
    std::int64_t ColumnOf(std::int64_t vector) const {
      return in_place == vectors ? HWY_MIN(vector * step, count - step) : vector * step;
    }
  };
  template <int apart>
  HWY_INLINE void ReduceChunk(const Chunk& chunk) {
    const std::int64_t n = block_.x.rows;
    if constexpr (Sums::notes_inexact) {
      cpu::inexact_was_noted();
      constants_.are_exact = true;
    }
    for (std::int64_t begin = 0; begin < n; begin += HWY_MIN(Sums::batch, n - begin)) {
      const std::int64_t end = begin + HWY_MIN(Sums::batch, n - begin);
      for (std::int64_t row = begin; row < end; row += rows_at_a_time) {
        const Rows rows = {row, HWY_MIN(std::int64_t{rows_at_a_time}, end - row), row == begin,
                           row + rows_at_a_time >= end};
        AddRows<apart>(rows, chunk);
      }
      if constexpr (has_batches)
        if (end - begin < n)
          for (std::int64_t v = 0; v < chunk.vectors; ++v) {
            if (begin == 0)
              totals_[v] = Total(sums_[v]);
            else
              totals_[v].Fold(sums_[v]);
          }
      if constexpr (Sums::notes_inexact)
        if (cpu::inexact_was_noted()) constants_.are_exact = false;
    }
    if constexpr (has_batches)
      for (std::int64_t v = 0; v < chunk.vectors; ++v)
        FinishVector(n > Sums::batch ? totals_[v] : Total(sums_[v]), chunk, v);
  }
  HWY_INLINE void FinishVector(const Total& sums, const Chunk& chunk, std::int64_t vector) {
    const std::int64_t column = chunk.ColumnOf(vector);
    Finish(sums, chunk.first + column, static_cast<std::size_t>(HWY_MIN(step, chunk.count - column)));
  }
  /// Columns from `first` on by sums that hold more.
  HWY_NOINLINE std::int64_t ReduceRest(std::int64_t first) {
    cpu::DirectBlock rest = block_;
    rest.x.data = block_.x.at(0, first);
    rest.x.columns -= first;
    rest.out += first * block_.out_stride * size_of(block_.out_type);
    std::memset(uncertain_ + first, 0, static_cast<std::size_t>(rest.x.columns));
    return DirectReducer<T, DirectSums<Keeps::errors, true, false>>(rest, uncertain_ + first).Reduce();
  }

  struct Rows {
    std::int64_t first, count;
    bool are_first, are_last;  // of a batch
  };
  template <int apart>
  HWY_INLINE void AddRows(const Rows& rows, const Chunk& chunk) {
    const cpu::Columns& x = block_.x;
    if (chunk.in_place != 0)
      AddVectors<apart>(reinterpret_cast<const T*>(x.at(rows.first, chunk.first)), x.row_stride, rows, chunk,
                        0, chunk.in_place);
    if (chunk.in_place == chunk.vectors) return;
    const std::int64_t from = chunk.in_place * step;
    PackRows(x, rows.first, rows.count, chunk.first + from, chunk.count - from, buffer_ + from, most_chunk);
    AddVectors<1>(buffer_, most_chunk, rows, chunk, chunk.in_place, chunk.vectors);
  }
  /// What comes after rows of a chunk: the next ones or, after the last ones, the next chunk. Any address
  /// will do.
  const T* Next(const Rows& rows, const Chunk& chunk) const {
    const std::int64_t next = rows.first + rows_at_a_time;
    return reinterpret_cast<const T*>(next < block_.x.rows ? block_.x.at(next, chunk.first)
                                                           : block_.x.at(0, chunk.first + chunk.count));
  }
  /// Adds rows of the vectors [from, to); x is the first column of the chunk.
  template <int apart>
  HWY_NOINLINE void AddVectors(const T* x, std::int64_t pitch, const Rows& rows, const Chunk& chunk,
                               std::int64_t from, std::int64_t to) {
    // Memory does not see by itself what will be wanted next.
    const bool fetches = block_.x.from_memory && x != buffer_;
    const T* const ahead = Next(rows, chunk);
    const V one = hn::Set(D(), one_);
    V scale = hn::Zero(D());
    constexpr std::int64_t bytes = step * apart * std::int64_t{sizeof(T)};
    for (std::int64_t v = from; v < to; ++v) {
      const std::int64_t column = chunk.ColumnOf(v) * apart;
      if (fetches && v * bytes % std::int64_t{cpu::cache_line} == 0)
        for (std::int64_t k = 0; k < rows.count; ++k)
          for (std::int64_t byte = 0; byte < bytes; byte += std::int64_t{cpu::cache_line})
            __builtin_prefetch(reinterpret_cast<const std::byte*>(ahead + column + k * pitch) + byte, 0, 2);
      Sums sums;
      const T* at = x + column;
      const auto load = [&](std::int64_t k) FOLDLINE_LAMBDA { return LoadApart<apart>(at + k * pitch); };
      std::int64_t done = 0;
      if (rows.are_first) {
        sums.Start(rows.count, load, scale);
        done = 1;
      } else {
        sums = sums_[v];
      }
      if (rows.count - done == rows_at_a_time) {
        Repeat<rows_at_a_time>([&](auto k) FOLDLINE_LAMBDA { sums.Add(load(k), one); });
        done = rows_at_a_time;
      }
      for (; done < rows.count; ++done) sums.Add(load(done), one);
      if constexpr (has_batches) {
        sums_[v] = sums;
      } else if (rows.are_last) {
        // Of what has no address the compiler keeps all in registers.
        const Sums finished = sums;
        FinishVector(finished, chunk, v);
      } else {
        sums_[v] = sums;
      }
    }
  }

  /// Some rows at a time, whose sums are in lanes.
  void ReduceRows() {
    for (std::int64_t first = 0; first < block_.x.columns; first += most_chunk) {
      const std::int64_t end = HWY_MIN(block_.x.columns, first + most_chunk);
      if constexpr (Sums::notes_inexact) cpu::inexact_was_noted();
      for (std::int64_t i = first; i < end; i += step) {
        Sums row[lanes];
        // The order in which Merge leaves rows in lanes. Rows that are not there are another one.
        constexpr std::size_t order[8] = {0, 1, 4, 5, 2, 3, 6, 7};
        for (std::size_t k = 0; k < lanes; ++k)
          AddRow(HWY_MIN(i + static_cast<std::int64_t>(k), end - 1), row[lanes == 8 ? order[k] : k]);
        Merge(row);
        sums_[(i - first) / step] = row[0];
      }
      if constexpr (Sums::notes_inexact) constants_.are_exact = !cpu::inexact_was_noted();
      for (std::int64_t i = first; i < end; i += step)
        Finish(sums_[(i - first) / step], i, static_cast<std::size_t>(HWY_MIN(step, end - i)));
    }
  }

  HWY_NOINLINE void AddRow(std::int64_t index, Sums& result) {
    const std::int64_t n = block_.x.rows;
    const T* const x = reinterpret_cast<const T*>(block_.x.at(0, index));
    const std::int64_t apart = size_of(block_.x.type) == sizeof(T) ? block_.x.row_stride : 0;
    Sums sums;
    if (apart == 1) {
      AddTerms<1>(x, n, true, sums);
    } else if (apart == 2 && sizeof(T) >= 4) {
      AddTerms<2>(x, n, true, sums);
    } else {
      constexpr std::int64_t most = most_chunk * rows_at_a_time;
      // Its terms as the columns of one row.
      cpu::Columns row = block_.x;
      row.data = block_.x.at(0, index);
      row.column_stride = block_.x.row_stride;
      for (std::int64_t at = 0; at < n; at += most) {
        const std::int64_t count = HWY_MIN(most, n - at);
        PackRows(row, 0, 1, at, count, buffer_, 0);
        AddTerms<1>(buffer_, count, at == 0, sums);
      }
    }
    result = sums;
  }
  /// Adds n terms to sums, or starts with them, at least `lanes`.
  template <int apart>
  HWY_INLINE void AddTerms(const T* x, std::int64_t n, bool starts, Sums& sums) {
    const V one = hn::Set(D(), one_);
    const auto load = [&](std::int64_t i) FOLDLINE_LAMBDA { return LoadApart<apart>(x + i * step * apart); };
    std::int64_t i = 0;
    if (starts) {
      V scale = hn::Zero(D());
      sums.Start(1, load, scale);
      i = 1;
    }
    // Of every second element, the last one's neighbour may not be there.
    const std::int64_t whole = (n - (apart - 1)) / step;
    if (block_.x.from_memory && x != buffer_) {
      // Rows mostly follow each other, so that what is fetched after the end of one is wanted, too.
      constexpr std::size_t elements = lanes * apart;
      for (; i < whole; ++i) {
        cpu::fetch_ahead(x + i * step * apart, elements, cpu::numbers_ahead);
        sums.Add(load(i), one);
      }
    } else {
      for (; i < whole; ++i) sums.Add(load(i), one);
    }
    if (i * step == n) return;
    const std::int64_t rest = n - i * step;
    if (apart == 1 && n >= step) {
      // The last whole vector, with nothing in place of what was added already.
      sums.Add(LastOf(load(0), LoadApart<1>(x + n - step), static_cast<std::size_t>(rest)), one);
      return;
    }
    T last[lanes];
    const auto* at = reinterpret_cast<const std::byte*>(x + i * step * apart);  // it need not be aligned
    for (std::int64_t k = 0; k < step; ++k, at += apart * sizeof(T)) {
      last[k] = static_cast<T>(-0.0F);
      if (k < rest) std::memcpy(last + k, at, sizeof(T));
    }
    sums.Add(LoadApart<1>(last), one);
  }

  std::int64_t left_ = 0;
  const double one_ = cpu::one_in_memory;
  const cpu::DirectBlock& block_;
  std::uint8_t* const uncertain_;
  DirectConstants constants_;
  const DirectResult wanted_;
  static constexpr std::int64_t most_chunk = 512, step = lanes;
  static constexpr int rows_at_a_time = 8;
  Sums sums_[most_chunk / step];
  Total totals_[has_batches ? most_chunk / step : 1];  // of more than one batch
  T buffer_[most_chunk * rows_at_a_time];              // elements in another order or type
};

template <class T, Keeps keeps>
std::int64_t ReduceBlockKeeping(const cpu::DirectBlock& block, std::uint8_t* uncertain) {
  const Needs& needs = needs_of(block.operation);
  if (needs.values && needs.squares)
    return DirectReducer<T, DirectSums<keeps, true, true>>(block, uncertain).Reduce();
  if (needs.squares) return DirectReducer<T, DirectSums<keeps, false, true>>(block, uncertain).Reduce();
  if constexpr (keeps == Keeps::range) {
    return DirectReducer<T, FloatSums>(block, uncertain).Reduce();
  } else if constexpr (std::is_integral_v<T>) {
    return DirectReducer<T, DirectSums<Keeps::nothing, true, false>>(block, uncertain).Reduce();
  } else {
    // Of few terms many sums are halfway between two doubles, which only sums that are known to be exact
    // tell.
    constexpr std::int64_t many = AnchoredSums::notes_inexact ? 64 : 512;
    if constexpr (std::is_same_v<T, double>)
      if (block.x.rows >= many && !cpu::is_along_rows(block.x))
        return DirectReducer<T, AnchoredSums>(block, uncertain).Reduce();
    return DirectReducer<T, DirectSums<keeps, true, false>>(block, uncertain).Reduce();
  }
}
template <class T>
std::int64_t ReduceBlockDirectly(const cpu::DirectBlock& block, std::uint8_t* uncertain) {
  if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
    const Needs& needs = needs_of(block.operation);
    if (!needs.squares) return DirectReducer<T, LongSums<T>>(block, uncertain).Reduce();
    const auto reduce = [&]<bool values>() {
      const std::int64_t left = DirectReducer<T, LongSquares<T, values>>(block, uncertain).Reduce();
      // The kernels of whole vectors are faster for more.
      constexpr std::int64_t most_rows = 256;
      if (left == 0 || block.x.rows > most_rows || !cpu::are_done_alone(block.x, left)) return left;
      return LongSquaresAlone<T, values>(block, uncertain).Reduce();
    };
    return needs.values ? reduce.template operator()<true>() : reduce.template operator()<false>();
  } else {
    if constexpr (std::is_same_v<T, float>)
      // A double needs as many digits as sums of doubles have.
      if (block.out_type == ElementType::float64)
        return ReduceBlockKeeping<float, Keeps::errors>(block, uncertain);
    return ReduceBlockKeeping<T, kept_for<T>>(block, uncertain);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
