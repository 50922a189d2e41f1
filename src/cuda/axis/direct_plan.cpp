// Plans reductions along an axis by sums in doubles.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "cuda/axis/axis_task.hpp"

namespace foldline::cuda {

namespace {

constexpr std::int64_t piece_bytes = 16;

int log2_below(std::int64_t x) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1; }
int log2_above(std::int64_t x) { return x <= 1 ? 0 : log2_below(x - 1) + 1; }

/// Whether the kernels have exact sums, or extrema, of integers for the task.
bool suits_integers(const AxisTask& task) {
  const Needs needs = needs_of(task.operation);
  if (!task.aligned || task.length < 1 || task.results < 1) return false;
  // Where results are counted downwards: which one fails first must be known.
  for (int i = 0; i < task.axis_count; ++i)
    if (task.axes[i].stride < 0) return false;
  if (needs.magnitudes && is_signed(task.type)) return false;
  return !needs.values || !needs.squares || (task.ddof >= 0 && task.ddof < task.length);
}

/// Whether sums in doubles can tell the results of the task for certain, or it needs no sums.
bool suits_direct_kernels(const AxisTask& task) {
  const Needs needs = needs_of(task.operation);
  if (!is_floating(task.type)) return suits_integers(task);
  if (task.is_integer || !task.aligned) return false;
  // Squares of floats are added to plain doubles a batch at a time, which seldom tells a double.
  if (needs.squares && task.type != ElementType::float64 && task.out_type == ElementType::float64)
    return false;
  if (task.length < 1 || task.results < 1) return false;
  const bool is_spread = needs.values && needs.squares;
  return !is_spread || (task.ddof >= 0 && task.ddof < task.length);
}

/// Whether the result's type, if it is an integer, holds each element, or of ranges each difference.
bool holds_all_extrema(const AxisTask& task) {
  if (!task.is_integer || task.wrap) return true;
  const bool is_range = task.operation == Operation::range;
  const bool can_be_negative = is_signed(task.type) && !is_range;
  const int digits = static_cast<int>(8 * size_of(task.type)) - (can_be_negative ? 1 : 0);
  const IntegerFormat& format = task.integer_format;
  return format.bits - (format.is_signed ? 1 : 0) >= digits && (format.is_signed || !can_be_negative);
}

/// Sums of integers are exact. Quotients of these are doubles, found exactly, or too far from the middle of
/// two results for any bound: docs/design/axis.md.
bool tells_all_integers(const AxisTask& task) {
  constexpr int longest_mean = 1 << 20, longest_variance = 1 << 10;
  const std::int64_t width = size_of(task.type);
  if (needs_of(task.operation).extrema) return holds_all_extrema(task);
  if (task.is_integer)
    return width <= 4 && task.out_bytes == 8 && (task.integer_format.is_signed || !is_signed(task.type));
  if (task.operation == Operation::mean) return width <= 4 && task.length <= longest_mean;
  if (task.operation == Operation::variance) return width <= 2 && task.length <= longest_variance;
  return !needs_of(task.operation).squares;
}

/// Whether no result can be uncertain: extrema, and sums of float16, which are multiples of 2^-24 below
/// 2^(16 + 28), so that two doubles hold them. A mean is a multiple of 2^-24 by its length: so far from where
/// results change that no bound reaches there.
bool tells_all_results(const AxisTask& task) {
  if (!is_floating(task.type)) return tells_all_integers(task);
  constexpr int longest_mean = 512;
  const Needs needs = needs_of(task.operation);
  if (needs.extrema) return true;
  if (task.type != ElementType::half || needs.squares) return false;
  return task.operation != Operation::mean || task.length <= longest_mean;
}

/// The share of the device that blocks fill, of which `at_once` run at a time and the last ones alone.
double filled_share(std::int64_t blocks, std::int64_t at_once) {
  const std::int64_t waves = (blocks - 1) / at_once + 1;
  return static_cast<double>(blocks) / static_cast<double>(waves * at_once);
}

/// How many blocks share each of `groups`, at most `most`: all run at once or, where that leaves much of the
/// device empty, in as few waves as fill it. (Of 600 rows all cells took 0.83 to 0.96 of the time, by
/// four blocks each, which 0.9 asked for.)
int splits_for(std::int64_t groups, std::int64_t at_once, std::int64_t most) {
  constexpr double enough = 0.85;
  const auto filled = [&](std::int64_t splits) { return filled_share(groups * splits, at_once); };
  std::int64_t best = std::max<std::int64_t>(std::min(at_once / groups, most), 1);
  for (std::int64_t splits = best + 1; splits <= most && filled(best) < enough; ++splits)
    if (filled(splits) > filled(best)) best = splits;
  return static_cast<int>(best);
}

bool is_of_rows(DirectLayout layout) {
  return layout == DirectLayout::rows || layout == DirectLayout::rows_apart;
}

void plan_short_rows(AxisTask& task, const DeviceLimits& device, std::int64_t bytes) {
  DirectPlan& plan = task.direct;
  plan.layout = DirectLayout::short_rows;
  plan.unit = 32;
  plan.vectors_in_turn = 1;
  // Enough bytes on their way for each warp, and enough warps.
  constexpr std::int64_t enough_bytes = 2048, warps = 16;
  while (plan.vectors_in_turn < 8 && 32 * plan.vectors_in_turn * bytes < enough_bytes &&
         task.results / (64 * plan.vectors_in_turn) >= warps * device.multiprocessors)
    plan.vectors_in_turn *= 2;
}

/// Plans how blocks, of which multiprocessors have `resident`, share `places` beside each other: a thread has
/// one for some rows.
void share_columns(AxisTask& task, const DeviceLimits& device, std::int64_t places,
                   std::int64_t columns_of_place, int resident, int most_across) {
  DirectPlan& plan = task.direct;
  // Twice as many as are resident, or as many if they share columns.
  const std::int64_t at_once = std::int64_t{resident} * device.multiprocessors, enough = 2 * at_once;
  const auto groups = [&] { return ((places - 1) >> plan.log_lanes) + 1; };
  plan.log_lanes = std::min(log2_above(places), most_across);
  while (plan.log_lanes > 5 && groups() < enough && direct_threads >> plan.log_lanes < plan.rows / 8)
    --plan.log_lanes;
  const std::int64_t rows = direct_threads >> plan.log_lanes, most_rows_at_a_time = 8;
  const std::int64_t parts =
      static_cast<std::int64_t>(direct_part_bytes) / ((columns_of_place << plan.log_lanes) * bytes_of_sums);
  plan.groups = groups();
  if (groups() < enough && groups() <= max_split_results)
    plan.splits =
        splits_for(groups(), at_once, std::min(parts / groups(), plan.rows / (rows * most_rows_at_a_time)));
}

/// Whether threads have vectors of their own.
bool has_whole_vectors(const DirectPlan& plan) {
  return plan.splits == 1 && plan.log_lanes == log2_below(direct_threads);
}
/// And the sums of these, of at most so many elements, are plain doubles.
bool has_plain_vectors(const AxisTask& task, int most) {
  return is_floating(task.type) && has_whole_vectors(task.direct) && size_of(task.type) <= 4 &&
         (task.out_type == task.type || task.out_type == ElementType::float32) &&
         !needs_of(task.operation).extrema && task.length <= most;
}

/// Plans vectors whose elements are read one by one, of `most_across` powers of two beside each other.
void plan_scattered(AxisTask& task, const DeviceLimits& device, int most_across) {
  task.direct.layout = DirectLayout::scattered;
  task.direct.unit = 1;
  share_columns(task, device, (task.results - 1) / scattered_columns + 1, scattered_columns, scattered_blocks,
                most_across);
  task.direct.is_plain = has_plain_vectors(task, most_plain_terms);
}

void plan_rows(AxisTask& task, const DeviceLimits& device, std::int64_t bytes) {
  DirectPlan& plan = task.direct;
  const bool are_apart = task.stride != size_of(task.type) && task.length > 1;
  plan.layout = are_apart ? DirectLayout::rows_apart : DirectLayout::rows;
  const std::int64_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  constexpr std::int64_t of_thread = 4;  // at a time
  constexpr std::int64_t times = 2;      // so that merging costs little
  const bool has_few = task.results < 64 * std::int64_t{device.multiprocessors};
  if (pieces >= 2048 || (has_few && pieces >= 2 * direct_threads)) {
    if (are_apart) return plan_scattered(task, device, 0);
    plan.log_lanes = log2_below(direct_threads);
    plan.unit = 1;
    const std::int64_t at_once = 4 * std::int64_t{device.multiprocessors}, most = 1024,
                       parts = static_cast<std::int64_t>(direct_part_bytes) / bytes_of_sums;
    if (task.results <= max_split_results)
      plan.splits =
          splits_for(task.results, at_once,
                     std::min({pieces / (times * of_thread * direct_threads), parts / task.results, most}));
    return;
  }
  constexpr int least = 2;  // so that neighbouring threads read 64 bytes
  plan.log_lanes = std::clamp(log2_below(std::max<std::int64_t>(pieces / (of_thread * times), 1)),
                              pieces >= of_thread << least ? least : 0, 5);
  if (are_apart) {
    constexpr std::int64_t elements_of_thread = 16;
    plan.log_lanes = std::min(log2_below(std::max<std::int64_t>(task.length / elements_of_thread, 1)), 5);
  }
  const std::int64_t at_once = 32 >> plan.log_lanes;
  plan.vectors_in_turn = 1 << plan.log_lanes;
  while (plan.vectors_in_turn > 1 &&
         task.results / (at_once * plan.vectors_in_turn) < 32 * std::int64_t{device.multiprocessors})
    plan.vectors_in_turn /= 2;
  plan.unit = static_cast<int>(at_once * plan.vectors_in_turn);
}

/// Whether all threads of columns can read `bytes` at once but those at the end of a row.
bool reads_at_once(const AxisTask& task, std::int64_t bytes) {
  bool all = reinterpret_cast<std::uintptr_t>(task.x) % static_cast<std::uintptr_t>(bytes) == 0 &&
             task.stride % bytes == 0;
  for (int i = 0; i < task.axis_count - 1; ++i) all = all && task.axes[i].stride % bytes == 0;
  return all;
}

/// How many rows of a narrow matrix without gaps are best seen as one, so that threads have columns that
/// begin at multiples of their bytes, and few of them have none: 1 if it is good as it is.
int best_fold(const AxisTask& task, std::int64_t columns_of_thread) {
  const std::int64_t width = size_of(task.type), columns = task.axes[task.axis_count - 1].extent;
  constexpr int least_length = 1 << 13;
  const auto bytes = static_cast<std::uintptr_t>(columns_of_thread * width);
  if (task.axis_count != 1 || task.stride != columns * width || columns == 1 ||
      reinterpret_cast<std::uintptr_t>(task.x) % bytes != 0 || task.length < least_length)
    return 1;
  const std::int64_t least = columns_of_thread / std::gcd(columns, columns_of_thread);
  std::int64_t best = least;
  double best_share = 0;  // of the threads across that have columns
  for (std::int64_t fold = least; fold * columns <= most_places_of_fold * columns_of_thread; fold += least) {
    const std::int64_t places = fold * columns / columns_of_thread;
    const double share =
        static_cast<double>(places) / static_cast<double>(std::int64_t{1} << log2_above(places));
    constexpr double enough = 0.93;
    if (share > best_share && best_share < enough) best = fold, best_share = share;
  }
  return best_share == 0 ? 1 : static_cast<int>(best);
}

void plan_columns(AxisTask& task, const DeviceLimits& device, std::int64_t columns_of_thread) {
  DirectPlan& plan = task.direct;
  plan.layout = DirectLayout::columns;
  plan.unit = static_cast<int>(columns_of_thread);
  plan.lowest_byte = 0;
  plan.end_byte = size_of(task.type);
  const auto include = [&](std::int64_t last) { (last < 0 ? plan.lowest_byte : plan.end_byte) += last; };
  include((task.length - 1) * task.stride);
  for (int i = 0; i < task.axis_count; ++i) include((task.axes[i].extent - 1) * task.axes[i].stride);
  const std::int64_t extent = task.axes[task.axis_count - 1].extent, outer = task.results / extent;
  if (task.length <= max_few_rows) {
    if (is_floating(task.type)) columns_of_thread = piece_bytes / size_of(task.type);
    plan.layout = DirectLayout::few_rows;
    plan.unit = static_cast<int>(columns_of_thread);
    plan.log_lanes = log2_below(direct_threads);
    plan.groups = ((outer * ((extent - 1) / columns_of_thread + 1) - 1) >> plan.log_lanes) + 1;
    return;
  }
  plan.fold = best_fold(task, columns_of_thread);
  if (plan.fold != 1) plan.unit = 1;
  plan.rows = task.length / plan.fold;
  const std::int64_t of_row = (extent * plan.fold - 1) / columns_of_thread + 1;
  // Of short rows, threads of a warp have several, which follow each other in memory, and enough of each.
  constexpr std::int64_t short_row_bytes = 64, rows_of_thread = 32;
  int most_across = log2_below(direct_threads);
  if (extent * plan.fold * size_of(task.type) < short_row_bytes)
    most_across = std::clamp(most_across - log2_below(std::max<std::int64_t>(plan.rows / rows_of_thread, 1)),
                             log2_above(of_row), most_across);
  share_columns(task, device, outer * of_row, columns_of_thread, interleaved_blocks, most_across);
}

/// The number of elements by which threads of a piece begin later than those of the one before: so many that
/// few of a warp's threads, which have one vector after the other, read different words of the same bank.
int turn_of_piece(const AxisTask& task, std::int64_t pitch, std::int64_t columns,
                  std::int64_t column_stride) {
  constexpr int lanes = 32, banks = 32;
  int best = 0, fewest = lanes + 1;
  for (int turn = 0; turn < std::min(task.length, 8) && fewest > 1; ++turn) {
    std::array<std::int64_t, lanes> words{};
    int most = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int64_t piece = lane / columns, row = piece * turn % task.length;
      words[lane] = (piece * pitch + row * task.stride + lane % columns * column_stride) / 4;
      int same = 1;
      for (int i = 0; i < lane; ++i)
        if (words[i] != words[lane] && (words[i] - words[lane]) % banks == 0) ++same;
      most = std::max(most, same);
    }
    if (most < fewest) fewest = most, best = turn;
  }
  return best;
}

/// Plans vectors that lie in short pieces of memory, or returns false.
bool plan_pieces(AxisTask& task, const DeviceLimits& device, bool are_interleaved) {
  const std::int64_t width = size_of(task.type);
  const int axis = task.axis_count - (are_interleaved ? 2 : 1);
  if (axis < 0) return false;
  const ResultAxis &along = task.axes[axis], &nearest = task.axes[task.axis_count - 1];
  const std::int64_t columns = are_interleaved ? nearest.extent : 1,
                     column_stride = are_interleaved ? nearest.stride : 0;
  const std::int64_t bytes = (task.length - 1) * task.stride + (columns - 1) * column_stride + width;
  // Gaps take time, too, and any number of columns may have the same elements.
  constexpr std::int64_t most_gaps = 8;
  if (bytes > longest_piece || along.stride < bytes || columns * width > bytes ||
      along.stride > most_gaps * task.length * columns * width)
    return false;
  DirectPlan& plan = task.direct;
  const std::int64_t most = (bytes_of_pieces - bytes) / along.stride + 1;
  constexpr std::int64_t least_results = 64;
  const std::int64_t enough = 8 * std::int64_t{device.multiprocessors};
  std::int64_t of_block =
      std::min(std::max(task.results / columns / enough, (least_results - 1) / columns + 1), most);
  // Few threads are idle, or some share a vector.
  const std::int64_t results = of_block * columns, threads = direct_threads;
  const std::int64_t all = results > threads ? threads : std::int64_t{1} << log2_above(results);
  if (results > threads)
    of_block = std::max<std::int64_t>(results / threads * threads / columns, 1);
  else if (4 * results < 3 * all && all / 2 >= columns)
    of_block = all / 2 / columns;
  constexpr std::int64_t elements_of_thread = 4;
  plan.layout = DirectLayout::pieces;
  plan.unit = 1;
  plan.log_lanes = std::min(
      std::max(log2_above(of_block * columns),
               log2_below(threads) - log2_below(std::max<std::int64_t>(task.length / elements_of_thread, 1))),
      log2_below(threads));
  plan.groups = (along.extent - 1) / of_block + 1;
  plan.is_plain = has_plain_vectors(task, most_plain_terms);
  plan.pieces = {axis,
                 static_cast<int>(of_block),
                 static_cast<int>(bytes),
                 static_cast<int>(columns),
                 static_cast<int>(column_stride),
                 has_whole_vectors(plan) ? turn_of_piece(task, along.stride, columns, column_stride) : 0};
  return true;
}

/// Whether the kernels for interleaved vectors that are neighbours suit them better than others.
bool suits_columns(const AxisTask& task) {
  const ResultAxis& nearest = task.axes[task.axis_count - 1];
  const std::int64_t width = size_of(task.type);
  if (nearest.stride != width || nearest.extent == 1) return false;
  if (task.axis_count == 1) return true;
  constexpr std::int64_t least_bytes = 32;
  const std::int64_t bytes = !is_floating(task.type)                     ? std::min(4 * width, piece_bytes)
                             : task.length <= max_few_rows || width != 2 ? piece_bytes
                                                                         : piece_bytes / 2;
  return nearest.extent * width >= least_bytes && reads_at_once(task, bytes);
}

}  // namespace

unsigned flip_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return 0x8080'8080;
    case ElementType::uint16:
      return 0x8000'8000;
    case ElementType::uint32:
    case ElementType::uint64:
      return 0x8000'0000;
    default:
      return 0;
  }
}

std::uint64_t nan_bits(ElementType type) {
  switch (type) {
    case ElementType::half:
      return 0x7e00;
    case ElementType::bfloat16:
      return 0x7fc0;
    case ElementType::float32:
      return 0x7fc0'0000;
    default:
      return canonical_nan;
  }
}

void plan_direct(AxisTask& task, const DeviceLimits& device) {
  if (!suits_direct_kernels(task)) return;
  task.direct.splits = task.direct.fold = 1;
  task.direct.rows = task.length;
  task.direct.retry_blocks = 3 * device.multiprocessors;
  const std::int64_t width = size_of(task.type), bytes = task.length * width;
  const ResultAxis* const nearest = task.axis_count == 0 ? nullptr : task.axes + task.axis_count - 1;
  const bool are_interleaved = nearest != nullptr && nearest->stride < task.stride && task.length > 1;
  // Vectors of elements that are apart are read straight from memory if several threads can share one.
  constexpr int long_enough = 128;
  const int columns_of_thread = width == 8 ? 2 : 4;
  if (task.stride == width || task.length == 1) {
    if (task.axis_count == 1 && nearest->stride == bytes && bytes <= longest_short_row)
      plan_short_rows(task, device, bytes);
    else
      plan_rows(task, device, bytes);
  } else if (!are_interleaved && (nearest == nullptr || task.length >= long_enough)) {
    plan_rows(task, device, bytes);
  } else if (are_interleaved && suits_columns(task)) {
    plan_columns(task, device, columns_of_thread);
    if (task.direct.layout == DirectLayout::columns) {
      task.direct.is_plain =
          has_plain_vectors(task, most_plain_rows) && reads_at_once(task, width * columns_of_thread);
      // Rounding what plain sums tell takes less time than reading elements one by one takes more.
      if (!task.direct.is_plain && width == 2 && has_plain_vectors(task, most_plain_terms))
        plan_scattered(task, device, log2_below(direct_threads));
    }
  } else if (!plan_pieces(task, device, are_interleaved)) {
    if (nearest->stride == width && nearest->extent > 1)
      plan_columns(task, device, columns_of_thread);
    else
      plan_scattered(task, device, log2_below(direct_threads));
  }
  // Up to 32 elements of a thread more than of another, and its sums are merged at most 16 times in a block,
  // and once with each other one; those of a fold of rows once more, and as many elements are added.
  DirectPlan& plan = task.direct;
  const std::int64_t sharing = plan.layout == DirectLayout::short_rows ? 1
                               : is_of_rows(plan.layout)               ? std::int64_t{1} << plan.log_lanes
                                                                       : direct_threads >> plan.log_lanes;
  const std::int64_t chain = plan.rows / (sharing * plan.splits) + plan.splits + 2 * plan.fold + 64;
  plan.log2_errors = log2_below(task.length) + log2_below(chain) + 2;
  plan.errors = static_cast<double>(chain) * static_cast<double>(chain) * 0x1p-104;
  plan.flip = flip_of(task.type);
  plan.nan = nan_bits(task.out_type);
  plan.count = static_cast<double>(task.length);
  plan.inverse_count = 1 / plan.count;
  plan.is_certain = tells_all_results(task);
  plan.degrees = static_cast<double>(task.length - task.ddof);
  plan.squared_count = plan.count * plan.degrees;
  plan.inverse_squared_count = 1 / plan.squared_count;
}

}  // namespace foldline::cuda
