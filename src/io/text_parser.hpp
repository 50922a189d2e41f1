// Parses whole rows into vectors of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foldline/text_reader.hpp"
#include "io/text_keys.hpp"
#include "io/text_layout.hpp"
#include "io/text_left_out.hpp"
#include "io/text_marks.hpp"
#include "io/text_missing.hpp"
#include "io/text_spelling.hpp"

namespace foldline::io {

/// What a block of rows holds.
struct TextValues {
  /// Kept to 32 bytes for a single value: a text may have half a million columns, and a block of it one row.
  struct Vector {
    std::uint32_t size = 0, room = 1;  ///< in elements
    std::uint32_t missing = 0;
    bool left_out = false;
    alignas(8) std::array<std::byte, 8> only;
    std::unique_ptr<std::byte[]> many;  ///< once there is more than one

    std::byte* values() { return many ? many.get() : only.data(); }
    /// Where the next element goes.
    std::byte* next(std::size_t element_size) {
      if (size == room) grow(element_size);
      return values() + size * element_size;
    }
    void grow(std::size_t element_size);
  };
  std::vector<Vector> vectors;
  /// Whether vectors differ in the rows that their values are from; else one list of keys serves all.
  bool own_keys = false;
  std::vector<std::vector<std::uint32_t>> keys;  ///< of each vector's values, if own_keys
  std::int64_t rows = 0;
  std::int64_t missing = 0;
  std::int64_t fields_of_last_row = 0;
  std::vector<NonNumericField> non_numeric;  ///< of the columns left out

  /// Leaves `count` empty vectors, which keep their memory.
  void clear(std::size_t count);
};

/// An error in a text.
struct TextError {
  const char* at = nullptr;                         ///< where in the text
  std::optional<std::size_t> field = std::nullopt;  ///< of its row, from 0
  std::string what;
  TextRemedy remedy = TextRemedy::none;
};

/// What all rows of a text have in common; shared by threads.
class TextParser {
 public:
  TextParser(const TextLayout& layout, const TextFormat& format);

  /// Parses the rows, block `number` of the text, into `values`; returns the first error, after which the
  /// values are unspecified.
  std::optional<TextError> parse(const TextRows& rows, std::int64_t number, TextValues& values,
                                 KeyCache& cache, std::vector<std::uint64_t>& marks) const;

  const TextLayout& layout() const { return layout_; }
  /// Whether lines may be read in parts.
  bool cuts_lines() const { return cuts_lines_; }
  ElementType type() const { return type_; }
  const KeyTable& keys() const { return *keys_; }

 private:
  friend class BlockParser;
  /// A wanted field, and the index of the vector, or of the part of the key, that it goes to.
  struct Wanted {
    std::size_t field;
    std::size_t to;
  };
  static std::vector<Wanted> in_order_of_fields(const std::vector<std::size_t>& fields);

  TextLayout layout_;
  ElementType type_;
  NumberReader numbers_;
  MissingMarkers markers_;
  MissingValues missing_;
  std::vector<Wanted> wanted_, wanted_keys_;  ///< in the order of fields, with a sentinel beyond any row
  std::size_t most_fields_;
  std::int64_t longest_row_;
  bool cuts_lines_;
  std::shared_ptr<KeyTable> keys_;
  std::uint64_t first_block_;                         ///< of this text, among all that share the keys
  std::shared_ptr<ColumnsLeftOut> columns_left_out_;  ///< null unless columns may be left out
};

}  // namespace foldline::io
