// What a scan of a whole file and one along an axis share.
#pragma once

#include <functional>
#include <string>

#include <foldline/scan.hpp>

#include "options.hpp"

namespace foldline::cli {

/// The scan that the options ask for, at its beginning.
RunningScan make_scan(const Options& options);

/// The type of the prefix sums: the one asked for, else that of the elements, for integers a 64-bit one.
/// Throws UsageError for an integer type if the sums are no integers.
ElementType scan_type(ElementType elements, const Options& options);

/// Does a part of the scan of a file into results of that type. An OverflowError of it names the file instead
/// of the place, which is one in the part.
void scan_part(const std::string& file, ElementType results, const std::function<void()>& scan);

}  // namespace foldline::cli
