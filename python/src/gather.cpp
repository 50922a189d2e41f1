#include "gather.hpp"

#include <cstring>

namespace foldline::python {

namespace {

template <class Word>
Word load(const std::byte* at, bool is_swapped) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (sizeof word == 2) return is_swapped ? __builtin_bswap16(word) : word;
  if constexpr (sizeof word == 4) return is_swapped ? __builtin_bswap32(word) : word;
  if constexpr (sizeof word == 8) return is_swapped ? __builtin_bswap64(word) : word;
  return word;
}

/// Calls f with an unsigned integer of an element's size.
template <class F>
auto with_word(ElementType type, F f) {
  switch (size_of(type)) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

/// Copies those for which counts(word, i); a distance that is known makes the loop twice as fast.
template <class Word, class Counts>
std::int64_t compact(const Run& run, std::int64_t count, std::byte* out, const Counts& counts) {
  const auto all = [&](std::int64_t stride, bool is_swapped) {
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const Word element = load<Word>(run.data + i * stride, is_swapped);
      std::memcpy(out + n * static_cast<std::int64_t>(sizeof element), &element, sizeof element);
      n += counts(element, i) ? 1 : 0;  // the next one overwrites it if not
    }
    return n;
  };
  constexpr auto size = static_cast<std::int64_t>(sizeof(Word));
  return run.stride == size && !run.is_swapped ? all(size, false) : all(run.stride, run.is_swapped);
}

/// Whether the bits of an element are those of no NaN.
template <class Word>
auto is_number_of(ElementType type, bool without_nan) {
  constexpr Word magnitude = static_cast<Word>(static_cast<Word>(~Word{}) >> 1);
  const auto infinity = static_cast<Word>(without_nan ? infinity_of(type) : magnitude);
  return [=](Word element) { return static_cast<Word>(element & magnitude) <= infinity; };
}

}  // namespace

std::uint64_t infinity_of(ElementType type) {
  switch (type) {
    case ElementType::half:
      return 0x7c00;
    case ElementType::bfloat16:
      return 0x7f80;
    case ElementType::float32:
      return 0x7f80'0000;
    default:
      return 0x7ff0'0000'0000'0000;
  }
}

void gather(const Run& run, std::int64_t count, std::byte* out) {
  if (run.stride == size_of(run.type) && !run.is_swapped) {
    std::memcpy(out, run.data, static_cast<std::size_t>(count * size_of(run.type)));
    return;
  }
  with_word(run.type, [&](auto word) {
    return compact<decltype(word)>(run, count, out, [](auto, std::int64_t) { return true; });
  });
}

std::int64_t gather(const Run& run, std::int64_t count, const Chosen& chosen, std::byte* out) {
  return with_word(run.type, [&](auto word) {
    using Word = decltype(word);
    const bool without_nan = chosen.without_nan && is_floating(run.type);
    const auto is_number = is_number_of<Word>(run.type, without_nan);
    const auto is_in_mask = [&](std::int64_t i) {
      return chosen.mask[i * chosen.mask_stride] != std::byte{};
    };
    if (chosen.mask == nullptr)
      return compact<Word>(run, count, out, [=](Word element, std::int64_t) { return is_number(element); });
    if (!without_nan && chosen.mask_stride == 1)
      return compact<Word>(run, count, out,
                           [mask = chosen.mask](Word, std::int64_t i) { return mask[i] != std::byte{}; });
    if (!without_nan)
      return compact<Word>(run, count, out, [&](Word, std::int64_t i) { return is_in_mask(i); });
    return compact<Word>(run, count, out,
                         [&](Word element, std::int64_t i) { return is_in_mask(i) && is_number(element); });
  });
}

void mark(const Run& run, std::int64_t count, const Chosen& chosen, std::byte* marks) {
  with_word(run.type, [&](auto word) {
    using Word = decltype(word);
    const auto is_number = is_number_of<Word>(run.type, chosen.without_nan && is_floating(run.type));
    // By value: a byte that is written may be a part of anything.
    const auto all = [=, data = run.data](std::int64_t stride, auto takes) {
      for (std::int64_t i = 0; i < count; ++i) {
        const bool is = is_number(load<Word>(data + i * stride, false)) & takes(i);
        marks[i] = static_cast<std::byte>(is);
      }
    };
    constexpr auto size = static_cast<std::int64_t>(sizeof(Word));
    if (chosen.mask != nullptr)
      all(run.stride, [=](std::int64_t i) { return chosen.mask[i * chosen.mask_stride] != std::byte{}; });
    else if (run.stride == size)
      all(size, [](std::int64_t) { return true; });
    else
      all(run.stride, [](std::int64_t) { return true; });
  });
}

}  // namespace foldline::python
