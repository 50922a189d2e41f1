#include "memory/tables.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>

#include "memory/bandwidths.hpp"
#include "memory/bank_conflicts.hpp"
#include "memory/cache_sizes.hpp"
#include "memory/latencies.hpp"
#include "memory/random_gather.hpp"

namespace foldline::ladder::memory {
namespace {

constexpr std::array sizes_of_elements = {1, 2, 4, 8};

std::string size_text(std::int64_t bytes) {
  return bytes < 1 << 20 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes >> 20) + " MiB";
}

std::int64_t ring_bytes(int k) { return std::int64_t{4} * smallest_ring_words << k; }

/// The KiB of the largest ring, of `count` from `first` on, with fewer cycles a step than `limit`.
double largest_below(const float* first, int count, double limit) {
  int k = count - 1;
  while (k > 0 && static_cast<double>(first[k]) >= limit) --k;
  return static_cast<double>(ring_bytes(k) >> 10);
}

}  // namespace

int predicted_degree(int element_bytes, int L) {
  std::array<std::set<int>, 32> words;
  for (int lane = 0; lane < 32; ++lane) {
    const int first = lane * L * element_bytes;
    for (int word = first / 4; word <= (first + element_bytes - 1) / 4; ++word)
      words[static_cast<std::size_t>(word % 32)].insert(word);
  }
  std::size_t max_elements = 0;
  for (const std::set<int>& of_bank : words) max_elements = std::max(max_elements, of_bank.size());
  return static_cast<int>(max_elements);
}

std::vector<Table> latency_table(const std::vector<float>& cycles) {
  const std::array<const char*, memory::count> names = {"registers (a multiply-add)",
                                                        "shared",
                                                        "constant",
                                                        "texture",
                                                        "local",
                                                        "global, in L1 cache",
                                                        "global, in L2 cache",
                                                        "global, in no cache"};
  Table table{"latency", {"cycles"}, {}};
  for (std::size_t kind = 0; kind < names.size(); ++kind) table.rows.push_back({names[kind], {cycles[kind]}});
  return {table};
}

std::vector<Table> bandwidth_table(const std::vector<float>& rates) {
  const std::array<const char*, sources> names = {"registers (multiply-adds)", "shared",
                                                  "constant, one word a warp", "texture, in L1 cache",
                                                  "local, in L1 cache",        "global, in L1 cache",
                                                  "global, in L2 cache",       "global, in no cache"};
  Table table{"bandwidth: bytes a cycle of one multiprocessor, and of all", {"bytes", "GB/s"}, {}};
  const double all =
      static_cast<double>(rates[multiprocessor_count]) * static_cast<double>(rates[clock_rate]);
  for (std::size_t kind = 0; kind < names.size(); ++kind)
    table.rows.push_back({names[kind], {rates[kind], rates[kind] * all}});
  return {table};
}

std::vector<Table> conflict_table(const std::vector<float>& cycles) {
  Table table{"turns that a request should take, and cycles that it took",
              {"char", "cycles", "short", "cycles", "float", "cycles", "double", "cycles"},
              {}};
  for (int L = 0; L < conflict_strides; ++L) {
    Table::Row row{"L = " + std::to_string(L), {}};
    for (std::size_t type = 0; type < sizes_of_elements.size(); ++type) {
      row.cells.push_back(predicted_degree(sizes_of_elements[type], L));
      row.cells.push_back(cycles[static_cast<std::size_t>(4 * L) + type]);
    }
    table.rows.push_back(row);
  }
  return {table};
}

std::vector<Table> gather_table(const std::vector<float>& rates) {
  Table table{"random gather: words a cycle of one multiprocessor", {"words"}, {}};
  for (const char* const kind : {"global", "texture"})
    for (const int bits : table_bits)
      table.rows.push_back(
          {std::string(kind) + ", " + size_text(std::int64_t{4} << bits), {rates[table.rows.size()]}});
  table.rows.push_back({"shared, " + size_text(std::int64_t{4} << smallest_table_bits), {rates.back()}});
  return {table};
}

/// A cache ends where steps come nearer to what the next one takes than to its own. 512 KiB are more than any
/// L1 cache and less than most L2 caches.
std::vector<Table> cache_table(const std::vector<float>& results) {
  Table steps{"cache sizes: cycles a step, by the size of the ring", {"global", "texture", "constant"}, {}};
  for (int k = 0; k < ring_sizes; ++k) {
    const auto at = [&](int first) {
      return static_cast<double>(results[static_cast<std::size_t>(first + k)]);
    };
    steps.rows.push_back({size_text(ring_bytes(k)), {at(0), at(through_texture)}});
    if (k < constant_ring_sizes) steps.rows.back().cells.push_back(at(in_constant_memory));
  }
  constexpr int beyond_l1 = 9;
  static_assert(4 * smallest_ring_words << beyond_l1 == 512 << 10);
  const auto l1_of = [&](const float* cycles) {
    return largest_below(cycles, ring_sizes,
                         (static_cast<double>(cycles[0]) + static_cast<double>(cycles[beyond_l1])) / 2);
  };
  const float* const global = results.data();
  const float* const constant = global + in_constant_memory;
  const double in_l2 = static_cast<double>(global[beyond_l1]),
               in_memory = static_cast<double>(global[ring_sizes - 1]);
  Table measured{"cache sizes measured: KiB that they hold at least",
                 {"KiB"},
                 {{"constant, nearest cache",
                   {largest_below(constant, constant_ring_sizes, 1.5 * static_cast<double>(constant[0]))}},
                  {"L1", {l1_of(global)}},
                  {"texture", {l1_of(global + through_texture)}},
                  {"L2", {largest_below(global, ring_sizes, (in_l2 + in_memory) / 2)}}}};
  Table asked{"sizes asked of the device", {"KiB"}, {}};
  const std::array<const char*, 4> names = {"constant memory", "shared, a multiprocessor",
                                            "registers, a multiprocessor", "L2"};
  for (std::size_t i = 0; i < names.size(); ++i) asked.rows.push_back({names[i], {results[rings + i]}});
  return {steps, measured, asked};
}

}  // namespace foldline::ladder::memory
