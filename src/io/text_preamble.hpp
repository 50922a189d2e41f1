// Skips what precedes the first line that can be a header or a row.
#pragma once

#include <cstdint>
#include <optional>

#include "foldline/text_reader.hpp"
#include "io/text_source.hpp"

namespace foldline::io {

struct TextPreamble {
  std::int64_t lines = 0;         ///< dropped from the source
  std::optional<char> separator;  ///< that Excel's line "sep=;" gives
};

/// Drops the lines to be skipped, or a line "sep=;". Throws DataError.
TextPreamble drop_preamble(TextSource& source, const TextFormat& format);

}  // namespace foldline::io
