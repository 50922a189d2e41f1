// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grid_cells.hpp"
#include "measure.hpp"
#include "problem.hpp"

namespace foldline::bench {

/// The Python that has a package to be measured.
struct PythonChoice {
  bool is_asked_for = false;
  std::string path;  ///< empty: whichever can be found
};

struct Options {
  std::vector<std::string> types = {"float64", "float32", "float16", "bfloat16"};
  std::vector<std::int64_t> sizes;
  std::vector<std::string> data;
  std::vector<int> threads;
  /// False by default: then several threads are skipped for sizes at which nobody would use them.
  bool threads_given = false;
  std::string filter;
  Method method;
  std::string device = "cpu";  ///< or cuda
  /// reductions, scans, columns or all, on a GPU also small or wide; empty: no targets but the matrix
  std::string targets;
  std::int64_t targets_size = std::int64_t{1} << 27;
  std::string json;
  PythonChoice numpy, torch, cupy;
  bool is_grid = false;
  GridOptions grid;

  /// True if the group's name matches the filter.
  bool selects(const Case& group) const { return selects(name_of(group)); }
  bool selects(const std::string& group) const;
};

/// Parses the command line; none if there is nothing more to do (help), and then `status` is the exit status.
std::optional<Options> parse(int argc, char** argv, int& status);

}  // namespace foldline::bench
