// The rungs in order, and their expected results.
#include "memory/rungs.hpp"

#include <bit>
#include <cstddef>

#include "memory/tables.hpp"

namespace foldline::ladder::memory {

void latencies(Bench&);
void bandwidths(Bench&);
void bank_conflicts(Bench&);
void random_gather(Bench&);
void cache_sizes(Bench&);
void constant_broadcast(Bench&);
void constant_scattered(Bench&);
void texture_of_an_array(Bench&);
void texture_of_linear(Bench&);
void texture_read_modes(Bench&);

namespace {

constexpr auto aside = ladder::Kind::aside;

/// Walks end where they should, or begin again; all other results that are 0 are numbers of threads with a
/// wrong sum.
int zero(std::int64_t) { return 0; }
int conflict_element(std::int64_t i) { return static_cast<int>(i % 32 * (i / 32 / 4) % 128); }
int sum_with_one_constant(std::int64_t i) { return static_cast<int>(i % 1000 + i % 77 + 10); }
int sum_with_many_constants(std::int64_t i) {
  return static_cast<int>(i % 1000 + i % 77 + 10 + 2 * (i % 512));
}
int bits_of(std::int64_t i) { return std::bit_cast<int>(static_cast<float>(i)); }
int bits_of_even_number(std::int64_t i) { return bits_of(2 * i); }
int byte(std::int64_t i) { return static_cast<int>(i % 256); }

/// As the texts' programs print what they read back.
std::string all_elements(const std::vector<int>& results) {
  std::string text;
  for (const int bits : results) {
    if (!text.empty()) text += ' ';
    text += std::to_string(static_cast<int>(std::bit_cast<float>(bits)));
  }
  return text;
}
std::string whether_equal(const std::vector<int>& results) {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i] != bits_of(static_cast<std::int64_t>(i))) return "arrays differ";
  return "arrays equal";
}

}  // namespace

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> list = {
      {{"latencies", aside, "latencies.cu"}, latencies, zero, latency_table},
      {{"bandwidths", aside, "bandwidths.cu"}, bandwidths, zero, bandwidth_table},
      {{"bank-conflicts", aside, "bank_conflicts.cu"}, bank_conflicts, conflict_element, conflict_table},
      {{"random-gather", aside, "random_gather.cu"}, random_gather, zero, gather_table},
      {{"cache-sizes", aside, "cache_sizes.cu"}, cache_sizes, zero, cache_table},
      {{"constant-broadcast", aside, "constants.cu"},
       constant_broadcast,
       sum_with_one_constant,
       nullptr,
       nullptr,
       12},
      {{"constant-scattered", aside, "constants.cu"},
       constant_scattered,
       sum_with_many_constants,
       nullptr,
       nullptr,
       12},
      {{"texture-of-an-array", aside, "texture_reads.cu"},
       texture_of_an_array,
       bits_of_even_number,
       nullptr,
       all_elements},
      {{"texture-of-linear-memory", aside, "texture_reads.cu"},
       texture_of_linear,
       bits_of,
       nullptr,
       whether_equal},
      {{"texture-read-modes", aside, "texture_read_modes.cu"}, texture_read_modes, byte},
  };
  return list;
}

}  // namespace foldline::ladder::memory
