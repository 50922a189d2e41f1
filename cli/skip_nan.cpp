#include "skip_nan.hpp"

#include <algorithm>
#include <cstring>

namespace foldline::cli {
namespace {

/// Marks each NaN: its magnitude, as an integer, is above that of infinity.
template <class Word>
void mark(const VectorView& x, Word infinity, std::vector<char>& is_nan) {
  constexpr Word magnitude = static_cast<Word>(~Word{0}) >> 1;
  for (std::size_t i = 0; i < is_nan.size(); ++i) {
    Word word;
    std::memcpy(&word, x.at(static_cast<std::int64_t>(i)), sizeof(Word));
    is_nan[i] |= static_cast<char>((word & magnitude) > infinity);
  }
}

void mark(const VectorView& x, std::vector<char>& is_nan) {
  switch (x.type()) {
    case ElementType::half:
      return mark<std::uint16_t>(x, 0x7c00, is_nan);
    case ElementType::bfloat16:
      return mark<std::uint16_t>(x, 0x7f80, is_nan);
    case ElementType::float32:
      return mark<std::uint32_t>(x, 0x7f800000, is_nan);
    case ElementType::float64:
      return mark<std::uint64_t>(x, 0x7ff0000000000000, is_nan);
    default:
      return;  // integers have no NaN
  }
}

}  // namespace

std::int64_t NanFilter::apply(Block& block, bool pairs) {
  std::int64_t gone = 0;
  kept_.resize(block.vectors.size());
  for (std::size_t v = 0; v < block.vectors.size(); ++v) {
    const bool first = v == 0 || !pairs;  // the second vector of pairs loses the same elements
    if (first) {
      is_nan_.assign(static_cast<std::size_t>(block.vectors[v].size()), 0);
      mark(block.vectors[v], is_nan_);
      if (pairs) mark(block.vectors[1], is_nan_);
    }
    const std::int64_t count = std::ranges::count(is_nan_, char{1});
    if (first) gone += count;
    if (count != 0) take_out(block, v, count);
  }
  return gone;
}

void NanFilter::take_out(Block& block, std::size_t v, std::int64_t count) {
  VectorView& x = block.vectors[v];
  const auto element = static_cast<std::size_t>(size_of(x.type()));
  const bool has_keys = v < block.keys.size() && !block.keys[v].empty();
  Vector& kept = kept_[v];
  kept.bytes.resize((is_nan_.size() - static_cast<std::size_t>(count)) * element);
  kept.keys.clear();
  std::byte* to = kept.bytes.data();
  for (std::size_t i = 0; i < is_nan_.size(); ++i) {
    if (is_nan_[i] != 0) continue;
    std::memcpy(to, x.at(static_cast<std::int64_t>(i)), element);
    to += element;
    if (has_keys) kept.keys.push_back(block.keys[v][i]);
  }
  x = VectorView(kept.bytes.data(), x.type(), x.size() - count);
  if (has_keys) block.keys[v] = kept.keys;
}

}  // namespace foldline::cli
