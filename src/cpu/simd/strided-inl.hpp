// Elements with gaps between them: loaded to vectors, or copied together. Included once per instruction set.

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Elements `apart` elements apart: 1, or 2 of elements of 4 and 8 bytes. Of every second element, reads up
/// to the one before the next.
template <int apart, class Tag>
HWY_INLINE hn::Vec<Tag> LoadElements(Tag d, const hn::TFromD<Tag>* x) {
  static_assert(apart == 1 || apart == 2);
#if HWY_TARGET != HWY_SCALAR
  if constexpr (apart == 2) return hn::ConcatEven(d, hn::LoadU(d, x + hn::MaxLanes(d)), hn::LoadU(d, x));
#endif
  return hn::LoadU(d, x);
}

/// Copies elements, some bytes apart, to neighbours.
template <class T>
HWY_INLINE void CopyStrided(const std::byte* from, std::int64_t step, std::int64_t count, T* to) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  // In registers: elements that were stored one by one cannot be loaded as vectors at once.
  if constexpr (sizeof(T) >= 4) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    const hn::ScalableTag<Bits> d;
    constexpr std::int64_t width = hn::MaxLanes(d);
    [[maybe_unused]] const std::int64_t apart = step / std::int64_t{sizeof(T)};
    auto* const bits = reinterpret_cast<Bits*>(to);
    if (apart == 2)
      for (; i + width < count; i += width)
        hn::StoreU(LoadElements<2>(d, reinterpret_cast<const Bits*>(from + i * step)), d, bits + i);
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
    else if (std::abs(apart) < (std::int64_t{1} << 24)) {
      const auto index = hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<Bits>(apart)));
      for (; i + width <= count; i += width)
        hn::StoreU(hn::GatherIndex(d, reinterpret_cast<const Bits*>(from + i * step), index), d, bits + i);
    }
#endif
  } else if (step == 2 * sizeof(T)) {
    // The lower halves of words twice as wide.
    using Word = std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint16_t>;
    using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>;
    // A tile has 32 columns, so no more than half of these at a time.
    const hn::CappedTag<Word, 16> wide;
    const hn::Rebind<Bits, decltype(wide)> narrow;
    constexpr std::int64_t width = hn::MaxLanes(wide);
    for (; i + width < count; i += width)
      hn::StoreU(hn::TruncateTo(narrow, hn::LoadU(wide, reinterpret_cast<const Word*>(from + i * step))),
                 narrow, reinterpret_cast<Bits*>(to) + i);
    if (i > 0) {
      // The last ones with what lies before each of them: nothing after them is read.
      i = count - width;
      const auto words = hn::LoadU(wide, reinterpret_cast<const Word*>(from + i * step - sizeof(T)));
      hn::StoreU(hn::TruncateTo(narrow, hn::ShiftRight<8 * sizeof(T)>(words)), narrow,
                 reinterpret_cast<Bits*>(to) + i);
      return;
    }
  }
#endif
  for (from += i * step; i < count; ++i, from += step) std::memcpy(to + i, from, sizeof(T));
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
