#include "runtime/timeline.hpp"

#include <algorithm>
#include <utility>

#include "memory/memory.hpp"
#include "runtime/access.hpp"
#include "runtime/machine.hpp"
#include "runtime/places.hpp"

namespace simt {
namespace {

const char* name_of(Access access) {
  return access == Access::load ? "load" : access == Access::store ? "store" : "atomic";
}

std::string quoted(const std::string& name) {
  return name.empty() || name.find(' ') != name.npos ? name : "`" + name + "`";
}

std::string of_array(const Event& event, std::uint64_t address, bool shared) {
  const std::string name = quoted(array_at(address, shared));
  return name_of(event.access()) + (name.empty() ? "" : (" of " + name));
}

/// Traces have distances from the begin of the static arrays or of the dynamic one. 0 if a kernel has both.
std::uint64_t address_of_shared(std::uint64_t distance) {
  const bool uses_static = machine().static_to > machine().static_from;
  if (machine().dynamic_bytes == 0) return static_notes.begin + distance;
  return uses_static ? 0 : dynamic_notes.begin + distance;
}

std::uint64_t begin_of_array(std::uint64_t address) {
  if (!device_memory().contains(address)) return 0;
  const Allocation* const array = device_memory().find(address);
  return array == nullptr ? 0 : array->begin;
}

void describe_sectors(Step& step, const WarpRecorder::Kept& kept) {
  const auto bytes = static_cast<std::uint64_t>(machine().options.device.sector_bytes);
  const std::uint64_t first = begin_of_array(kept.addresses.front()) / bytes;
  for (const std::uint64_t address : kept.addresses)
    for (std::uint64_t sector = address / bytes; sector <= (address + kept.event.size() - 1) / bytes;
         ++sector)
      step.sectors.push_back(sector - first);
  std::ranges::sort(step.sectors);
  step.sectors.erase(std::unique(step.sectors.begin(), step.sectors.end()), step.sectors.end());
}

void describe_banks(Step& step, const WarpRecorder::Kept& kept) {
  std::vector<std::uint64_t> words;
  for (const std::uint64_t address : kept.addresses)
    for (std::uint64_t word = address / 4; word <= (address + kept.event.size() - 1) / 4; ++word)
      words.push_back(word);
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const std::uint64_t word : words) ++step.banks[word % step.banks.size()];
}

void describe(Step& step, const WarpRecorder::Kept& kept) {
  const Event& event = kept.event;
  switch (event.kind()) {
    case EventKind::global:
      step.kind = Step::Kind::global;
      step.what = of_array(event, kept.addresses.front(), false);
      describe_sectors(step, kept);
      break;
    case EventKind::shared:
      step.kind = Step::Kind::shared;
      step.what = of_array(event, address_of_shared(kept.addresses.front()), true);
      describe_banks(step, kept);
      break;
    case EventKind::constant:
    case EventKind::texture:
    case EventKind::async_copy:
      step.kind = Step::Kind::other_memory;
      step.what = event.kind() == EventKind::constant  ? "load of constants"
                  : event.kind() == EventKind::texture ? "fetch from a texture"
                                                       : "asynchronous copy";
      break;
    case EventKind::barrier:
      step.kind = Step::Kind::barrier;
      step.what = "barrier";
      break;
    case EventKind::fence:
      step.kind = Step::Kind::fence;
      step.what = "fence";
      break;
    default:
      step.kind = Step::Kind::warp_function;
      step.what = event.kind() == EventKind::matrix_step ? "step of a tensor core" : "function of the warp";
  }
}

Step step_of(const WarpRecorder::Kept& kept) {
  Step step;
  step.active = kept.active;
  step.ended = kept.ended;
  step.parts = kept.parts;
  std::uintptr_t site = kept.event.code();
  if (kept.event.kind() == EventKind::block) {
    const BasicBlock& block = images().blocks[kept.event.code()];
    step.instructions = block.weight;
    site = block.address + 1;
  } else {
    describe(step, kept);
  }
  const SourcePlace place = source_place(site);
  step.file = place.file;
  step.line = place.line;
  return step;
}

/// When the last warp comes to each barrier, where the others have waited at those before.
std::vector<std::uint64_t> barrier_times(const std::vector<WarpRecorder>& warps) {
  std::vector<std::uint64_t> times;
  std::vector<std::uint64_t> delays(warps.size());
  for (std::size_t k = 0;; ++k) {
    bool any = false;
    std::uint64_t last = 0;
    for (std::size_t w = 0; w < warps.size(); ++w) {
      if (warps[w].barriers().size() <= k) continue;
      any = true;
      last = std::max(last, warps[w].barriers()[k] + delays[w]);
    }
    if (!any) return times;
    for (std::size_t w = 0; w < warps.size(); ++w)
      if (warps[w].barriers().size() > k) delays[w] = last - warps[w].barriers()[k];
    times.push_back(last);
  }
}

}  // namespace

void WarpRecorder::keep(Kept step) {
  if (steps_.size() < most_)
    steps_.push_back(std::move(step));
  else
    ++left_out_;
}

void WarpRecorder::code(std::uint32_t block, std::uint32_t active, std::uint32_t ended) {
  const std::uint32_t weight = machine().basic_blocks[block].weight;
  if (weight != 0) keep({{0, Event::make(EventKind::block, block)}, active, ended, 0, time_, {}});
  time_ += weight;
}

void WarpRecorder::event(const Event& event, std::uint32_t active, std::uint32_t ended,
                         model::Addresses addresses, std::uint32_t parts) {
  if (event.kind() == EventKind::barrier) barriers_.push_back(time_);
  keep({event, active, ended, parts, time_, {addresses.begin(), addresses.end()}});
}

std::vector<WarpTimeline> timelines_of(const std::vector<WarpRecorder>& warps) {
  const std::vector<std::uint64_t> barriers = barrier_times(warps);
  std::vector<WarpTimeline> timelines;
  for (std::uint32_t w = 0; w < warps.size(); ++w) {
    WarpTimeline timeline{w, {}, warps[w].left_out()};
    std::uint64_t delay = 0;
    std::size_t passed = 0;
    for (const WarpRecorder::Kept& kept : warps[w].steps()) {
      Step step = step_of(kept);
      step.time = kept.time + delay;
      if (step.kind == Step::Kind::barrier) {
        step.waits = barriers[passed++] - step.time;
        delay += step.waits;
      }
      timeline.steps.push_back(std::move(step));
    }
    timelines.push_back(std::move(timeline));
  }
  return timelines;
}

}  // namespace simt
