#include "io/text_message.hpp"

#include <algorithm>

#include "foldline/text_reader.hpp"

namespace foldline {
namespace {

std::string_view advice_of(TextRemedy remedy) {
  switch (remedy) {
    case TextRemedy::none:
      break;
    case TextRemedy::skip_missing:
      return "fill it in, or skip missing values";
    case TextRemedy::header:
      return "correct it, or say that the first line is a header";
    case TextRemedy::first_line:
      return "say whether it is a header";
    case TextRemedy::comment:
      return "if the line is a comment, say what begins comments";
    case TextRemedy::separator:
      return "check the column and the separator";
    case TextRemedy::columns:
      return "say which of them is wanted";
    case TextRemedy::type:
      return "choose another element type";
    case TextRemedy::spelling:
      return "give the decimal mark and what separates thousands";
    case TextRemedy::longest_row:
      return "is this a text, and is every quote closed? If so, allow longer rows";
    case TextRemedy::skip_lines:
      return "skip fewer lines";
    case TextRemedy::keys:
      return "allow more, or choose another column";
    case TextRemedy::other_kind:
      return "is this a text?";
  }
  return "";
}

}  // namespace

UnreadableText::UnreadableText(const std::string& problem, TextRemedy remedy)
    : DataError(remedy == TextRemedy::none ? problem : problem + "; " + std::string(advice_of(remedy))),
      problem_size_(problem.size()),
      remedy_(remedy) {}

}  // namespace foldline

namespace foldline::io {

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += {'\\', 'x', hexadecimal[byte >> 4], hexadecimal[byte & 15]};
    }
  }
  return result + (text.size() > longest ? "...\"" : "\"");
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    result += (i == 0 ? "" : ", ") + quoted(names[i]);
  return result + (names.size() > most ? ", and " + std::to_string(names.size() - most) + " more" : "");
}

std::string message_of_control(char c) {
  return c == '\0' ? "there is a NUL byte" : "there is a control character, " + quoted({&c, 1});
}

std::string too_long_message(std::int64_t longest) {
  return "the row has more than " + std::to_string(longest) + " bytes";
}

}  // namespace foldline::io
