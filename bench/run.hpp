// Measures groups of contestants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operations.hpp"
#include "options.hpp"
#include "results.hpp"

namespace foldline::bench {

/// The contestants that are measured in turns: usually of one group, in `targets.cpp` of several.
class Round {
 public:
  template <Element T>
  void add(const OperationEntry<T>& operation, const Problem<T>& problem, const std::string& data,
           bool with_read);
  /// Checks foldline's results, measures, and adds the rows.
  void run(const Method& method, Results& results) const;
  bool empty() const { return contestants_.empty(); }

 private:
  std::vector<Case> cases_;
  std::vector<Contestant> contestants_;
};

template <Element T>
Case case_of(const OperationEntry<T>& operation, const Problem<T>& problem, const std::string& data) {
  const std::int64_t bytes = operation.vectors * problem.size * static_cast<std::int64_t>(sizeof(T));
  return {operation.name, element_type_of<T>, problem.size, problem.threads, data, bytes, operation.writes};
}

/// Every combination that the options select.
void run_matrix(const Options& options, Results& results);

}  // namespace foldline::bench
