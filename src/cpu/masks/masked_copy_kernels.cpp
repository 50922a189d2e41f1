// Masked copies, by plain loops of fixed length, which compilers vectorise; compiled once per instruction
// set.
#include <cstring>
#include <type_traits>

#include "cpu/masks/masked_copy.hpp"
#include "cpu/simd/highway_targets.hpp"

#define HWY_TARGET_INCLUDE "cpu/masks/masked_copy_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

constexpr std::int64_t step_of_loop = 64;

template <class Word>
HWY_INLINE Word Select(const std::byte* x, std::byte mask, Word fill) {
  Word word;
  std::memcpy(&word, x, sizeof word);
  const auto taken = static_cast<Word>(-static_cast<std::make_signed_t<Word>>(mask != std::byte{0} ? 1 : 0));
  return static_cast<Word>(fill ^ ((word ^ fill) & taken));
}

template <class Word>
HWY_INLINE std::int64_t CopyWords(const cpu::MaskedRow& row, std::int64_t count, std::uint64_t wide_fill,
                                  std::byte* to) {
  constexpr std::int64_t size = sizeof(Word);
  const auto fill = static_cast<Word>(wide_fill);
  std::int64_t taken = 0, i = 0;
  if (row.step == size && row.mask_step == 1) {
    for (; i + step_of_loop <= count; i += step_of_loop) {
      Word words[step_of_loop];
      const std::byte* const x = row.x + i * size;
      const std::byte* const mask = row.mask + i;
      std::uint8_t few = 0;
      for (std::int64_t k = 0; k < step_of_loop; ++k) {
        words[k] = Select<Word>(x + k * size, mask[k], fill);
        few = static_cast<std::uint8_t>(few + (mask[k] != std::byte{0} ? 1 : 0));
      }
      std::memcpy(to + i * size, words, sizeof words);
      taken += few;
    }
  }
  const std::byte* x = row.x + i * row.step;
  const std::byte* mask = row.mask + i * row.mask_step;
  for (; i < count; ++i, x += row.step, mask += row.mask_step) {
    const Word word = Select<Word>(x, *mask, fill);
    std::memcpy(to + i * size, &word, sizeof word);
    taken += *mask != std::byte{0} ? 1 : 0;
  }
  return taken;
}

std::int64_t CopyTaken(const cpu::MaskedRow& row, std::int64_t count, std::int64_t size, std::uint64_t fill,
                       std::byte* to) {
  switch (size) {
    case 1:
      return CopyWords<std::uint8_t>(row, count, fill, to);
    case 2:
      return CopyWords<std::uint16_t>(row, count, fill, to);
    case 4:
      return CopyWords<std::uint32_t>(row, count, fill, to);
    default:
      return CopyWords<std::uint64_t>(row, count, fill, to);
  }
}

void CountTaken(const cpu::MaskedRow& row, std::int64_t count, std::int64_t* counts) {
  std::int64_t i = 0;
  if (row.mask_step == 1)
    for (; i + step_of_loop <= count; i += step_of_loop)
      for (std::int64_t k = 0; k < step_of_loop; ++k)
        counts[i + k] += row.mask[i + k] != std::byte{0} ? 1 : 0;
  for (; i < count; ++i) counts[i] += row.mask[i * row.mask_step] != std::byte{0} ? 1 : 0;
}

constexpr cpu::MaskedCopy masked_copies = {CopyTaken, CountTaken};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline {

const cpu::MaskedCopy& cpu::masked_copy_for(Target target) {
  static constexpr simd::Compiled<MaskedCopy> compiled[] = {FOLDLINE_FOR_EACH_TARGET(masked_copies)};
  return simd::kernels_for(target, compiled);
}

}  // namespace foldline
#endif
