// The manual page.
#pragma once

#include <string>

#include "describe.hpp"

namespace foldline::cli {

/// A page of section 1 for man, in roff.
std::string manual(const CommandDescription& app);

}  // namespace foldline::cli
