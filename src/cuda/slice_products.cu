// Products of slices by tensor cores: bytes, 32-bit sums, no error. A block makes a tile of one level: it
// adds up the products of all pairs of slices of that level, as if they were one longer product.
#include <algorithm>

#include "cuda/asynchronous_copy.cuh"
#include "cuda/block.cuh"
#include "cuda/byte_slices.hpp"
#include "cuda/check.hpp"
#include "cuda/place.hpp"

namespace foldline::cuda {

namespace {

// A block's tile of C. Of 256 + 128 bytes of each term it makes 256 x 128 multiply-adds: with 128 x 128 the
// level-2 cache could not feed the tensor cores.
constexpr int rows = row_step, columns = column_step;
constexpr int warp_side = 64;  // of a warp's part of it
constexpr int warps_across = columns / warp_side;
constexpr int threads = 32 * (rows / warp_side) * warps_across;
constexpr int step_bytes = term_step;  // of a line in a stage
constexpr int a_bytes = rows * step_bytes, b_bytes = columns * step_bytes;
// So many stages are under way, where a block can have the shared memory; else two.
constexpr int most_stages = 6;
constexpr int chunk = 16;  // bytes that are copied and read together
constexpr int chunks_of_line = step_bytes / chunk;

static_assert(term_step % 32 == 0);

/// Where a chunk of a line is in a stage: lines are shifted against each other, so that eight lines' chunks
/// of a term, which are read together, are in different banks.
__device__ __forceinline__ int place(int line, int chunk_of_line) {
  return line * step_bytes + (chunk_of_line ^ (line / 2 % chunks_of_line)) * chunk;
}

/// Four 8 x 16 matrices of bytes: lane l names line l % 8 of matrix l / 8, and gets bytes 4 (l % 4) .. + 3 of
/// line l / 4 of each.
__device__ __forceinline__ void read_matrices(std::uint32_t (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

/// c += a b for 16 x 32 bytes of A and 32 x 8 of B. Of A a lane has bytes 4 (l % 4) .. + 3 of rows l / 4 and
/// l / 4 + 8, and the same 16 terms on; of B those of column l / 4; of C both rows, columns 2 (l % 4) and the
/// next.
__device__ __forceinline__ void multiply_add(int (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                             std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int row = 0; row < 2; ++row)
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+r"(c[2 * row]), "+r"(c[2 * row + 1])
                   : "r"(a[2 * half + row]), "r"(half == 0 ? b0 : b1));
#endif
}

/// The pairs of slices of a level, and where to find them.
struct Task {
  const std::int8_t *a, *b;
  std::int64_t a_pitch, b_pitch;  // from slice to slice
  std::int64_t terms;
  int a_slices, b_slices, end;  // the levels are end - 1, end - 2, ...
};

template <class Sum, int stages>
__global__ void __launch_bounds__(threads) slices_kernel(const Task task, const Levels<Sum> sums) {
  extern __shared__ __align__(128) std::int8_t shared[];
  // The levels with most pairs come first, so that short ones fill what is left at the end.
  const int level = task.end - 1 - static_cast<int>(blockIdx.z);
  const int first_pair = max(0, level - task.b_slices + 1), last_pair = min(level, task.a_slices - 1);
  const std::int64_t row = std::int64_t{blockIdx.y} * rows, column = std::int64_t{blockIdx.x} * columns;
  const std::int64_t steps_of_pair = task.terms / term_step;
  const std::int64_t steps = max(0, last_pair - first_pair + 1) * steps_of_pair;

  // What a thread copies: a chunk of every 64th line.
  constexpr int lines_at_once = threads / chunks_of_line;
  const int copied_line = static_cast<int>(threadIdx.x) / chunks_of_line;
  const int copied_chunk = static_cast<int>(threadIdx.x) % chunks_of_line;
  const std::int64_t offset = copied_line * task.terms + copied_chunk * chunk;
  int next_pair = first_pair;
  std::int64_t next_term = 0, next_step = 0;
  const auto copy_next = [&] {
    if (next_step < steps) {
      std::int8_t* const stage = shared + next_step % stages * (a_bytes + b_bytes);
      const std::int8_t* const a = task.a + next_pair * task.a_pitch + row * task.terms + offset + next_term;
      const std::int8_t* const b =
          task.b + (level - next_pair) * task.b_pitch + column * task.terms + offset + next_term;
#pragma unroll
      for (int i = 0; i < rows; i += lines_at_once)
        copy_to_shared<chunk>(stage + place(copied_line + i, copied_chunk), a + i * task.terms);
#pragma unroll
      for (int i = 0; i < columns; i += lines_at_once)
        copy_to_shared<chunk>(stage + a_bytes + place(copied_line + i, copied_chunk), b + i * task.terms);
      next_term += term_step;
      if (next_term == task.terms) next_term = 0, ++next_pair;
      ++next_step;
    }
    close_group();
  };

  constexpr int m_tiles = warp_side / 16, n_tiles = warp_side / 8;
  const int warp_row = warp() / warps_across * warp_side;
  const int warp_column = warp() % warps_across * warp_side;
  int c[m_tiles][n_tiles][4] = {};
  for (int i = 0; i < stages - 1; ++i) copy_next();
  for (std::int64_t step = 0; step < steps; ++step) {
    wait_for_groups<stages - 2>();
    __syncthreads();  // the stage is there, and nobody reads the one that is overwritten next
    copy_next();
    const unsigned stage = shared_address(shared + step % stages * (a_bytes + b_bytes));
#pragma unroll
    for (int part = 0; part < chunks_of_line; part += 2) {  // 32 terms
      std::uint32_t a[m_tiles][4], b[n_tiles / 2][4];
#pragma unroll
      for (int m = 0; m < m_tiles; ++m)  // rows 0 .. 7 and 8 .. 15 of one chunk, then of the next
        read_matrices(a[m], stage + place(warp_row + 16 * m + lane() % 16, part + lane() / 16));
#pragma unroll
      for (int n = 0; n < n_tiles / 2; ++n)  // both chunks of columns 0 .. 7, then of 8 .. 15
        read_matrices(b[n],
                      stage + a_bytes +
                          place(warp_column + 16 * n + lane() / 16 * 8 + lane() % 8, part + lane() / 8 % 2));
#pragma unroll
      for (int m = 0; m < m_tiles; ++m)
#pragma unroll
        for (int n = 0; n < n_tiles; ++n)
          multiply_add(c[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
    }
  }

  Sum* const tile = sums.data + level * sums.rows * sums.columns;
#pragma unroll
  for (int m = 0; m < m_tiles; ++m)
#pragma unroll
    for (int n = 0; n < n_tiles; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int64_t at_row = row + warp_row + 16 * m + lane() / 4 + 8 * half;
        const std::int64_t at_column = column + warp_column + 8 * n + lane() % 4 * 2;
        Sum* const to = tile + at_row * sums.columns + at_column;
        if constexpr (sizeof(Sum) == sizeof(int)) {
          *reinterpret_cast<int2*>(to) = {c[m][n][2 * half], c[m][n][2 * half + 1]};
        } else {
          to[0] += c[m][n][2 * half];
          to[1] += c[m][n][2 * half + 1];
        }
      }
}

template <class Sum, int stages>
void launch_with(const Slices& a, const Slices& b, int a_slices, int b_slices, int from, int end,
                 const Levels<Sum>& sums, cudaStream_t stream) {
  const Task task = {a.data, b.data, a.lines * a.terms, b.lines * b.terms, a.terms, a_slices, b_slices, end};
  constexpr int shared_bytes = stages * (a_bytes + b_bytes);
  const auto kernel = slices_kernel<Sum, stages>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "preparing a matrix product");
  const dim3 grid(static_cast<unsigned>(sums.columns / columns), static_cast<unsigned>(sums.rows / rows),
                  static_cast<unsigned>(end - from));
  kernel<<<grid, threads, shared_bytes, stream>>>(task, sums);
  check(cudaGetLastError(), "a matrix product");
}

template <class Sum>
void launch(const Slices& a, const Slices& b, int a_slices, int b_slices, int from, int end,
            const Levels<Sum>& sums, cudaStream_t stream) {
  if (shared_memory_of_block() >= most_stages * (a_bytes + b_bytes))
    launch_with<Sum, most_stages>(a, b, a_slices, b_slices, from, end, sums, stream);
  else
    launch_with<Sum, 2>(a, b, a_slices, b_slices, from, end, sums, stream);
}

}  // namespace

void multiply_slices(const Slices& a, const Slices& b, int a_slices, int b_slices, int from, int end,
                     const Levels<std::int32_t>& sums, cudaStream_t stream) {
  launch(a, b, a_slices, b_slices, from, end, sums, stream);
}
void multiply_slices(const Slices& a, const Slices& b, int a_slices, int b_slices, int from, int end,
                     const Levels<std::int64_t>& sums, cudaStream_t stream) {
  launch(a, b, a_slices, b_slices, from, end, sums, stream);
}

}  // namespace foldline::cuda
