#include "runtime/ptx.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "runtime/atomics.hpp"
#include "runtime/block.hpp"
#include "runtime/places.hpp"
#include "runtime/trace.hpp"
#include "runtime/warp_functions.hpp"

#define SIMT_SITE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

extern "C" long long simt_clock();

namespace simt {
namespace {

constexpr std::string_view large_step = "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64";
constexpr std::string_view small_step = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";

/// How a step's matrices are spread over the lanes: with g = lane / 4 and t = lane % 4, element k of A is in
/// row g + 8 (k % 2), column t + 4 (k / 2); of B in row t + 4 k, column g; of C in row g + 8 (k / 2), column
/// 2 t + k % 2.
struct Shape {
  std::size_t rows, depth;  ///< and 8 columns
};
constexpr Shape large_shape = {16, 16}, small_shape = {8, 4};

/// The numbers of the operands in the braces of an instruction: of D, A, B and C.
using Numbers = std::array<std::vector<int>, 4>;

Numbers numbers_in(std::string_view instruction) {
  Numbers numbers;
  for (std::vector<int>& list : numbers) {
    const std::size_t open = instruction.find('{');
    if (open == instruction.npos) break;
    const std::size_t close = std::min(instruction.find('}', open), instruction.size());
    for (std::size_t at = instruction.find('%', open); at < close; at = instruction.find('%', at + 1))
      list.push_back(std::atoi(instruction.data() + at + 1));
    instruction.remove_prefix(close);
  }
  return numbers;
}

double value(const Lane& lane, int operand) { return std::bit_cast<double>(lane.request.operands[operand]); }

/// An entry is a sum in the order of the terms, each multiplied and added with one rounding.
void multiply(Lane* lanes, const Shape& shape, const Numbers& numbers) {
  const auto& [d, a, b, c] = numbers;
  std::array<std::vector<double>, warp_lanes> results;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    const std::size_t g = lane / 4, t = lane % 4;
    for (std::size_t k = 0; k < d.size(); ++k) {
      const std::size_t half = k / 2, column = 2 * t + k % 2;
      double sum = value(lanes[lane], c[k]);
      for (std::size_t term = 0; term < shape.depth; ++term) {
        const Lane& with_a = lanes[4 * g + term % 4];
        const Lane& with_b = lanes[4 * column + term % 4];
        sum = std::fma(value(with_a, a[shape.rows / 8 * (term / 4) + half]), value(with_b, b[term / 4]), sum);
      }
      results[lane].push_back(sum);
    }
  }
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    for (std::size_t k = 0; k < d.size(); ++k)
      lanes[lane].request.operands[d[k]] = std::bit_cast<std::uint64_t>(results[lane][k]);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  return begin == text.npos ? std::string_view{} : text.substr(begin);
}

void matrix_step(Lane& lane, const char* text, std::uint64_t* operands, std::uintptr_t site) {
  need(lane, Feature::double_tensor_step, site);
  lane.request = {};
  lane.request.site = site;
  lane.request.function = matrix_multiply;
  lane.request.mask = ~0u;
  lane.request.text = text;
  lane.request.operands = operands;
  push_quietly(lane, 0, Event::make(EventKind::matrix_step, site));
  lane.state = LaneState::in_warp_function;
  Fiber::pause();
}

}  // namespace

void multiply_matrices(Lane* lanes) {
  const std::string_view instruction = trimmed(lanes[0].request.text);
  const Shape& shape = instruction.starts_with(large_step) ? large_shape : small_shape;
  multiply(lanes, shape, numbers_in(instruction));
}

}  // namespace simt

extern "C" void simt_ptx(const char* text, unsigned long long* operands) {
  simt::Lane* const lane = simt::current_lane;
  if (lane == nullptr) return;
  const std::uintptr_t site = SIMT_SITE;
  const std::string_view instruction = simt::trimmed(text);
  if (instruction.empty()) return;  // asm volatile("" ::: "memory") is for the compiler
  if (instruction.starts_with(simt::large_step) || instruction.starts_with(simt::small_step)) {
    simt::matrix_step(*lane, text, reinterpret_cast<std::uint64_t*>(operands), site);
  } else if (instruction.find("%globaltimer") != instruction.npos ||
             instruction.find("%clock") != instruction.npos) {
    operands[0] = static_cast<unsigned long long>(simt_clock());
  } else if (instruction.find("%laneid") != instruction.npos) {
    operands[0] = lane->number % simt::warp_lanes;
  } else if (instruction.find("%smid") != instruction.npos) {
    operands[0] =
        lane->block->number % static_cast<std::uint64_t>(simt::machine().options.device.multiprocessors);
  } else {
    simt::fail(simt::ErrorKind::unsupported, lane, site,
               "the simulator does not know the PTX instruction \"" + std::string(instruction) + "\"");
    simt::stop_lane();
  }
}
