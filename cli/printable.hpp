// Text of a file, and names of files, in messages.
#pragma once

#include <string>
#include <string_view>

namespace foldline::cli {

/// At most 40 bytes of a text, with everything escaped that is not printable ASCII, so that the content of a
/// file cannot control the terminal.
std::string printable(std::string_view text);

/// A line for the terminal: control characters (as may be in the name of a file) and bytes that are no UTF-8
/// are escaped, as \n and \x1b.
std::string escaped(std::string_view line);

}  // namespace foldline::cli
