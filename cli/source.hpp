// Where the numbers come from: blocks of vectors out of arrays and texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <foldline/foldline.hpp>
#include <foldline/text_reader.hpp>

#include "options.hpp"

namespace foldline::cli {

/// The next elements of one or more vectors. One thread uses it at a time; filled again, it keeps its memory.
struct Block {
  /// One, two of the same length (of which pairs are made), or one per column of a text.
  std::vector<VectorView> vectors;
  /// For each vector the group of each element, the number of a TextKey; empty without groups.
  std::vector<std::span<const std::uint32_t>> keys;
  std::int64_t number = 0;   ///< 0 for the first block of the file, 1 for the next
  std::int64_t missing = 0;  ///< fields of a text that were passed over

  // Memory of the vectors.
  std::array<std::vector<std::byte>, 2> bytes;
  TextBlock text;
};

/// What the first line of a text was taken for.
struct FirstLine {
  std::string file;
  std::optional<std::vector<std::string>> header;  ///< the names of its columns; none if it has numbers
};

/// A column of a text that is left out of a summary, since it does not hold numbers only.
struct LeftOut {
  std::string file;
  std::size_t file_number = 0;  ///< its index among all files
  std::size_t number = 0;       ///< index of the column in the file
  std::size_t column = 0;       ///< index of the same column in the first of several files
  std::string name;
  std::int64_t line = 0;  ///< line of the first field that is no number
  std::string problem;
};

/// A part of a file: bytes of a text, elements of an array.
struct FilePart {
  std::int64_t begin = 0, end = 0;
};

/// Numbers from a file, or from two files whose elements make pairs, front to back in constant memory.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// Fills the block; returns false at the end. Any number of threads may call it at once, each with a block
  /// of its own. Throws DataError; then there is no sense in calling it again.
  virtual bool next(Block& block) = 0;

  /// @{ For processes that share a file, before the first next(). What has not been read, if parts of it can
  /// be read on their own: not of pipes and compressed files. Read to the end of a part of a text, it begins
  /// with the next row.
  virtual std::optional<FilePart> unread() const { return std::nullopt; }
  /// Reads only a part. `is_row`: whether a row of a text is known to begin there; else it is guessed.
  virtual void read_only(FilePart, bool /*is_row*/) {}
  /// Lines read of a text.
  virtual std::int64_t lines_read() const { return 0; }
  /// @}

  /// Element types: one, or those of the two files whose elements make pairs.
  virtual std::vector<ElementType> types() const = 0;
  ElementType type() const { return types()[0]; }
  /// Threads that reading keeps busy, if that is more work than adding (a text must be parsed).
  virtual std::optional<int> busy_threads() const { return std::nullopt; }
  /// Makes blocks of a size that suits so many threads; before the first next().
  virtual void divide_among(int) {}
  /// Number of elements of a vector, if known beforehand.
  virtual std::optional<std::int64_t> size() const = 0;
  /// Shape of an array; none for texts and for raw numbers of unknown length.
  virtual std::optional<std::vector<std::int64_t>> shape() const = 0;
  virtual bool fortran_order() const { return false; }
  /// Bytes of the files read so far, and in all if that is known. Any thread may ask.
  virtual std::int64_t bytes_read() const = 0;
  virtual std::optional<std::int64_t> bytes_in_all() const = 0;
  /// One name per vector of a block; a single "" if they need none.
  virtual std::vector<std::string> columns() const { return {""}; }
  /// Whether these names are in the file, instead of the numbers of columns.
  virtual bool has_header() const { return false; }
  /// For a summary, when all threads have read to the end: the columns to leave out, and the numbers of
  /// missing values of each column.
  virtual std::vector<LeftOut> left_out() const { return {}; }
  virtual std::vector<std::int64_t> missing() const { return {}; }
  /// Names of the key columns.
  virtual std::vector<std::string> key_names() const { return {}; }
  /// Names of the files.
  virtual std::vector<std::string> files() const = 0;
  /// First lines of the files that are texts.
  virtual std::vector<FirstLine> first_lines() const { return {}; }
};

/// Opens a file of options.files, and options.second_file if there is one; reads only headers. `file` must be
/// an element of options.files, whose index selects the member of an archive. `keys` receives the keys of
/// groups. Throws DataError and UsageError.
std::unique_ptr<Source> open_source(const std::string& file, const Options& options,
                                    const std::shared_ptr<TextKeys>& keys = nullptr);

/// Opens a file as an array whose shape is known. Throws DataError and UsageError.
ArrayReader open_whole_array(const std::string& file, const Options& options);

}  // namespace foldline::cli
