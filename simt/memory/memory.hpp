// The memory of the simulated device: allocations far apart from each other, and which of their bytes have a
// value. It is one reserved range of addresses, so that telling device memory from all else is one
// comparison.
//
//   | red zone | bytes | rest of the page | red zone | red zone | bytes | ...
//     belongs to the first allocation ------------->   to the second ->
//
// The host can read and write device memory under the same addresses, as it does when it copies. Pinned and
// managed memory, which kernels reach too, lies in the same range.
//
// What a check of an access does:
//
//   const Memory& memory = device_memory();
//   if (memory.contains(address)) {                          // global memory, valid or not
//     const Allocation* const array = memory.find(address);  // null: between all arrays
//     if (array == nullptr || !array->holds(address, size) || array->freed) ...out of bounds...
//     if (is_load && !memory.has_value(address, size)) ...uninitialised...
//     if (is_store) memory.set_value(address, size);
//   } else if (const Allocation* const array = memory.find_registered(address)) {
//     ...host memory that cudaHostRegister made known: as global memory, always with a value...
//   }
//
// Not here: shared memory and a thread's own, `__constant__` and `__device__` variables (they are variables
// of the program), textures (textures.hpp; the memory that they read is here).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace simt {

/// What made an allocation.
enum class MemoryKind : std::uint8_t {
  device,     ///< cudaMalloc
  pinned,     ///< cudaMallocHost: the host's, written by it unseen, so all bytes count as having a value
  managed,    ///< cudaMallocManaged: as pinned
  array,      ///< cudaMallocArray: read through textures, never by address
  registered  ///< cudaHostRegister: the program's own memory
};

struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;  ///< as asked for
  MemoryKind kind = MemoryKind::device;
  bool freed = false;
  std::uint64_t number = 0;  ///< counts allocations from 1

  std::uintptr_t end() const { return begin + bytes; }
  bool holds(std::uintptr_t address, std::size_t size) const {
    return size <= bytes && address - begin <= bytes - size;
  }
};

class Memory {
 public:
  /// With that many addresses.
  explicit Memory(std::size_t addresses = range);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Aligned to a page. Null if more than `capacity()` would be in use. The bytes are those of no number that
  /// is likely: 0xcb.
  void* allocate(std::size_t bytes, MemoryKind kind);
  /// False if no allocation that is alive begins there.
  bool free(const void* begin);
  bool register_host(void* begin, std::size_t bytes);
  bool unregister_host(const void* begin);

  /// True for every address that can only be one of global memory, whether something is allocated there or
  /// not.
  bool contains(std::uintptr_t address) const { return address - base_ < addresses_; }
  /// The allocation whose bytes or red zones contain the address, freed ones too; null for none. The address
  /// must be contained.
  const Allocation* find(std::uintptr_t address) const { return owners_[(address - base_) / page]; }
  const Allocation* find_registered(std::uintptr_t address) const;

  /// True if all bytes were written. The address must be contained, and an access of a power of two up to 16
  /// bytes aligned; ranges of other sizes: has_values, set_values.
  bool has_value(std::uintptr_t address, std::size_t size) const {
    return (bits_at(address) & mask_of(address, size)) == mask_of(address, size);
  }
  void set_value(std::uintptr_t address, std::size_t size) {
    const std::uint16_t bits = static_cast<std::uint16_t>(bits_at(address) | mask_of(address, size));
    std::memcpy(values_ + word_of(address), &bits, sizeof bits);
  }
  bool has_values(std::uintptr_t begin, std::size_t bytes) const;
  void set_values(std::uintptr_t begin, std::size_t bytes, bool with_value = true);
  /// For a copy from device to device: what had no value has none in the copy either. The ranges may overlap.
  void copy_values(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);

  /// Takes the device's memory away from the host, or gives it back: then the host's access is a fault.
  /// Pinned and managed memory stay.
  void let_host_access(bool may);

  /// Bytes that may be in use at once: those of the device that is simulated, and of this machine at most.
  std::size_t capacity() const { return capacity_; }
  void set_capacity(std::size_t bytes);
  std::size_t in_use() const { return in_use_; }
  const std::deque<Allocation>& allocations() const { return allocations_; }

  std::uintptr_t base() const { return base_; }
  std::size_t addresses() const { return addresses_; }

  static constexpr std::size_t page = 4096;
  static constexpr std::size_t range = std::size_t{1} << 38;
  /// The least that lies between two allocations, in front of each and behind it: a stride that is wrong by a
  /// few rows shall not end in the next array.
  static constexpr std::size_t red_zone = std::size_t{1} << 18;

 private:
  std::size_t word_of(std::uintptr_t address) const { return (address - base_) / 16 * 2; }
  std::uint16_t bits_at(std::uintptr_t address) const {
    std::uint16_t bits;
    std::memcpy(&bits, values_ + word_of(address), sizeof bits);
    return bits;
  }
  static std::uint16_t mask_of(std::uintptr_t address, std::size_t size) {
    return static_cast<std::uint16_t>(((1u << size) - 1u) << (address % 16));
  }
  /// The offset of a place of that many bytes, or `addresses_` if there is none.
  std::size_t place_for(std::size_t bytes);

  std::size_t addresses_;
  std::uintptr_t base_ = 0;
  std::byte* values_ = nullptr;          ///< a bit for each byte of the range
  const Allocation** owners_ = nullptr;  ///< for each page of the range
  std::deque<Allocation> allocations_;   ///< never moved
  std::map<std::uintptr_t, Allocation> registered_;
  std::multimap<std::size_t, std::size_t> left_behind_;  ///< places of freed allocations: size, offset
  std::size_t top_ = 0, in_use_ = 0, capacity_ = 0;
  std::vector<Allocation*> hidden_;  ///< that the host must not access, while they are allocated
  std::mutex mutex_;                 ///< the host may have several threads
};

/// The memory of the one device that there is.
Memory& device_memory();

}  // namespace simt
