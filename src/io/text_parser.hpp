// Turns whole rows into vectors of numbers.
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
  /// A text may have half a million, of which a block has one row: such a vector takes 32 bytes.
  struct Vector {
    std::uint32_t size = 0, room = 1;  ///< in elements
    std::uint32_t missing = 0;
    bool given_up = false;
    alignas(8) std::array<std::byte, 8> only;
    std::unique_ptr<std::byte[]> many;  ///< if there has been more than one

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
  std::vector<TextOffence> offences;  ///< of columns that are given up

  /// Leaves `count` empty vectors, which keep their memory.
  void clear(std::size_t count);
};

/// Something wrong with a text.
struct TextError {
  const char* at = nullptr;                         ///< where in the text
  std::optional<std::size_t> field = std::nullopt;  ///< of its row, from 0
  std::string what;
  TextRemedy remedy = TextRemedy::none;
};

/// What all rows of a text have in common. Threads share it.
class TextParser {
 public:
  TextParser(const TextLayout& layout, const TextFormat& format);

  /// Replaces the values by those of the rows, block `number` of the text; returns the first thing that is
  /// wrong with them. The values are unspecified then.
  std::optional<TextError> parse(const TextRows& rows, std::int64_t number, TextValues& values,
                                 KeyCache& cache, std::vector<std::uint64_t>& marks) const;

  const TextLayout& layout() const { return layout_; }
  /// Whether lines may be read in parts.
  bool cuts_lines() const { return cuts_lines_; }
  ElementType type() const { return type_; }
  const KeyTable& keys() const { return *keys_; }

 private:
  friend class BlockParser;
  /// A field that is wanted, and the vector, or the part of the key, that it goes to.
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
  std::vector<Wanted> wanted_, wanted_keys_;  ///< in the order of fields, and one more that no row has
  std::size_t most_fields_;
  std::int64_t longest_row_;
  bool cuts_lines_;
  std::shared_ptr<KeyTable> keys_;
  std::uint64_t first_block_;          ///< of this text, among all that share the keys
  std::shared_ptr<GivenUp> given_up_;  ///< null if columns are not given up
};

}  // namespace foldline::io
