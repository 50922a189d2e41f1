// What a scan of a whole file and one along an axis share.
#pragma once

#include <functional>
#include <string>

#include <foldline/scan.hpp>

#include "options.hpp"

namespace foldline::cli {

/// A new scan of the kind that the options choose.
RunningScan make_scan(const Options& options);

/// The type of the prefix sums: the one asked for, else that of the elements, for integers a 64-bit one.
/// Throws UsageError for an integer type if the sums are no integers.
ElementType scan_type(ElementType elements, const Options& options);

/// Scans a part of a file. An OverflowError names the file instead of the index, which would be relative to
/// the part.
void scan_part(const std::string& file, ElementType results, const std::function<void()>& scan);

}  // namespace foldline::cli
