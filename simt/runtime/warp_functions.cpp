#include <algorithm>
#include <bit>

#include "runtime/block.hpp"
#include "runtime/checks.hpp"
#include "runtime/places.hpp"
#include "runtime/ptx.hpp"
#include "runtime/warp_functions.hpp"

namespace simt {
namespace {

std::string hexadecimal(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

template <class Visit>
void each(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

/// From which lane a shuffle reads.
std::uint32_t source_of(const Request& request, std::uint32_t lane) {
  const auto width = static_cast<std::uint32_t>(request.width);
  const std::uint32_t first = lane & ~(width - 1), inside = lane - first;
  switch (request.function) {
    case shuffle:
      return first + (request.argument & (width - 1));
    case shuffle_up:
      return inside >= request.argument ? lane - request.argument : lane;
    case shuffle_down:
      return inside + request.argument < width ? lane + request.argument : lane;
    default:
      return (inside ^ request.argument) < width ? first + (inside ^ request.argument) : lane;
  }
}

/// The lanes of one call: those that its mask names, all of which are there.
class Call {
 public:
  Call(Block& block, Warp& warp, Lane* lanes, std::uint32_t mask)
      : block_(block), warp_(warp), lanes_(lanes), mask_(mask) {
    each(mask, [&](std::uint32_t i) { values_[i] = lanes_[i].request.value; });
  }

  void complete(int function) {
    if (function == synchronise)
      order_memory();
    else if (function == ballot)
      answer([&](std::uint32_t) { return votes(); });
    else if (function == match_any)
      answer([&](std::uint32_t i) { return equal_to(i); });
    else if (function == match_all)
      answer([&](std::uint32_t i) { return equal_to(i) == mask_ ? mask_ : 0; });
    else if (function == matrix_multiply)
      multiply_matrices(lanes_);
    else if (!shuffle_values())
      return;
    each(mask_, [&](std::uint32_t i) { lanes_[i].state = LaneState::ready; });
  }

 private:
  template <class Value>
  void answer(Value value) {
    each(mask_, [&](std::uint32_t i) { lanes_[i].request.value = value(i); });
  }
  std::uint32_t votes() const {
    std::uint32_t all = 0;
    each(mask_, [&](std::uint32_t i) { all |= static_cast<std::uint32_t>(values_[i] & 1) << i; });
    return all;
  }
  std::uint32_t equal_to(std::uint32_t lane) const {
    std::uint32_t all = 0;
    each(mask_,
         [&](std::uint32_t i) { all |= static_cast<std::uint32_t>(values_[i] == values_[lane]) << i; });
    return all;
  }

  bool shuffle_values() {
    bool right = true;
    each(mask_, [&](std::uint32_t i) {
      Request& request = lanes_[i].request;
      const std::uint32_t source = source_of(request, i);
      if (right && (mask_ >> source & 1) == 0) {
        fail(ErrorKind::mask, &lanes_[i], request.site,
             name_of_thread(lanes_[i]) + " shuffles from lane " + std::to_string(source) +
                 ", which does not take part: the mask is " + hexadecimal(request.mask) +
                 (source >= count() ? ", and the warp has " + std::to_string(count()) + " lanes" : ""));
        right = false;
      }
      if (right) request.value = values_[source];
    });
    return right;
  }

  std::uint32_t count() const { return std::min(warp_lanes, block_.threads - lanes_[0].number); }

  void order_memory() {
    const std::uint32_t before = block_.time, now = ++block_.time;
    if (std::popcount(mask_) == static_cast<int>(count()) && !warp_.known) {
      warp_.synchronised = now;
    } else {
      if (!warp_.known) {
        warp_.known = std::make_unique<std::array<std::array<std::uint32_t, warp_lanes>, warp_lanes>>();
        for (auto& row : *warp_.known) row.fill(warp_.synchronised);
      }
      std::array<std::uint32_t, warp_lanes> all{};
      each(mask_, [&](std::uint32_t i) {
        for (std::uint32_t k = 0; k < warp_lanes; ++k) all[k] = std::max(all[k], (*warp_.known)[i][k]);
      });
      each(mask_, [&](std::uint32_t i) { all[i] = before + 1; });
      each(mask_, [&](std::uint32_t i) { (*warp_.known)[i] = all; });
    }
    each(mask_, [&](std::uint32_t i) { restamp(lanes_[i]); });
  }

  Block& block_;
  Warp& warp_;
  Lane* lanes_;
  std::uint32_t mask_;
  std::uint64_t values_[warp_lanes] = {};
};

/// A mask of all lanes also names those that a block's last warp lacks.
std::uint32_t lanes_named(const Request& request, std::uint32_t count) {
  return count < warp_lanes && request.mask == ~0u ? (1u << count) - 1 : request.mask;
}

bool all_there(const Lane* lanes, std::uint32_t count, const Request& request, std::uint32_t mask) {
  bool there = true;
  each(mask, [&](std::uint32_t i) {
    there = there && i < count && lanes[i].state == LaneState::in_warp_function &&
            lanes[i].request.function == request.function && lanes[i].request.mask == request.mask;
  });
  return there;
}

/// Lanes that ask who is active at the same place: those are.
bool tell_active_lanes(Lane* lanes, std::uint32_t count) {
  bool any = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (lanes[i].state != LaneState::in_warp_function || lanes[i].request.function != active_mask) continue;
    std::uint32_t together = 0;
    for (std::uint32_t k = i; k < count; ++k)
      if (lanes[k].state == LaneState::in_warp_function && lanes[k].request.function == active_mask &&
          lanes[k].request.site == lanes[i].request.site)
        together |= 1u << k;
    each(together, [&](std::uint32_t k) {
      lanes[k].request.value = together;
      lanes[k].state = LaneState::ready;
    });
    any = true;
  }
  return any;
}

}  // namespace

bool complete_warp_functions(Block& block, std::uint32_t warp) {
  Lane* const lanes = &block.lanes[warp * warp_lanes];
  const std::uint32_t count = std::min(warp_lanes, block.threads - warp * warp_lanes);
  bool any = tell_active_lanes(lanes, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (lanes[i].state != LaneState::in_warp_function) continue;
    const Request& request = lanes[i].request;
    const std::uint32_t mask = lanes_named(request, count);
    if ((mask >> i & 1) == 0) {
      fail(ErrorKind::mask, &lanes[i], request.site,
           name_of_thread(lanes[i]) + " is lane " + std::to_string(i) + ", which its own mask " +
               hexadecimal(request.mask) + " does not name");
      return true;
    }
    if (!all_there(lanes, count, request, mask)) continue;
    Call(block, block.warps[warp], lanes, mask).complete(request.function);
    if (machine().error) return true;
    any = true;
  }
  return any;
}

}  // namespace simt
