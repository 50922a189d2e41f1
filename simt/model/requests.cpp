#include "model/requests.hpp"

#include <algorithm>
#include <array>

namespace simt::model {
namespace {

constexpr unsigned banks = 32, bank_bytes = 4;

/// A few different numbers; most requests repeat the last one.
template <std::size_t Most>
class Distinct {
 public:
  void add(std::uint64_t number) {
    if (count_ != 0 && numbers_[count_ - 1] == number) return;
    for (std::uint32_t i = 0; i < count_; ++i)
      if (numbers_[i] == number) return;
    numbers_[count_++] = number;
  }
  std::uint32_t count() const { return count_; }

 private:
  std::array<std::uint64_t, Most> numbers_;
  std::uint32_t count_ = 0;
};

/// Different bytes that are asked for, if lanes ask for the same or for separate ones.
std::uint64_t distinct_bytes(Addresses addresses, unsigned bytes) {
  Distinct<32> starts;
  for (const std::uint64_t address : addresses) starts.add(address);
  return std::uint64_t{starts.count()} * bytes;
}

/// Every address follows the one before without a gap, as in most requests.
bool in_a_row(Addresses addresses, unsigned bytes) {
  for (std::size_t i = 1; i < addresses.size(); ++i)
    if (addresses[i] != addresses[i - 1] + bytes) return false;
  return true;
}

/// The words of some lanes, by bank.
class Wave {
 public:
  std::uint32_t count() const { return most_; }
  std::uint32_t words() const { return all_; }
  void add(std::uint64_t address, unsigned bytes) {
    for (std::uint64_t word = address / bank_bytes; word <= (address + bytes - 1) / bank_bytes; ++word) {
      const std::size_t bank = word % banks;
      std::uint32_t& count = counts_[bank];
      if (std::find(words_[bank].begin(), words_[bank].begin() + count, word) != words_[bank].begin() + count)
        continue;
      words_[bank][count++] = word;
      ++all_;
      most_ = std::max(most_, count);
    }
  }

 private:
  std::array<std::array<std::uint64_t, 32>, banks> words_;  // a lane has at most one word in a bank
  std::array<std::uint32_t, banks> counts_ = {};
  std::uint32_t most_ = 0, all_ = 0;
};

/// Asynchronous copies of 16 bytes are served a quarter of the warp at a time.
unsigned lanes_at_once(unsigned bytes) { return bytes >= 16 ? 8 : bytes == 8 ? 16 : 32; }

}  // namespace

Parts sectors(Addresses addresses, unsigned bytes, unsigned sector_bytes) {
  if (addresses.empty()) return {};
  const auto sector_of = [&](std::uint64_t address) { return address / sector_bytes; };
  if (in_a_row(addresses, bytes)) {
    const std::uint64_t all = addresses.size() * bytes;
    return {static_cast<std::uint32_t>(sector_of(addresses.back() + bytes - 1) -
                                       sector_of(addresses.front()) + 1),
            static_cast<std::uint32_t>((all + sector_bytes - 1) / sector_bytes)};
  }
  Distinct<64> found;
  for (const std::uint64_t address : addresses) {
    found.add(sector_of(address));
    found.add(sector_of(address + bytes - 1));
  }
  const std::uint64_t ideal = (distinct_bytes(addresses, bytes) + sector_bytes - 1) / sector_bytes;
  return {found.count(), static_cast<std::uint32_t>(ideal)};
}

Parts sectors_of_copy(Addresses global, Addresses shared, unsigned bytes, unsigned sector_bytes) {
  const std::size_t together = lanes_at_once(bytes);
  Distinct<64> found;
  std::uint32_t conflicts = 0;
  for (std::size_t begin = 0; begin < global.size(); begin += together) {
    Wave first;
    for (std::size_t i = begin; i < std::min(begin + together, global.size()); ++i) {
      Wave with = first;
      with.add(shared[i], bytes);
      if (with.count() > 1) {
        ++conflicts;
        continue;
      }
      first = with;
      found.add(global[i] / sector_bytes);
    }
  }
  return {found.count() + conflicts, sectors(global, bytes, sector_bytes).ideal};
}

Parts wavefronts(Addresses addresses, unsigned bytes) {
  if (addresses.empty()) return {};
  const std::uint64_t all = addresses.size() * bytes, row = std::uint64_t{banks} * bank_bytes;
  if (in_a_row(addresses, bytes)) {
    const auto rows = static_cast<std::uint32_t>((all + row - 1) / row);
    return {rows, rows};
  }
  if (std::all_of(addresses.begin(), addresses.end(), [&](std::uint64_t a) { return a == addresses[0]; }))
    return {1, 1};
  Wave wave;
  for (const std::uint64_t address : addresses) wave.add(address, bytes);
  return {wave.count(), (wave.words() + banks - 1) / banks};
}

Parts turns(Addresses addresses) {
  Distinct<32> different;
  for (const std::uint64_t address : addresses) different.add(address);
  return {different.count(), addresses.empty() ? 0u : 1u};
}

}  // namespace simt::model
