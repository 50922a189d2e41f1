// What GPUs of one host write into each other's memory, and the description of a kernel that does so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nccl/limits.hpp"

namespace foldline::nccl {

/// Words of a message: what is asked for, in two words, where the result goes, and where the arrays are.
inline constexpr int head_words = 3, message_words = head_words + most_arrays;
/// A word is a payload above a tag, the number of the round modulo 2^15, so that a word by itself tells
/// whether it has come. All words of a message are written in every round; else one could be left over from
/// 2^15 rounds ago.
inline constexpr int tag_bits = 15, payload_bits = 64 - tag_bits;
/// A payload that is an address: in one process the address itself, between processes an offset above the
/// number of a registered piece of memory.
inline constexpr int piece_bits_of_address = 10, offset_bits = payload_bits - piece_bits_of_address;
inline constexpr int most_pieces = 1 << piece_bits_of_address;

/// Integers of a spread sum: three sums in limbs with their counts of NaN and infinities, the count of
/// elements and two more, the keys of the extrema.
inline constexpr int spread_words = 424;

/// Room for what a rank sends to a block of another one: so many chunks at a time, of so many bytes.
inline constexpr int rooms_of_block = 4, bytes_of_room = 32 << 10;

/// In the memory of a GPU, and behind it the room for chunks. Zero at first; only kernels write here.
struct alignas(256) Mailbox {
  std::uint64_t message[most_peers][message_words];  // from each peer
  std::uint32_t arrived[most_blocks]
                       [most_peers];             // the last round that the same block of a peer has finished
  std::int64_t words[most_peers][spread_words];  // from each peer
  // The round and in it the number of chunks that the same block of a peer has sent, or has added up.
  std::uint64_t sent[most_blocks][most_peers], taken[most_blocks][most_peers];
  // Of this GPU alone:
  std::uint32_t round;   // that all blocks have finished
  std::uint32_t ticket;  // blocks that have finished the next one
  std::uint32_t failure;
};

/// Why a kernel gave up. A group that failed once does nothing any more: its GPUs no longer agree on the
/// round.
enum class Failure : std::uint32_t { none, time_limit, mismatch };

/// Bytes of a mailbox and of the room for chunks.
constexpr std::int64_t bytes_of_mailbox(int ranks, int blocks) {
  const std::int64_t rooms = ranks == 1 ? 0 : std::int64_t{blocks} * rooms_of_block * ranks;
  return static_cast<std::int64_t>(sizeof(Mailbox)) + rooms * bytes_of_room;
}

/// What each rank gives to a round.
struct PeerTask {
  Mailbox* mailbox[most_peers];  // as this GPU sees them
  std::uint32_t* failure;        // in memory of the host
  /// Between processes, where this GPU sees piece i of peer p: at pieces[p * most_pieces + i]. Null in one
  /// process.
  const std::byte* const* pieces;
  std::uint64_t time_limit;  // in nanoseconds, for each of two waits
  int rank, size;
  int arrays;
  bool scatters;       // each rank gets its slice of the result only
  std::uint64_t what;  // type and more that ranks must agree on
  std::int64_t count;  // elements of an array, or of a slice if it scatters
  void* out;
  const void* in[most_arrays];
  std::uint64_t out_address, in_address[most_arrays];  // as messages have them
};

}  // namespace foldline::nccl
