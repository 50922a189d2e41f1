#include "io/text_order.hpp"

namespace foldline::io {

void TextOrder::check() {
  std::unique_lock lock(mutex_);
  if (!failed_) return;
  changed_.wait(lock, [&] { return error_.has_value(); });
  throw UnreadableText(*error_);
}

void TextOrder::finish(std::int64_t number, Extent extent, std::vector<NonNumericField> non_numeric) {
  const std::lock_guard lock(mutex_);
  ahead_.emplace(number, Done{extent, std::move(non_numeric)});
  while (!ahead_.empty() && ahead_.begin()->first == done_) {
    Done& next = ahead_.begin()->second;
    for (NonNumericField& field : next.non_numeric)
      left_out_.try_emplace(
          field.column, LeftOutColumn{field.column, before_.lines + field.line + 1, std::move(field.what)});
    before_ = {.lines = before_.lines + next.extent.lines,
               .fields = next.extent.fields + (next.extent.lines == 0 ? before_.fields : 0)};
    ahead_.erase(ahead_.begin());
    ++done_;
  }
  if (failed_) changed_.notify_all();
}

std::int64_t TextOrder::lines() const {
  const std::lock_guard lock(mutex_);
  return before_.lines;
}

std::vector<LeftOutColumn> TextOrder::left_out() const {
  const std::lock_guard lock(mutex_);
  std::vector<LeftOutColumn> columns;
  columns.reserve(left_out_.size());
  for (const auto& [number, column] : left_out_) columns.push_back(column);
  return columns;
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
