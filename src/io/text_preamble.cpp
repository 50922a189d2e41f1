#include "io/text_preamble.hpp"

#include <string>
#include <string_view>

#include "foldline/error.hpp"
#include "io/text_layout.hpp"
#include "io/text_message.hpp"

namespace foldline::io {
namespace {

/// Drops lines of any length without holding them.
void skip_lines(TextSource& source, std::int64_t count) {
  for (std::int64_t skipped = 0; skipped < count;) {
    const std::string_view text = source.start();
    const std::size_t known = text.size() - (text.ends_with('\r') ? 1 : 0);  // '\n' may follow
    std::size_t size = 0;
    for (std::size_t end = 0; skipped < count && (end = text.find_first_of("\r\n", size)) < known; ++skipped)
      size = static_cast<std::size_t>(past_line_end(text.data() + end) - text.data());
    // The last byte of a line stays, so that it ends where the text does.
    source.drop(skipped < count && size != text.size() ? text.size() - 1 : size);
    if ((skipped < count || source.start().empty()) && !source.grow())
      throw UnreadableText(source.name() + ": has " + counted(static_cast<std::size_t>(skipped), "line") +
                               ", of which " + std::to_string(count) + " are skipped",
                           TextRemedy::skip_lines);
  }
}

/// The first line as Excel writes and reads it, with what separates the fields of the file.
std::optional<char> separator_line(TextSource& source) {
  constexpr std::string_view begin = "sep=";
  constexpr std::size_t longest = 9;  // with quotes and "\r\n"
  while (source.start().size() < longest && source.grow()) {
  }
  const std::size_t end = source.start().substr(0, longest).find_first_of("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = source.start().substr(0, end);
  if (line.size() > 1 && line.starts_with('"') && line.ends_with('"')) line = line.substr(1, line.size() - 2);
  if (line.size() != begin.size() + 1) return std::nullopt;
  for (std::size_t i = 0; i < begin.size(); ++i)
    if (line[i] != begin[i] && (line[i] | 0x20) != begin[i]) return std::nullopt;
  const char separator = line.back();
  if (!can_separate(separator)) return std::nullopt;
  const char* const start = source.start().data();
  source.drop(static_cast<std::size_t>(past_line_end(start + end) - start));
  return separator;
}

}  // namespace

TextPreamble drop_preamble(TextSource& source, const TextFormat& format) {
  if (format.skip_lines != 0) {
    skip_lines(source, format.skip_lines);
    return {.lines = format.skip_lines, .separator = std::nullopt};
  }
  const std::optional<char> separator = separator_line(source);
  return {.lines = separator ? 1 : 0, .separator = separator};
}

}  // namespace foldline::io
