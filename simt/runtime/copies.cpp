// Asynchronous copies from global to shared memory, and textures.
#include <algorithm>
#include <bit>
#include <cstring>

#include "memory/textures.hpp"
#include "runtime/access.hpp"
#include "runtime/atomics.hpp"
#include "runtime/places.hpp"

#define SIMT_SITE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace simt {
namespace {

bool is_shared(std::uintptr_t address) {
  return machine().static_shared.holds(address) || address - dynamic_notes.begin < machine().dynamic_bytes;
}

const SharedNotes& notes_of(std::uintptr_t address) {
  return machine().static_shared.holds(address) ? static_notes : dynamic_notes;
}

CheckedAccess access_of(const PendingCopy& copy, Manner manner) {
  return {reinterpret_cast<std::uintptr_t>(copy.to), copy.site, copy.bytes, Access::store, manner, true};
}

/// The copy's read of global memory, as a request of its own kind.
void read_global(Lane& lane, const PendingCopy& copy) {
  const auto from = reinterpret_cast<std::uintptr_t>(copy.from),
             to = reinterpret_cast<std::uintptr_t>(copy.to);
  const CheckedAccess what{from, copy.site, copy.bytes, Access::load, Manner::plain, false};
  if (from % copy.bytes != 0) misaligned(lane, what);
  Memory& memory = device_memory();
  if (!memory.contains(from)) return access_elsewhere(lane, what);
  const Allocation* const array = memory.find(from);
  if (array == nullptr || !array->holds(from, copy.bytes) || array->freed) out_of_bounds(lane, what);
  const std::uint64_t word = (to - notes_of(to).begin) / 4;
  push(lane, from | word << copy_shift,
       Event::make(EventKind::async_copy, copy.site, copy.bytes, Access::load));
  if (!machine().options.checks) return;
  if (!memory.has_value(from, copy.bytes)) checks().unwritten_global(lane, what);
  note_and_go_on(lane, checks().global_cells(from), what);
}

void arrive(Lane& lane, const PendingCopy& copy) {
  std::memcpy(copy.to, copy.from, copy.bytes - copy.zeros);
  std::memset(static_cast<char*>(copy.to) + (copy.bytes - copy.zeros), 0, copy.zeros);
  if (!machine().options.checks) return;
  const CheckedAccess what = access_of(copy, Manner::plain);
  checks().copied(lane, notes_of(what.address).at(what.address), what);
}

/// Memory that a texture lies over is read past all that the launch writes: that nobody may write it
/// meanwhile is checked as for other reads, and that nobody has written it before.
void check_texel(Lane& lane, const Texture& texture, std::uintptr_t address, std::uintptr_t site) {
  const Memory& memory = device_memory();
  if (!machine().options.checks || !memory.contains(address)) return;
  const Allocation* const array = memory.find(address);
  if (array == nullptr || array->kind == MemoryKind::array) return;
  const CheckedAccess what{address,      site,          static_cast<unsigned>(texture.format.bytes()),
                           Access::load, Manner::plain, false};
  Cell* const cells = checks().global_cells(address);
  if (cells->write != 0 && block_of(cells->write) >= machine().first_sequence) {
    fail(ErrorKind::race, &lane, site,
         name_of_thread(lane) + " reads " + describe(address, what.bytes, false) +
             " by a texture, and the same launch has written it: textures do not see that")
        .array = array_at(address, false);
    stop_lane();
  }
  note_and_go_on(lane, cells, what);
}

}  // namespace

void need(Lane& lane, Feature feature, std::uintptr_t site) {
  try {
    require(machine().options.device, feature);
  } catch (const NotOnThisDevice& missing) {
    fail(ErrorKind::unsupported, &lane, site, missing.what());
  }
  if (machine().error) stop_lane();
}

}  // namespace simt

extern "C" {

void simt_copy_async(void* to, const void* from, unsigned long bytes, unsigned long zeros) {
  simt::Lane* const lane = simt::current_lane;
  if (lane == nullptr) return;
  const std::uintptr_t site = SIMT_SITE;
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  const simt::PendingCopy copy{
      to, from, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(zeros), lane->copy_group, site};
  if (!simt::is_shared(address)) {
    simt::fail(
        simt::ErrorKind::out_of_bounds, lane, site,
        simt::name_of_thread(*lane) + " copies asynchronously to what is not shared memory of the block");
    simt::stop_lane();
  }
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    simt::fail(simt::ErrorKind::unsupported, lane, site, "asynchronous copies have 4, 8 or 16 bytes");
    simt::stop_lane();
  }
  if (const simt::Range& shared = simt::machine().static_shared; shared.holds(address))
    simt::use_static_shared(address - shared.begin, bytes);
  simt::read_global(*lane, copy);
  const simt::CheckedAccess what = simt::access_of(copy, simt::Manner::copying);
  if (address % bytes != 0) simt::misaligned(*lane, what);
  if (simt::machine().options.checks) simt::note_and_go_on(*lane, simt::notes_of(address).at(address), what);
  lane->copies.push_back(copy);
}

void simt_commit_copies() {
  if (simt::current_lane != nullptr) ++simt::current_lane->copy_group;
}

void simt_wait_for_copies(unsigned int groups_left) {
  simt::Lane* const lane = simt::current_lane;
  if (lane == nullptr) return;
  const auto waited = [&](const simt::PendingCopy& copy) {
    return copy.group + groups_left < lane->copy_group;
  };
  for (const simt::PendingCopy& copy : lane->copies)
    if (waited(copy)) simt::arrive(*lane, copy);
  std::erase_if(lane->copies, waited);
}

void simt_fetch_texture(unsigned long long handle, int form, int index, float x, float y,
                        unsigned int* channels) {
  simt::Lane* const lane = simt::current_lane;
  if (lane == nullptr) return;
  const std::uintptr_t site = SIMT_SITE;
  const simt::Texture* const texture = simt::find_texture(handle);
  if (texture == nullptr) {
    simt::fail(simt::ErrorKind::host_pointer, lane, site,
               simt::name_of_thread(*lane) + " reads a texture that does not exist, or no more");
    simt::stop_lane();
  }
  const simt::TexelRead read = form == 0   ? simt::fetch_texel(*texture, index)
                               : form == 1 ? simt::sample_texture(*texture, x)
                                           : simt::sample_texture(*texture, x, y);
  if (read.count > 0)
    simt::push(*lane, read.addresses[0],
               simt::Event::make(
                   simt::EventKind::texture, site,
                   std::bit_floor(static_cast<unsigned>(std::min<std::size_t>(texture->format.bytes(), 16))),
                   simt::Access::load));
  for (std::size_t i = 0; i < read.count; ++i) simt::check_texel(*lane, *texture, read.addresses[i], site);
  std::copy(read.bits.begin(), read.bits.end(), channels);
}

}  // extern "C"
