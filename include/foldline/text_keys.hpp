/// @file
/// The keys of groups that texts name.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "foldline/export.hpp"

namespace foldline {

namespace io {
struct KeyRecord;
class KeyTable;
class TextParser;
}  // namespace io

/// One key of TextKeys: a handle of 8 bytes, valid as long as these.
class FOLDLINE_API TextKey {
 public:
  /// An empty text, number 0.
  TextKey() = default;

  /// Of several key columns the texts, with NUL characters between them, which no text has.
  std::string_view text() const;
  /// The number that TextBlock::keys() gives it: from 0, each once.
  std::uint32_t number() const;

 private:
  friend class io::KeyTable;
  const io::KeyRecord* record_ = nullptr;
};

/// All different keys of one text, or of several that are one data set. A key takes some 32 bytes beside its
/// text.
class FOLDLINE_API TextKeys {
 public:
  /// For at most so many keys, of 64 bytes on average. Throws InvalidArgument unless that is 1 to 2^31 - 1.
  explicit TextKeys(std::int64_t most_keys = 1'000'000);
  TextKeys(const TextKeys&) = delete;
  TextKeys& operator=(const TextKeys&) = delete;
  ~TextKeys();

  /// Number of keys; not while a reader reads.
  [[nodiscard]] std::int64_t size() const;
  /// All keys in the order in which they first appear with a value, in one text after the other. Not
  /// while a reader reads.
  [[nodiscard]] std::vector<TextKey> in_order() const;

 private:
  friend class io::TextParser;
  std::shared_ptr<io::KeyTable> table_;
};

}  // namespace foldline
