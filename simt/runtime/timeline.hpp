// Keeps the steps of the warps of block 0 while they are replayed.
#pragma once

#include <simt/timeline.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "model/requests.hpp"
#include "runtime/event.hpp"

namespace simt {

class WarpRecorder {
 public:
  explicit WarpRecorder(std::uint64_t most) : most_(most) {}
  void code(std::uint32_t block, std::uint32_t active, std::uint32_t ended);
  /// `addresses` of the lanes that are active.
  void event(const Event& event, std::uint32_t active, std::uint32_t ended, model::Addresses addresses,
             std::uint32_t parts);

  struct Kept {
    Event event;  ///< a block's number, or a request
    std::uint32_t active, ended, parts;
    std::uint64_t time;
    std::vector<std::uint64_t> addresses;
  };
  const std::vector<Kept>& steps() const { return steps_; }
  std::uint64_t left_out() const { return left_out_; }
  /// Its time at each barrier.
  const std::vector<std::uint64_t>& barriers() const { return barriers_; }

 private:
  void keep(Kept step);

  std::uint64_t most_, time_ = 0, left_out_ = 0;
  std::vector<Kept> steps_;
  std::vector<std::uint64_t> barriers_;
};

/// With the names of arrays and lines.
std::vector<WarpTimeline> timelines_of(const std::vector<WarpRecorder>& warps);

}  // namespace simt
