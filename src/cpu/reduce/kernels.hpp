// Reductions: the functions that are compiled for each instruction set.
#pragma once

#include "contract/backend.hpp"
#include "cpu/simd/part_queue.hpp"

namespace foldline::cpu {

/// Takes parts until none is left and adds their terms to `moments`. `one` is 1.0, unknown to the compiler.
using ReduceParts = void (*)(const Reduction& reduction, Accuracy accuracy, PartQueue& parts, double one,
                             Moments& moments);

/// The same for integers, which are always exact.
using ReduceIntegerParts = void (*)(const Reduction& reduction, PartQueue& parts, Moments& moments);

/// The implementations for a target that available_targets() lists.
ReduceParts reduce_parts_for(Target target);
ReduceIntegerParts reduce_integer_parts_for(Target target);

/// The share of one thread in reduce().
void reduce_parts(const Reduction& reduction, const Plan& plan, PartQueue& parts, Moments& moments);

}  // namespace foldline::cpu
