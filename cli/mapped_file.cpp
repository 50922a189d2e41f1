#include "mapped_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

namespace foldline::cli {
namespace {

// State for the signal handler.
std::atomic<std::byte*> mapping_begin = nullptr, mapping_end = nullptr;
std::atomic<std::int64_t> page_size = 4096;
std::atomic<bool> damaged = false;
struct sigaction former = {};

/// Puts a page of zeros in the place of one that the file does not have.
void on_bus_error(int /*signal*/, siginfo_t* information, void* /*context*/) {
  auto* const address = static_cast<std::byte*>(information->si_addr);
  std::byte* const begin = mapping_begin;
  if (begin != nullptr && address >= begin && address < mapping_end) {
    std::byte* const page = address - (address - begin) % page_size;
    damaged = true;
    if (::mmap(page, static_cast<std::size_t>(page_size.load()), PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
      return;
  }
  ::sigaction(SIGBUS, &former,
              nullptr);  // the fault is not ours: it happens again, and the former handler gets it
}

// The system maps pages around one that is touched; they are released together.
constexpr std::int64_t brought_along = std::int64_t{1} << 16;

}  // namespace

MappedFile::MappedFile(int descriptor, std::int64_t offset, std::int64_t size) {
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  if (page <= 0 || size <= 0) return;
  skipped_ = offset % page;
  void* const mapping = ::mmap(nullptr, static_cast<std::size_t>(size + skipped_), PROT_READ, MAP_SHARED,
                               descriptor, offset - skipped_);
  if (mapping == MAP_FAILED) return;
  start_ = static_cast<std::byte*>(mapping);
  mapped_ = size + skipped_;
  page_size = page;
  damaged = false;
  mapping_end = start_ + mapped_;
  mapping_begin = start_;
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &former);
}

MappedFile::~MappedFile() {
  if (start_ == nullptr) return;
  ::munmap(start_, static_cast<std::size_t>(mapped_));
  ::sigaction(SIGBUS, &former, nullptr);
  mapping_begin = nullptr;
}

void MappedFile::give_back(std::int64_t first, std::int64_t count) const {
  const std::int64_t begin = (skipped_ + first) / brought_along * brought_along;
  const std::int64_t end =
      std::min((skipped_ + first + count + brought_along - 1) / brought_along * brought_along, mapped_);
  ::madvise(start_ + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
}

bool MappedFile::is_damaged() const { return damaged; }

}  // namespace foldline::cli
