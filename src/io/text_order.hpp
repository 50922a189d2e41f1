// The order of blocks that threads parse in parallel: which error of the text is the first, and in which
// line.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "foldline/text_reader.hpp"
#include "io/text_left_out.hpp"

namespace foldline::io {

/// Lines are counted while they are parsed. A thread that finds an error waits until the earlier blocks are
/// done; then its line is known, and that there is no earlier error.
class TextOrder {
 public:
  explicit TextOrder(std::int64_t lines) : before_{.lines = lines} {}

  /// A length of text: whole lines, and fields of the line after them.
  struct Extent {
    std::int64_t lines = 0;
    std::int64_t fields = 0;
  };

  /// Throws the text's error if one was found, once it is known to be the first.
  void check();
  /// Reports block `number` as done without error, and its extent.
  void finish(std::int64_t number, Extent extent, std::vector<NonNumericField> non_numeric);
  /// Throws the first error of the text: this one, of block `number`, unless an earlier block has one. Its
  /// message depends on the extent before the block.
  [[noreturn]] void fail(std::int64_t number, const std::function<UnreadableText(Extent before)>& error);
  /// Reports that a block will never be done, so that nobody waits for it.
  void abandon(const std::string& name) noexcept;

  /// Lines of the blocks before the first unfinished one, and before the first block.
  std::int64_t lines() const;
  /// The first non-numeric field of each column, in the blocks before the first unfinished one.
  std::vector<LeftOutColumn> left_out() const;

 private:
  struct Done {
    Extent extent;
    std::vector<NonNumericField> non_numeric;
  };

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t done_ = 0;               ///< blocks done, all of those before this number
  Extent before_;                       ///< of them, and of what came before the first block
  std::map<std::int64_t, Done> ahead_;  ///< blocks done out of order: at most one per thread
  std::map<std::size_t, LeftOutColumn> left_out_;
  bool failed_ = false;
  std::optional<UnreadableText> error_;
};

}  // namespace foldline::io
