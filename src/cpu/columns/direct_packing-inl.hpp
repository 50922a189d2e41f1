// Elements as vectors, or copied together for that. Included once per instruction set, after columns-inl.hpp.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// As many elements as a vector of doubles has, as they are added: floats and long integers as they are,
/// others as doubles. See LoadElements.
template <int apart, class T>
HWY_INLINE auto LoadApart(const T* x) {
  if constexpr (std::is_same_v<T, float>) {
    return LoadElements<apart>(F(), x);
  } else if constexpr (std::is_same_v<T, double>) {
    return LoadElements<apart>(D(), x);
  } else if constexpr (sizeof(T) == 8) {
    return LoadElements<apart>(DI(), reinterpret_cast<const std::int64_t*>(x));
  } else if constexpr (apart == 2) {
    const hn::Rebind<T, D> d;
    T element[lanes];
    hn::StoreU(LoadElements<2>(d, x), d, element);
    return LoadDoubles(element);
  } else {
    return LoadDoubles(x);
  }
}
/// The last `rest` lanes of x, and what changes no sum in the others.
HWY_INLINE VI LastOf(VI /*first*/, VI x, std::size_t rest) {
  return hn::IfThenZeroElse(hn::FirstN(DI(), lanes - rest), x);
}
template <class Vector>
HWY_INLINE Vector LastOf(Vector /*first*/, Vector x, std::size_t rest) {
  using Tag = std::conditional_t<std::is_same_v<Vector, V>, D, F>;
  return hn::IfThenElse(hn::FirstN(Tag(), lanes - rest), hn::Set(Tag(), -0.0F), x);
}

/// Copies n neighbouring elements of 16 bits as floats.
HWY_INLINE void WidenNeighbours(ElementType type, const void* from, std::int64_t n, float* to) {
  const auto* const bytes = static_cast<const std::byte*>(from);
  type == ElementType::half ? Widen<half, hwy::float16_t>(bytes, 2, static_cast<std::size_t>(n), to)
                            : Widen<bfloat16, hwy::bfloat16_t>(bytes, 2, static_cast<std::size_t>(n), to);
}
/// The same of elements `step` bytes apart, which are brought together first.
HWY_INLINE void WidenElements(ElementType type, const std::byte* from, std::int64_t step, std::int64_t n,
                              float* to) {
  if (step == 2) return WidenNeighbours(type, from, n, to);
  constexpr std::int64_t at_a_time = 256;
  std::uint16_t words[at_a_time];
  for (std::int64_t i = 0; i < n; i += at_a_time) {
    const std::int64_t count = HWY_MIN(at_a_time, n - i);
    CopyStrided(from + i * step, step, count, words);
    WidenNeighbours(type, words, count, to + i);
  }
}

/// Columns of 16 bits that are no farther apart than this are widened together with what lies between them.
constexpr std::int64_t near_columns = 16;
/// PackRows for these, if the elements of a column are neighbours.
template <class T>
HWY_NOINLINE void PackNearColumns(const cpu::Columns& block, std::int64_t row, std::int64_t rows,
                                  std::int64_t column, std::int64_t count, T* packed, std::int64_t pitch) {
  constexpr std::int64_t at_a_time = 64;
  T widened[at_a_time * near_columns];
  const std::int64_t step = block.column_stride;
  for (std::int64_t i = 0; i < count; i += at_a_time) {
    const std::int64_t n = HWY_MIN(at_a_time, count - i);
    WidenNeighbours(block.type, block.at(row, column + i), (n - 1) * step + rows, widened);
    for (std::int64_t r = 0; r < rows; ++r)
      CopyStrided(reinterpret_cast<const std::byte*>(widened + r), step * std::int64_t{sizeof(T)}, n,
                  packed + r * pitch + i);
  }
}

/// Copies elements of `rows` rows from `row` on and `count` columns as T, `pitch` from row to row, and zeros
/// up to a whole vector.
template <class T>
HWY_NOINLINE void PackRows(const cpu::Columns& block, std::int64_t row, std::int64_t rows,
                           std::int64_t column, std::int64_t count, T* packed, std::int64_t pitch) {
  const std::int64_t size = size_of(block.type);
  const std::int64_t step = block.column_stride * size;
  for (std::int64_t i = count; i % std::int64_t{lanes} != 0; ++i)
    for (std::int64_t r = 0; r < rows; ++r) packed[r * pitch + i] = 0;
  const bool by_columns = rows > 1 && std::abs(block.row_stride) < std::abs(block.column_stride);
  if (size == sizeof(T) && step != size && by_columns) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::byte* source = block.at(row, column + i);
      for (std::int64_t r = 0; r < rows; ++r, source += block.row_stride * size)
        std::memcpy(packed + r * pitch + i, source, sizeof(T));
    }
    return;
  }
  if constexpr (std::is_same_v<T, float>)
    if (size == 2 && block.row_stride == 1 && block.column_stride > 1 && block.column_stride <= near_columns)
      return PackNearColumns(block, row, rows, column, count, packed, pitch);
  for (std::int64_t r = 0; r < rows; ++r, packed += pitch) {
    const std::byte* const source = block.at(row + r, column);
    if (size == sizeof(T) && step == size)
      std::memcpy(packed, source, static_cast<std::size_t>(count) * sizeof(T));
    else if (size == sizeof(T))
      CopyStrided(source, step, count, packed);
    else if constexpr (std::is_same_v<T, float>)
      WidenElements(block.type, source, step, count, packed);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
