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
  for (std::int64_t r = 0; r < rows; ++r, packed += pitch) {
    const std::byte* const source = block.at(row + r, column);
    if (size == sizeof(T) && step == size)
      std::memcpy(packed, source, static_cast<std::size_t>(count) * sizeof(T));
    else if (size == sizeof(T))
      CopyStrided(source, step, count, packed);
    else if constexpr (std::is_same_v<T, float>)
      block.type == ElementType::half
          ? Widen<half, hwy::float16_t>(source, step, static_cast<std::size_t>(count), packed)
          : Widen<bfloat16, hwy::bfloat16_t>(source, step, static_cast<std::size_t>(count), packed);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
