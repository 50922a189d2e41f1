// The keys of groups: each different text gets a small number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foldline::io {

/// The keys of a text, for all threads. A tree, not a hash table: no choice of keys makes it slow.
class KeyTable {
 public:
  explicit KeyTable(std::int64_t most_keys);

  /// The number of a key, new or not; none if it is new and there are too many, or too long ones.
  std::optional<std::uint32_t> number_of(std::string_view key);
  /// All keys in the order of their numbers.
  std::vector<std::string> keys() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::int64_t keys_left_;
  std::int64_t bytes_left_;
};

/// What one thread remembers of a table, to ask it rarely: in a table of fixed size, a new key takes the
/// place of an old one.
class KeyCache {
 public:
  /// The same as table->number_of(key).
  std::optional<std::uint32_t> number_of(std::string_view key, const std::shared_ptr<KeyTable>& table);

 private:
  struct Slot {
    std::string key;
    std::uint32_t number = 0;
    bool used = false;
  };
  std::shared_ptr<KeyTable> table_;
  std::vector<Slot> slots_;
};

}  // namespace foldline::io
