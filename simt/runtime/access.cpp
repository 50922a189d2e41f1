#include "runtime/access.hpp"

#include <link.h>

#include <unordered_map>

#include "runtime/places.hpp"

namespace simt {
namespace {

/// Of the images' own memory: code and constants.
bool is_read_only(std::uintptr_t address) {
  struct Search {
    std::uintptr_t address;
    bool found;
  } search{address, false};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        Search& search = *static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          if (part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0 &&
              search.address - (info->dlpi_addr + part.p_vaddr) < part.p_memsz)
            search.found = true;
        }
        return 0;
      },
      &search);
  return search.found;
}

const char* verb(Access access) {
  return access == Access::load ? "reads" : access == Access::store ? "writes" : "changes";
}

/// Notes on __device__ variables: few, so that a table does.
Cell* device_variable_cells(std::uintptr_t address) {
  static std::unordered_map<std::uintptr_t, std::array<Cell, 64>> all;
  static std::uint32_t launch = 0;
  if (machine().first_sequence == 1 && launch != 1) all.clear();
  launch = machine().first_sequence;
  return &all[address / 256][address % 256 / 4];
}

std::string bytes_of(const CheckedAccess& what) {
  return std::to_string(what.bytes) + (what.bytes == 1 ? " byte" : " bytes");
}

[[noreturn]] void end(Lane& lane, ErrorKind kind, const CheckedAccess& what, const std::string& text) {
  fail(kind, &lane, what.site, name_of_thread(lane) + " " + verb(what.access) + " " + text).array =
      array_at(what.address, what.shared);
  stop_lane();
}

}  // namespace

SharedNotes static_notes, dynamic_notes;

void access_elsewhere(Lane& lane, const CheckedAccess& what) {
  for (const Image& image : images().images) {
    if (image.constant.holds(what.address)) {
      if (what.access != Access::load)
        end(lane, ErrorKind::out_of_bounds, what, "constant memory, which kernels can only read");
      return push(lane, what.address, Event::make(EventKind::constant, what.site, what.bytes, what.access));
    }
    if (image.device.holds(what.address)) {
      push(lane, what.address, Event::make(EventKind::global, what.site, what.bytes, what.access));
      if (what.manner == Manner::flag) note_flag(lane, what);
      return note_and_go_on(lane, device_variable_cells(what.address), what);
    }
    if (image.shared.holds(what.address))
      end(lane, ErrorKind::out_of_bounds, what, "the shared memory of another program's kernel");
  }
  if (device_memory().find_registered(what.address) != nullptr)
    return push(lane, what.address, Event::make(EventKind::global, what.site, what.bytes, what.access));
  if (what.access == Access::load && is_read_only(what.address)) return;
  if (what.address < 4096) end(lane, ErrorKind::host_pointer, what, bytes_of(what) + " at a null pointer");
  end(lane, ErrorKind::host_pointer, what,
      bytes_of(what) +
          " of the host's memory: the pointer is not one of cudaMalloc, or has not been copied to");
}

void note_flag(Lane& lane, const CheckedAccess& what) {
  lane.polled = true;
  lane.spin_site = what.site;
  lane.spin_address = what.address;
  if (what.access == Access::load)
    checks().ordering.read_flag(lane, what.address);
  else
    checks().ordering.write_flag(lane, what.address);
}

void out_of_bounds(Lane& lane, const CheckedAccess& what) {
  std::string text = describe(what.address, what.bytes, what.shared);
  if (what.shared) {
    if (what.address - dynamic_notes.begin < most_dynamic_shared + 4096)
      text += ", and the launch gives " + std::to_string(machine().dynamic_bytes) +
              " bytes of dynamic shared memory";
    else
      text += ", behind its end";
  } else if (const Allocation* const array = device_memory().find(what.address); array == nullptr) {
    text = bytes_of(what) + " outside of every array";
  } else if (array->freed) {
    text += ", which has been freed";
  } else {
    text += what.address < array->begin ? ", before its begin" : ", behind its end";
  }
  end(lane, ErrorKind::out_of_bounds, what, text);
}

void misaligned(Lane& lane, const CheckedAccess& what) {
  end(lane, ErrorKind::out_of_bounds, what,
      bytes_of(what) + " at once at an address that is not a multiple of " + std::to_string(what.bytes));
}

}  // namespace simt
