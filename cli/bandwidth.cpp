#include "bandwidth.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>

namespace foldline::cli {
namespace {

using Word = std::uint64_t;

/// Four times the last-level cache, so that most of it cannot stay there; between 256 MiB and 2 GiB, and
/// never more than an eighth of the memory.
std::int64_t array_bytes() {
  std::int64_t cache = 0, memory = std::int64_t{1} << 32;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = std::max<std::int64_t>(0, ::sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
  const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) memory = pages * page;
  const std::int64_t wanted =
      std::clamp<std::int64_t>(4 * cache, std::int64_t{256} << 20, std::int64_t{2} << 30);
  return std::max<std::int64_t>(std::int64_t{1} << 20, std::min(wanted, memory / 8));
}

Word add_up(const Word* words, std::int64_t size) {
  Word total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
  for (std::int64_t i = 0; i < size; ++i) total += words[i];
  return total;
}

void copy(const Word* from, Word* to, std::int64_t size) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < size; ++i) to[i] = from[i];
}

/// GB/s of the median of several runs; the first run, which warms up, is not counted.
template <class Function>
double median_speed(double bytes, const Function& run) {
  using Clock = std::chrono::steady_clock;
  run();
  std::array<double, 7> seconds;
  for (double& duration : seconds) {
    const Clock::time_point start = Clock::now();
    run();
    duration = std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::ranges::nth_element(seconds, seconds.begin() + seconds.size() / 2);
  return bytes / seconds[seconds.size() / 2] / 1e9;
}

}  // namespace

Bandwidth measure_bandwidth() {
  const std::int64_t size = array_bytes() / static_cast<std::int64_t>(sizeof(Word));
  const double bytes = static_cast<double>(size) * sizeof(Word);
  // Not initialised here: the thread that writes a page first decides which memory it lies in.
  const auto from = std::make_unique_for_overwrite<Word[]>(static_cast<std::size_t>(size));
  const auto to = std::make_unique_for_overwrite<Word[]>(static_cast<std::size_t>(size));
  Word* const first = from.get();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i) first[i] = static_cast<Word>(i);
  volatile Word kept = 0;  // without a use the compiler would leave the sum out
  const double read = median_speed(bytes, [&] { kept = add_up(from.get(), size); });
  return {read, median_speed(2 * bytes, [&] { copy(from.get(), to.get(), size); })};
}

}  // namespace foldline::cli
