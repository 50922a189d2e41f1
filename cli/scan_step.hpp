// What a scan of a whole file and one along an axis share.
#pragma once

#include <string>

#include <foldline/scan.hpp>

#include "options.hpp"

namespace foldline::cli {

/// The scan that the options ask for, at its beginning.
RunningScan make_scan(const Options& options);

/// The type of the prefix sums: the one asked for, else that of the elements, for integers a 64-bit one.
/// Throws UsageError for an integer type if the sums are no integers.
ElementType scan_type(ElementType elements, const Options& options);

/// The next sums of `scan`. Throws OverflowError, which names the file.
void scan_block(RunningScan& scan, const VectorView& x, const MutableVectorView& out, const Context& context,
                const std::string& file);

}  // namespace foldline::cli
