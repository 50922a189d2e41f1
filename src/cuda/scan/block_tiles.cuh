// The neighbouring tiles of a block, in scans of arbitrary elements: first the exact sum of each tile in rows
// of limbs, then the scan of each tile from the sum before it.
#pragma once

#include "cuda/scan/tile_scan.cuh"
#include "cuda/scan/tile_sums_of_floats.cuh"

namespace foldline::cuda {

static_assert(scan_rows <= tile_threads);

/// A block has tiles [first, last) of a job. Tile t uses entry first_slot + t of the workspace.
struct BlockTiles {
  int first, last, first_slot;
};

/// Stores for each tile the sum of the block's tiles before it, and for the block the sum of all. Each warp
/// sums tiles of its own. All threads call; the scratch memory is zero before and after.
template <Elements Kind>
__device__ void add_up_tiles(const ScanJob& job, const BlockTiles& own, ScanWorkspace& workspace,
                             TileSumScratch<Kind> (&scratches)[tile_warps]) {
  for (int tile = own.first + warp(); tile < own.last; tile += tile_warps) {
    const int slot = own.first_slot + tile;
    const TileExtent extent = TileSum<Kind>(job, scratches[warp()]).store(tile, workspace.tile_row[slot]);
    if (lane() == 0) workspace.extent[slot] = extent;
  }
  __syncthreads();
  const auto r = static_cast<int>(threadIdx.x);
  if (r >= scan_rows) return;
  std::int64_t sum = 0;
#pragma unroll 8
  for (int tile = own.first; tile < own.last; ++tile) {
    const std::int64_t of_tile = workspace.tile_row[own.first_slot + tile][r];
    workspace.tile_row[own.first_slot + tile][r] = sum;
    sum += of_tile;
  }
  workspace.block_row[r][blockIdx.x] = sum;
}

/// Frames are computed for this many tiles at a time, by one warp each.
inline constexpr int frames_per_round = 16;
template <Elements Kind>
struct ScanScratch {
  TileFrame<has_middle<Kind>> frame[frames_per_round];
  TileScanScratch<Kind> tile;
};

/// The shared memory of a block that sums its tiles and then scans them, with the elements of `Tiles` tiles.
template <Elements Kind, int Tiles>
struct TilesScratch {
  ScanJob job;  // in shared memory, because local memory would often miss: loads of elements evict it from L1
  union {
    TileSumScratch<Kind> sums[tile_warps];
    struct {
      ScanScratch<Kind> scan;
      alignas(16) Staged<Kind> staged[Tiles * float_tile];
    };
  };

  /// Clears the memory for sums; all threads call.
  __device__ __forceinline__ void clear_sums() {
    for (unsigned i = threadIdx.x; i < sizeof sums / sizeof(unsigned); i += tile_threads)
      reinterpret_cast<unsigned*>(sums)[i] = 0;
  }
};

/// Scans the tiles; before(r) is row r of the sum before the block. All threads call. `staged` has memory for
/// the elements of one tile, or of two. The scratch memory may be reused afterwards.
template <Elements Kind, class Before>
__device__ __forceinline__ void scan_tiles(const ScanJob& job, const BlockTiles& own,
                                           const FloatFormat& format, const ScanWorkspace& workspace,
                                           const Before& before, ScanScratch<Kind>& scratch,
                                           Staged<Kind>* staged, bool are_two) {
  TilesAhead<Kind> elements(job, own.first, own.last, staged, are_two);
  for (int first = own.first; first < own.last; first += frames_per_round) {
    const int last = min(first + frames_per_round, own.last);
    const auto row_before = [&](int tile) {
      return [&, tile](int r) { return before(r) + workspace.tile_row[own.first_slot + tile][r]; };
    };
    __syncthreads();
    for (int tile = first + warp(); tile < last; tile += tile_warps) {
      const auto frame =
          frame_of<has_middle<Kind>>(row_before(tile), workspace.extent[own.first_slot + tile]);
      if (lane() == 0) scratch.frame[tile - first] = frame;
    }
    __syncthreads();
    for (int tile = first; tile < last; ++tile)
      TileScan<Kind>(job, tile, format, scratch.frame[tile - first], scratch.tile, elements.take(tile))
          .run(row_before(tile));
  }
  __syncthreads();
}

}  // namespace foldline::cuda
