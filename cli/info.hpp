// `foldline info`: what this machine offers.
#pragma once

#include <string>

namespace foldline::cli {

/// Takes about a second, for the bandwidth.
std::string info(bool as_json);

}  // namespace foldline::cli
