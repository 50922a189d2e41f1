#include "pair_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace foldline::cli {

PairSource::PairSource(std::unique_ptr<Source> x, std::unique_ptr<Source> y)
    : halves_{Half{std::move(x)}, Half{std::move(y)}} {}

/// Reads the next block if `rest` is empty; returns false at the end.
bool PairSource::Half::refill() {
  while (rest.size() == 0) {
    if (!source->next(block)) return false;
    rest = block.vectors[0];
  }
  return true;
}

bool PairSource::next(Block& block) {
  const std::lock_guard lock(reading_);
  const bool more_x = halves_[0].refill(), more_y = halves_[1].refill();
  if (more_x != more_y) {
    const Half& shorter = halves_[more_x ? 1 : 0];
    throw DataError(
        fmt::format("{}: ends after {} elements, the other file goes on; give as many numbers in both",
                    shorter.source->files()[0], shorter.taken));
  }
  if (!more_x) return false;
  const std::int64_t count = std::min(halves_[0].rest.size(), halves_[1].rest.size());
  block.number = next_number_++;
  block.missing = 0;
  block.vectors.clear();
  for (std::size_t i = 0; i < 2; ++i) {
    Half& half = halves_[i];
    const ElementType type = half.source->type();
    const auto bytes = static_cast<std::size_t>(count * size_of(type));
    block.bytes[i].resize(bytes);
    std::memcpy(block.bytes[i].data(), half.rest.data(), bytes);
    block.vectors.emplace_back(block.bytes[i].data(), type, count);
    half.rest = half.rest.part(count, half.rest.size() - count);
    half.taken += count;
  }
  return true;
}

std::int64_t PairSource::bytes_read() const {
  return halves_[0].source->bytes_read() + halves_[1].source->bytes_read();
}

std::optional<std::int64_t> PairSource::bytes_in_all() const {
  const auto x = halves_[0].source->bytes_in_all(), y = halves_[1].source->bytes_in_all();
  if (!x || !y) return std::nullopt;
  return *x + *y;
}

std::vector<std::string> PairSource::files() const {
  return {halves_[0].source->files()[0], halves_[1].source->files()[0]};
}

std::vector<FirstLine> PairSource::first_lines() const {
  std::vector<FirstLine> lines;
  for (const Half& half : halves_) std::ranges::copy(half.source->first_lines(), std::back_inserter(lines));
  return lines;
}

}  // namespace foldline::cli
