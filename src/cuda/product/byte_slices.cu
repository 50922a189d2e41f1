#include "cuda/product/byte_slices.hpp"

#include <algorithm>

#include "arithmetic/floating_point.hpp"
#include "cuda/device/block.cuh"
#include "cuda/device/lane.cuh"
#include "cuda/device/unaligned_access.cuh"
#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

namespace {

constexpr int tile_rows = 32, tile_terms = 128, tile_threads = 256;

/// A matrix whose rows are cut into slices.
struct Source {
  const std::byte* data;
  std::int64_t rows, terms, row_bytes, term_bytes;
  bool is_double;

  __device__ double at(std::int64_t row, std::int64_t term) const {
    const std::byte* const element = data + row * row_bytes + term * term_bytes;
    return is_double ? read_element<double>(element) : static_cast<double>(read_element<float>(element));
  }
};

/// A part of the matrix in shared memory, read along its contiguous direction. Elements outside the matrix
/// are zero.
struct Tile {
  double value[tile_rows][tile_terms + 1];

  __device__ void read(const Source& source, std::int64_t first_row, std::int64_t first_term) {
    const bool along = source.term_bytes <= source.row_bytes;
    for (int i = static_cast<int>(threadIdx.x); i < tile_rows * tile_terms; i += tile_threads) {
      const int row = along ? i / tile_terms : i % tile_rows, term = along ? i % tile_terms : i / tile_rows;
      const bool is_there = first_row + row < source.rows && first_term + term < source.terms;
      value[row][term] = is_there ? source.at(first_row + row, first_term + term) : 0.0;
    }
    __syncthreads();
  }
};

/// The slice of the lowest byte of an integer times 2^exponent that is shifted up by 2 to 9 bits: 53 bits and
/// 9 more leave half the range of the first of eight slices for the carry.
__device__ int last_slice(int exponent, int of_line) { return (of_line - exponent + 9) >> 3; }

/// Finds the highest exponent of each row's terms and the lowest bit, with several blocks per row; a
/// non-finite term gives the exponent not_finite. `bounds` is the memory of the scales.
__global__ void __launch_bounds__(tile_threads) scales_kernel(Source source, int2* bounds) {
  __shared__ Tile tile;
  const std::int64_t first_row = std::int64_t{blockIdx.x} * tile_rows;
  constexpr int threads_of_row = tile_threads / tile_rows;
  const int row = static_cast<int>(threadIdx.x) / threads_of_row;
  int highest = INT32_MIN, lowest = INT32_MAX;
  for (std::int64_t first = std::int64_t{blockIdx.y} * tile_terms; first < source.terms;
       first += std::int64_t{gridDim.y} * tile_terms) {
    tile.read(source, first_row, first);
    for (int term = static_cast<int>(threadIdx.x) % threads_of_row; term < tile_terms;
         term += threads_of_row) {
      const double x = tile.value[row][term];
      const Decomposed parts = decompose(x);
      if (parts.significand == 0) continue;
      highest = max(highest, (bits_of(x) & infinity_bits) == infinity_bits ? not_finite : parts.exponent);
      lowest = min(lowest, last_place(parts));
    }
    __syncthreads();
  }
  if (first_row + row >= source.rows || highest == INT32_MIN) return;
  atomicMax(&bounds[first_row + row].x, highest);
  atomicMin(&bounds[first_row + row].y, lowest);
}

__global__ void start_scales(int2* bounds, std::int64_t rows) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row < rows) bounds[row] = {INT32_MIN, INT32_MAX};
}

/// Replaces the bounds by scales.
__global__ void finish_scales(LineScale* scales, std::int64_t rows) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int2 bounds = reinterpret_cast<const int2*>(scales)[row];
  if (bounds.x == INT32_MIN) {
    scales[row] = {0, 0};
  } else if (bounds.x == not_finite) {
    scales[row] = {0, not_finite};
  } else {
    // The last byte of the terms with the highest exponent is in slice 7, shifted up by 9.
    const int exponent = bounds.x - 9 + slice_bits * (slices_of_term - 1);
    scales[row] = {exponent, ((exponent - bounds.y + slice_bits - 1) >> 3) + 1};
  }
}

/// The eight slices of a finite value, the first in the highest byte; the last is slice `last`.
struct Digits {
  std::uint64_t bytes;
  int last;
};
__device__ Digits digits_of(double value, int exponent_of_line) {
  const Decomposed parts = decompose(value);
  const int last = last_slice(parts.exponent, exponent_of_line);
  const int shift = slice_bits * last - (exponent_of_line - parts.exponent);  // 2 to 9
  std::uint64_t number = parts.significand << shift;
  if (parts.negative) number = ~number + 1;
  constexpr std::uint64_t bias = 0x8080808080808080u;
  return {(number + bias) ^ bias, last};
}

__global__ void __launch_bounds__(tile_threads)
    cut_kernel(Source source, const LineScale* scales, Slices slices) {
  __shared__ Tile tile;
  const std::int64_t first_row = std::int64_t{blockIdx.x} * tile_rows;
  const std::int64_t first_term = std::int64_t{blockIdx.y} * tile_terms;
  tile.read(source, first_row, first_term);
  constexpr int terms_per_thread = 4, across = tile_terms / terms_per_thread;
  for (int i = static_cast<int>(threadIdx.x); i < tile_rows * across; i += tile_threads) {
    const int row = i / across, term = i % across * terms_per_thread;
    if (first_term + term >= slices.terms) continue;
    const std::int64_t line = first_row + row;
    const LineScale scale = line < source.rows ? scales[line] : LineScale{0, 0};
    Digits digits[terms_per_thread];
#pragma unroll
    for (int k = 0; k < terms_per_thread; ++k) {
      const double x = scale.slices == not_finite ? 0.0 : tile.value[row][term + k];
      digits[k] = x == 0 ? Digits{0, slices_of_term} : digits_of(x, scale.exponent);
    }
    auto* slice = reinterpret_cast<std::uint32_t*>(slices.data + line * slices.terms + first_term + term);
    const std::int64_t pitch = slices.lines * slices.terms / terms_per_thread;
    for (int s = 0; s < slices.count; ++s, slice += pitch) {
      std::uint32_t word = 0;
#pragma unroll
      for (int k = 0; k < terms_per_thread; ++k) {
        const int below = digits[k].last - s;  // slices of the term after this one
        const bool has_it = below >= 0 && below < slices_of_term;
        const auto digit = static_cast<std::uint32_t>(digits[k].bytes >> (has_it ? slice_bits * below : 0));
        word |= (has_it ? digit & 0xff : 0) << (8 * k);
      }
      *slice = word;
    }
  }
}

Source source_of(const MatrixOperand& matrix) {
  const std::int64_t size = size_of(matrix.type);
  return {matrix.data,
          matrix.rows,
          matrix.columns,
          matrix.row_stride * size,
          matrix.column_stride * size,
          matrix.type == ElementType::float64};
}

unsigned blocks(std::int64_t items, std::int64_t of_block) {
  return static_cast<unsigned>((items - 1) / of_block + 1);
}

}  // namespace

void find_scales(const MatrixOperand& matrix, LineScale* scales, cudaStream_t stream) {
  static_assert(sizeof(LineScale) == sizeof(int2));
  auto* const bounds = reinterpret_cast<int2*>(scales);
  constexpr int threads = 256;
  start_scales<<<blocks(matrix.rows, threads), threads, 0, stream>>>(bounds, matrix.rows);
  // Few rows are shared by many blocks.
  constexpr std::int64_t enough = 2048;
  const unsigned down = blocks(matrix.rows, tile_rows);
  const std::int64_t across = std::clamp<std::int64_t>(enough / down, 1, blocks(matrix.columns, tile_terms));
  scales_kernel<<<dim3(down, static_cast<unsigned>(across)), tile_threads, 0, stream>>>(source_of(matrix),
                                                                                        bounds);
  finish_scales<<<blocks(matrix.rows, threads), threads, 0, stream>>>(scales, matrix.rows);
  check(cudaGetLastError(), "a matrix product");
}

void cut_rows(const MatrixOperand& matrix, const LineScale* scales, const Slices& slices,
              cudaStream_t stream) {
  const dim3 grid(blocks(slices.lines, tile_rows), blocks(slices.terms, tile_terms));
  cut_kernel<<<grid, tile_threads, 0, stream>>>(source_of(matrix), scales, slices);
  check(cudaGetLastError(), "a matrix product");
}

}  // namespace foldline::cuda
