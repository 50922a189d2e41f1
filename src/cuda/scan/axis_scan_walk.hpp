// How the threads of a scan along an axis go through their parts: straight through memory, where neighbouring
// threads are on neighbouring elements; else tile by tile, which a warp copies to shared memory together.
#pragma once

#include "cuda/scan/axis_scan_sums.hpp"

namespace foldline::cuda {

FOLDLINE_HOST_DEVICE inline std::int64_t lesser(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// A part of a vector.
struct VectorPart {
  const std::byte* x;
  std::byte* out;
  std::int64_t first, length;
};

/// Part number `index`: those of neighbouring vectors follow each other.
FOLDLINE_HOST_DEVICE inline VectorPart part_of_task(const AxisScanTask& task, std::int64_t index) {
  std::int64_t vector = index;
  VectorPart part{task.x, task.out, 0, task.length};
  if (task.parts > 1) {
    vector = index % task.vectors;
    part.first = index / task.vectors * task.part;
    part.length = lesser(task.part, task.length - part.first);
    part.x += part.first * task.stride;
    part.out += part.first * task.out_stride;
  }
  for (int i = task.axis_count - 1; i >= 0; --i) {
    const ResultAxis& axis = task.axes[i];
    std::int64_t at = vector;
    if (i > 0) {
      vector /= axis.extent;
      at -= vector * axis.extent;
    }
    part.x += at * axis.stride;
    part.out += at * axis.out_stride;
  }
  return part;
}

/// Adds up (`Adds`) or scans.
template <class Kind, bool Adds>
struct PartScan {
  using Word = typename Kind::Word;
  using Sum = RunningSumOf<Kind>;
  const AxisScanTask& task;

  FOLDLINE_HOST_DEVICE void begin(Sum& sum, const ScanStart& start, const VectorPart& part,
                                  std::int64_t index) const {
    if constexpr (Kind::has_integer_results) {
      sum.place = part.first;
      sum.end = part.first + part.length;
      sum.overflow = -1;
    }
    if (Adds)
      sum.start(start);
    else if (task.parts > 1)
      sum.start(*task.sums, index);
    else
      sum.start(start);
  }

  FOLDLINE_HOST_DEVICE void take(const VectorPart& part, std::int64_t first,
                                 Word (&words)[scan_batch]) const {
    read_batch<Kind>(task, part.x + first * task.stride, task.stride, part.length - first, words);
  }

  /// By each thread, from element `first` on, before which the sum is `sum`. Returns the first
  /// element that takes a long number for which there is no memory, or the length.
  FOLDLINE_HOST_DEVICE std::int64_t straight(const VectorPart& part, Sum& sum, std::int64_t first) const {
    Word next[scan_batch];
    take(part, first, next);
    for (std::int64_t i = first; i < part.length; i += scan_batch) {
      Word words[scan_batch];
#pragma unroll
      for (int k = 0; k < scan_batch; ++k) words[k] = next[k];
      if (i + scan_batch < part.length) take(part, i + scan_batch, next);
      if constexpr (Adds) {
        if (!sum.add(task, words)) return i;
      } else {
        if (!sum.scan(task, words)) return i;
        write_batch<Kind>(task, part.out + i * task.out_stride, task.out_stride, part.length - i, words);
      }
    }
    return part.length;
  }
};

/// A tile of the parts of a warp's threads, `columns` elements of each.
template <class Kind, bool Adds>
struct ScanTile {
  using Word = typename Kind::Word;
  static constexpr int rows = 32, columns = 128 / static_cast<int>(sizeof(Word)), pitch = columns + 1;
  static_assert(columns % scan_batch == 0);

  VectorPart part[rows];
  Word word[rows * pitch];

  /// What a thread copies for the next tile.
  struct Ahead {
    Word word[columns];
  };
  /// Columns of the tile from element `first` on, and their inverse for indices up to rows * columns.
  struct Width {
    int columns, inverse;
    FOLDLINE_HOST_DEVICE Width(std::int64_t length, std::int64_t first)
        : columns(static_cast<int>(lesser(length - first, std::int64_t{ScanTile::columns}))),
          inverse(65536 / columns + 1) {}
    FOLDLINE_HOST_DEVICE int row_of(int index) const { return (index * inverse) >> 16; }
  };

  FOLDLINE_HOST_DEVICE void read(const AxisScanTask& task, int lane, std::int64_t first, Ahead& ahead) const {
    const Width width(task.part, first);
    read_words<Kind>(task, ahead.word, [&](const auto& read, Word neutral) {
#pragma unroll
      for (int k = 0; k < columns; ++k) {
        ahead.word[k] = neutral;
        if (k >= width.columns) continue;
        const int index = k * 32 + lane, row = width.row_of(index);
        const std::int64_t i = first + index - row * width.columns;
        if (i < part[row].length) ahead.word[k] = read(part[row].x + i * task.stride);
      }
    });
  }
  FOLDLINE_HOST_DEVICE void put(const AxisScanTask& task, int lane, std::int64_t first, const Ahead& ahead) {
    const Width width(task.part, first);
#pragma unroll
    for (int k = 0; k < columns; ++k) {
      if (k >= width.columns) break;
      const int index = k * 32 + lane, row = width.row_of(index);
      word[row * pitch + index - row * width.columns] = ahead.word[k];
    }
  }
  FOLDLINE_HOST_DEVICE void scan(const AxisScanTask& task, int lane, std::int64_t first,
                                 RunningSumOf<Kind>& sum) {
    const int end = static_cast<int>(lesser(part[lane].length - first, std::int64_t{columns}));
#pragma unroll 1
    for (int i = 0; i < end; i += scan_batch) {
      Word words[scan_batch];
      Word* const own = word + lane * pitch + i;
#pragma unroll
      for (int k = 0; k < scan_batch; ++k) words[k] = i + k < end ? own[k] : Kind::neutral(task);
      if constexpr (Adds) {
        sum.add(task, words);
      } else {
        sum.scan(task, words);
#pragma unroll
        for (int k = 0; k < scan_batch; ++k)
          if (i + k < end) own[k] = words[k];
      }
    }
  }
  FOLDLINE_HOST_DEVICE void write(const AxisScanTask& task, int lane, std::int64_t first) const {
    const Width width(task.part, first);
    write_words<Kind>(task, [&](const auto& write) {
#pragma unroll
      for (int k = 0; k < columns; ++k) {
        if (k >= width.columns) break;
        const int index = k * 32 + lane, row = width.row_of(index), column = index - row * width.columns;
        if (first + column < part[row].length)
          write(part[row].out + (first + column) * task.out_stride, word[row * pitch + column]);
      }
    });
  }
};

}  // namespace foldline::cuda
