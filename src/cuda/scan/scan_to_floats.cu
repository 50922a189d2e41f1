// Two-pass scans of arbitrary elements with floating-point results: exact sums of tiles in rows of limbs,
// then the scan of each tile from the sum before it. Each block takes neighbouring tiles, so only the sums of
// blocks must be exchanged.
#include <cooperative_groups.h>

#include <algorithm>

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/properties.hpp"
#include "cuda/scan/block_tiles.cuh"
#include "results/rounded_results.hpp"

namespace foldline::cuda {

namespace {

/// A two-pass scan; with `rest`, only of the elements that pipelines left.
struct FloatScanJob {
  ScanJob part;
  std::int64_t size;
  FloatFormat format;
  ScanWorkspace* workspace;
  bool rest;
};

constexpr std::int64_t max_elements_per_round = std::int64_t{max_float_tiles} * float_tile;
/// Digits below 2^32: a word has room for this many, and the carry.
static_assert(max_elements_per_round < (std::int64_t{1} << 30));

__device__ BlockTiles tiles_of_block(const ScanJob& job) {
  const int tiles = (job.count - 1) / float_tile + 1;
  const auto block = static_cast<std::int64_t>(blockIdx.x), blocks = static_cast<std::int64_t>(gridDim.x);
  return {static_cast<int>(block * tiles / blocks), static_cast<int>((block + 1) * tiles / blocks), 0};
}

/// Dynamic shared memory of a block with the elements of one tile, or of two, where the next tile can be
/// loaded while one is scanned.
template <Elements Kind>
inline constexpr int bytes_of_one_tile = sizeof(TilesScratch<Kind, 1>);
template <Elements Kind>
inline constexpr int bytes_of_two_tiles = sizeof(TilesScratch<Kind, (TilesAhead<Kind>::can_copy ? 2 : 1)>);

/// Scans the elements from `done` on.
template <Elements Kind>
__device__ __noinline__ void scan_from(std::int64_t done, const FloatScanJob& all) {
  auto& scratch = *reinterpret_cast<TilesScratch<Kind, 2>*>(dynamic_memory());
  const bool has_two_tiles = dynamic_memory_bytes() >= bytes_of_two_tiles<Kind>;
  ScanWorkspace& workspace = *all.workspace;
  const auto grid = cooperative_groups::this_grid();
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const ScanJob& job = scratch.job;
  // As many tiles as give each warp the same number.
  const int round = tile_warps * blocks;
  const std::int64_t elements_per_round =
      std::int64_t{max_float_tiles < round ? max_float_tiles : max_float_tiles / round * round} * float_tile;
  for (; done < all.size; done += elements_per_round) {
    if (threadIdx.x == 0) scratch.job = all.part.part(done, elements_per_round, all.size);
    scratch.clear_sums();
    __syncthreads();
    const BlockTiles own = tiles_of_block(job);
    add_up_tiles<Kind>(job, own, workspace, scratch.sums);
    if (block == 0 && warp() == 0) normalise(workspace.carry);
    grid.sync();
    for (int row = block; row < scan_rows; row += blocks)
      exclusive_scan_in_place<tile_threads>(workspace.block_row[row], blocks, workspace.carry.row[row]);
    grid.sync();
    const auto before = [&](int r) { return workspace.block_row[r][blockIdx.x]; };
    scan_tiles<Kind>(job, own, all.format, workspace, before, scratch.scan, scratch.staged, has_two_tiles);
    // In the next round other blocks may overwrite rows that this one has read.
    grid.sync();
  }
}

/// Two blocks per multiprocessor, so that a thread has enough registers; three for converted floating-point
/// types, which cannot be loaded ahead and need more warps to hide latency.
template <Elements Kind>
__global__ void __launch_bounds__(tile_threads, Kind == Elements::floating ? 3 : 2)
    scan_all(const __grid_constant__ FloatScanJob all) {
  wait_for_previous_launch();
  // Pipelines usually leave nothing. Nothing else may precede this test: with the scan inlined, the compiler
  // copies the arguments to local memory first, which costs 1.3 to 2 us on an H200.
  const std::int64_t done = all.rest ? all.workspace->carry.scanned : 0;
  if (done < all.size) scan_from<Kind>(done, all);
}

template <Elements Kind>
void launch(FloatScanJob job, cudaStream_t stream) {
  const auto* const kernel = reinterpret_cast<const void*>(&scan_all<Kind>);
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  constexpr int one = bytes_of_one_tile<Kind>, two = bytes_of_two_tiles<Kind>;
  static_assert(two <= 1 << 16);  // any device allows a block this much
  // Where two blocks with two tiles each do not fit on a multiprocessor, blocks have one tile, so that two
  // may fit.
  const int of_two = max_blocks_per_multiprocessor(kernel, tile_threads, two, two);
  const bool has_two = of_two > 1;
  const int of_multiprocessor =
      has_two ? of_two : max_blocks_per_multiprocessor(kernel, tile_threads, one, two);
  const int resident_blocks = of_multiprocessor * multiprocessors_of(device);
  const std::int64_t tiles = (std::min(job.size, max_elements_per_round) - 1) / float_tile + 1;
  // At least one, if CUDA does not say how many: the launch then reports the error.
  const std::int64_t most = std::clamp(resident_blocks, 1, max_scan_blocks);
  void* arguments[] = {&job};
  // After pipelines, start early (programmatic_launch.cuh), and with the division of L1 and shared memory
  // that they use: changing it takes half a microsecond.
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
  config.numAttrs = !job.rest ? 1 : allows_programmatic_launch(kernel) ? 3 : 2;
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
