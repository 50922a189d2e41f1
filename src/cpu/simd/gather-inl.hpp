// From views to tiles: copies elements of any stride and type to contiguous vectors. Included once per
// instruction set, after cpu/simd/tiles-inl.hpp.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Copies elements start .. start + n of a view to `buffer` as contiguous T, followed by zeros up to a
/// multiple of group.
template <class T>
HWY_INLINE void Gather(const VectorView& view, std::int64_t start, std::size_t n, T* buffer) {
  const std::byte* source = view.at(start);
  const std::int64_t step = view.stride() * size_of(view.type());
  if (view.type() == element_type_of<T>) {
    if (view.stride() == 1)
      std::memcpy(buffer, source, n * sizeof(T));
    else
      for (std::size_t i = 0; i < n; ++i, source += step) std::memcpy(buffer + i, source, sizeof(T));
  } else if constexpr (sizeof(T) == sizeof(float)) {
    if (view.type() == ElementType::half)
      Widen<half, hwy::float16_t>(source, step, n, buffer);
    else
      Widen<bfloat16, hwy::bfloat16_t>(source, step, n, buffer);
  }
  for (; n % group != 0; ++n) buffer[n] = 0;
}

template <class T>
bool IsInPlace(const VectorView& view) {
  return view.stride() == 1 && view.type() == element_type_of<T>;
}

/// Elements start .. start + n as contiguous T, or the first of them, whose number it stores in n: whole
/// groups in place if the view is contiguous, else copied to `buffer` by Gather.
template <class T>
const T* GatherUnlessInPlace(const VectorView& view, std::int64_t start, std::size_t& n, T* buffer) {
  if (IsInPlace<T>(view) && n >= group) {
    n -= n % group;
    return reinterpret_cast<const T*>(view.at(start));
  }
  Gather(view, start, n, buffer);
  return buffer;
}

/// Copies n bytes; `stream` writes past the caches, since a cached write to a line that is not in a cache
/// reads it first. (memcpy takes a string instruction from 8 KiB on, at 5 GB/s.)
inline void CopyBytes(const void* source, std::size_t n, std::byte* target, bool stream) {
  const auto* from = static_cast<const std::uint8_t*>(source);
  auto* to = reinterpret_cast<std::uint8_t*>(target);
  const hn::ScalableTag<std::uint8_t> d;
  constexpr std::size_t width = hn::MaxLanes(d);
  std::size_t i = HWY_MIN(n, (width - reinterpret_cast<std::uintptr_t>(to) % width) % width);
  std::memcpy(to, from, i);
  if (stream)
    for (; i + width <= n; i += width) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  else
    for (; i + width <= n; i += width) hn::Store(hn::LoadU(d, from + i), d, to + i);
  std::memcpy(to + i, from + i, n - i);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
