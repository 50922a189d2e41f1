// Measures groups of contestants.
#pragma once

#include <string>

#include "operations.hpp"
#include "options.hpp"
#include "results.hpp"

namespace foldline::bench {

/// Measures the contestants of one operation in turns, checks foldline's results, and adds the rows.
template <Element T>
void run_group(const OperationEntry<T>& operation, const Problem<T>& problem, const std::string& data,
               bool with_read, const Method& method, Results& results);

template <Element T>
Case case_of(const OperationEntry<T>& operation, const Problem<T>& problem, const std::string& data) {
  const std::int64_t bytes = operation.vectors * problem.size * static_cast<std::int64_t>(sizeof(T));
  return {operation.name, element_type_of<T>, problem.size, problem.threads, data, bytes, operation.writes};
}

/// Every combination that the options select.
void run_matrix(const Options& options, Results& results);

}  // namespace foldline::bench
