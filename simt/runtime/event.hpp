// What a thread did, in the order in which it did it: the trace that is replayed warp by warp.
#pragma once

#include <cstdint>

namespace simt {

enum class EventKind : std::uint8_t {
  block,  ///< a basic block begins
  leave,  ///< a function returns
  end,    ///< of the trace so far
  global,
  shared,
  constant,
  texture,
  async_copy,
  barrier,
  warp_function,
  fence,
  matrix_step
};

enum class Access : std::uint8_t { load, store, atomic };

/// 16 bytes. Two lanes do the same if their words are equal.
struct Event {
  std::uint64_t address;
  std::uint64_t word;

  static constexpr int kind_at = 48, size_at = 52, access_at = 55;

  /// `code`: a block's number, or the address of an instruction.
  static std::uint64_t make(EventKind kind, std::uint64_t code) {
    return std::uint64_t(kind) << kind_at | code;
  }
  /// Sizes are powers of two up to 16.
  static std::uint64_t make(EventKind kind, std::uint64_t code, unsigned size, Access access) {
    return make(kind, code) | std::uint64_t(unsigned(__builtin_ctz(size))) << size_at |
           std::uint64_t(access) << access_at;
  }

  EventKind kind() const { return EventKind(word >> kind_at & 15); }
  std::uint64_t code() const { return word & ((std::uint64_t{1} << kind_at) - 1); }
  unsigned size() const { return 1u << (word >> size_at & 7); }
  Access access() const { return Access(word >> access_at & 3); }
};

/// In the address of an asynchronous copy: the global address below, the number of the word in shared memory
/// above.
constexpr int copy_shift = 47;

}  // namespace simt
