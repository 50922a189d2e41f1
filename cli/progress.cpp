#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace foldline::cli {
namespace {

// Moves to the start of the line and clears it.
constexpr std::string_view erase = "\r\x1b[K";

bool can_show() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// https://no-color.org: set and not empty means no colour.
bool wants_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

void write(std::string_view text) {
  // Errors are ignored: progress is not part of the result.
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string bar(double fraction, bool colour) {
  constexpr int width = 30;
  const int filled = static_cast<int>(fraction * width);
  std::string text = std::string(static_cast<std::size_t>(filled), '#');
  if (colour) text = "\x1b[32m" + text + "\x1b[0m";
  return "[" + text + std::string(static_cast<std::size_t>(width - filled), '.') + "]";
}

}  // namespace

Progress::Progress(std::optional<std::int64_t> total, std::size_t files)
    : total_(total), files_(files), enabled_(can_show()), colour_(wants_colour()) {}

Progress::~Progress() {
  if (visible_) write(erase);
}

void Progress::next_file() {
  ++files_done_;
  done_before_ += done_;
  done_ = 0;
}

void Progress::show(std::int64_t done) {
  if (!enabled_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  done_ = std::max(done_, done);
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  visible_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double gigabytes = static_cast<double>(done_before_ + done_) / 1e9;
  const std::string speed = fmt::format("{:.2f} GB, {:.2f} GB/s", gigabytes, gigabytes / seconds);
  const std::string files =
      files_ > 1 ? fmt::format("file {} of {}, ", std::min(files_done_ + 1, files_), files_) : "";
  const double part =
      total_ && *total_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(*total_)) : 0;
  const double fraction = (static_cast<double>(files_done_) + part) / static_cast<double>(files_);
  if (fraction == 0) return write(fmt::format("{}{}{}", erase, files, speed));
  write(fmt::format("{}{} {:3.0f} %  {}{}, {:.0f} s left", erase, bar(fraction, colour_), 100 * fraction,
                    files, speed, seconds / fraction - seconds));
}

}  // namespace foldline::cli
