// Products of slices as in slice_products.cu, by the warpgroup instructions (wgmma) of compute capability
// 9.0, which read both factors from shared memory: 1500 rather than 640 tera-operations per second on an
// H200.
#include "cuda/device/async_copy.cuh"
#include "cuda/product/byte_slices.hpp"
#include "cuda/product/slice_task.cuh"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/kernel_attributes.hpp"

namespace foldline::cuda {

namespace {

constexpr int rows = 128, columns = 256;  // of a block's tile
constexpr int group_rows = 64;            // of a warpgroup's part
constexpr int group_threads = 128, threads = rows / group_rows * group_threads;
constexpr int stages = 4;
constexpr int line_bytes = 128;  // bytes of a line per stage
constexpr int a_bytes = rows * line_bytes, stage_bytes = a_bytes + columns * line_bytes;
constexpr int alignment = 1024;  // of a stage: the swizzle pattern repeats every 8 lines
constexpr int shared_bytes = stages * stage_bytes + alignment;
constexpr int chunk = 16;
// (Unused in code without wgmma.)
[[maybe_unused]] constexpr int chunks_of_line = line_bytes / chunk;
[[maybe_unused]] constexpr int terms_at_once = 32;  // per instruction

static_assert(row_step % rows == 0 && column_step % columns == 0 && term_step % line_bytes == 0);

/// The offset of a line's chunk in a stage, in the layout with a 128-byte swizzle.
[[maybe_unused]] __device__ __forceinline__ int chunk_offset(int line, int chunk_of_line) {
  return line * line_bytes + (chunk_of_line ^ line % 8) * chunk;
}

/// The matrix descriptor of wgmma: address, distance of eight lines, swizzle mode.
[[maybe_unused]] __device__ __forceinline__ std::uint64_t descriptor(unsigned address) {
  constexpr std::uint64_t unused = 1, eight_lines = 8 * line_bytes / 16, swizzle_of_128_bytes = 1;
  return (address & 0x3ffff) >> 4 | unused << 16 | eight_lines << 32 | swizzle_of_128_bytes << 62;
}

#define FOLDLINE_4(sum, i) "+r"(sum[i]), "+r"(sum[i + 1]), "+r"(sum[i + 2]), "+r"(sum[i + 3])
#define FOLDLINE_16(sum, i) \
  FOLDLINE_4(sum, i), FOLDLINE_4(sum, i + 4), FOLDLINE_4(sum, i + 8), FOLDLINE_4(sum, i + 12)
#define FOLDLINE_64(sum, i) \
  FOLDLINE_16(sum, i), FOLDLINE_16(sum, i + 16), FOLDLINE_16(sum, i + 32), FOLDLINE_16(sum, i + 48)

/// sum += a b for 64 rows of A, 256 columns of B and 32 terms, by a warpgroup; asynchronous. Thread t holds,
/// of rows 16 (t / 32) + t % 32 / 4 and 8 further down, columns 2 (t % 4) and 2 (t % 4) + 1 of every eight:
/// first those of the first row, then of the second.
[[maybe_unused]] __device__ __forceinline__ void multiply_add(int (&sum)[128], std::uint64_t a,
                                                              std::uint64_t b) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {"
      "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,"
      "%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%"
      "53,"
      "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%"
      "79,"
      "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,"
      "%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,"
      "%124,%125,%126,%127}, %128, %129, add;\n}"
      : FOLDLINE_64(sum, 0), FOLDLINE_64(sum, 64)
      : "l"(a), "l"(b), "r"(1));
#endif
}

#undef FOLDLINE_4
#undef FOLDLINE_16
#undef FOLDLINE_64

__global__ void __launch_bounds__(threads)
    hopper_kernel(const SliceTask task, const Levels<std::int32_t> sums) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ std::int8_t unaligned[];
  const unsigned shared = (shared_address(unaligned) + alignment - 1) / alignment * alignment;
  const std::int64_t row = std::int64_t{blockIdx.y} * rows, column = std::int64_t{blockIdx.x} * columns;
  // A thread copies a chunk of every 32nd line.
  constexpr int lines_per_pass = threads / chunks_of_line;
  const int line = static_cast<int>(threadIdx.x) / chunks_of_line;
  const int chunk_of_line = static_cast<int>(threadIdx.x) % chunks_of_line;
  SlicePairs pairs(task, row, column, line, chunk_of_line * chunk, line_bytes);
  int copy_index = 0;
  const auto copy_next = [&] {
    if (pairs.has_more()) {
      const unsigned stage = shared + static_cast<unsigned>(copy_index * stage_bytes);
      copy_index = (copy_index + 1) % stages;
#pragma unroll
      for (int i = 0; i < rows; i += lines_per_pass)
        copy_to_shared_address(stage + chunk_offset(line + i, chunk_of_line), pairs.a + i * task.terms);
#pragma unroll
      for (int i = 0; i < columns; i += lines_per_pass)
        copy_to_shared_address(stage + a_bytes + chunk_offset(line + i, chunk_of_line),
                               pairs.b + i * task.terms);
      pairs.advance();
    }
    commit_group();
  };

  int sum[128] = {};
  const int group = static_cast<int>(threadIdx.x) / group_threads;
  const std::int64_t steps = pairs.steps();
  // Two fewer stages in flight than there are buffers: the buffer that is copied to was last read by products
  // that both warpgroups waited for before the barrier.
  for (int i = 0; i < stages - 2; ++i) copy_next();
  int read_index = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    wait_for_groups<stages - 3>();
    asm volatile("fence.proxy.async.shared::cta;" ::
                     : "memory");  // makes the threads' writes visible to the tensor cores
    __syncthreads();
    copy_next();
    const unsigned a = shared + static_cast<unsigned>(read_index * stage_bytes);
    read_index = (read_index + 1) % stages;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (unsigned i = 0; i < line_bytes; i += terms_at_once)
      multiply_add(sum, descriptor(a + static_cast<unsigned>(group * group_rows * line_bytes) + i),
                   descriptor(a + a_bytes + i));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

  const int thread = static_cast<int>(threadIdx.x) % group_threads;
  const std::int64_t first_row = row + group * group_rows + thread / 32 * 16 + thread % 32 / 4;
  std::int32_t* const level = sums.data + task.level() * sums.rows * sums.columns;
#pragma unroll
  for (int i = 0; i < 128; i += 2)
    store_two(level + (first_row + i % 4 / 2 * 8) * sums.columns + column + i / 4 * 8 + thread % 4 * 2,
              sum[i], sum[i + 1]);
#endif
}

}  // namespace

bool multiply_slices_by_groups(const SliceTask& task, int levels, const Levels<std::int32_t>& sums,
                               cudaStream_t stream) {
  // If the device has no wgmma, or the library was not compiled for it, the kernel has no body.
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, hopper_kernel), "preparing a matrix product");
  constexpr int registers_of_sums = 128;
  if (attributes.numRegs < registers_of_sums) return false;
  set_max_dynamic_shared_memory(reinterpret_cast<const void*>(hopper_kernel), shared_bytes);
  const dim3 grid(static_cast<unsigned>(sums.columns / columns), static_cast<unsigned>(sums.rows / rows),
                  static_cast<unsigned>(levels));
  hopper_kernel<<<grid, threads, shared_bytes, stream>>>(task, sums);
  check(cudaGetLastError(), "a matrix product");
  return true;
}

}  // namespace foldline::cuda
