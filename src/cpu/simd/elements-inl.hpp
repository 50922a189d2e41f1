// Conversion of elements in memory. Included once per instruction set.

#include "cpu/simd/lanes-inl.hpp"
#include "cpu/simd/negative_zeros.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Copies n elements of a 16-bit type, `step` bytes apart, as floats.
template <class Element, class HighwayElement>
HWY_INLINE void Widen(const std::byte* source, std::int64_t step, std::size_t n, float* buffer) {
  std::size_t i = 0;
  if (converts_halves && step == sizeof(Element)) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<HighwayElement, decltype(d)> narrow;
    const hn::Rebind<std::uint16_t, decltype(d)> bits;
    constexpr std::size_t width = hn::MaxLanes(d);
    for (; i + width <= n; i += width, source += width * sizeof(Element)) {
      const auto elements = hn::LoadU(bits, reinterpret_cast<const std::uint16_t*>(source));
      hn::StoreU(hn::PromoteTo(d, hn::BitCast(narrow, elements)), d, buffer + i);
    }
  }
  for (; i < n; ++i, source += step) {
    Element value;
    std::memcpy(&value, source, sizeof value);
    buffer[i] = static_cast<float>(value);
  }
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
