// The keys of groups: each different text gets a small number.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foldline/text_keys.hpp"

namespace foldline::io {

/// A key in a table, followed by its text. It never moves, and only `first` changes.
struct KeyRecord {
  std::atomic<std::uint64_t> first;  ///< place of its first occurrence
  std::uint32_t number;
  std::uint32_t size;

  std::string_view text() const { return {reinterpret_cast<const char*>(this + 1), size}; }
};

/// A key to be found in a table.
struct KeySearch {
  std::string_view key;
  std::uint64_t hash = 0;
  std::uint64_t place = 0;            ///< of its row, in order
  const char* at = nullptr;           ///< where it is in the text
  const KeyRecord* record = nullptr;  ///< set when found
};

/// The keys of a text, shared by threads: a hash table with 8 bytes per slot and a random secret, so that no
/// choice of keys makes it slow; texts are stored in chunks.
class KeyTable {
 public:
  explicit KeyTable(std::int64_t most_keys);

  std::uint64_t hash(std::string_view key) const;
  /// Finds or adds all keys in order. Returns how many it could: fewer than all if there are too many new
  /// keys, or too long ones.
  std::size_t find(std::span<KeySearch> searches);
  /// Blocks of text so far: the number of the next text's first block.
  std::uint64_t blocks() const { return blocks_; }
  void saw_block(std::uint64_t block);

  std::int64_t size() const { return static_cast<std::int64_t>(count_); }
  /// All keys in the order of their places.
  std::vector<TextKey> in_order() const;
  /// All keys in the order of their numbers.
  std::vector<std::string> keys() const;

 private:
  /// The position of a record in units of 8 bytes, and above it some bits of its hash; 0 if empty.
  using Slot = std::uint64_t;

  const KeyRecord* find(std::string_view key, std::uint64_t hash) const;
  const KeyRecord* add(const KeySearch& search);
  void grow();
  void enter(std::uint64_t hash, std::uint64_t position);
  std::uint64_t room_for(std::size_t size);
  KeyRecord* record_at(std::uint64_t position) const;
  template <class F>
  void for_each(const F& f) const;

  std::array<std::uint64_t, 3> secret_;
  mutable std::shared_mutex mutex_;  ///< of all below
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;  ///< of records
  std::vector<std::size_t> chunk_sizes_;              ///< bytes in use
  std::uint64_t count_ = 0;
  std::int64_t keys_left_;
  std::int64_t bytes_left_;
  std::atomic<std::uint64_t> blocks_ = 0;
};

/// The keys of one block after another, for one thread: remembers recent keys and looks up the others in
/// batches.
class KeyCache {
 public:
  /// Forgets all keys.
  void clear();
  /// Begins a block; `block` is its number over all texts, which threads may begin in any order.
  void begin(const std::shared_ptr<KeyTable>& table, std::uint64_t block);
  /// Adds the key of the next row, which begins at `at` in the text. `outlives_block`: its characters stay
  /// valid until the block is done.
  void add(std::string_view key, bool outlives_block, const char* at);
  /// Whether a batch is complete.
  bool is_full() const { return searches_.size() >= batch; }
  /// Looks up the keys not known yet. Returns the position of the first key that does not fit the table.
  std::optional<const char*> look_up();
  /// The numbers of all rows' keys; after look_up().
  std::span<const std::uint32_t> numbers() const { return numbers_; }

 private:
  static constexpr std::size_t batch = 512;
  struct Known {
    std::uint64_t hash = 0;
    const KeyRecord* record = nullptr;
  };

  std::shared_ptr<KeyTable> table_;
  std::uint64_t block_ = 0;
  std::vector<Known> known_;
  std::vector<KeySearch> searches_;
  std::vector<std::uint32_t> rows_;  ///< of the searches
  std::deque<std::string> texts_;    ///< copies of keys that do not outlive the block
  std::vector<std::uint32_t> numbers_;
};

}  // namespace foldline::io
