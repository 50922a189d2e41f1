// Who takes part in the grid.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "grid_cells.hpp"

namespace foldline::bench {

class GridContestant {
 public:
  virtual ~GridContestant() = default;
  virtual std::string name() const = 0;
  /// False if it has no such operation, of that type.
  virtual bool prepare(const GridCell& cell) = 0;
  /// Nanoseconds of a call, measured once.
  virtual double measure() = 0;
  /// Nanoseconds for reading so many bytes; none if this is not the one to ask.
  virtual std::optional<double> read(std::int64_t /*bytes*/) { return std::nullopt; }
};
using MadeContestant = std::unique_ptr<GridContestant>;

/// foldline on the CPU.
MadeContestant grid_cpu(int threads, std::int64_t most_bytes);

/// A Python package, in a process of its own that waits for its turn: "numpy", "torch" or "cupy".
MadeContestant grid_peer(const std::string& package, const std::string& python, std::int64_t most_bytes);

}  // namespace foldline::bench
