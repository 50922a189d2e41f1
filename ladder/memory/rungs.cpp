// The rungs in order, their expected results, and tables of the counts.
#include "memory/rungs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>

#include "memory/bandwidths.hpp"
#include "memory/bank_conflicts.hpp"
#include "memory/latencies.hpp"

namespace foldline::ladder::memory {

void latencies(Bench&);
void bandwidths(Bench&);
void bank_conflicts(Bench&);
void constant_broadcast(Bench&);
void constant_scattered(Bench&);
void texture_of_an_array(Bench&);
void texture_of_linear(Bench&);

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

namespace {

Table latency_table(const std::vector<float>& cycles) {
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
  return table;
}

Table bandwidth_table(const std::vector<float>& rates) {
  const std::array<const char*, sources> names = {"registers (multiply-adds)", "shared",
                                                  "constant, one word a warp", "texture, in L1 cache",
                                                  "local, in L1 cache",        "global, in L1 cache",
                                                  "global, in L2 cache",       "global, in no cache"};
  Table table{"bandwidth: bytes a cycle of one multiprocessor, and of all", {"bytes", "GB/s"}, {}};
  const double all =
      static_cast<double>(rates[multiprocessor_count]) * static_cast<double>(rates[clock_rate]);
  for (std::size_t kind = 0; kind < names.size(); ++kind)
    table.rows.push_back({names[kind], {rates[kind], rates[kind] * all}});
  return table;
}

constexpr std::array element_bytes = {1, 2, 4, 8};

Table conflict_table(const std::vector<float>& cycles) {
  Table table{"turns that a request should take, and cycles that it took",
              {"char", "cycles", "short", "cycles", "float", "cycles", "double", "cycles"},
              {}};
  for (int L = 0; L < conflict_strides; ++L) {
    Table::Row row{"L = " + std::to_string(L), {}};
    for (std::size_t type = 0; type < element_bytes.size(); ++type) {
      row.cells.push_back(predicted_degree(element_bytes[type], L));
      row.cells.push_back(cycles[static_cast<std::size_t>(4 * L) + type]);
    }
    table.rows.push_back(row);
  }
  return table;
}

/// A walk of 2 * 2048 steps through a ring of 1024 or 64 ends where it began; the other results are 0 by
/// construction. For bandwidths they are numbers of threads with a wrong sum.
int zero(std::int64_t) { return 0; }
int conflict_element(std::int64_t i) { return static_cast<int>(i % 32 * (i / 32 / 4) % 128); }
int sum_with_one_constant(std::int64_t i) { return static_cast<int>(i % 1000 + i % 77 + 10); }
int sum_with_many_constants(std::int64_t i) {
  return static_cast<int>(i % 1000 + i % 77 + 10 + 2 * (i % 512));
}
int even_number(std::int64_t i) { return static_cast<int>(2 * i); }

}  // namespace

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> list = {
      {{"latencies", ladder::Kind::aside, "latencies.cu"}, latencies, zero, latency_table},
      {{"bandwidths", ladder::Kind::aside, "bandwidths.cu"}, bandwidths, zero, bandwidth_table},
      {{"bank-conflicts", ladder::Kind::aside, "bank_conflicts.cu"},
       bank_conflicts,
       conflict_element,
       conflict_table},
      {{"constant-broadcast", ladder::Kind::aside, "constants.cu"},
       constant_broadcast,
       sum_with_one_constant,
       nullptr,
       12},
      {{"constant-scattered", ladder::Kind::aside, "constants.cu"},
       constant_scattered,
       sum_with_many_constants,
       nullptr,
       12},
      {{"texture-of-an-array", ladder::Kind::aside, "texture_reads.cu"},
       texture_of_an_array,
       even_number,
       nullptr},
      {{"texture-of-linear-memory", ladder::Kind::aside, "texture_reads.cu"},
       texture_of_linear,
       even_number,
       nullptr},
  };
  return list;
}

}  // namespace foldline::ladder::memory
