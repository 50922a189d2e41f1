// Scans along an axis: vector by vector, or in tiles of neighbouring vectors that interleave.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/async_checks.hpp"
#include "api/axis_order.hpp"
#include "api/dispatch.hpp"
#include "api/scan_checks.hpp"
#include "api/validate.hpp"
#include "contract/scan_axis.hpp"
#include "contract/short_scans.hpp"
#include "foldline/array_view.hpp"
#include "foldline/async.hpp"
#include "foldline/detail/parallel.hpp"
#include "foldline/error.hpp"
#include "foldline/scan.hpp"

namespace foldline {

namespace {

// Bytes of a cache line. Interleaving vectors, read one by one, would fetch each line once per vector.
constexpr std::int64_t line = 64;
// Bytes of a tile's row, of a tile, and its most rows. Elements and results fill 512 KiB and stay in L2. Rows
// may be far apart, hence many lines of each: 16384 x 1000 doubles take 0.6 of the time that they took with
// four lines of 512 rows, 100000 x 100 half (a Xeon with AVX-512, one thread).
constexpr std::int64_t tile_width = 32 * line;
constexpr std::int64_t tile_bytes = std::int64_t{1} << 18;
constexpr std::int64_t tile_rows = 512;
// Bytes that a thread takes at a time where vectors are scanned one by one.
constexpr std::int64_t vector_bytes = std::int64_t{1} << 16;

/// A valid scan of every vector along an axis.
struct AxisScan {
  const char* operation;
  const ArrayView& a;
  const MutableArrayView& out;
  ResultAxis along;
  std::vector<ResultAxis> across;  // where the vectors begin: at least one axis, nearest neighbours last
  bool exclusive;
  const Context& context;
  const ScanState& start;
  Plan plan;  // of one vector
};

Offset plus(const Offset& offset, const ResultAxis& axis, std::int64_t index) {
  return {offset.terms + index * axis.stride, offset.out + index * axis.out_stride};
}

/// Scans elements of one vector from number `first` on.
void scan_part(const AxisScan& scan, const VectorView& x, const MutableVectorView& out, std::int64_t first,
               ScanState& state) {
  const std::int64_t overflow =
      foldline::scan({.x = x, .out = out, .exclusive = scan.exclusive, .overflow = scan.context.overflow},
                     scan.plan, scan.context, state);
  if (overflow != no_result) refuse_overflow(scan.operation, first + overflow, out.type());
}

void scan_vector(const AxisScan& scan, Offset start) {
  const std::int64_t size = scan.along.extent;
  ScanState state = scan.start;
  scan_part(scan, {scan.a.at(start.terms), scan.a.type(), size, scan.along.stride},
            {scan.out.at(start.out), scan.out.type(), size, scan.along.out_stride}, 0, state);
}

/// A tile in memory: element (row, column) is `row * row_step + column * column_step` bytes from `first`.
template <class Byte>
struct Tile {
  Byte* first;
  std::int64_t row_step, column_step;
};

/// Goes along rows or columns, whichever have the shorter steps: each line of a cache is taken once.
template <std::size_t width>
void copy_elements(Tile<const std::byte> from, Tile<std::byte> to, std::int64_t rows, std::int64_t columns) {
  if (std::abs(from.row_step) + std::abs(to.row_step) <
      std::abs(from.column_step) + std::abs(to.column_step)) {
    std::swap(from.row_step, from.column_step);
    std::swap(to.row_step, to.column_step);
    std::swap(rows, columns);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::byte* source = from.first + row * from.row_step;
    std::byte* target = to.first + row * to.row_step;
    for (std::int64_t i = 0; i < columns; ++i, source += from.column_step, target += to.column_step)
      std::memcpy(target, source, width);
  }
}

void copy(const Tile<const std::byte>& from, const Tile<std::byte>& to, std::int64_t rows,
          std::int64_t columns, std::int64_t width) {
  switch (width) {
    case 1:
      return copy_elements<1>(from, to, rows, columns);
    case 2:
      return copy_elements<2>(from, to, rows, columns);
    case 4:
      return copy_elements<4>(from, to, rows, columns);
    default:
      return copy_elements<8>(from, to, rows, columns);
  }
}

/// Scans neighbouring vectors together: gathers a tile of their elements, scans each vector, scatters the
/// results.
void scan_tiles(const AxisScan& scan, Offset start, std::int64_t columns) {
  const auto& [size, stride, out_stride] = scan.along;
  const ResultAxis& across = scan.across.back();
  const std::int64_t width = size_of(scan.a.type());
  const std::int64_t out_width = size_of(scan.out.type());
  const std::int64_t rows_of_tile =
      std::min({size, tile_rows, tile_bytes / (columns * std::max(width, out_width))});
  // One extra line, so that neighbours in a row do not map to the same set of the L1 cache.
  const std::int64_t pitch = rows_of_tile * width + line;
  const std::int64_t out_pitch = rows_of_tile * out_width + line;
  const auto elements =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(columns * pitch));
  const auto results =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(columns * out_pitch));
  std::vector<ScanState> states(static_cast<std::size_t>(columns), scan.start);
  for (std::int64_t first = 0; first < size; first += rows_of_tile) {
    const std::int64_t rows = std::min(rows_of_tile, size - first);
    const Offset tile = plus(start, scan.along, first);
    copy({scan.a.at(tile.terms), stride * width, across.stride * width}, {elements.get(), width, pitch}, rows,
         columns, width);
    for (std::int64_t i = 0; i < columns; ++i)
      scan_part(scan, {elements.get() + i * pitch, scan.a.type(), rows},
                {results.get() + i * out_pitch, scan.out.type(), rows}, first,
                states[static_cast<std::size_t>(i)]);
    copy({results.get(), out_width, out_pitch},
         {scan.out.at(tile.out), out_stride * out_width, across.out_stride * out_width}, rows, columns,
         out_width);
  }
}

/// Bytes between neighbours along an axis, in both arrays together.
std::uint64_t distance(const AxisScan& scan, const ResultAxis& axis) {
  return static_cast<std::uint64_t>(std::abs(axis.stride) * size_of(scan.a.type())) +
         static_cast<std::uint64_t>(std::abs(axis.out_stride) * size_of(scan.out.type()));
}

/// Whether neighbours across are nearer than those along a vector, in one of the arrays: a transposed result
/// of 8192 x 2048 int64 took twice the time vector by vector.
bool is_interleaved(const AxisScan& scan, const ResultAxis& across) {
  return std::abs(across.stride) < std::abs(scan.along.stride) ||
         std::abs(across.out_stride) < std::abs(scan.along.out_stride);
}

/// Scans of all vectors across the last axis, the first of which begins at `start`.
ShortScans short_scans(const AxisScan& scan, Offset start, std::int64_t vectors) {
  const ResultAxis& across = scan.across.back();
  return {scan.a.at(start.terms), scan.a.type(),    scan.out.at(start.out), scan.out.type(),
          scan.along.extent,      vectors,          scan.along.stride,      across.stride,
          scan.along.out_stride,  across.out_stride};
}

/// Scans many short vectors, those that lie beside each other or one after the other together.
void scan_short(const AxisScan& scan, std::int64_t vectors, int threads) {
  // Elements that a thread takes at a time.
  constexpr std::int64_t elements = std::int64_t{1} << 15, most_vectors = 4096;
  const ResultAxis& across = scan.across.back();
  const std::int64_t block = std::clamp<std::int64_t>(elements / scan.along.extent, 64, most_vectors);
  const std::int64_t blocks = (across.extent - 1) / block + 1;
  const auto outer = std::span(scan.across).first(scan.across.size() - 1);
  detail::run_parts(vectors / across.extent * blocks, threads, [&](std::int64_t part) {
    const std::int64_t first = part % blocks * block, count = std::min(block, across.extent - first);
    const Offset start = plus(offset_of(outer, part / blocks), across, first);
    std::uint8_t uncertain[most_vectors];
    std::memset(uncertain, 0, static_cast<std::size_t>(count));
    if (cpu::scan_short_vectors(short_scans(scan, start, count), scan.plan.target, uncertain) == 0) return;
    for (std::int64_t i = 0; i < count; ++i)
      if (uncertain[i] != 0) scan_vector(scan, plus(start, across, i));
  });
}

/// Scans all vectors. `threads` threads share them; if there are fewer vectors, they are scanned one by one
/// with the plan's threads.
void scan_vectors(const AxisScan& scan, std::int64_t vectors, int threads) {
  const ResultAxis& across = scan.across.back();
  const std::int64_t width = std::max(size_of(scan.a.type()), size_of(scan.out.type()));
  // A fast scan rounds by tiles that depend on a vector's layout, so it must not be gathered.
  const bool in_tiles = scan.plan.threads == 1 && scan.plan.accuracy == Accuracy::exact &&
                        across.extent > 1 && is_interleaved(scan, across);
  const std::int64_t wanted =
      in_tiles ? tile_width / width : vector_bytes / (std::min(scan.along.extent, vector_bytes) * width);
  const std::int64_t block =
      std::clamp<std::int64_t>(vectors / threads, 1, std::max<std::int64_t>(wanted, 1));
  const std::int64_t blocks = (across.extent - 1) / block + 1;
  const auto outer = std::span(scan.across).first(scan.across.size() - 1);  // all axes across but the last
  detail::run_parts(vectors / across.extent * blocks, vectors < threads ? 1 : threads,
                    [&](std::int64_t part) {
                      const std::int64_t first = part % blocks * block;
                      const std::int64_t count = std::min(block, across.extent - first);
                      const Offset start = plus(offset_of(outer, part / blocks), across, first);
                      if (in_tiles) return scan_tiles(scan, start, count);
                      for (std::int64_t i = 0; i < count; ++i) scan_vector(scan, plus(start, across, i));
                    });
}

/// The axis with the strides of both arrays; 0 if it has one element.
ResultAxis axis_of(const ArrayView& a, const MutableArrayView& out, std::size_t i) {
  if (a.shape()[i] == 1) return {1, 0, 0};
  return {a.shape()[i], a.strides()[i], out.strides()[i]};
}

bool are_the_same(const ArrayView& a, const MutableArrayView& out) {
  bool same = a.data() == out.data() && a.type() == out.type();
  for (std::size_t i = 0; i < a.shape().size(); ++i) {
    const ResultAxis axis = axis_of(a, out, i);
    same = same && axis.stride == axis.out_stride;
  }
  return same;
}

void validate_arrays(const char* operation, const ArrayView& a, const MutableArrayView& out) {
  if (a.shape() != out.shape())
    throw InvalidArgument(std::string(operation) + ": the arrays must have the same shape, but a has " +
                          text_of_shape(a) + " and out " + text_of_shape(out));
  if (a.size() == 0 || are_the_same(a, out)) return;
  const auto [first, last] = address_range(a);
  const auto [out_first, out_last] = address_range(out);
  if (first < out_last && out_first < last)
    throw InvalidArgument(std::string(operation) +
                          ": a and out overlap; out must be a itself (same data, strides and type) or lie "
                          "before or behind all of it");
}

std::size_t validated_axis(const char* operation, const ArrayView& a, std::int64_t axis_number,
                           const MutableArrayView& out, const ScanState& start) {
  const std::size_t axis = checked_axis(operation, a, axis_number);
  validate_arrays(operation, a, out);
  validate_scan_types(operation, a.type(), start, out.type());
  return axis;
}

void run(const char* operation, const ArrayView& a, std::int64_t axis_number, const MutableArrayView& out,
         bool exclusive, const ScanState& start, Context context) {
  const std::size_t axis = validated_axis(operation, a, axis_number, out, start);
  const std::int64_t size = a.shape()[axis];
  if (context.execution.device.kind != Device::Kind::cpu) {
    const Plan plan = on_present_device(plan_scan(a.type(), size, context));
    if (a.size() == 0) return;
    const std::int64_t overflow =
        cuda::scan_axis(array_scan(a, axis, out, exclusive, context), start, plan, context.execution.stream);
    if (overflow != no_result) refuse_overflow(operation, overflow, out.type());
    return;
  }
  const std::int64_t bytes = std::min(a.size(), INT64_MAX / 8) * size_of(a.type());
  const int threads = detail::choose_threads(operation, bytes, a.size(), context.execution);
  const std::int64_t vectors = size == 0 ? 0 : a.size() / size;
  if (threads <= vectors) context.execution.threads = 1;
  AxisScan scan = {operation,
                   a,
                   out,
                   axis_of(a, out, axis),
                   {},
                   exclusive,
                   context,
                   start,
                   on_present_device(plan_scan(a.type(), size, context))};
  if (a.size() == 0) return;
  for (std::size_t i = 0; i < a.shape().size(); ++i)
    if (i != axis && a.shape()[i] > 1) scan.across.push_back(axis_of(a, out, i));
  if (scan.across.empty()) scan.across.push_back({1, 0, 0});
  std::ranges::sort(scan.across, std::ranges::greater(),
                    [&scan](const ResultAxis& each) { return distance(scan, each); });
  const bool is_short = !exclusive && scan.plan.device.kind == Device::Kind::cpu && scan.plan.threads == 1 &&
                        scan.plan.accuracy == Accuracy::exact && short_scans(scan, {}, vectors).are_taken();
  if (is_short)
    scan_short(scan, vectors, threads);
  else
    scan_vectors(scan, vectors, threads);
}

/// The same without waiting.
void put(const char* operation, const ArrayView& a, std::int64_t axis_number, const MutableArrayView& out,
         bool exclusive, const ScanState& start, const async::Queue& queue, const Context& context) {
  const std::size_t axis = validated_axis(operation, a, axis_number, out, start);
  require_async(operation, queue, context, a.type(), out.type());
  if (a.size() > 0) cuda::scan_axis_async(array_scan(a, axis, out, exclusive, context), start, queue);
}

}  // namespace

ArrayScan array_scan(const ArrayView& a, std::size_t axis, const MutableArrayView& out, bool exclusive,
                     const Context& context) {
  const std::int64_t size = a.shape()[axis];
  ArrayScan scan = {{a.at(0), a.type(), size, a.strides()[axis]},
                    {out.at(0), out.type(), size, out.strides()[axis]},
                    {},
                    a.size() / size,
                    exclusive,
                    context.overflow,
                    context.accuracy};
  for (std::size_t i = 0; i < a.shape().size(); ++i)
    if (i != axis && a.shape()[i] > 1) scan.axes.push_back(axis_of(a, out, i));
  merge_axes(scan.axes);
  return scan;
}

void inclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out,
                         const Context& context) {
  run("inclusive_scan_axis", a, axis, out, false, ScanState(), context);
}

void exclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out,
                         const Scalar& init, const Context& context) {
  run("exclusive_scan_axis", a, axis, out, true, state_after(init), context);
}

void async::inclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out,
                                const Queue& queue, const Context& context) {
  put("inclusive_scan_axis", a, axis, out, false, ScanState(), queue, context);
}

void async::exclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out,
                                const Scalar& init, const Queue& queue, const Context& context) {
  put("exclusive_scan_axis", a, axis, out, true, state_after(init), queue, context);
}

}  // namespace foldline
