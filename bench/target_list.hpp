// Performance targets: which contestant of which group must be how fast compared with what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operations.hpp"
#include "options.hpp"

namespace foldline::bench {

enum class Against : std::uint8_t {
  roof,          ///< at least `required` of the roof
  peer_rate,     ///< at least `required` times the peer's rate
  fastest_peer,  ///< at least `required` times the rate of the fastest peer of the round
  plain,         ///< at least `required` of the plain loop
  peer_time,     ///< at most `required` times the peer's time
  numpy,         ///< more than `required` times NumPy's rate
  torch          ///< more than `required` times PyTorch's rate
};

struct Target {
  std::string operation;
  ElementType type;
  std::int64_t size;
  int threads;
  std::string data;
  Against against;
  double required;  ///< 0: reported only
  std::string ours = "foldline exact";
  std::string peer = {};   ///< the beginning of its name, if it is not the group's first
  bool in_memory = false;  ///< the size is that of --targets-size, and the group has a reading loop

  /// That of the group's cases, whose names have no bytes.
  std::string group() const { return name_of(Case{operation, type, size, threads, data, 0}); }
};

/// The targets of the part that the options name, without those that --filter leaves out.
std::vector<Target> selected_targets(const Options& options);

/// The matrices of the column targets, the longer side cut so that none has more elements than
/// --targets-size.
std::vector<Shape> target_shapes(const Options& options);

/// Elements of the scan targets: 2^26, or --targets-size if that is less.
std::int64_t target_scan_size(const Options& options);

}  // namespace foldline::bench
