/// @file
/// Reading numbers from text: one on a line, separated by blanks, or columns of CSV; block by block, by any
/// number of threads, in constant memory. What is read and how is in docs/text.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "foldline/error.hpp"
#include "foldline/export.hpp"
#include "foldline/input_file.hpp"
#include "foldline/text_keys.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// A column by its number, from 1, or by its name in the header line.
using TextColumn = std::variant<std::int64_t, std::string>;

/// Whether a text begins with the names of its columns.
enum class TextHeader : std::uint8_t {
  automatic,  ///< the first line is a header if a selected field of it can only be a name
  present,    ///< the first line is one
  absent      ///< there is none
};

/// What becomes of a field that is empty, `NA`, `N/A`, `n/a`, `#N/A`, `<NA>`, `NULL`, `null`, `None` or `-`,
/// and of a column that a short row lacks; TextFormat may add to these. Anything else that is not a number is
/// an error in any case; "nan" is a number.
enum class MissingValues : std::uint8_t {
  refuse,      ///< a DataError
  skip_value,  ///< the column gets no value from this row: its vector is shorter than others
  skip_row     ///< no column gets a value from this row: all vectors are as long
};

/// A text does not have the column that was named.
class FOLDLINE_API UnknownColumn : public DataError {
 public:
  /// @param message says it all
  /// @param column the name asked for
  /// @param known the names that there are
  UnknownColumn(const std::string& message, std::string column, std::vector<std::string> known)
      : DataError(message), column_(std::move(column)), known_(std::move(known)) {}

  /// The name asked for.
  [[nodiscard]] const std::string& column() const { return column_; }
  /// The names that there are.
  [[nodiscard]] const std::vector<std::string>& known() const { return known_; }

 private:
  std::string column_;
  std::vector<std::string> known_;
};

/// What may help where a text cannot be read, for programs that name their own options in a message.
enum class TextRemedy : std::uint8_t {
  none,          ///< the message says it
  skip_missing,  ///< TextFormat::missing
  header,        ///< TextFormat::header
  first_line,    ///< TextFormat::header, which may be one thing or the other
  comment,       ///< TextFormat::comment
  separator,     ///< TextFormat::separator
  columns,       ///< TextFormat::columns
  type,          ///< TextFormat::type
  spelling,      ///< TextFormat::decimal_mark, TextFormat::thousands
  longest_row,   ///< TextFormat::longest_row
  skip_lines,    ///< TextFormat::skip_lines
  keys,          ///< TextFormat::most_keys
  other_kind     ///< another reader, since the file may be no text
};

/// A text cannot be read as the format says.
class FOLDLINE_API UnreadableText : public DataError {
 public:
  /// what() is `problem`, a semicolon and advice, or with TextRemedy::none `problem` alone.
  UnreadableText(const std::string& problem, TextRemedy remedy);

  /// The message without the advice, for programs that give their own.
  [[nodiscard]] std::string_view problem() const noexcept { return {what(), problem_size_}; }
  /// What the advice is about.
  [[nodiscard]] TextRemedy remedy() const noexcept { return remedy_; }

 private:
  std::size_t problem_size_;
  TextRemedy remedy_;
};

/// A column that is given up because it holds a field that is no number of the type.
struct LeftOutColumn {
  std::size_t column = 0;  ///< of the selection, from 0
  std::int64_t line = 0;   ///< of the first such field
  std::string problem;     ///< what the field is and is not
};

/// How a text is to be read.
struct TextFormat {
  /// Each decimal is rounded to a floating-point type once, to nearest, ties to even; beyond its range it is
  /// an infinity. To integers nothing is rounded: what is none, or out of range, is a DataError.
  ElementType type = ElementType::float64;
  /// The columns wanted, in the order wanted; one may be named twice. Without any, every number of the text
  /// belongs to one vector; a text with a separator other than blanks, or with a header, must then have one
  /// column.
  std::vector<TextColumn> columns = {};
  /// All columns that the first line has, each a vector of its own; `columns` is then empty.
  bool every_column = false;
  /// All columns of a text that has several and is not just numbers between blanks, without those that hold a
  /// field that is neither a number nor missing: these are given up instead of an error (see
  /// TextReader::left_out). Missing values are passed over. If it is not told whether the first line is a
  /// header, it must be all names or all numbers. `columns` is empty, and there is no key.
  bool numeric_columns = false;
  /// The numbers of all columns belong to one vector, row by row, as those of a matrix; `columns` is then
  /// empty, and there is no key.
  bool all_columns = false;
  /// The columns whose texts together name the group that a row belongs to.
  std::vector<TextColumn> key = {};
  /// Lines at the start that are passed over, whatever they hold.
  std::int64_t skip_lines = 0;
  /// ' ' stands for any number of blanks and tabs. None: the first of tab, semicolon and comma that the first
  /// line has and that is not part of numbers (decimal_mark, thousands), else blanks; or the comma that
  /// numbers have, if one of the first lines has such a number in quotes between commas: "1,5",2. Excel's
  /// first line "sep=;" is no row and counts more than this.
  std::optional<char> separator = std::nullopt;
  /// Whether the first line names the columns.
  TextHeader header = TextHeader::automatic;
  /// Begins a line that is ignored; between blanks, also after a blank the rest of a line. None: '#' in texts
  /// between blanks, and in others nothing, but for lines in front of the first row that begin with "# ".
  std::optional<char> comment = std::nullopt;
  /// The value of `comment` with which nothing begins one.
  static constexpr char no_comment = '\0';
  /// What begins the fraction of a number: '.' or ','. If it is the separator too, numbers with a fraction
  /// are in quotes.
  char decimal_mark = '.';
  /// What may separate thousands, as in 1.234.567,8, in UTF-8: "." or "," or "'" (U+2019 too), " " (any space
  /// that does not separate fields, U+00A0 and U+202F too), or one of these two. Empty: nothing may. Of the
  /// groups that it makes the first has one to three digits and does not begin with 0, the others have three.
  std::string thousands = {};
  /// Whether Fortran's ways to write exponents are numbers: 1d5, 1q5, and 1.0-113. In any case 1D+5 and 1.0d5
  /// are, which can be nothing else.
  bool fortran = false;
  /// What becomes of missing values.
  MissingValues missing = MissingValues::refuse;
  /// Fields that stand for no value too. A number among them, with a decimal point if it has a fraction, is
  /// any field of that value: -999 is also -999.00.
  std::vector<std::string> missing_markers = {};
  /// Whether nothing but `missing_markers` stands for no value.
  bool only_missing_markers = false;
  /// The most different keys that are accepted: what bounds the memory for them, with 64 bytes for each
  /// on average.
  std::int64_t most_keys = 1'000'000;
  /// The keys found, if several readers are to share them; then these have the limit. None: the reader has
  /// keys of its own.
  std::shared_ptr<TextKeys> keys = nullptr;
  /// The longest row or line, in bytes: what bounds the memory. Of numbers between blanks that belong to one
  /// vector, lines may be of any length.
  std::int64_t longest_row = std::int64_t{1} << 26;
  /// About how many bytes a block of rows has; at least 1.
  std::int64_t block_size = std::int64_t{1} << 18;
};

/// The values of a block of rows. One thread fills and uses it at a time; filled again, it keeps its memory.
/// Movable.
class FOLDLINE_API TextBlock {
 public:
  TextBlock();
  /// @{ What was moved from may only be assigned to or destroyed.
  TextBlock(TextBlock&& other) noexcept;
  TextBlock& operator=(TextBlock&& other) noexcept;
  /// @}
  ~TextBlock();

  /// 0 for the first block of the text, 1 for the next: their order, which threads may not keep.
  [[nodiscard]] std::int64_t number() const;
  /// Rows of the text in this block, also those without a value; not its header, blank lines and comments.
  [[nodiscard]] std::int64_t rows() const;
  /// Values and columns of short rows that MissingValues made it pass over.
  [[nodiscard]] std::int64_t missing() const;
  /// Those of one column of the selection.
  [[nodiscard]] std::int64_t missing(std::size_t column) const;
  /// The values that column `column` of the selection (from 0) has in this block, in the order of the rows.
  /// Valid until the block is read again.
  [[nodiscard]] VectorView values(std::size_t column = 0) const;
  /// The group of each of these values, as an index of TextReader::keys(); empty without a key column.
  [[nodiscard]] std::span<const std::uint32_t> keys(std::size_t column = 0) const;

 private:
  friend class TextReader;
  struct FOLDLINE_HIDDEN State;
  std::unique_ptr<State> state_;
};

/// Bytes of a text, counted from where the file was when it was opened.
struct TextPart {
  std::int64_t begin = 0;  ///< the first one
  std::int64_t end = 0;    ///< that after the last one
};

/// Reads numbers from a text, front to back. It trusts nothing: a field that is no number, a row that is too
/// long, a byte that no text has and so on give a DataError that names file, line and column. Memory is
/// bounded: about 10 times the size of a block, or of a row that is longer, for each TextBlock, plus 2 MiB,
/// plus the keys.
///
/// Movable while no thread uses it.
class FOLDLINE_API TextReader {
 public:
  /// Opens a text (UTF-8 or any other superset of ASCII; a byte order mark is passed over) and reads up to
  /// its first row; the path "-" is standard input. Throws InvalidArgument if the format makes no sense,
  /// DataError if the file cannot be read or lacks a selected column.
  static TextReader open(const std::string& path, const TextFormat& format);
  /// The same of a file that is open already.
  static TextReader open(InputFile file, const TextFormat& format);

  /// @{ What was moved from may only be assigned to or destroyed.
  TextReader(TextReader&& other) noexcept;
  TextReader& operator=(TextReader&& other) noexcept;
  /// @}
  ~TextReader();

  /// The path as given, or "standard input".
  [[nodiscard]] const std::string& name() const;
  /// The type that the numbers are rounded to.
  [[nodiscard]] ElementType type() const;
  /// The separator given or found; ' ' stands for blanks.
  [[nodiscard]] char separator() const;
  /// Whether the first line was taken for the columns' names.
  [[nodiscard]] bool has_header() const;
  /// Fields of the first line, header or not; 0 for a text without any. Of more than 2^20 bytes of numbers
  /// between blanks that belong to one vector only the beginning counts.
  [[nodiscard]] std::int64_t width() const;
  /// These fields: the columns' names, if has_header().
  [[nodiscard]] const std::vector<std::string>& first_line() const;
  /// Vectors that a block has: one per selected column, or 1.
  [[nodiscard]] std::size_t columns() const;
  /// What to call column `column` of the selection: its name in the header, or its number; "" if every number
  /// of the text belongs to it.
  [[nodiscard]] std::string column_name(std::size_t column) const;

  /// Reads the next block; it may be one without rows, of comments only. Returns false at the end. Any number
  /// of threads may call it at once, each with a block of its own: they take turns to read, and parse side by
  /// side.
  ///
  /// Throws DataError. If several rows are wrong, all threads get the same one, that of the first wrong
  /// row, and so does every later call; a thread may wait for the others to find out.
  bool read(TextBlock& block);

  /// The columns that TextFormat::numeric_columns made it give up, in their order: a column is among them if
  /// and only if any row has no number there. Complete when every thread has read to the end; what blocks
  /// hold of such a column means nothing.
  [[nodiscard]] std::vector<LeftOutColumn> left_out() const;

  /// The rows that have not been read, from the first byte of the next one to the end; none unless the text
  /// is a regular file that is read as it stands. Not while a reader reads.
  [[nodiscard]] std::optional<TextPart> unread() const;
  /// Reads only the rows that begin in a part of unread(), for those who share a text among processes. Before
  /// the first block. Where a row begins can be told from the rows before it only, since fields in quotes may
  /// have line ends: unless `is_row` says that one begins at the first byte, the first one is taken to be
  /// behind the first "\n" from the byte before it on. So where unread() begins then must be compared with
  /// where it begins once the part before has been read; if they differ, read again, from there. Throws
  /// InvalidArgument if the part is not within unread(), DataError if the file cannot be read.
  void read_only(TextPart part, bool is_row);
  /// Lines of the rows read so far, complete when every thread has read to the end. Lines of messages and of
  /// left_out() are counted as if nothing had been passed over.
  [[nodiscard]] std::int64_t lines_read() const;

  /// Bytes of the text that blocks have been made of.
  [[nodiscard]] std::int64_t position() const;
  /// Bytes of the text, if it is a regular file.
  [[nodiscard]] std::optional<std::int64_t> size() const;
  /// What to call key column `column` of the format's: its name in the header, or its number.
  [[nodiscard]] std::string key_name(std::size_t column) const;
  /// The keys found so far, each once. One thread finds them in the order of the text, several in any. The
  /// texts of several key columns have NUL characters between them, which no text has.
  [[nodiscard]] std::vector<std::string> keys() const;

 private:
  struct FOLDLINE_HIDDEN State;
  explicit TextReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace foldline
