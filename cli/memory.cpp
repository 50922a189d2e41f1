#include "memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

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

}  // namespace foldline::cli
