#include "io/text_keys.hpp"

namespace foldline::io {
namespace {

constexpr std::size_t cache_slots = 4096;
constexpr std::size_t longest_cached = 64;         // bounds the memory of a cache
constexpr std::int64_t average_bytes_of_key = 64;  // as TextFormat says

}  // namespace

KeyTable::KeyTable(std::int64_t most_keys)
    : keys_left_(most_keys), bytes_left_(most_keys * average_bytes_of_key) {}

std::optional<std::uint32_t> KeyTable::number_of(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto place = numbers_.lower_bound(key);
  if (place != numbers_.end() && place->first == key) return place->second;
  const auto size = static_cast<std::int64_t>(key.size());
  if (keys_left_ == 0 || bytes_left_ < size) return std::nullopt;
  --keys_left_;
  bytes_left_ -= size;
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  return numbers_.emplace_hint(place, key, number)->second;
}

std::vector<std::string> KeyTable::keys() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> result(numbers_.size());
  for (const auto& [key, number] : numbers_) result[number] = key;
  return result;
}

std::optional<std::uint32_t> KeyCache::number_of(std::string_view key,
                                                 const std::shared_ptr<KeyTable>& table) {
  if (table_ != table) {  // another reader's
    slots_.assign(cache_slots, {});
    table_ = table;
  }
  if (key.size() > longest_cached) return table->number_of(key);
  Slot& slot = slots_[std::hash<std::string_view>()(key) % cache_slots];
  if (slot.used && slot.key == key) return slot.number;
  const std::optional<std::uint32_t> number = table->number_of(key);
  if (number) slot = {std::string(key), *number, true};
  return number;
}

}  // namespace foldline::io
