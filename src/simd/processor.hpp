// What this processor can execute.
#pragma once

#include "foldline/context.hpp"

namespace foldline::simd {

/// Whether this processor, and the system on it, has the instructions that a target's code is made of.
bool processor_has(Target target);

}  // namespace foldline::simd
