#include "io/text_order.hpp"

#include "foldline/error.hpp"

namespace foldline::io {

void TextOrder::check() {
  std::unique_lock lock(mutex_);
  if (!failed_) return;
  changed_.wait(lock, [&] { return error_.has_value(); });
  throw DataError(*error_);
}

void TextOrder::finish(std::int64_t number, std::int64_t lines) {
  const std::lock_guard lock(mutex_);
  ahead_.emplace(number, lines);
  while (!ahead_.empty() && ahead_.begin()->first == done_) {
    lines_ += ahead_.begin()->second;
    ahead_.erase(ahead_.begin());
    ++done_;
  }
  if (failed_) changed_.notify_all();
}

void TextOrder::fail(std::int64_t number, const std::string& name, std::int64_t line,
                     const std::string& what) {
  std::unique_lock lock(mutex_);
  failed_ = true;
  changed_.wait(lock, [&] { return error_ || done_ == number; });
  if (!error_) {
    error_ = line == 0 ? what : name + ": line " + std::to_string(lines_ + line) + what;
    changed_.notify_all();
  }
  throw DataError(*error_);
}

void TextOrder::abandon(const std::string& name) noexcept {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  if (!error_) error_ = name + ": was not read to its end, because a thread failed";
  changed_.notify_all();
}

}  // namespace foldline::io
