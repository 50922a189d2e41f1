#include <algorithm>
#include <bit>

#include "model/requests.hpp"
#include "runtime/trace.hpp"

namespace simt {
namespace {

std::vector<Event> buffers[warp_lanes];
/// Of a lane's trace, where the events of its last turn begin.
std::size_t turn_begins[warp_lanes];

template <class Visit>
void each(std::uint32_t lanes, Visit visit) {
  if (lanes == ~0u) {
    for (std::uint32_t i = 0; i < warp_lanes; ++i) visit(i);
  } else {
    for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
}

bool is_control(EventKind kind) { return kind == EventKind::block || kind == EventKind::leave; }

class Replay {
 public:
  Replay(Block& block, std::uint32_t warp)
      : block_(block),
        warp_(block.warps[warp]),
        lanes_(&block.lanes[warp * warp_lanes]),
        count_(std::min(warp_lanes, block.threads - warp * warp_lanes)),
        recorder_(block.number == 0 && !machine().recorders.empty() ? &machine().recorders[warp] : nullptr) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      at_[i] = buffers[i].data();
      *lanes_[i].next = {0, Event::make(EventKind::end, 0)};
      if (lanes_[i].state == LaneState::ended) ended_ |= 1u << i;
    }
  }

  void run() {
    while (!warp_.stack.empty() && step()) {
    }
    for (std::uint32_t i = 0; i < count_; ++i)
      lanes_[i].kept.assign(at_[i], static_cast<const Event*>(lanes_[i].next));
  }

 private:
  /// False if a lane has to run first.
  bool step() {
    model::SimtStack::Entry& top = warp_.stack.top();
    const std::uint32_t lanes = top.lanes, first = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const Event event = *at_[first];
    std::uint64_t differ = 0;
    each(lanes, [&](std::uint32_t i) { differ |= at_[i]->word ^ event.word; });
    if (differ == 0 && is_control(event.kind())) {
      enter(top, static_cast<std::uint32_t>(event.code()));
      return true;
    }
    if (differ == 0 && event.kind() != EventKind::end) {
      serve(event, lanes);
      return true;
    }
    return step_apart(top, lanes);
  }

  /// All lanes of the top begin the same block.
  void enter(model::SimtStack::Entry& top, std::uint32_t id) {
    if (id == top.meets) return warp_.stack.pop();
    if ((id & exit_bit) == 0) {
      const auto lanes = static_cast<std::uint64_t>(std::popcount(top.lanes));
      BlockCounts& counts = machine().counters.block(id);
      ++counts.warps;
      counts.lanes += lanes;
      top.block = id;
      block_.issued += machine().basic_blocks[id].weight;
      if (recorder_ != nullptr) recorder_->code(id, top.lanes, lanes_that_ended());
    }
    each(top.lanes, [&](std::uint32_t i) { ++at_[i]; });
  }

  bool step_apart(model::SimtStack::Entry& top, std::uint32_t lanes) {
    std::uint32_t out = 0, control = 0;
    each(lanes, [&](std::uint32_t i) {
      const EventKind kind = at_[i]->kind();
      out |= std::uint32_t(kind == EventKind::end) << i;
      control |= std::uint32_t(is_control(kind)) << i;
    });
    if (out != 0) {
      if ((out & ~ended_) != 0) return false;
      if ((lanes & ~out) == 0)
        warp_.stack.pop();
      else
        top.lanes = lanes & ~out;
      return true;
    }
    if (control == lanes) {
      part(top, lanes);
      return true;
    }
    // Lanes that are at the end of the block wait for those with accesses left: a predicate kept them out.
    const std::uint32_t rest = lanes & ~control;
    const std::uint64_t word = at_[std::countr_zero(rest)]->word;
    std::uint32_t same = 0;
    each(rest, [&](std::uint32_t i) { same |= std::uint32_t(at_[i]->word == word) << i; });
    serve(*at_[std::countr_zero(same)], same);
    return true;
  }

  /// A branch parts the lanes.
  void part(const model::SimtStack::Entry& top, std::uint32_t lanes) {
    const std::uint32_t from = top.block, meets = machine().basic_blocks[from].meets;
    ++machine().counters.block(from).divergent;
    warp_.stack.part(meets);
    while (lanes != 0) {
      const auto target = static_cast<std::uint32_t>(at_[std::countr_zero(lanes)]->code());
      std::uint32_t together = 0;
      each(lanes, [&](std::uint32_t i) { together |= std::uint32_t(at_[i]->code() == target) << i; });
      lanes &= ~together;
      if (target != meets) warp_.stack.push(together, meets, from);
    }
  }

  /// One instruction of the warp.
  void serve(const Event& event, std::uint32_t lanes) {
    Traffic& traffic = machine().counters.site(event.word);
    ++traffic.requests;
    traffic.lanes += static_cast<std::uint64_t>(std::popcount(lanes));
    std::uint32_t count = 0;
    each(lanes, [&](std::uint32_t i) { addresses_[count++] = (at_[i]++)->address; });
    const model::Addresses addresses(addresses_, count);
    const std::uint32_t parts = count_request(event, addresses, traffic);
    if (recorder_ != nullptr) recorder_->event(event, lanes, lanes_that_ended(), addresses, parts);
  }

  /// In how many parts it is served.
  std::uint32_t count_request(const Event& event, model::Addresses addresses, Traffic& traffic) {
    const auto count = static_cast<std::uint32_t>(addresses.size());
    const unsigned bytes = event.size();
    model::Parts parts;
    switch (event.kind()) {
      case EventKind::global:
      case EventKind::texture:
        parts =
            model::sectors(addresses, bytes, static_cast<unsigned>(machine().options.device.sector_bytes));
        break;
      case EventKind::shared:
        parts = model::wavefronts(addresses, bytes);
        break;
      case EventKind::constant:
        parts = model::turns(addresses);
        break;
      case EventKind::async_copy:
        parts = copy_parts(count, bytes);
        break;
      default:
        return 0;
    }
    traffic.bytes += std::uint64_t{count} * bytes;
    traffic.parts += parts.count;
    traffic.ideal_parts += parts.ideal;
    block_.memory_turns += event.kind() == EventKind::global ? (parts.count + 3) / 4 : parts.count;
    return parts.count;
  }

  std::uint32_t lanes_that_ended() const {
    std::uint32_t gone = count_ == warp_lanes ? 0 : ~0u << count_;
    each(ended_, [&](std::uint32_t i) { gone |= std::uint32_t(at_[i]->kind() == EventKind::end) << i; });
    return gone;
  }

  /// The address of such an event has the word of shared memory in its upper bits.
  model::Parts copy_parts(std::uint32_t count, unsigned bytes) {
    std::uint64_t shared[warp_lanes];
    for (std::uint32_t i = 0; i < count; ++i) {
      shared[i] = (addresses_[i] >> copy_shift) * 4;
      addresses_[i] &= (std::uint64_t{1} << copy_shift) - 1;
    }
    return model::sectors_of_copy({addresses_, count}, {shared, count}, bytes,
                                  static_cast<unsigned>(machine().options.device.sector_bytes));
  }

  Block& block_;
  Warp& warp_;
  Lane* const lanes_;
  const std::uint32_t count_;
  WarpRecorder* const recorder_;
  std::uint32_t ended_ = 0;
  const Event* at_[warp_lanes];
  std::uint64_t addresses_[warp_lanes];
};

}  // namespace

void begin_traces(Block& block, std::uint32_t warp) {
  const std::uint32_t begin = warp * warp_lanes, end = std::min(begin + warp_lanes, block.threads);
  for (std::uint32_t i = begin; i < end; ++i) {
    Lane& lane = block.lanes[i];
    std::vector<Event>& buffer = buffers[i - begin];
    const std::size_t kept = lane.kept.size();
    if (buffer.size() < kept + trace_events + 1) buffer.resize(kept + trace_events + 1);
    std::copy(lane.kept.begin(), lane.kept.end(), buffer.begin());
    turn_begins[i - begin] = kept;
    lane.polled = false;
    lane.next = buffer.data() + kept;
    // One that only waits shall not do so for long.
    lane.limit = lane.next + (lane.spins ? trace_events / 8 : trace_events);
    if (machine().options.order == Order::hostile && !lane.spins)
      lane.limit = lane.next + 16 + machine().random() % (trace_events - 16);
  }
}

void replay(Block& block, std::uint32_t warp) {
  if (machine().options.trace) return Replay(block, warp).run();
  const std::uint32_t begin = warp * warp_lanes, end = std::min(begin + warp_lanes, block.threads);
  for (std::uint32_t i = begin; i < end; ++i) block.lanes[i].kept.clear();
}

void make_room(Lane& lane) {
  std::vector<Event>& buffer = buffers[lane.number % warp_lanes];
  const std::size_t used = static_cast<std::size_t>(lane.next - buffer.data());
  if (buffer.size() < used + trace_events + 1) buffer.resize(2 * (used + trace_events + 1));
  lane.next = buffer.data() + used;
  lane.limit = lane.next + trace_events;
}

bool only_spins(Lane& lane) {
  if (!lane.polled) return false;
  const Event* const begin = buffers[lane.number % warp_lanes].data() + turn_begins[lane.number % warp_lanes];
  constexpr std::size_t few = 8;
  std::uint64_t places[few];
  std::size_t count = 0;
  for (const Event* event = begin; event != lane.next; ++event) {
    if (event->kind() != EventKind::global && event->kind() != EventKind::shared) continue;
    if (std::find(places, places + count, event->address) != places + count) continue;
    if (count == few) return false;
    places[count++] = event->address;
  }
  return count != 0;
}

}  // namespace simt
