// The command line, understood.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <foldline/array_reader.hpp>
#include <foldline/foldline.hpp>
#include <foldline/text_reader.hpp>

namespace foldline::cli {

/// The command line makes no sense: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A mistake in a formula, with lines that point at it.
class FormulaError : public UsageError {
 public:
  using UsageError::UsageError;
};

enum class NumberFormat : std::uint8_t {
  shortest,  ///< the fewest decimal digits that read back as the same number of the output type
  hex,       ///< C99 hexadecimal: every bit, readable by strtod and Python's float.fromhex
  exact      ///< every digit of the exact result before rounding
};

/// How results are printed or written.
enum class OutputFormat : std::uint8_t {
  table,  ///< lines for people
  csv,
  tsv,
  json,
  text,  ///< numbers with blanks between
  npy
};

enum class Shell : std::uint8_t { bash, zsh, fish };

enum class Action : std::uint8_t {
  print,      ///< print `text` (help, version, completions, manual) and be done
  compute,    ///< run `operation` on `files`
  scan,       ///< all prefix sums, to `output` or printed
  integrate,  ///< integrate a formula
  samples,    ///< integrate samples
  quantile,   ///< print `fractions` of the numbers of `files`, or their median
  histogram,  ///< count them in bins
  matmul,     ///< the product of two matrices, to `output` or printed
  info,       ///< describe the machine
  ladder      ///< hand over to foldline-ladder, with `arguments`
};

/// How texts are read.
struct TextOptions {
  bool forced = false;              ///< read the files as text, whatever they begin with
  std::vector<TextColumn> columns;  ///< none: the text has a single column
  bool each_column = false;
  bool all_columns = false;  ///< one result for the numbers of all columns
  std::optional<TextColumn> weights;
  std::vector<TextColumn> key;             ///< columns whose texts name the group of a row
  bool sorted = false;                     ///< print the groups in the order of their keys
  std::optional<std::int64_t> allow_keys;  ///< largest number of groups; replaces the limit by memory
  bool csv = false;                        ///< the default separator is a comma
  std::optional<char> separator;
  std::int64_t skip_lines = 0;
  TextHeader header = TextHeader::automatic;
  std::optional<char> comment;
  bool skip_missing = false;
  std::vector<std::string> missing;       ///< further fields that stand for a missing value
  std::vector<std::string> only_missing;  ///< the only fields that stand for a missing value
  bool has_comma_in_marker = false;       ///< "-99,9" may be two fields, or one with a decimal comma
  char decimal_mark = '.';
  std::string thousands;
  bool fortran = false;
  std::optional<std::int64_t> longest_line;
};

/// What `integrate` is asked for.
struct IntegrateOptions {
  std::string formula, begin, end;
  std::optional<double> tolerance;
  std::optional<IntegrationMethod> method;
  std::optional<std::int64_t> max_evaluations;
  std::optional<Rule::Kind> rule;      ///< a rule of fixed order instead of a tolerance
  std::optional<std::int64_t> points;  ///< points per interval of Gauss-Legendre
  std::optional<std::int64_t> intervals;
  bool compare = false;
  bool plain_sums = false;
};

/// What `trapezoid` and `simpson` are asked for.
struct SamplesOptions {
  bool by_parabolas = false;
  std::optional<double> dx;
};

/// A decimal from 0 to 1, exactly.
struct Fraction {
  std::string text;  ///< as typed
  std::uint64_t numerator, denominator;
};

/// What `histogram` is asked for.
struct HistogramOptions {
  std::int64_t bins = 10;
  std::optional<std::pair<double, double>> range;
};

struct Options {
  Action action = Action::compute;
  std::string text;
  std::string command;  ///< as typed: "sum", "abs-sum", ...
  std::vector<std::string> arguments;
  Operation operation = Operation::sum;
  bool counts = false;                     ///< count elements instead of computing the operation
  std::vector<std::string> files;          ///< one data set; "-" is standard input
  std::optional<std::string> second_file;  ///< the other array of dot, the weights, or the second factor
  TextOptions text_options;
  bool skip_nan = false;
  std::optional<std::int64_t> axis;
  bool exclusive = false;             ///< exclusive scan: x_i is not part of sum i
  Scalar init = Scalar(0.0);          ///< what an exclusive scan begins with
  std::optional<std::string> output;  ///< file for an array of results; "-" is standard output
  std::optional<OutputFormat> output_format;
  bool json = false;
  bool explain = false;
  NumberFormat format = NumberFormat::shortest;
  Context context;
  bool all_gpus = false;  ///< the GPUs share the blocks of files; the device of the context is the first
  std::optional<ElementType> output_type;
  std::int64_t ddof = 0;
  IntegrateOptions integral;
  SamplesOptions samples;
  std::vector<Fraction> fractions;
  HistogramOptions histogram;
  std::optional<RawFormat> raw;      ///< for files of bare numbers; its type is also that of texts
  bool raw_layout = false;           ///< options of bare numbers beside their type are given
  std::vector<std::string> members;  ///< members of archives: one for all files, or one for each
  bool as_it_stands = false;         ///< do not decompress
};

/// Whether the operation needs pairs of elements.
inline bool takes_pairs(Operation operation) {
  return operation == Operation::dot || operation == Operation::weighted_mean;
}
/// Whether the operation has the option --ddof.
inline bool takes_ddof(Operation operation) {
  return operation == Operation::variance || operation == Operation::standard_deviation ||
         operation == Operation::standard_error || operation == Operation::statistics;
}
/// Whether all numeric columns of a text are summarised.
inline bool summarises(const Options& options) {
  const TextOptions& text = options.text_options;
  return options.action == Action::compute && options.operation == Operation::statistics &&
         text.columns.empty() && text.key.empty() && !text.all_columns;
}
/// Whether the abscissas of the samples are given.
inline bool have_places(const Options& options) {
  return options.second_file || options.text_options.columns.size() == 2;
}
/// Whether the command needs pairs of elements.
inline bool takes_pairs(const Options& options) {
  return options.action == Action::samples ? have_places(options) : takes_pairs(options.operation);
}

/// Throws UsageError, with a message that ends in what to do.
Options parse_options(int argc, const char* const* argv);

}  // namespace foldline::cli
