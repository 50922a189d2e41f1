// Products of 8-bit slices by tensor cores, in exact 32-bit sums. A block computes a tile of one level: it
// sums the products of all pairs of slices of that level as if they were one longer product.
#include "cuda/device/async_copy.cuh"
#include "cuda/device/block.cuh"
#include "cuda/product/byte_slices.hpp"
#include "cuda/product/slice_task.cuh"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/properties.hpp"

namespace foldline::cuda {

namespace {

// A block's tile of C: 256 x 128 multiply-adds per 256 + 128 bytes loaded. With 128 x 128 the L2 cache cannot
// feed the tensor cores.
constexpr int rows = 256, columns = 128;
constexpr int warp_side = 64;  // side of a warp's part of the tile
constexpr int warps_across = columns / warp_side;
constexpr int threads = 32 * (rows / warp_side) * warps_across;
constexpr int step_bytes = 64;  // bytes of a line per stage
constexpr int a_bytes = rows * step_bytes, b_bytes = columns * step_bytes;
// Stages in flight if a block may have the shared memory for them; else two.
constexpr int max_stages = 6;
constexpr int chunk = 16;  // bytes that are copied and read together
constexpr int chunks_of_line = step_bytes / chunk;

static_assert(row_step % rows == 0 && column_step % columns == 0 && term_step % step_bytes == 0);

/// The offset of a line's chunk in a stage. Lines are swizzled, so that the chunks of eight lines, which are
/// read together, are in different banks.
__device__ __forceinline__ int chunk_offset(int line, int chunk_of_line) {
  return line * step_bytes + (chunk_of_line ^ (line / 2 % chunks_of_line)) * chunk;
}

/// Loads four 8 x 16 matrices of bytes. Lane l passes the address of line l % 8 of matrix l / 8, and gets
/// bytes 4 (l % 4) .. + 3 of line l / 4 of each.
__device__ __forceinline__ void read_matrices(std::uint32_t (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

/// c += a b for 16 x 32 bytes of A and 32 x 8 of B. Lane l holds bytes 4 (l % 4) .. + 3 of rows l / 4 and l /
/// 4 + 8 of A, and the same 16 terms further on; those of column l / 4 of B; and columns 2 (l % 4) and 2 (l %
/// 4) + 1 of both rows of C.
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

template <int stages>
__global__ void __launch_bounds__(threads)
    slices_kernel(const SliceTask task, const Levels<std::int32_t> sums) {
  extern __shared__ __align__(128) std::int8_t shared[];
  const std::int64_t row = std::int64_t{blockIdx.y} * rows, column = std::int64_t{blockIdx.x} * columns;
  // A thread copies a chunk of every 64th line.
  constexpr int lines_per_pass = threads / chunks_of_line;
  const int copied_line = static_cast<int>(threadIdx.x) / chunks_of_line;
  const int copied_chunk = static_cast<int>(threadIdx.x) % chunks_of_line;
  SlicePairs pairs(task, row, column, copied_line, copied_chunk * chunk, step_bytes);
  const std::int64_t steps = pairs.steps();
  std::int64_t copied = 0;
  const auto copy_next = [&] {
    if (pairs.has_more()) {
      const unsigned stage = shared_address(shared + copied++ % stages * (a_bytes + b_bytes));
#pragma unroll
      for (int i = 0; i < rows; i += lines_per_pass)
        copy_to_shared_address(stage + chunk_offset(copied_line + i, copied_chunk), pairs.a + i * task.terms);
#pragma unroll
      for (int i = 0; i < columns; i += lines_per_pass)
        copy_to_shared_address(stage + a_bytes + chunk_offset(copied_line + i, copied_chunk),
                               pairs.b + i * task.terms);
      pairs.advance();
    }
    commit_group();
  };

  constexpr int m_tiles = warp_side / 16, n_tiles = warp_side / 8;
  const int warp_row = warp() / warps_across * warp_side;
  const int warp_column = warp() % warps_across * warp_side;
  int c[m_tiles][n_tiles][4] = {};
  for (int i = 0; i < stages - 1; ++i) copy_next();
  for (std::int64_t step = 0; step < steps; ++step) {
    wait_for_groups<stages - 2>();
    __syncthreads();  // the stage has arrived, and the one to be overwritten next has been read by all
    copy_next();
    const unsigned stage = shared_address(shared + step % stages * (a_bytes + b_bytes));
#pragma unroll
    for (int part = 0; part < chunks_of_line; part += 2) {  // 32 terms
      std::uint32_t a[m_tiles][4], b[n_tiles / 2][4];
#pragma unroll
      for (int m = 0; m < m_tiles; ++m)  // rows 0 .. 7 and 8 .. 15 of one chunk, then of the next
        read_matrices(a[m], stage + chunk_offset(warp_row + 16 * m + lane() % 16, part + lane() / 16));
#pragma unroll
      for (int n = 0; n < n_tiles / 2; ++n)  // both chunks of columns 0 .. 7, then of 8 .. 15
        read_matrices(b[n], stage + a_bytes +
                                chunk_offset(warp_column + 16 * n + lane() / 16 * 8 + lane() % 8,
                                             part + lane() / 8 % 2));
#pragma unroll
      for (int m = 0; m < m_tiles; ++m)
#pragma unroll
        for (int n = 0; n < n_tiles; ++n)
          multiply_add(c[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
    }
  }

  std::int32_t* const level = sums.data + task.level() * sums.rows * sums.columns;
#pragma unroll
  for (int m = 0; m < m_tiles; ++m)
#pragma unroll
    for (int n = 0; n < n_tiles; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        store_two(level + (row + warp_row + 16 * m + lane() / 4 + 8 * half) * sums.columns + column +
                      warp_column + 8 * n + lane() % 4 * 2,
                  c[m][n][2 * half], c[m][n][2 * half + 1]);
}

template <int stages>
void launch(const SliceTask& task, int levels, const Levels<std::int32_t>& sums, cudaStream_t stream) {
  constexpr int shared_bytes = stages * (a_bytes + b_bytes);
  const auto kernel = slices_kernel<stages>;
  set_max_dynamic_shared_memory(reinterpret_cast<const void*>(kernel), shared_bytes);
  const dim3 grid(static_cast<unsigned>(sums.columns / columns), static_cast<unsigned>(sums.rows / rows),
                  static_cast<unsigned>(levels));
  kernel<<<grid, threads, shared_bytes, stream>>>(task, sums);
  check(cudaGetLastError(), "a matrix product");
}

constexpr int adding_threads = 256;

__global__ void __launch_bounds__(adding_threads)
    add_kernel(const std::int32_t* sums, std::int64_t* totals, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * adding_threads + threadIdx.x;
  if (i < count) totals[i] += sums[i];
}

}  // namespace

void multiply_slices(const Slices& a, const Slices& b, int levels, const Levels<std::int32_t>& sums,
                     cudaStream_t stream) {
  const SliceTask task = {a.data,  b.data,  a.lines * a.terms, b.lines * b.terms,
                          a.terms, a.count, b.count,           levels};
  if (multiply_slices_by_groups(task, levels, sums, stream)) return;
  if (max_shared_memory_per_block() >= max_stages * (a_bytes + b_bytes))
    launch<max_stages>(task, levels, sums, stream);
  else
    launch<2>(task, levels, sums, stream);
}

void add_sums(const Levels<std::int32_t>& sums, const Levels<std::int64_t>& totals, int levels,
              cudaStream_t stream) {
  const std::int64_t count = levels * sums.rows * sums.columns;
  add_kernel<<<static_cast<unsigned>((count - 1) / adding_threads + 1), adding_threads, 0, stream>>>(
      sums.data, totals.data, count);
  check(cudaGetLastError(), "a matrix product");
}

}  // namespace foldline::cuda
