// What instrumented kernels call before each access and at each basic block.
#include <cstring>

#include "memory/memory.hpp"
#include "runtime/access.hpp"
#include "runtime/places.hpp"
#include "runtime/trace.hpp"

#define SIMT_SITE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace simt {
namespace {

/// What a call of the simulator's own functions may need, and a kernel may not.
constexpr std::size_t stack_reserve = 12 << 10;

void stack_is_full(Lane& lane, std::uintptr_t site) {
  fail(ErrorKind::out_of_bounds, &lane, site,
       name_of_thread(lane) + " needs more than " + std::to_string((stack_bytes - stack_reserve) / 1024) +
           " KiB for its own variables and calls, more than the simulator gives a thread");
  stop_lane();
}

/// A copy or fill in pieces that a GPU can load or store.
void access_in_pieces(std::uintptr_t address, std::uint64_t bytes, std::uint32_t alignment, Access access,
                      std::uintptr_t site) {
  while (bytes != 0) {
    std::uint64_t piece = 16;
    while (piece > bytes || piece > alignment) piece /= 2;
    check_and_trace(address, static_cast<unsigned>(piece), access, Manner::plain, site);
    address += piece;
    bytes -= piece;
  }
}

}  // namespace
}  // namespace simt

extern "C" {

void __sanitizer_cov_trace_pc_guard(const std::uint32_t* guard) {
  simt::Lane* const lane = simt::current_lane;
  if (lane == nullptr) return;
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - lane->stack < simt::stack_reserve ||
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < lane->stack)
    simt::stack_is_full(*lane, SIMT_SITE);
  simt::push(*lane, 0, simt::Event::make(simt::EventKind::block, *guard));
}

void simt_leave(const std::uint32_t* guard) {
  simt::Lane* const lane = simt::current_lane;
  if (lane == nullptr) return;
  simt::push(*lane, 0, simt::Event::make(simt::EventKind::leave, *guard | simt::exit_bit));
}

#define SIMT_CALLBACKS(bytes)                                                                    \
  void __sanitizer_cov_load##bytes(const void* address) {                                        \
    simt::check_and_trace(reinterpret_cast<std::uintptr_t>(address), bytes, simt::Access::load,  \
                          simt::Manner::plain, SIMT_SITE);                                       \
  }                                                                                              \
  void __sanitizer_cov_store##bytes(const void* address) {                                       \
    simt::check_and_trace(reinterpret_cast<std::uintptr_t>(address), bytes, simt::Access::store, \
                          simt::Manner::plain, SIMT_SITE);                                       \
  }                                                                                              \
  void simt_volatile_load##bytes(const void* address) {                                          \
    simt::check_and_trace(reinterpret_cast<std::uintptr_t>(address), bytes, simt::Access::load,  \
                          simt::Manner::flag, SIMT_SITE);                                        \
  }                                                                                              \
  void simt_volatile_store##bytes(const void* address) {                                         \
    simt::check_and_trace(reinterpret_cast<std::uintptr_t>(address), bytes, simt::Access::store, \
                          simt::Manner::flag, SIMT_SITE);                                        \
  }
SIMT_CALLBACKS(1)
SIMT_CALLBACKS(2)
SIMT_CALLBACKS(4)
SIMT_CALLBACKS(8)
SIMT_CALLBACKS(16)

void simt_cached_load(const void* address, unsigned long bytes) {
  simt::check_and_trace(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes),
                        simt::Access::load, simt::Manner::flag, SIMT_SITE);
}

void simt_cached_store(void* address, unsigned long bytes) {
  simt::check_and_trace(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes),
                        simt::Access::store, simt::Manner::flag, SIMT_SITE);
}

void simt_copy(const void* to, const void* from, std::uint64_t bytes, std::uint32_t to_alignment,
               std::uint32_t from_alignment) {
  if (simt::current_lane == nullptr) return;
  simt::access_in_pieces(reinterpret_cast<std::uintptr_t>(from), bytes, from_alignment, simt::Access::load,
                         SIMT_SITE);
  simt::access_in_pieces(reinterpret_cast<std::uintptr_t>(to), bytes, to_alignment, simt::Access::store,
                         SIMT_SITE);
}

void simt_fill(const void* to, std::uint64_t bytes, std::uint32_t alignment) {
  if (simt::current_lane == nullptr) return;
  simt::access_in_pieces(reinterpret_cast<std::uintptr_t>(to), bytes, alignment, simt::Access::store,
                         SIMT_SITE);
}

void simt_pieces(const void* address, std::uint64_t bytes, std::uint32_t alignment, std::uint32_t store) {
  if (simt::current_lane == nullptr) return;
  simt::access_in_pieces(reinterpret_cast<std::uintptr_t>(address), bytes, alignment,
                         store != 0 ? simt::Access::store : simt::Access::load, SIMT_SITE);
}

}  // extern "C"
