#include "runtime/checks.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

#include "memory/memory.hpp"
#include "runtime/places.hpp"

namespace simt {
namespace {

bool same_block(const Lane& lane, Stamp stamp) { return block_of(stamp) == lane.block->sequence; }

bool same_warp(const Lane& lane, Stamp stamp) {
  return same_block(lane, stamp) && thread_of(stamp) / warp_lanes == lane.number / warp_lanes;
}

/// The bytes of the word at `address` that an access has, as bits.
std::uint32_t bytes_in_word(const CheckedAccess& what, std::uintptr_t word) {
  if (what.bytes >= 4) return 0xf;
  return ((1u << what.bytes) - 1) << (what.address - word) & 0xf;
}

Suspect& suspect_of(Lane& lane) {
  if (!lane.suspect) lane.suspect = std::make_unique<Suspect>();
  return *lane.suspect;
}

void raise(std::optional<Error>& error) {
  if (!machine().error) machine().error = std::move(error);
}

const char* verb(bool wrote) { return wrote ? "writes" : "reads"; }

}  // namespace

Checks running_checks;

void Checks::begin() {
  ordering.clear();
  unwritten_ = unwritten_global_ = {};
  const std::size_t bytes = device_memory().addresses() / 4 * sizeof(Cell);
  if (global_cells_ == nullptr) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    global_cells_ = static_cast<Cell*>(memory);
    global_begin_ = device_memory().base();
  } else if (machine().first_sequence == 1) {
    madvise(global_cells_, bytes, MADV_DONTNEED);
  }
}

/// Of this launch, and not from before the block's last barrier.
bool Checks::is_recent(const Lane& lane, Stamp stamp, bool shared) const {
  if (same_block(lane, stamp)) return time_of(stamp) >= lane.block->barrier_time;
  return !shared && block_of(stamp) >= machine().first_sequence;
}

bool Checks::unordered(const Lane& lane, Stamp other, Stamp me, const CheckedAccess& what) const {
  if (block_of(other) < machine().first_sequence || (bytes_of(other) & bytes_of(me)) == 0) return false;
  if (what.shared && !same_block(lane, other)) return false;  // what a block before has left
  const Manner theirs = manner_of(other), mine = manner_of(me);
  if (same_block(lane, other)) {
    if (thread_of(other) == lane.number || time_of(other) < lane.block->barrier_time) return false;
    if (same_warp(lane, other)) {
      const Warp& warp = lane.block->warps[lane.number / warp_lanes];
      const std::uint32_t known = warp.known
                                      ? (*warp.known)[lane.number % warp_lanes][thread_of(other) % warp_lanes]
                                      : warp.synchronised;
      if (time_of(other) < known) return false;
      if (theirs == Manner::flag && mine == Manner::flag) return true;
    }
  }
  if (theirs != Manner::plain && mine != Manner::plain) return false;
  return !ordering.is_before(lane, block_of(other), thread_of(other), time_of(other), what.address,
                             theirs != Manner::plain);
}

Error Checks::race(const Lane& lane, Stamp other, std::uint32_t other_site, bool other_wrote,
                   const CheckedAccess& what) const {
  const bool here = same_block(lane, other);
  const dim3& block = machine().block;
  const std::uint32_t thread = thread_of(other);
  const uint3 index = {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
  const std::string other_block =
      here ? "" : " of block " + name_of_index(index_of_block(block_of(other) - machine().first_sequence));
  SourcePlace mine = source_place(what.site), theirs = source_place_of_lower_half(other_site);
  std::string first = name_of_thread(lane) + " " + verb(what.access != Access::load) + " ";
  std::string second = "thread " + name_of_index(index) + other_block + " " + verb(other_wrote) + " it";
  // A barrier is missing before the later of the two.
  if (here && mine.file == theirs.file && theirs.line > mine.line) {
    std::swap(mine, theirs);
    first = "thread " + name_of_index(index) + " of block " + name_of_index(lane.block->index) + " " +
            verb(other_wrote) + " ";
    second = "thread " + name_of_index(lane.index) + " " + verb(what.access != Access::load) + " it";
  }
  std::string text = first + describe(what.address, what.bytes, what.shared) + ", and " + second;
  if (!theirs.file.empty()) text += " at " + theirs.file + ":" + std::to_string(theirs.line);
  text += "; nothing orders the two: ";
  if (!here)
    text += "blocks run in any order, unless fences and an atomic or volatile flag order them";
  else
    text += same_warp(lane, other) ? "no __syncwarp() or __syncthreads() is between them"
                                   : "no __syncthreads() is between them";
  Error error = error_at(ErrorKind::race, &lane, std::move(text), mine);
  error.array = array_at(what.address, what.shared);
  error.other_file = theirs.file;
  error.other_line = theirs.line;
  return error;
}

bool Checks::note(Lane& lane, Cell* cells, const CheckedAccess& what) {
  if (lane.suspect && lane.suspect->has_read) {
    if (what.manner == Manner::atomic && what.address == lane.suspect->read_address)
      lane.suspect->has_read = false;
  }
  const std::uintptr_t first = what.address & ~std::uintptr_t{3};
  for (std::uintptr_t word = first; word < what.address + what.bytes; word += 4, ++cells) {
    const Stamp me = lane.stamp | Stamp{bytes_in_word(what, word)} << bytes_at | Stamp(what.manner);
    if (!note_word(lane, *cells, me, what)) return false;
  }
  return true;
}

bool Checks::note_word(Lane& lane, Cell& cell, Stamp me, const CheckedAccess& what) {
  const Stamp writer = cell.write;
  if (__builtin_expect(manner_of(writer) == Manner::copying, 0) && same_block(lane, writer)) {
    fail(ErrorKind::race, &lane, what.site,
         name_of_thread(lane) + " " + verb(what.access != Access::load) + " " +
             describe(what.address, what.bytes, what.shared) +
             " before the asynchronous copy to it has arrived: __pipeline_wait_prior() and a barrier are "
             "missing")
        .array = array_at(what.address, what.shared);
    return false;
  }
  if (what.access != Access::store && what.shared && !same_block(lane, writer)) note_unwritten(lane, what);
  if (what.access == Access::load) {
    if (__builtin_expect(((writer ^ me) >> thread_at) != 0 && writer != 0, 0) &&
        unordered(lane, writer, me, what)) {
      Error error = race(lane, writer, cell.write_site, true, what);
      if (manner_of(writer) != Manner::atomic) return machine().error = std::move(error), false;
      Suspect& suspect = suspect_of(lane);
      suspect.has_read = true;
      suspect.read_address = what.address;
      suspect.read_error = std::move(error);
    }
    note_reader(lane, cell, me, what);
    return true;
  }
  if (!note_write(lane, cell, me, what)) return false;
  cell.write = me;
  cell.write_site = static_cast<std::uint32_t>(what.site);
  return true;
}

bool Checks::note_write(Lane& lane, const Cell& cell, Stamp me, const CheckedAccess& what) {
  if (cell.write != 0 && unordered(lane, cell.write, me, what)) {
    Error error = race(lane, cell.write, cell.write_site, true, what);
    if (what.access != Access::store || manner_of(cell.write) == Manner::atomic)
      return machine().error = std::move(error), false;
    Suspect& suspect = suspect_of(lane);
    if (!suspect.has_write) {
      suspect.has_write = true;
      suspect.write_address = what.address;
      suspect.bytes = what.bytes;
      std::memcpy(suspect.before.data(), reinterpret_cast<const void*>(what.address), what.bytes);
      suspect.write_error = std::move(error);
      // The lane's next event calls verify_store().
      suspect.limit = lane.limit;
      lane.limit = lane.next + 1;
    }
  }
  for (const Stamp reader : {cell.read, cell.other_read}) {
    if (reader == 0 || (what.access == Access::atomic && manner_of(reader) == Manner::plain)) continue;
    if (!unordered(lane, reader, me, what)) continue;
    machine().error = race(lane, reader, reader == cell.read ? cell.read_site : 0, false, what);
    return false;
  }
  return true;
}

/// Two readers are kept, of different threads, and of different warps if there are such.
void Checks::note_reader(const Lane& lane, Cell& cell, Stamp me, const CheckedAccess& what) const {
  const auto mine = [&](Stamp stamp) {
    return ((stamp ^ me) >> thread_at & 0x3ff) == 0 && same_block(lane, stamp);
  };
  if (cell.read == 0 || mine(cell.read) || !is_recent(lane, cell.read, what.shared)) {
    cell.read = me;
    cell.read_site = static_cast<std::uint32_t>(what.site);
  } else if (cell.other_read == 0 || mine(cell.other_read) ||
             !is_recent(lane, cell.other_read, what.shared)) {
    cell.other_read = me;
  } else if (!same_warp(lane, cell.read) || same_warp(lane, cell.other_read)) {
    cell.other_read = me;
  } else {
    cell.read = me;
    cell.read_site = static_cast<std::uint32_t>(what.site);
  }
}

void Checks::copied(Lane& lane, Cell* cells, const CheckedAccess& what) {
  for (std::uintptr_t word = what.address & ~std::uintptr_t{3}; word < what.address + what.bytes;
       word += 4, ++cells) {
    cells->write = lane.stamp | Stamp{bytes_in_word(what, word)} << bytes_at;
    cells->write_site = static_cast<std::uint32_t>(what.site);
  }
}

void Checks::note_unwritten(const Lane& lane, const CheckedAccess& what) {
  Unwritten& one = what.shared ? unwritten_ : unwritten_global_;
  if (one.error) return;
  one.block = lane.block->sequence;
  one.error = error_at(ErrorKind::uninitialised, &lane, what.site,
                       name_of_thread(lane) + " reads " + describe(what.address, what.bytes, what.shared) +
                           ", which nobody has written");
  one.error->array = array_at(what.address, what.shared);
}

void Checks::unwritten_global(Lane& lane, const CheckedAccess& what) { note_unwritten(lane, what); }

void Checks::verify_store(Lane& lane) {
  Suspect& suspect = *lane.suspect;
  suspect.has_write = false;
  lane.limit = suspect.limit;
  const void* const now = reinterpret_cast<const void*>(suspect.write_address);
  if (std::memcmp(suspect.before.data(), now, suspect.bytes) == 0) return;
  raise(suspect.write_error);
}

void Checks::settle_suspect(Lane& lane) {
  if (std::exchange(lane.suspect->has_read, false)) raise(lane.suspect->read_error);
}

void Checks::settle(Block& block) {
  if (!unwritten_.error || unwritten_.block != block.sequence) return;
  raise(unwritten_.error);
  unwritten_ = {};
}

void Checks::settle_global() {
  if (unwritten_global_.error) raise(unwritten_global_.error);
  unwritten_global_ = {};
}

}  // namespace simt
