// The order of blocks that threads parse side by side: which error is the first one of the text, and in which
// line it is.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace foldline::io {

/// Lines are not counted ahead of the parsing but by it; whoever finds an error waits until the blocks before
/// it are done, and by then its line is known, and also that there is no earlier error.
class TextOrder {
 public:
  explicit TextOrder(std::int64_t lines) : lines_(lines) {}

  /// Throws the error of the text if one has been found, after waiting for it to be the first one.
  void check();
  /// Block `number` is without error and has so many lines.
  void finish(std::int64_t number, std::int64_t lines);
  /// Throws the first error of the text: this one, of block `number`, unless a block before has one too. Its
  /// message is `name`, the line, which is `line` (from 1) in the block, and `what`; or `what` alone if the
  /// line is 0.
  [[noreturn]] void fail(std::int64_t number, const std::string& name, std::int64_t line,
                         const std::string& what);
  /// A block will never be done: nobody may wait for it.
  void abandon(const std::string& name) noexcept;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t done_ = 0;                       ///< blocks done, all of those before this number
  std::int64_t lines_ = 0;                      ///< in them, and in what came before the first block
  std::map<std::int64_t, std::int64_t> ahead_;  ///< lines of blocks done beyond them: at most one per thread
  bool failed_ = false;
  std::optional<std::string> error_;
};

}  // namespace foldline::io
