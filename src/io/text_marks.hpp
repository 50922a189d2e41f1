// Bit masks of the bytes that end fields and lines: 64 bytes at a time takes a tenth of the time of a loop
// over bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace foldline::io {

/// The positions of certain bytes in a text.
class TextMarks {
 public:
  TextMarks(const char* first, const std::uint64_t* words) : first_(first), words_(words) {}

  /// The first such byte at or after `at`, which is in the text or at its end.
  const char* next(const char* at) const {
    const auto place = static_cast<std::size_t>(at - first_);
    std::size_t word = place / 64;
    const std::uint64_t here = words_[word] >> (place % 64);
    if (here != 0) return at + std::countr_zero(here);
    while (words_[++word] == 0) {
    }
    return first_ + 64 * word + std::countr_zero(words_[word]);
  }

 private:
  const char* first_;
  const std::uint64_t* words_;  ///< a bit for each byte
};

/// Marks the bytes `wanted`, which may repeat, in a text that ends with one of them. The marks are stored in
/// `memory`.
TextMarks find_marks(std::string_view text, const std::array<char, 4>& wanted,
                     std::vector<std::uint64_t>& memory);

/// How often a text has a byte.
std::int64_t count_byte(std::string_view text, char wanted);

}  // namespace foldline::io
