// Text of a file in messages.
#pragma once

#include <string>
#include <string_view>

namespace foldline::cli {

/// At most 40 bytes of a text, with everything escaped that is not printable ASCII, so that the content of a
/// file cannot control the terminal.
std::string printable(std::string_view text);

}  // namespace foldline::cli
