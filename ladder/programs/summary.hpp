// What the launches of a program did.
#pragma once

namespace foldline::ladder {

/// A line for each kernel, with counts summed over its launches, to standard error.
void print_launches();
/// The steps of each kernel's first launch, if they were kept.
void print_first_launches();

}  // namespace foldline::ladder
