#include "advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "options.hpp"
#include "printable.hpp"
#include "suggest.hpp"

namespace foldline::cli {
namespace {

std::string advice_of(TextRemedy remedy) {
  switch (remedy) {
    case TextRemedy::none:
      break;
    case TextRemedy::skip_missing:
      return "fill it in, or give --skip-missing";
    case TextRemedy::header:
      return "correct it, or give --header yes if the first line names the columns";
    case TextRemedy::first_line:
      return "give --header yes if it names the columns, --header no if it does not";
    case TextRemedy::comment:
      return "give --comment '#' if it is a comment";
    case TextRemedy::separator:
      return "check --column and --separator";
    case TextRemedy::columns:
      return "choose with --column";
    case TextRemedy::type:
      return "give another --input-type";
    case TextRemedy::spelling:
      return "give --decimal or --thousands";
    case TextRemedy::longest_row:
      return "is this a text, and is every quote closed? If so, give --longest-line";
    case TextRemedy::skip_lines:
      return "give a smaller --skip-lines";
    case TextRemedy::keys:
      return "give --allow-keys, or another column to --by";
    case TextRemedy::other_kind:
      return "is this a text? If it holds bare numbers, give --input-type";
  }
  return "";
}

}  // namespace

std::string advice_of(const UnknownColumn& error) {
  if (!error.known().empty() && error.known().front().starts_with('#'))
    return "; give --comment '#' if that is a comment";
  if (error.known().size() == 1)
    for (const auto& [separator, name] :
         {std::pair(';', "semicolon"), {'\t', "tab"}, {',', "comma"}, {'|', "'|'"}})
      if (error.known()[0].find(separator) != std::string::npos)
        return fmt::format("; give --separator {} if that is between the columns", name);
  std::vector<std::string> names = error.known();
  std::ranges::transform(names, names.begin(), printable);
  return suggestion(error.column(), names);
}

std::string message_of(const UnreadableText& error) {
  if (error.remedy() == TextRemedy::none) return error.what();
  return std::string(error.problem()) + "; " + advice_of(error.remedy());
}

std::string message_of(const OverflowError& error) {
  return std::string(error.problem()) + "; give a floating-point --output-type" +
         (error.can_wrap() ? ", or --overflow wrap" : "");
}

Complaint complaint_about(const std::exception_ptr& exception) {
  constexpr int failed = 1, usage = 2;
  try {
    std::rethrow_exception(exception);
  } catch (const FormulaError& error) {
    return {error.what(), usage};
  } catch (const UsageError& error) {
    return {escaped(error.what()), usage};
  } catch (const OverflowError& error) {
    return {escaped(message_of(error)), failed};
  } catch (const UnreadableText& error) {
    return {escaped(message_of(error)), failed};
  } catch (const std::bad_alloc&) {
    return {"out of memory; use fewer threads", failed};
  } catch (const std::exception& error) {
    return {escaped(error.what()), failed};
  }
}

}  // namespace foldline::cli
