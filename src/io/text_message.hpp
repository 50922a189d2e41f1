// Text of a file in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foldline::io {

/// The text between quotation marks, at most 40 bytes of it, with everything escaped that is not printable
/// ASCII: what a file holds must not steer a terminal.
std::string quoted(std::string_view text);

/// "1 field", "2 fields".
std::string counted(std::size_t count, std::string_view noun);

/// At most ten names, quoted, with commas between.
std::string list_of(const std::vector<std::string>& names);

/// What to say of a control character that no text has.
std::string message_of_control(char c);

/// What to say of a row, or line, that is longer than TextFormat::longest_row.
std::string too_long_message(std::int64_t longest);

}  // namespace foldline::io
