// Compiled once per instruction set, by Highway.
#include "io/text_marks.hpp"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#endif
#define HWY_TARGET_INCLUDE "io/text_marks.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace foldline::io::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// One bit per byte of 64: whether it is wanted.
std::uint64_t MarksOf64(const char* bytes, const std::array<char, 4>& wanted) {
#if HWY_TARGET == HWY_SCALAR
  std::uint64_t result = 0;
  for (std::size_t i = 64; i-- > 0;) {
    const char c = bytes[i];
    const bool is_wanted = c == wanted[0] || c == wanted[1] || c == wanted[2] || c == wanted[3];
    result = result << 1 | static_cast<std::uint64_t>(is_wanted);
  }
  return result;
#else
  const hn::CappedTag<std::uint8_t, 32> d;
  const auto byte = [&](std::size_t i) { return hn::Set(d, static_cast<std::uint8_t>(wanted[i])); };
  std::array<std::uint8_t, 8> bits = {};
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(bytes) + i);
    const auto is_wanted = hn::Or(hn::Or(hn::Eq(x, byte(0)), hn::Eq(x, byte(1))),
                                  hn::Or(hn::Eq(x, byte(2)), hn::Eq(x, byte(3))));
    hn::StoreMaskBits(d, is_wanted, bits.data() + i / 8);
  }
  std::uint64_t result = 0;  // in the order of bytes that all of these targets have
  std::memcpy(&result, bits.data(), 8);
  return result;
#endif
}

void MarkBytes(const char* text, std::size_t size, const std::array<char, 4>& wanted, std::uint64_t* words) {
  const std::size_t whole = size / 64 * 64;
  for (std::size_t at = 0; at < whole; at += 64) *words++ = MarksOf64(text + at, wanted);
  if (whole == size) return;
  std::array<char, 64> rest = {};  // bytes after the text give no marks
  std::copy(text + whole, text + size, rest.data());
  *words = MarksOf64(rest.data(), wanted);
}

std::int64_t CountByte(const char* text, std::size_t size, char wanted) {
  const std::size_t whole = size / 64 * 64;
  std::int64_t count = 0;
  for (std::size_t at = 0; at < whole; at += 64)
    count += std::popcount(MarksOf64(text + at, {wanted, wanted, wanted, wanted}));
  return count + std::count(text + whole, text + size, wanted);
}

}  // namespace foldline::io::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/targets.hpp"

namespace foldline::io {

TextMarks find_marks(std::string_view text, const std::array<char, 4>& wanted,
                     std::vector<std::uint64_t>& memory) {
  using Kernel = void (*)(const char*, std::size_t, const std::array<char, 4>&, std::uint64_t*);
  static constexpr simd::Compiled<Kernel> compiled[] = {FOLDLINE_FOR_EACH_TARGET(MarkBytes)};
  static const Kernel mark_bytes = simd::best_kernels(compiled);
  memory.resize(text.size() / 64 + 1);
  mark_bytes(text.data(), text.size(), wanted, memory.data());
  return {text.data(), memory.data()};
}

std::int64_t count_byte(std::string_view text, char wanted) {
  using Kernel = std::int64_t (*)(const char*, std::size_t, char);
  static constexpr simd::Compiled<Kernel> compiled[] = {FOLDLINE_FOR_EACH_TARGET(CountByte)};
  static const Kernel count = simd::best_kernels(compiled);
  return count(text.data(), text.size(), wanted);
}

}  // namespace foldline::io
#endif
