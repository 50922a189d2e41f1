// Stores results, a lane each, as elements of their type. Included once per instruction set, after
// columns-inl.hpp.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

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
#if HWY_TARGET != HWY_SCALAR
  const hn::Rebind<std::uint16_t, F> d16;
  if (all && block.out_type == ElementType::bfloat16) {
    const auto bits = hn::BitCast(hn::RebindToUnsigned<F>(), ToFloats(results));
    return hn::StoreU(hn::TruncateTo(d16, hn::ShiftRight<16>(bits)), d16,
                      reinterpret_cast<std::uint16_t*>(out));
  }
  if constexpr (converts_halves)
    if (all && block.out_type == ElementType::half)
      return hn::StoreU(hn::BitCast(d16, hn::DemoteTo(hn::Rebind<hwy::float16_t, F>(), ToFloats(results))),
                        d16, reinterpret_cast<std::uint16_t*>(out));
#endif
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

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
