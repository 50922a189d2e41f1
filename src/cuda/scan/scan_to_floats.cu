// Scans whose results are floating-point numbers, of any elements whatever, in two passes: exact sums of
// tiles in rows of limbs, and then each tile from the sum before it.
//
// Each block takes neighbouring tiles, so that the sum before each is known at once but for the blocks
// before.
#include <cooperative_groups.h>

#include <algorithm>

#include "cuda/device/next_launch.cuh"
#include "cuda/runtime/kernel_limits.hpp"
#include "cuda/runtime/properties.hpp"
#include "cuda/scan/block_tiles.cuh"
#include "results/rounded_results.hpp"

namespace foldline::cuda {

namespace {

/// A scan in launches of its own; `rest` of those elements that pipelines left.
struct FloatScanJob {
  ScanJob part;
  std::int64_t size;
  FloatFormat format;
  ScanWorkspace* workspace;
  bool rest;
};

constexpr std::int64_t most_elements_at_a_time = std::int64_t{max_float_tiles} * float_tile;
/// Of digits below 2^32 each a word holds so many, and those of the carry.
static_assert(most_elements_at_a_time < (std::int64_t{1} << 30));

__device__ BlockTiles tiles_of_block(const ScanJob& job) {
  const int tiles = (job.count - 1) / float_tile + 1;
  const auto block = static_cast<std::int64_t>(blockIdx.x), blocks = static_cast<std::int64_t>(gridDim.x);
  return {static_cast<int>(block * tiles / blocks), static_cast<int>((block + 1) * tiles / blocks), 0};
}

/// Dynamic shared memory of a block that has the elements of one tile at a time, or of two, where that lets
/// it ask for one while it scans the other.
template <Elements Kind>
inline constexpr int bytes_of_one_tile = sizeof(TilesRoom<Kind, 1>);
template <Elements Kind>
inline constexpr int bytes_of_two_tiles = sizeof(TilesRoom<Kind, (TilesAhead<Kind>::can_copy ? 2 : 1)>);

/// Scans the elements from `done` on.
template <Elements Kind>
__device__ __noinline__ void scan_from(std::int64_t done, const FloatScanJob& all) {
  auto& room = *reinterpret_cast<TilesRoom<Kind, 2>*>(dynamic_memory());
  const bool has_two_tiles = dynamic_memory_bytes() >= bytes_of_two_tiles<Kind>;
  ScanWorkspace& workspace = *all.workspace;
  const auto grid = cooperative_groups::this_grid();
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const ScanJob& job = room.job;
  // As many tiles as give each warp the same number of them.
  const int round = tile_warps * blocks;
  const std::int64_t elements_at_a_time =
      std::int64_t{max_float_tiles < round ? max_float_tiles : max_float_tiles / round * round} * float_tile;
  for (; done < all.size; done += elements_at_a_time) {
    if (threadIdx.x == 0) room.job = all.part.part(done, elements_at_a_time, all.size);
    room.clear_sums();
    __syncthreads();
    const BlockTiles own = tiles_of_block(job);
    add_up_tiles<Kind>(job, own, workspace, room.sums);
    if (block == 0 && warp() == 0) normalise(workspace.carry);
    grid.sync();
    for (int row = block; row < scan_rows; row += blocks)
      sums_before<tile_threads>(workspace.block_row[row], blocks, workspace.carry.row[row]);
    grid.sync();
    const auto before = [&](int r) { return workspace.block_row[r][blockIdx.x]; };
    scan_tiles<Kind>(job, own, all.format, workspace, before, room.scan, room.held, has_two_tiles);
    // If the next part has another number of tiles, other blocks write the rows that this one has read.
    grid.sync();
  }
}

/// Two blocks a multiprocessor have the registers that three would lack: on an H100 scans of 2^28 doubles
/// over all exponents take 2.7 ms so and 2.9 with three, of 2^29 floats 2.9 and 3.2. Floating-point numbers
/// that are converted, and so are not asked for ahead, hide more with three: 2^27 bfloat16 take 4.4 ms, with
/// two 4.8. (Integers need the registers of two.)
template <Elements Kind>
__global__ void __launch_bounds__(tile_threads, Kind == Elements::floating ? 3 : 2)
    scan_all(const __grid_constant__ FloatScanJob all) {
  wait_for_launch_before();
  // Pipelines mostly leave nothing. Then there must be nothing more before this, as arguments copied to local
  // memory were where the scan was here in place: on an H200 scans of 2^20 take 1.3 to 2 us less, those of
  // data that no window holds 1 to 5% more.
  const std::int64_t done = all.rest ? all.workspace->carry.scanned : 0;
  if (done < all.size) scan_from<Kind>(done, all);
}

template <Elements Kind>
void launch(FloatScanJob job, cudaStream_t stream) {
  const auto* const kernel = reinterpret_cast<const void*>(&scan_all<Kind>);
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  constexpr int one = bytes_of_one_tile<Kind>, two = bytes_of_two_tiles<Kind>;
  static_assert(two <= 1 << 16);  // which blocks of all devices may have
  // Where a multiprocessor does not hold two blocks of two tiles, blocks have one, so that it may hold two.
  const int of_two = blocks_of_multiprocessor(kernel, tile_threads, two, two);
  const bool has_two = of_two > 1;
  const int of_multiprocessor = has_two ? of_two : blocks_of_multiprocessor(kernel, tile_threads, one, two);
  const int blocks_at_a_time = of_multiprocessor * multiprocessors_of(device);
  const std::int64_t tiles = (std::min(job.size, most_elements_at_a_time) - 1) / float_tile + 1;
  // One if CUDA does not say how many: then the launch says what is wrong.
  const std::int64_t most = std::clamp(blocks_at_a_time, 1, max_scan_blocks);
  void* arguments[] = {&job};
  // What pipelines left is begun early (next_launch.cuh), and with memory divided between L1 and shared as
  // they have it: to divide it anew takes half a microsecond.
  cudaLaunchAttribute attributes[3] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
  attributes[1].val.sharedMemCarveout = cudaSharedmemCarveoutMaxShared;
  attributes[2].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[2].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(std::min(tiles, most)));
  config.blockDim = dim3(tile_threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(has_two ? two : one);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = !job.rest ? 1 : may_begin_early(kernel) ? 3 : 2;
  check(cudaLaunchKernelExC(&config, kernel, arguments), "starting a scan");
}

bool is_aligned(const void* data, ElementType type) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size_of(type)) == 0;
}

}  // namespace

void launch_scan_to_floats(const Scan& scan, ScanWorkspace* workspace, cudaStream_t stream, bool rest) {
  const FloatScanJob job{ScanJob(scan, 0, 0), scan.x.size(), format_of(scan.out.type()), workspace, rest};
  const ElementType type = scan.x.type();
  const bool is_one_type =
      scan.out.type() == type && is_aligned(scan.x.data(), type) && is_aligned(scan.out.data(), type);
  if (!is_floating(type))
    launch<Elements::integers>(job, stream);
  else if (is_one_type && type == ElementType::float64)
    launch<Elements::float64>(job, stream);
  else if (is_one_type && type == ElementType::float32)
    launch<Elements::float32>(job, stream);
  else
    launch<Elements::floating>(job, stream);
}

}  // namespace foldline::cuda
