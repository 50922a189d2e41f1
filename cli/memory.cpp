#include "memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace foldline::cli {

std::int64_t memory_for_data() {
  const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  std::int64_t memory = pages > 0 && page > 0 ? pages * page : std::int64_t{1} << 32;
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    memory = static_cast<std::int64_t>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(memory), limit.rlim_cur));
  return memory / 2;
}

std::int64_t most_keys(const Options& options) {
  const TextOptions& text = options.text_options;
  if (text.allow_keys) return *text.allow_keys;
  // Beside its sums, of 130 or up to 72 bytes a column, a key takes 64 bytes of text on average, 32 to find
  // it and 8 to put it in order, and in each column 16 for its row; to sort the keys takes 100 more.
  const auto columns = static_cast<std::int64_t>(std::max<std::size_t>(text.columns.size(), 1));
  const std::int64_t of_column = 16 + (options.operation == Operation::statistics ? 134 : 74);
  const std::int64_t bytes = 104 + (text.sorted ? 100 : 0) + columns * of_column;
  return std::clamp<std::int64_t>(memory_for_data() / bytes, 1000, 1'000'000'000);
}

std::int64_t most_bytes_of_groups(const Options& options) {
  if (options.text_options.allow_keys || options.text_options.key.empty())
    return std::numeric_limits<std::int64_t>::max();
  return memory_for_data();
}

}  // namespace foldline::cli
