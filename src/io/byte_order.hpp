// Reversing the bytes of elements in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace foldline::io {

namespace detail {
inline std::uint16_t reversed(std::uint16_t value) { return __builtin_bswap16(value); }
inline std::uint32_t reversed(std::uint32_t value) { return __builtin_bswap32(value); }
inline std::uint64_t reversed(std::uint64_t value) { return __builtin_bswap64(value); }

template <class Word>
void reverse_words(std::span<std::byte> bytes) {
  for (std::size_t i = 0; i + sizeof(Word) <= bytes.size(); i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + i, sizeof(Word));  // the buffer need not be aligned
    word = reversed(word);
    std::memcpy(bytes.data() + i, &word, sizeof(Word));
  }
}
}  // namespace detail

/// Reverses the bytes of each element; element_size is 1, 2, 4 or 8.
inline void reverse_byte_order(std::span<std::byte> elements, std::int64_t element_size) {
  switch (element_size) {
    case 1:
      return;
    case 2:
      return detail::reverse_words<std::uint16_t>(elements);
    case 4:
      return detail::reverse_words<std::uint32_t>(elements);
    default:
      return detail::reverse_words<std::uint64_t>(elements);
  }
}

}  // namespace foldline::io
