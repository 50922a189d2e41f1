// Integrals of samples in files.
#pragma once

#include <functional>
#include <string>

#include "options.hpp"

namespace foldline::cli {

/// What `foldline trapezoid` and `foldline simpson` print. Reads the samples into memory.
std::string integrate_samples(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
