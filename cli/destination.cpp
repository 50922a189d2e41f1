#include "destination.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

namespace foldline::cli {
namespace {

constexpr struct {
  const char* suffix;
  OutputFormat format;
} suffixes[] = {{".npy", OutputFormat::npy},
                {".csv", OutputFormat::csv},
                {".tsv", OutputFormat::tsv},
                {".txt", OutputFormat::text},
                {".dat", OutputFormat::text}};

/// In lower case, for A to Z only: the case of a suffix does not matter.
std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::optional<OutputFormat> format_named_by(const std::string& path) {
  const std::string lower = lower_case(path);
  for (const auto& [suffix, format] : suffixes)
    if (lower.ends_with(suffix)) return format;
  return std::nullopt;
}

/// Whether the path is a pipe or device, whose name tells no format (or a folder, which is refused later).
bool is_special(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

Destination destination_of(const Options& options) {
  if (!options.output) return {"-", options.output_format.value_or(OutputFormat::text)};
  const std::string& path = *options.output;
  const std::optional<OutputFormat> named = format_named_by(path);
  if (named && options.output_format && named != options.output_format)
    throw UsageError(path + ": its name says another format than --output-format; change one of them");
  if (named || options.output_format) return {path, named ? *named : *options.output_format};
  if (path == "-" || is_special(path)) return {path, OutputFormat::npy};
  throw UsageError(path +
                   ": its name does not say what to write; end it in .npy, .csv, .tsv, .txt or .dat, or give "
                   "--output-format");
}

bool is_terminal(const Destination& destination) {
  return destination.path == "-" && ::isatty(STDOUT_FILENO) == 1;
}

}  // namespace foldline::cli
