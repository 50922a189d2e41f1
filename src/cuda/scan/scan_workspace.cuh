// The workspace of scans.
#pragma once

#include <cstdint>

#include "cuda/scan/scan_carry.hpp"
#include "cuda/scan/tile_status.cuh"

namespace foldline::cuda {

/// A thread takes neighbouring elements: its later loads hit cache lines that its first load brought to L1.
inline constexpr int scan_threads = 128, elements_per_thread = 16;
inline constexpr int scan_tile = scan_threads * elements_per_thread;
/// Tiles of a launch: few enough that most elements are still in L2 for the second pass.
inline constexpr int max_scan_tiles = 2048;
inline constexpr std::int64_t max_scan_elements = std::int64_t{max_scan_tiles} * scan_tile;

/// The same for scans with floating-point results, which have larger tiles; and the most blocks.
inline constexpr int max_float_tiles = 16384, max_scan_blocks = 1024;

/// Tiles of a pipeline launch.
inline constexpr int max_pipeline_tiles = 1 << 17;

/// The finite, non-zero elements of a tile are below 2^top and multiples of 2^lowest_bit.
struct TileExtent {
  int top, lowest_bit;
  bool has_nonfinite;  // an element is infinite or NaN
};

struct ScanWorkspace {
  TileStatus status[max_pipeline_tiles];
  WindowStatus window;
  long long overflow;           // of pipelines: index of the first result that its type cannot hold
  std::uint64_t number;         // of the last pipeline or single-wave launch
  std::uint64_t failed_number;  // of the last launch in which a tile failed
  unsigned arrivals;            // blocks of the running launch that have read `number`
  ScanCarry carry;
  // The sum of each tile, then the sum of all tiles before it.
  Uint128 tile_sum[max_scan_tiles];
  // For each tile the sum of the block's tiles before it, and the extent of its elements; for each block the
  // sum of its tiles, then the sum of all blocks before it.
  std::int64_t tile_row[max_float_tiles][scan_rows];
  TileExtent extent[max_float_tiles];
  std::int64_t block_row[scan_rows][max_scan_blocks];
  unsigned row_epoch[max_scan_blocks];  // of single-wave scans: number of the launch to which a block's row
                                        // belongs
};

}  // namespace foldline::cuda
