/// @file
/// How a call will be carried out: the decision, as data that can be printed.
#pragma once

#include <cstdint>
#include <string>

#include "foldline/accumulator.hpp"
#include "foldline/context.hpp"
#include "foldline/export.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// What was decided.
struct Plan {
  Target target;       ///< instruction set; `automatic` on a GPU
  int threads;         ///< at least 1
  Accuracy accuracy;   ///< as asked for
  std::int64_t part;   ///< elements that a thread takes at a time
  Device device = {};  ///< where; on a GPU a kernel cuts the work itself: one thread, one part
};

/// The plan for `operation` on `size` elements of `type`; a pure function of its arguments and the processor.
/// Throws InvalidArgument if the context asks for what this CPU does not have; whether a GPU is there is
/// asked when a call is made.
[[nodiscard]] FOLDLINE_API Plan plan(Operation operation, ElementType type, std::int64_t size,
                                     const Context& context = {});

/// The plan for a scan of `size` elements of `type`.
[[nodiscard]] FOLDLINE_API Plan plan_scan(ElementType type, std::int64_t size, const Context& context = {});

/// The plan for the product of matrices of `rows` x `depth` and `depth` x `columns` elements of `type`.
/// Throws as plan() does.
[[nodiscard]] FOLDLINE_API Plan plan_matrix_product(ElementType type, std::int64_t rows, std::int64_t columns,
                                                    std::int64_t depth, const Context& context = {});

/// The plan as a sentence or two for people; what `foldline --explain` prints.
[[nodiscard]] FOLDLINE_API std::string explain(const Plan& plan, Operation operation, ElementType type,
                                               std::int64_t size);

}  // namespace foldline
