#include "io/text_keys.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <random>

#include "foldline/error.hpp"

namespace foldline::io {
namespace {

constexpr std::size_t cache_slots = 4096;
constexpr std::int64_t average_bytes_of_key = 64;  // as TextFormat says
constexpr std::size_t first_slots = 1024;
constexpr std::size_t unit = 8;
constexpr std::size_t chunk_size = std::size_t{1} << 20;
constexpr int position_bits = 44;
constexpr std::uint64_t position_mask = (std::uint64_t{1} << position_bits) - 1;
constexpr std::uint64_t units_of_chunk = chunk_size / unit;

__extension__ typedef unsigned __int128 Uint128;

/// Combines both halves of a product, so that every bit of the factors affects many of the result.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
std::uint64_t load(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

void lower(std::atomic<std::uint64_t>& value, std::uint64_t to) {
  std::uint64_t now = value.load(std::memory_order_relaxed);
  while (to < now && !value.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}

}  // namespace

KeyTable::KeyTable(std::int64_t most_keys)
    : slots_(first_slots), keys_left_(most_keys), bytes_left_(most_keys * average_bytes_of_key) {
  std::random_device random;
  for (std::uint64_t& word : secret_) word = static_cast<std::uint64_t>(random()) << 32 | random();
}

std::uint64_t KeyTable::hash(std::string_view key) const {
  const char* at = key.data();
  std::size_t left = key.size();
  std::uint64_t state = secret_[0] ^ key.size();
  for (; left > 16; at += 16, left -= 16)
    state = mix(load<std::uint64_t>(at) ^ secret_[1], load<std::uint64_t>(at + 8) ^ state);
  std::uint64_t low = 0, high = 0;
  if (left >= 8) {
    low = load<std::uint64_t>(at);
    high = load<std::uint64_t>(at + left - 8);
  } else if (left >= 4) {
    low = load<std::uint32_t>(at);
    high = load<std::uint32_t>(at + left - 4);
  } else if (left > 0) {
    low = load<std::uint8_t>(at) << 16 | load<std::uint8_t>(at + left / 2) << 8 |
          load<std::uint8_t>(at + left - 1);
  }
  return mix(secret_[2] ^ key.size(), mix(low ^ secret_[1], high ^ state));
}

KeyRecord* KeyTable::record_at(std::uint64_t position) const {
  return reinterpret_cast<KeyRecord*>(chunks_[position / units_of_chunk].get() +
                                      position % units_of_chunk * unit);
}

const KeyRecord* KeyTable::find(std::string_view key, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot slot = slots_[i];
    if (slot == 0) return nullptr;
    if (slot >> position_bits != hash >> position_bits) continue;
    const KeyRecord* const record = record_at(slot & position_mask);
    if (record->text() == key) return record;
  }
}

std::size_t KeyTable::find(std::span<KeySearch> searches) {
  bool all = true;
  {
    const std::shared_lock lock(mutex_);
    const std::size_t mask = slots_.size() - 1;
    // Slots and records are rarely in a cache: prefetched together, they arrive together.
    for (const KeySearch& search : searches) __builtin_prefetch(&slots_[search.hash & mask]);
    for (const KeySearch& search : searches)
      // One hash in a million has the bits of an empty slot, and the first thread to look finds no chunk yet.
      if (const Slot slot = slots_[search.hash & mask];
          slot != 0 && slot >> position_bits == search.hash >> position_bits)
        __builtin_prefetch(record_at(slot & position_mask));
    for (KeySearch& search : searches) {
      search.record = find(search.key, search.hash);
      if (search.record != nullptr)
        lower(const_cast<KeyRecord*>(search.record)->first, search.place);  // NOLINT: the table's own
      else
        all = false;
    }
  }
  if (all) return searches.size();
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < searches.size(); ++i) {
    KeySearch& search = searches[i];
    if (search.record == nullptr) search.record = add(search);
    if (search.record == nullptr) return i;
  }
  return searches.size();
}

/// Returns null if there is no room. Another thread may have added the key meanwhile.
const KeyRecord* KeyTable::add(const KeySearch& search) {
  if (const KeyRecord* const record = find(search.key, search.hash)) {
    lower(const_cast<KeyRecord*>(record)->first, search.place);  // NOLINT: the table's own
    return record;
  }
  const auto size = static_cast<std::int64_t>(search.key.size());
  if (keys_left_ == 0 || bytes_left_ < size || size > std::numeric_limits<std::uint32_t>::max())
    return nullptr;
  if (4 * (count_ + 1) > 3 * slots_.size()) grow();
  const std::uint64_t position = room_for(sizeof(KeyRecord) + search.key.size());
  KeyRecord* const record = new (record_at(position))
      KeyRecord{search.place, static_cast<std::uint32_t>(count_), static_cast<std::uint32_t>(size)};
  std::memcpy(reinterpret_cast<char*>(record + 1), search.key.data(), search.key.size());
  enter(search.hash, position);
  ++count_;
  --keys_left_;
  bytes_left_ -= size;
  return record;
}

void KeyTable::enter(std::uint64_t hash, std::uint64_t position) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i] != 0) i = (i + 1) & mask;
  slots_[i] = hash >> position_bits << position_bits | position;
}

/// Twice as many slots. The old ones are not needed to fill the new ones, nor kept beside them.
void KeyTable::grow() {
  const std::size_t size = 2 * slots_.size();
  slots_ = {};
  slots_.resize(size);
  for_each([&](const KeyRecord& record, std::uint64_t position) { enter(hash(record.text()), position); });
}

/// The position for a new record. A long one gets a chunk of its own.
std::uint64_t KeyTable::room_for(std::size_t size) {
  size = (size + unit - 1) / unit * unit;
  if (chunks_.empty() || chunk_sizes_.back() + size > chunk_size) {
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(std::max(size + unit, chunk_size)));
    chunk_sizes_.push_back(chunks_.size() == 1 ? unit : 0);  // position 0 means none
  }
  const std::uint64_t position = (chunks_.size() - 1) * units_of_chunk + chunk_sizes_.back() / unit;
  chunk_sizes_.back() += size;
  return position;
}

/// Calls f(record, position) for all records in the order of their numbers.
template <class F>
void KeyTable::for_each(const F& f) const {
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk)
    for (std::size_t at = chunk == 0 ? unit : 0; at < chunk_sizes_[chunk];) {
      const std::uint64_t position = chunk * units_of_chunk + at / unit;
      const KeyRecord& record = *record_at(position);
      f(record, position);
      at += (sizeof(KeyRecord) + record.size + unit - 1) / unit * unit;
    }
}

void KeyTable::saw_block(std::uint64_t block) {
  std::uint64_t blocks = blocks_;
  while (blocks <= block && !blocks_.compare_exchange_weak(blocks, block + 1)) {
  }
}

std::vector<TextKey> KeyTable::in_order() const {
  const std::shared_lock lock(mutex_);
  std::vector<TextKey> result(count_);
  auto next = result.begin();
  for_each([&](const KeyRecord& record, std::uint64_t) { (next++)->record_ = &record; });
  std::ranges::sort(result, {}, [](TextKey key) { return key.record_->first.load(); });
  return result;
}

std::vector<std::string> KeyTable::keys() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> result;
  result.reserve(count_);
  for_each([&](const KeyRecord& record, std::uint64_t) { result.emplace_back(record.text()); });
  return result;
}

void KeyCache::begin(const std::shared_ptr<KeyTable>& table, std::uint64_t block) {
  if (table_ != table) {  // of another reader
    known_.assign(cache_slots, {});
    table_ = table;
  }
  block_ = block;
  table_->saw_block(block);
  clear();
}

void KeyCache::clear() {
  searches_.clear();
  rows_.clear();
  texts_.clear();
  numbers_.clear();
}

void KeyCache::add(std::string_view key, bool outlives_block, const char* at) {
  const std::uint64_t hash = table_->hash(key);
  const Known& known = known_[hash % cache_slots];
  if (known.hash == hash && known.record != nullptr && known.record->text() == key)
    return numbers_.push_back(known.record->number);  // this thread has seen it in an earlier place
  const auto row = static_cast<std::uint32_t>(numbers_.size());
  searches_.push_back(
      {outlives_block ? key : std::string_view(texts_.emplace_back(key)), hash, block_ << 32 | row, at});
  rows_.push_back(row);
  numbers_.push_back(0);
}

std::optional<const char*> KeyCache::look_up() {
  const std::size_t found = table_->find(searches_);
  for (std::size_t i = 0; i < found; ++i) {
    numbers_[rows_[i]] = searches_[i].record->number;
    known_[searches_[i].hash % cache_slots] = {searches_[i].hash, searches_[i].record};
  }
  const std::optional<const char*> failed =
      found < searches_.size() ? std::optional(searches_[found].at) : std::nullopt;
  searches_.clear();
  rows_.clear();
  texts_.clear();
  return failed;
}

}  // namespace foldline::io

namespace foldline {

std::string_view TextKey::text() const { return record_ == nullptr ? "" : record_->text(); }
std::uint32_t TextKey::number() const { return record_ == nullptr ? 0 : record_->number; }

TextKeys::TextKeys(std::int64_t most_keys) {
  if (most_keys < 1 || most_keys > INT32_MAX)
    throw InvalidArgument(std::to_string(most_keys) + " keys are not possible; choose 1 to 2^31 - 1");
  table_ = std::make_shared<io::KeyTable>(most_keys);
}
TextKeys::~TextKeys() = default;

std::int64_t TextKeys::size() const { return table_->size(); }
std::vector<TextKey> TextKeys::in_order() const { return table_->in_order(); }

}  // namespace foldline
