// Gathers integers of any type and stride, like cpu/simd/gather-inl.hpp. Included once per instruction set,
// after cpu/simd/tiles-inl.hpp.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

template <class T>
HWY_INLINE void GatherIntegersAs(const VectorView& view, std::int64_t start, std::size_t n,
                                 std::uint64_t* buffer) {
  const std::byte* source = view.at(start);
  const std::int64_t step = view.stride() * static_cast<std::int64_t>(sizeof(T));
  const auto gather = [=](auto distance) FOLDLINE_LAMBDA {
    for (std::size_t i = 0; i < n; ++i) {
      T element;
      std::memcpy(&element, source + static_cast<std::int64_t>(i) * distance, sizeof element);
      buffer[i] = static_cast<std::uint64_t>(element);
    }
  };
  if (step == sizeof(T))
    gather(std::integral_constant<std::int64_t, sizeof(T)>());  // the compiler vectorises this
  else
    gather(step);
}

/// Copies elements start .. start + n of a view of integers, extended to 64 bits.
inline void GatherIntegers(const VectorView& view, std::int64_t start, std::size_t n, std::uint64_t* buffer) {
  detail::visit_integer(view.type(), [&]<class T>(std::type_identity<T>) {
    GatherIntegersAs<cpu::Stored<T>>(view, start, n, buffer);
    if constexpr (std::is_same_v<T, bool>)
      for (std::size_t i = 0; i < n; ++i) buffer[i] = buffer[i] != 0 ? 1 : 0;
  });
}

/// Converts integers to doubles, followed by zeros up to a multiple of group; false if one of them is beyond
/// 2^53.
inline bool ToDoubles(const std::uint64_t* x, std::size_t n, bool is_signed, double* doubles) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 53;
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t above_lowest = x[i] + (is_signed ? limit : 0);
    beyond |= above_lowest > (is_signed ? 2 * limit : limit) ? 1 : 0;
    doubles[i] = static_cast<double>(static_cast<std::int64_t>(x[i]));
  }
  for (; n % group != 0; ++n) doubles[n] = 0;
  return beyond == 0;
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
