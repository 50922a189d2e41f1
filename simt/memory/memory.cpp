#include "memory/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>
#include <simt/device_memory.hpp>
#include <stdexcept>
#include <string>

namespace simt {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Addresses only: memory comes with the first write.
void* reserve(std::size_t bytes) {
  void* const begin =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  return begin;
}

std::size_t memory_of_this_machine() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void set_access(const Allocation& array, bool may) {
  const std::size_t pages = rounded_up(std::max(array.bytes, std::size_t{1}), Memory::page);
  ::mprotect(reinterpret_cast<void*>(array.begin), pages, may ? PROT_READ | PROT_WRITE : PROT_NONE);
}

/// With its red zones, which grow with it.
std::size_t place_size(std::size_t bytes) {
  const std::size_t zone =
      std::max(Memory::red_zone, rounded_up(std::min(bytes / 4, std::size_t{1} << 30), Memory::page));
  return zone + rounded_up(std::max(bytes, std::size_t{1}), Memory::page) + zone;
}

}  // namespace

Memory::Memory(std::size_t addresses)
    : addresses_(addresses),
      base_(reinterpret_cast<std::uintptr_t>(reserve(addresses))),
      values_(static_cast<std::byte*>(reserve(addresses / 8))),
      owners_(static_cast<const Allocation**>(reserve(addresses / page * sizeof(Allocation*)))),
      capacity_(memory_of_this_machine()) {}

Memory::~Memory() {
  ::munmap(reinterpret_cast<void*>(base_), addresses_);
  ::munmap(values_, addresses_ / 8);
  ::munmap(owners_, addresses_ / page * sizeof(Allocation*));
}

void Memory::set_capacity(std::size_t bytes) { capacity_ = std::min(bytes, memory_of_this_machine()); }

/// Freed places are used again only when there are no new addresses left, so that a use after free is seen.
std::size_t Memory::place_for(std::size_t bytes) {
  if (bytes <= addresses_ - top_) {
    const std::size_t offset = top_;
    top_ += bytes;
    return offset;
  }
  const auto found = left_behind_.lower_bound(bytes);
  if (found == left_behind_.end()) return addresses_;
  const std::size_t offset = found->second;
  if (found->first > bytes) left_behind_.emplace(found->first - bytes, offset + bytes);
  left_behind_.erase(found);
  return offset;
}

void* Memory::allocate(std::size_t bytes, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  if (bytes > capacity_ - std::min(in_use_, capacity_)) return nullptr;
  const std::size_t place = place_size(bytes), offset = place_for(place);
  if (offset == addresses_) return nullptr;
  const std::size_t zone = (place - rounded_up(std::max(bytes, std::size_t{1}), page)) / 2;
  const std::uintptr_t begin = base_ + offset + zone;
  allocations_.push_back({begin, bytes, kind, false, allocations_.size() + 1});
  std::fill_n(owners_ + offset / page, place / page, &allocations_.back());
  in_use_ += bytes;
  void* const data = reinterpret_cast<void*>(begin);
  set_access(allocations_.back(), true);  // of one that was freed, perhaps
  if (kind == MemoryKind::device || kind == MemoryKind::array) hidden_.push_back(&allocations_.back());
  std::memset(data, 0xcb, bytes);
  set_values(begin, bytes, kind == MemoryKind::pinned || kind == MemoryKind::managed);
  return data;
}

bool Memory::free(const void* begin) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(begin);
  if (!contains(address)) return false;
  Allocation* const found = const_cast<Allocation*>(find(address));
  if (found == nullptr || found->begin != address || found->freed) return false;
  found->freed = true;
  std::erase(hidden_, found);
  in_use_ -= found->bytes;
  const std::size_t place = place_size(found->bytes), pages = rounded_up(found->bytes, page);
  left_behind_.emplace(place, address - base_ - (place - std::max(pages, page)) / 2);
  if (pages != 0) ::madvise(reinterpret_cast<void*>(address), pages, MADV_DONTNEED);
  return true;
}

void Memory::let_host_access(bool may) {
  const std::lock_guard lock(mutex_);
  for (const Allocation* const one : hidden_) set_access(*one, may);
}

bool Memory::register_host(void* begin, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(begin);
  return registered_.try_emplace(address, Allocation{address, bytes, MemoryKind::registered, false, 0})
      .second;
}

bool Memory::unregister_host(const void* begin) {
  const std::lock_guard lock(mutex_);
  return registered_.erase(reinterpret_cast<std::uintptr_t>(begin)) == 1;
}

const Allocation* Memory::find_registered(std::uintptr_t address) const {
  auto next = registered_.upper_bound(address);
  if (next == registered_.begin()) return nullptr;
  const Allocation& found = (--next)->second;
  return found.holds(address, 1) ? &found : nullptr;
}

bool Memory::has_values(std::uintptr_t begin, std::size_t bytes) const {
  for (std::uintptr_t a = begin; a < begin + bytes; ++a)
    if (!has_value(a, 1)) return false;
  return true;
}

void Memory::set_values(std::uintptr_t begin, std::size_t bytes, bool with_value) {
  const std::uintptr_t end = begin + bytes;
  const auto set_one = [&](std::uintptr_t a) {
    const std::byte bit = std::byte{1} << ((a - base_) % 8);
    std::byte& of_eight = values_[(a - base_) / 8];
    of_eight = with_value ? of_eight | bit : of_eight & ~bit;
  };
  std::uintptr_t a = begin;
  while (a < end && a % 8 != 0) set_one(a++);
  const std::size_t whole = (end - a) / 8;
  if (whole != 0) std::memset(values_ + (a - base_) / 8, with_value ? 0xff : 0, whole);
  for (a += 8 * whole; a < end; ++a) set_one(a);
}

void Memory::copy_values(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  if (to % 8 == 0 && from % 8 == 0) {  // as nearly always
    const std::size_t whole = bytes / 8, rest = bytes % 8;
    const std::byte of_rest =
        rest == 0 ? std::byte{} : values_[(from - base_) / 8 + whole];  // `to` may be there
    std::memmove(values_ + (to - base_) / 8, values_ + (from - base_) / 8, whole);
    for (std::size_t i = 0; i < rest; ++i)
      set_values(to + 8 * whole + i, 1, (of_rest >> i & std::byte{1}) != std::byte{});
    return;
  }
  const bool backwards = to > from;
  for (std::size_t k = 0; k < bytes; ++k) {
    const std::size_t i = backwards ? bytes - 1 - k : k;
    set_values(to + i, 1, has_value(from + i, 1));
  }
}

void forget(void* begin, std::size_t bytes) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(begin);
  if (device_memory().contains(address)) device_memory().set_values(address, bytes, false);
}

namespace {

/// Emulators and limits of address space (ulimit -v) make reserved addresses expensive: QEMU takes 14 GB for
/// its tables of the default's pages. SIMT_ADDRESS_SPACE_GIB asks for fewer; checks need eight times as many
/// more.
std::size_t addresses_to_reserve() {
  const char* const text = std::getenv("SIMT_ADDRESS_SPACE_GIB");
  if (text == nullptr || *text == '\0') return Memory::range;
  constexpr std::size_t gib = std::size_t{1} << 30;
  std::size_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc() || stop != end || number == 0 || number > Memory::range / gib)
    throw std::runtime_error("SIMT_ADDRESS_SPACE_GIB is '" + std::string(text) +
                             "'; it must be a number from 1 to " + std::to_string(Memory::range / gib));
  return number * gib;
}

}  // namespace

Memory& device_memory() {
  // Never destroyed: objects with device memory of the program may outlive it.
  static Memory& memory = *new Memory(addresses_to_reserve());
  return memory;
}

}  // namespace simt
