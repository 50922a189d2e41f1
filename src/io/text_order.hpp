// The order of blocks that threads parse side by side: which error is the first one of the text, and in which
// line it is.
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

/// Lines are not counted ahead of the parsing but by it; whoever finds an error waits until the blocks before
/// it are done, and by then its line is known, and also that there is no earlier error.
class TextOrder {
 public:
  explicit TextOrder(std::int64_t lines) : before_{.lines = lines} {}

  /// How far a text goes: its whole lines, and fields of the line after them.
  struct Extent {
    std::int64_t lines = 0;
    std::int64_t fields = 0;
  };

  /// Throws the error of the text if one has been found, after waiting for it to be the first one.
  void check();
  /// Block `number` is without error and goes so far.
  void finish(std::int64_t number, Extent extent, std::vector<TextOffence> offences);
  /// Throws the first error of the text: this one, of block `number`, unless a block before has one too. It
  /// depends on what comes before the block.
  [[noreturn]] void fail(std::int64_t number, const std::function<UnreadableText(Extent before)>& error);
  /// A block will never be done: nobody may wait for it.
  void abandon(const std::string& name) noexcept;

  /// The first offence of each column in the blocks before the first one that is not done.
  std::vector<LeftOutColumn> left_out() const;

 private:
  struct Done {
    Extent extent;
    std::vector<TextOffence> offences;
  };

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t done_ = 0;               ///< blocks done, all of those before this number
  Extent before_;                       ///< of them, and of what came before the first block
  std::map<std::int64_t, Done> ahead_;  ///< blocks done beyond them: at most one per thread
  std::map<std::size_t, LeftOutColumn> left_out_;
  bool failed_ = false;
  std::optional<UnreadableText> error_;
};

}  // namespace foldline::io
