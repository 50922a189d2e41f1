// Finds races and uninitialised reads, from a note for every 4 bytes of memory: who wrote it last, who read
// it since.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/machine.hpp"

namespace simt {

/// How an access is meant.
enum class Manner : std::uint8_t {
  plain,
  flag,  ///< volatile, or past the L1 cache: others may access the same at the same time
  atomic,
  copying  ///< an asynchronous copy that has not been waited for
};

/// Who did something: from the top the block's sequence (24 bits), its time (24), the thread (10), the bytes
/// of the word (4), the manner (2). 0: nobody.
using Stamp = std::uint64_t;
constexpr int block_at = 40, time_at = 16, thread_at = 6, bytes_at = 2;
constexpr std::uint32_t most_sequences = 1u << 24;

inline std::uint32_t block_of(Stamp stamp) { return static_cast<std::uint32_t>(stamp >> block_at); }
inline std::uint32_t time_of(Stamp stamp) { return stamp >> time_at & 0xffffff; }
inline std::uint32_t thread_of(Stamp stamp) { return stamp >> thread_at & 0x3ff; }
inline std::uint32_t bytes_of(Stamp stamp) { return stamp >> bytes_at & 0xf; }
inline Manner manner_of(Stamp stamp) { return Manner(stamp & 3); }

/// The lane's stamp without bytes and manner. After the block's time has changed for it.
inline void restamp(Lane& lane) {
  lane.stamp = Stamp{lane.block->sequence} << block_at | Stamp{lane.block->time & 0xffffff} << time_at |
               Stamp{lane.number} << thread_at;
}

struct Cell {
  Stamp write, read, other_read;
  std::uint32_t write_site, read_site;  ///< the lower halves of the addresses
};

/// One access of the running lane.
struct CheckedAccess {
  std::uintptr_t address, site;
  unsigned bytes;
  Access access;
  Manner manner;
  bool shared;
};

/// Something of a lane that may yet turn out to be right.
struct Suspect {
  /// A plain read of what others change by atomics: right if the lane's next step is an atomic of its own
  /// there, as in a compare-and-swap loop.
  bool has_read = false;
  std::uintptr_t read_address = 0;
  /// A write of what another thread has written: right if both write the same.
  bool has_write = false;
  std::uintptr_t write_address = 0;
  std::array<unsigned char, 16> before{};
  unsigned bytes = 0;
  std::optional<Error> read_error, write_error;
  Event* limit = nullptr;  ///< of the lane's trace
};

class Checks {
 public:
  /// For a launch. Keeps what is known of global memory: stamps of blocks of earlier launches are older.
  void begin();
  /// When all threads of the block wait at a barrier or have ended: reads that nothing has explained are
  /// errors.
  void settle(Block& block);
  /// At the end of the launch.
  void settle_global();
  /// When a lane waits or ends.
  void settle_lane(Lane& lane) {
    if (lane.suspect) settle_suspect(lane);
  }

  /// The access's words, one after the other. False if there was an error.
  bool note(Lane& lane, Cell* cells, const CheckedAccess& what);
  /// A lane's copy has arrived.
  void copied(Lane& lane, Cell* cells, const CheckedAccess& what);

  Cell* global_cells(std::uintptr_t address) { return global_cells_ + (address - global_begin_) / 4; }

  void unwritten_global(Lane& lane, const CheckedAccess& what);
  /// A store of what another thread has stored, too, is an error unless both have stored the same.
  void verify_store(Lane& lane);

  Ordering ordering;

 private:
  void settle_suspect(Lane& lane);
  bool note_word(Lane& lane, Cell& cell, Stamp me, const CheckedAccess& what);
  bool note_write(Lane& lane, const Cell& cell, Stamp me, const CheckedAccess& what);
  bool unordered(const Lane& lane, Stamp other, Stamp me, const CheckedAccess& what) const;
  bool is_recent(const Lane& lane, Stamp stamp, bool shared) const;
  void note_reader(const Lane& lane, Cell& cell, Stamp me, const CheckedAccess& what) const;
  Error race(const Lane& lane, Stamp other, std::uint32_t other_site, bool other_wrote,
             const CheckedAccess& what) const;
  void note_unwritten(const Lane& lane, const CheckedAccess& what);

  /// The first read of what nobody had written. If somebody else writes it later, that is a race, and found
  /// there.
  struct Unwritten {
    std::uint32_t block = 0;
    std::optional<Error> error;
  };
  Unwritten unwritten_, unwritten_global_;
  Cell* global_cells_ = nullptr;
  std::uintptr_t global_begin_ = 0;
};

extern Checks running_checks;
inline Checks& checks() { return running_checks; }

}  // namespace simt
