// Quoting a file's text in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foldline::io {

/// The text in quotation marks, at most 40 bytes, with everything but printable ASCII escaped: a file's
/// content must not control a terminal.
std::string quoted(std::string_view text);

/// "1 field", "2 fields".
std::string counted(std::size_t count, std::string_view noun);

/// At most ten names, quoted, with commas between.
std::string list_of(const std::vector<std::string>& names);

/// The message about a control character, which no text has.
std::string message_of_control(char c);

/// The message about a row or line longer than TextFormat::longest_row.
std::string too_long_message(std::int64_t longest);

}  // namespace foldline::io
