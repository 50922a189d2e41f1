// Text of a file in messages.
#pragma once

#include <string>
#include <string_view>

namespace foldline::cli {

/// The text, at most 40 bytes of it, with everything escaped that is not printable ASCII: what a file holds
/// must not steer a terminal.
std::string printable(std::string_view text);

}  // namespace foldline::cli
