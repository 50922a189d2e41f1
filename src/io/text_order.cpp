#include "io/text_order.hpp"

namespace foldline::io {

void TextOrder::check() {
  std::unique_lock lock(mutex_);
  if (!failed_) return;
  changed_.wait(lock, [&] { return error_.has_value(); });
  throw UnreadableText(*error_);
}

void TextOrder::finish(std::int64_t number, Extent extent) {
  const std::lock_guard lock(mutex_);
  ahead_.emplace(number, extent);
  while (!ahead_.empty() && ahead_.begin()->first == done_) {
    const Extent& next = ahead_.begin()->second;
    before_ = {.lines = before_.lines + next.lines,
               .fields = next.fields + (next.lines == 0 ? before_.fields : 0)};
    ahead_.erase(ahead_.begin());
    ++done_;
  }
  if (failed_) changed_.notify_all();
}

void TextOrder::fail(std::int64_t number, const std::function<UnreadableText(Extent before)>& error) {
  std::unique_lock lock(mutex_);
  failed_ = true;
  changed_.wait(lock, [&] { return error_ || done_ == number; });
  if (!error_) {
    error_ = error(before_);
    changed_.notify_all();
  }
  throw UnreadableText(*error_);
}

void TextOrder::abandon(const std::string& name) noexcept {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  if (!error_) error_.emplace(name + ": was not read to its end, because a thread failed", TextRemedy::none);
  changed_.notify_all();
}

}  // namespace foldline::io
