// Reductions of segments on a GPU: locates the data, looks at the offsets, launches, and reports overflow.
#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "cuda/axis/group_keys.hpp"
#include "cuda/axis/group_sums.hpp"
#include "cuda/axis/memory_parts.hpp"
#include "cuda/axis/segments_task.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/runtime/pack.hpp"
#include "cuda/workspace/resources.hpp"
#include "cuda/workspace/workspace_state.hpp"

namespace foldline::cuda {

namespace {

constexpr auto doing = "a reduction of segments";

bool is_empty_or_on_device(const VectorView& x, int device) {
  return x.size() == 0 || memory_space_of(x.data(), device) == MemorySpace::device;
}

/// A vector in the device's memory: the same one, or a contiguous copy.
VectorView on_device(const VectorView& x, std::optional<Buffer>& buffer, int device, cudaStream_t stream) {
  if (is_empty_or_on_device(x, device)) return x;
  const std::int64_t bytes = x.size() * size_of(x.type());
  std::vector<std::byte> packed;
  const void* from = x.data();
  if (x.stride() != 1) {
    packed.resize(static_cast<std::size_t>(bytes));
    pack(x, packed.data());
    from = packed.data();
  }
  std::byte* const copy = buffer.emplace(bytes, "allocating memory for a copy of a vector").data();
  check(cudaMemcpyAsync(copy, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream), doing);
  if (!packed.empty()) check(cudaStreamSynchronize(stream), doing);
  return {copy, x.type(), x.size()};
}

bool offsets_are_aligned(const VectorView& offsets) {
  return reinterpret_cast<std::uintptr_t>(offsets.data()) %
             static_cast<std::uintptr_t>(size_of(offsets.type())) ==
         0;
}

/// Offsets in host memory as 8 bytes each, whatever they are and wherever.
std::vector<std::int64_t> widened(const VectorView& offsets, int device, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(size_of(offsets.type()));
  const auto count = static_cast<std::size_t>(offsets.size());
  std::vector<std::byte> here(count * bytes);
  if (!is_empty_or_on_device(offsets, device)) {
    pack(offsets, here.data());
  } else {
    const bool is_dense = offsets.stride() == 1;
    for (std::size_t i = 0; i < (is_dense ? 1 : count); ++i)
      check(cudaMemcpyAsync(here.data() + i * bytes, offsets.at(static_cast<std::int64_t>(i)),
                            is_dense ? here.size() : bytes, cudaMemcpyDeviceToHost, stream),
            doing);
    check(cudaStreamSynchronize(stream), doing);
  }
  std::vector<std::int64_t> all(count);
  visit_indices({here.data(), offsets.type(), offsets.size()}, [&](const auto& from) {
    for (std::size_t i = 0; i < count; ++i) all[i] = from[static_cast<std::int64_t>(i)];
  });
  return all;
}

/// Rounds the sums of segment i on the host.
void reduce_one(const SegmentReduction& reduction, const Plan& plan, cudaStream_t stream, RoundSegment round,
                std::int64_t i, std::int64_t first, std::int64_t size) {
  Moments moments;
  reduce({.needs = needs_of(reduction.operation), .x = reduction.segment(first, size), .y = {}}, plan, stream,
         moments);
  std::byte here[8];
  SegmentReduction one = reduction;
  one.out = {here, reduction.out.type(), i + 1, 0};  // so that an error is that of segment i
  round(one, moments, i);
  if (!reduction.failure->exception)
    check(cudaMemcpy(reduction.out.at(i), here, static_cast<std::size_t>(size_of(one.out.type())),
                     cudaMemcpyDefault),
          doing);
}

/// A word of the device's memory, which it clears.
unsigned long long take(unsigned long long& word, cudaStream_t stream) {
  unsigned long long value = 0;
  check(cudaMemcpyAsync(&value, &word, sizeof value, cudaMemcpyDeviceToHost, stream), doing);
  check(cudaMemsetAsync(&word, 0, sizeof value, stream), doing);
  check(cudaStreamSynchronize(stream), doing);
  return value;
}

class Work {
 public:
  Work(const SegmentReduction& reduction, const Plan& plan, cudaStream_t stream, RoundSegment round,
       const Lease& resources)
      : reduction_(reduction), plan_(plan), stream_(stream), round_(round) {
    resources->make_axis_totals(segment_memory_bytes());
    task_ = segments_task(reduction, device_limits(plan.device.index), resources->axis_totals);
    task_.leaves_longest = true;
  }

  /// The index of the first wrong offset, or -1. Of results in device memory.
  std::int64_t run() {
    launch_check_of_offsets(task_, stream_);
    const auto wrong = take(task_.lists->wrong, stream_), longest = take(task_.lists->longest, stream_);
    if (wrong != 0) return static_cast<std::int64_t>(~wrong);
    launch_segments(task_, stream_);
    if (const auto failure = take(*task_.axis.failure, stream_); failure != 0) {
      reduce_again(static_cast<std::int64_t>(~failure));
    } else if (longest > longest_vector) {
      const std::vector<std::int64_t> offsets = widened(reduction_.offsets, plan_.device.index, stream_);
      for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        if (const std::int64_t size = offsets[i + 1] - offsets[i]; size > longest_vector)
          reduce_one(reduction_, plan_, stream_, round_, static_cast<std::int64_t>(i), offsets[i], size);
    }
    return -1;
  }

 private:
  /// Repeats a failed result on the host, which makes the error with its details.
  void reduce_again(std::int64_t i) {
    const std::vector<std::int64_t> ends =
        widened(reduction_.offsets.part(i, 2), plan_.device.index, stream_);
    reduce_one(reduction_, plan_, stream_, round_, i, ends[0], ends[1] - ends[0]);
  }

  const SegmentReduction& reduction_;
  const Plan& plan_;
  const cudaStream_t stream_;
  const RoundSegment round_;
  SegmentsTask task_;
};

/// Reduces into results of the host or of the device: run(there) works on what is in the device's memory, and
/// returns the index of what is wrong in its input, or -1.
template <class Run>
std::int64_t with_results(SegmentReduction there, const Plan& plan, cudaStream_t stream, const Run& run) {
  const MutableVectorView out = there.out;
  std::optional<Buffer> values, results;
  there.values = on_device(there.values, values, plan.device.index, stream);
  const bool is_here = memory_space_of(out.data(), plan.device.index) == MemorySpace::host;
  const std::int64_t bytes = out.size() * size_of(out.type());
  if (is_here)
    there.out = {results.emplace(bytes, "allocating memory for results").data(), out.type(), out.size()};
  const std::int64_t wrong = run(there);
  if (wrong >= 0 || there.failure->exception || !is_here) return wrong;
  std::vector<std::byte> here(static_cast<std::size_t>(bytes));
  check(cudaMemcpy(here.data(), results->data(), here.size(), cudaMemcpyDeviceToHost), "copying results");
  unpack(here.data(), out);
  return -1;
}

/// How values are grouped.
struct Grouping {
  std::int64_t size, count, width;  // of values and results; bytes of a value
  int bits;                         // of the keys
  bool copies_keys, copies_values;
  bool sums_first = false;  // sums without an order are tried before sorting
  std::size_t sorting_bytes;

  Grouping(std::int64_t values, ElementType type, std::int64_t results, std::int64_t largest_key)
      : size(values),
        count(results),
        width(size_of(type)),
        bits(std::max(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest_key))), 1)),
        copies_keys(true),
        copies_values(true),
        sorting_bytes(bytes_for_sorting(size, width, bits)) {}
};

bool can_be_sorted_there(const VectorView& values) {
  return values.stride() == 1 && reinterpret_cast<std::uintptr_t>(values.data()) %
                                         static_cast<std::uintptr_t>(size_of(values.type())) ==
                                     0;
}

struct GroupMemory {
  GroupReport* report;
  KeysAndValues from, to;
  std::int64_t* offsets;
  std::byte *sorting, *sums;
};
GroupMemory lay_out(Parts& parts, const Grouping& grouping) {
  const auto size = static_cast<std::size_t>(grouping.size);
  const std::size_t bytes = size * static_cast<std::size_t>(grouping.width);
  GroupMemory memory{};
  memory.report = reinterpret_cast<GroupReport*>(parts.take(sizeof(GroupReport)));
  memory.offsets = reinterpret_cast<std::int64_t*>(
      parts.take((static_cast<std::size_t>(grouping.count) + 1) * sizeof(std::int64_t)));
  if (grouping.copies_keys) memory.from.keys = reinterpret_cast<std::uint32_t*>(parts.take(size * 4));
  memory.to.keys = reinterpret_cast<std::uint32_t*>(parts.take(size * 4));
  if (grouping.copies_values) memory.from.values = parts.take(bytes);
  memory.to.values = parts.take(bytes);
  memory.sorting = parts.take(grouping.sorting_bytes);
  if (grouping.sums_first) memory.sums = parts.take(group_sums_bytes(grouping.count));
  return memory;
}

/// Queues the sort of values, and makes them those of the reduction.
void sort_values(const Grouping& grouping, GroupMemory& memory, SegmentReduction& reduction,
                 cudaStream_t stream) {
  const VectorView values = reduction.values;
  if (grouping.copies_values)
    launch_pack(values, memory.from.values, stream);
  else
    memory.from.values = static_cast<std::byte*>(const_cast<void*>(values.data()));
  sort_by_key(memory.from, memory.to, grouping.size, grouping.width, grouping.bits, memory.sorting,
              grouping.sorting_bytes, stream);
  reduction.values = {memory.to.values, values.type(), grouping.size};
}

/// Queues the search for the first of each key, and makes these the reduction's offsets.
void find_offsets(const std::uint32_t* sorted, const Grouping& grouping, const GroupMemory& memory,
                  SegmentReduction& reduction, cudaStream_t stream) {
  launch_offsets_of_keys(sorted, grouping.size, memory.offsets, grouping.count, stream);
  reduction.offsets = {memory.offsets, grouping.count + 1};
}

/// What the report says by now.
GroupReport read(const GroupReport* report, cudaStream_t stream) {
  GroupReport here{};
  check(cudaMemcpyAsync(&here, report, sizeof here, cudaMemcpyDeviceToHost, stream), doing);
  check(cudaStreamSynchronize(stream), doing);
  return here;
}

/// Groups values by keys, both in the device's memory, and reduces the groups.
class GroupedWork {
 public:
  GroupedWork(const SegmentReduction& reduction, const VectorView& keys, const Plan& plan,
              cudaStream_t stream, RoundSegment round)
      : reduction_(reduction),
        keys_(keys),
        plan_(plan),
        stream_(stream),
        round_(round),
        resources_(plan.device.index),
        grouping_(keys.size(), reduction.values.type(), reduction.out.size(), reduction.out.size() - 1) {
    grouping_.copies_keys = !are_plain_keys(keys);
    grouping_.copies_values = !can_be_sorted_there(reduction.values);
    grouping_.sums_first = !grouping_.copies_values && grouping_.size != 0;
    Parts wanted;
    lay_out(wanted, grouping_);
    resources_->make_group_memory(wanted.size());
    Parts parts(resources_->group_memory);
    memory_ = lay_out(parts, grouping_);
  }

  /// The index of the first key that is not in the range, or -1.
  std::int64_t run() {
    check(cudaMemsetAsync(memory_.report, 0, sizeof(GroupReport), stream_), doing);
    if (grouping_.size != 0)
      launch_look_at_keys(keys_, grouping_.count, memory_.from.keys,
                          {&memory_.report->wrong, &memory_.report->unsorted}, stream_);
    if (!grouping_.copies_keys)
      memory_.from.keys = static_cast<std::uint32_t*>(const_cast<void*>(keys_.data()));
    const GroupReport keys = read(memory_.report, stream_);
    if (keys.wrong != 0) return static_cast<std::int64_t>(~keys.wrong);
    const bool is_sorted = keys.unsorted == 0;
    if (!is_sorted && add_without_order()) return -1;
    if (!is_sorted) sort_values(grouping_, memory_, reduction_, stream_);
    find_offsets(is_sorted ? memory_.from.keys : memory_.to.keys, grouping_, memory_, reduction_, stream_);
    return Work(reduction_, plan_, stream_, round_, resources_).run();
  }

 private:
  /// Whether all results are there.
  bool add_without_order() {
    if (!grouping_.sums_first) return false;
    std::optional<GroupSumsTask> task =
        group_sums_task(reduction_, memory_.report, memory_.sums, device_limits(plan_.device.index).l2_bytes);
    if (!task) return false;
    task->keys = memory_.from.keys;
    launch_looks(*task, stream_);
    if (!suits_words(*task, read(memory_.report, stream_))) return false;
    launch_group_sums(*task, stream_);
    const GroupReport sums = read(memory_.report, stream_);
    return sums.failed == 0 && sums.taken == static_cast<unsigned long long>(grouping_.size);
  }

  SegmentReduction reduction_;
  const VectorView keys_;
  const Plan& plan_;
  const cudaStream_t stream_;
  const RoundSegment round_;
  const Lease resources_;
  Grouping grouping_;
  GroupMemory memory_;
};

void launch_queued(const SegmentReduction& reduction, const async::Queue& queue) {
  const auto& state = state_of(*queue.workspace);
  SegmentsTask task = segments_task(reduction, state.limits, state.axis);
  task.axis.failure = reinterpret_cast<unsigned long long*>(queue.status);
  launch_segments(task, static_cast<cudaStream_t>(queue.stream));
}

}  // namespace

std::int64_t reduce_segments(const SegmentReduction& reduction, const Plan& plan, void* stream_of_caller,
                             RoundSegment round) {
  const auto stream = static_cast<cudaStream_t>(stream_of_caller);
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  return with_results(reduction, plan, stream, [&](SegmentReduction& there) {
    std::optional<Buffer> offsets;
    std::vector<std::int64_t> wide;
    if (size_of(there.offsets.type()) < 4 || !offsets_are_aligned(there.offsets)) {
      wide = widened(there.offsets, device, stream);
      there.offsets = wide;
    }
    there.offsets = on_device(there.offsets, offsets, device, stream);
    const Lease resources(device);
    return Work(there, plan, stream, round, resources).run();
  });
}

std::int64_t reduce_by_key(const SegmentReduction& reduction, const VectorView& keys, const Plan& plan,
                           void* stream_of_caller, RoundSegment round) {
  const auto stream = static_cast<cudaStream_t>(stream_of_caller);
  const DeviceGuard guard(plan.device.index);
  return with_results(reduction, plan, stream, [&](const SegmentReduction& there) {
    std::optional<Buffer> copy;
    return GroupedWork(there, on_device(keys, copy, plan.device.index, stream), plan, stream, round).run();
  });
}

void reduce_segments_async(const SegmentReduction& reduction, const async::Queue& queue) {
  const int device = queue.workspace->device().index;
  const DeviceGuard guard(device);
  if (reduction.values.size() > 0) require_reachable("values", reduction.values.data(), device);
  require_reachable("offsets", reduction.offsets.data(), device);
  require_reachable("out", reduction.out.data(), device);
  require_reachable("the status", queue.status, device);
  if (size_of(reduction.offsets.type()) < 4 || !offsets_are_aligned(reduction.offsets))
    throw InvalidArgument(
        "async: reduce_segments: offsets must be of 4 or 8 bytes, at addresses that are multiples of that");
  launch_queued(reduction, queue);
}

std::int64_t group_memory_bytes(std::int64_t size, ElementType type, std::int64_t results, int device) {
  const DeviceGuard guard(device);
  Parts parts;
  lay_out(parts, Grouping(size, type, results, results));
  return static_cast<std::int64_t>(parts.size());
}

void reduce_by_key_async(SegmentReduction reduction, const VectorView& keys, std::byte* memory_of_caller,
                         const async::Queue& queue) {
  const int device = queue.workspace->device().index;
  const DeviceGuard guard(device);
  if (keys.size() > 0) {
    require_reachable("keys", keys.data(), device);
    require_reachable("values", reduction.values.data(), device);
  }
  require_reachable("out", reduction.out.data(), device);
  require_reachable("the memory", memory_of_caller, device);
  require_reachable("the status", queue.status, device);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  const std::int64_t count = reduction.out.size();
  // Wrong keys become `count`, behind all groups.
  const Grouping grouping(keys.size(), reduction.values.type(), count, count);
  Parts parts(memory_of_caller);
  GroupMemory memory = lay_out(parts, grouping);
  if (grouping.size != 0) {
    launch_look_at_keys(keys, count, memory.from.keys,
                        {reinterpret_cast<unsigned long long*>(queue.status), nullptr}, stream);
    sort_values(grouping, memory, reduction, stream);
  }
  find_offsets(memory.to.keys, grouping, memory, reduction, stream);
  launch_queued(reduction, queue);
}

}  // namespace foldline::cuda
