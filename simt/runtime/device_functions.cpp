// The functions behind CUDA's names in kernels.
#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>

#include "memory/textures.hpp"
#include "runtime/access.hpp"
#include "runtime/atomics.hpp"
#include "runtime/block.hpp"
#include "runtime/places.hpp"
#include "runtime/ptx.hpp"
#include "runtime/warp_functions.hpp"

#define SIMT_SITE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace simt {

constinit thread_local Lane* current_lane = nullptr;

namespace {

/// The thread that calls; a device function that the host calls has none.
Lane& caller() {
  if (current_lane == nullptr) throw std::logic_error("simt: a function of the device is called by the host");
  return *current_lane;
}

unsigned axis_of(const uint3& index, int axis) { return axis == 0 ? index.x : axis == 1 ? index.y : index.z; }

/// The thread waits in a state until somebody makes it ready.
void wait_in(Lane& lane, LaneState state, EventKind event, std::uintptr_t site) {
  push_quietly(lane, 0, Event::make(event, site));
  lane.request.site = site;
  lane.state = state;
  Fiber::pause();
}

}  // namespace

Lane::Lane() = default;
Lane::Lane(Lane&&) noexcept = default;
Lane::~Lane() = default;

Error& fail(ErrorKind kind, const Lane* lane, std::uintptr_t site, std::string text) {
  Machine& all = machine();
  if (!all.error) all.error = error_at(kind, lane, site, std::move(text));
  return *all.error;
}

void stop_lane() {
  current_lane->state = LaneState::failed;
  for (;;) Fiber::pause();
}

void trace_is_full() {
  Lane& lane = *current_lane;
  if (lane.suspect && lane.suspect->has_write) {
    checks().verify_store(lane);
    if (machine().error) stop_lane();
    if (lane.next != lane.limit) return;
  }
  Fiber::pause();
}

}  // namespace simt

extern "C" {

unsigned int simt_thread_index(int axis) { return simt::axis_of(simt::caller().index, axis); }
unsigned int simt_block_index(int axis) { return simt::axis_of(simt::caller().block->index, axis); }
unsigned int simt_block_extent(int axis) { return simt::axis_of(simt::machine().block, axis); }
unsigned int simt_grid_extent(int axis) { return simt::axis_of(simt::machine().grid, axis); }

unsigned int simt_barrier(unsigned int value) {
  simt::Lane& lane = simt::caller();
  lane.request.value = value;
  simt::wait_in(lane, simt::LaneState::at_barrier, simt::EventKind::barrier, SIMT_SITE);
  return static_cast<unsigned int>(lane.request.value);
}

void simt_fence(int) {
  simt::Lane& lane = simt::caller();
  simt::push(lane, 0, simt::Event::make(simt::EventKind::fence, SIMT_SITE));
  lane.polled = true;
  simt::checks().ordering.fence(lane);
  simt::restamp(lane);
}

long long simt_clock() {
  simt::Lane& lane = simt::caller();
  lane.request.site = SIMT_SITE;
  lane.state = simt::LaneState::at_clock;
  simt::Fiber::pause();
  return static_cast<long long>(lane.request.value);
}

/// In a kernel, the one of the device; for the host, as the C library has it.
clock_t clock() noexcept {
  if (simt::current_lane != nullptr) return static_cast<clock_t>(simt_clock());
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * CLOCKS_PER_SEC + time.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

long long simt_nanoseconds() { return simt_clock(); }

void simt_pause() {}

void simt_trap() {
  simt::Lane& lane = simt::caller();
  simt::fail(simt::ErrorKind::assertion, &lane, SIMT_SITE, simt::name_of_thread(lane) + " calls __trap()");
  simt::stop_lane();
}

unsigned long long simt_warp_function(int function, unsigned int mask, unsigned long long value,
                                      unsigned int argument, int width) {
  simt::Lane& lane = simt::caller();
  if (function <= simt::shuffle_xor) simt::need(lane, simt::Feature::warp_shuffle, SIMT_SITE);
  lane.request.function = function;
  lane.request.mask = mask;
  lane.request.value = value;
  lane.request.argument = argument;
  lane.request.width = width;
  simt::wait_in(lane, simt::LaneState::in_warp_function, simt::EventKind::warp_function, SIMT_SITE);
  return lane.request.value;
}

unsigned int simt_lane_index() { return simt::caller().number % simt::warp_lanes; }

}  // extern "C"
