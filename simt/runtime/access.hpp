// An access of the running thread: what kind of memory it is in, whether it may be done, and its event.
#pragma once

#include <algorithm>

#include "memory/memory.hpp"
#include "runtime/checks.hpp"
#include "runtime/trace.hpp"

namespace simt {

/// The notes on an image's shared variables and on the dynamic block, in one row each.
struct SharedNotes {
  Cell* cells = nullptr;
  std::uintptr_t begin = 0;
  Cell* at(std::uintptr_t address) const { return cells + (address - begin) / 4; }
};
extern SharedNotes static_notes, dynamic_notes;

/// Everything that is neither the thread's own, nor in an allocation, nor shared.
void access_elsewhere(Lane& lane, const CheckedAccess& what);
/// A look at what others may change, or a change that they may look at: after the event, whose place in the
/// trace may let others run before.
void note_flag(Lane& lane, const CheckedAccess& what);
/// Outside of its array. Does not return.
[[noreturn]] void out_of_bounds(Lane& lane, const CheckedAccess& what);
[[noreturn]] void misaligned(Lane& lane, const CheckedAccess& what);

__attribute__((always_inline)) inline void note_and_go_on(Lane& lane, Cell* cells,
                                                          const CheckedAccess& what) {
  if (machine().options.checks && !checks().note(lane, cells, what)) stop_lane();
}

__attribute__((always_inline)) inline void access_global(Lane& lane, const CheckedAccess& what) {
  Memory& memory = *machine().memory;
  const Allocation* const array = memory.find(what.address);
  if (__builtin_expect(array == nullptr || !array->holds(what.address, what.bytes) || array->freed, 0))
    out_of_bounds(lane, what);
  push(lane, what.address, Event::make(EventKind::global, what.site, what.bytes, what.access));
  if (what.manner == Manner::flag) note_flag(lane, what);
  if (what.access == Access::store) ++machine().progress;
  if (!machine().options.checks) {
    if (what.access != Access::load) memory.set_value(what.address, what.bytes);
    return;
  }
  if (what.access != Access::store && !memory.has_value(what.address, what.bytes))
    checks().unwritten_global(lane, what);
  if (what.access != Access::load) memory.set_value(what.address, what.bytes);
  note_and_go_on(lane, checks().global_cells(what.address), what);
}

__attribute__((always_inline)) inline void access_shared(Lane& lane, const SharedNotes& notes,
                                                         const CheckedAccess& what) {
  push(lane, what.address - notes.begin, Event::make(EventKind::shared, what.site, what.bytes, what.access));
  if (what.manner == Manner::flag) note_flag(lane, what);
  if (what.access == Access::store) ++machine().progress;
  note_and_go_on(lane, notes.at(what.address), what);
}

/// Widens what is kept of static shared memory when another block has its turn.
__attribute__((always_inline)) inline void use_static_shared(std::uintptr_t offset, std::size_t bytes) {
  Machine& all = machine();
  all.static_from = std::min(all.static_from, offset & ~std::uintptr_t{3});
  all.static_to = std::max(all.static_to, (offset + bytes + 3) & ~std::uintptr_t{3});
}

__attribute__((always_inline)) inline void check_and_trace(std::uintptr_t address, unsigned bytes,
                                                           Access access, Manner manner,
                                                           std::uintptr_t site) {
  Lane* const lane = current_lane;
  if (lane == nullptr || address - lane->stack < stack_bytes) return;
  CheckedAccess what{address, site, bytes, access, manner, false};
  if (__builtin_expect((address & (bytes - 1)) != 0, 0)) misaligned(*lane, what);
  const Machine& all = machine();
  if (all.memory->contains(address)) return access_global(*lane, what);
  what.shared = true;
  if (all.static_shared.holds(address)) {
    const std::uint16_t* const arrays = all.image->array_of_word.data();
    const std::uintptr_t offset = address - all.static_shared.begin;
    if (__builtin_expect(arrays[offset / 4] == 0 || arrays[(offset + bytes - 1) / 4] != arrays[offset / 4],
                         0))
      out_of_bounds(*lane, what);
    use_static_shared(offset, bytes);
    return access_shared(*lane, static_notes, what);
  }
  if (const std::uintptr_t offset = address - dynamic_notes.begin; offset < most_dynamic_shared + 4096) {
    if (__builtin_expect(offset + bytes > all.dynamic_bytes, 0)) out_of_bounds(*lane, what);
    return access_shared(*lane, dynamic_notes, what);
  }
  what.shared = false;
  access_elsewhere(*lane, what);
}

}  // namespace simt
