#include "check_together.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "destination.hpp"

namespace foldline::cli {
namespace {

/// Refuses what the library would refuse too, but only after opening the files.
void check_options(const Options& options) {
  const auto refuse = [](bool wrong, const char* what) {
    if (wrong) throw UsageError(what);
  };
  const TextOptions& text = options.text_options;
  const Operation operation = options.operation;
  const bool averages = default_result_type(operation, ElementType::int64) == ElementType::float64;
  const bool computes = options.action == Action::compute;
  const bool is_array =
      options.output || options.axis || options.action == Action::scan || options.action == Action::matmul;
  refuse(computes && averages && options.output_type && !is_floating(*options.output_type),
         "means, deviations, variances and norms are no integers; give a floating-point --output-type");
  refuse(computes && options.output && !options.axis,
         "--output is for arrays, as of --axis or scan; to keep other results, redirect standard output: > "
         "results.txt");
  refuse(options.axis &&
             (!text.key.empty() || options.skip_nan || options.second_file || options.files.size() > 1),
         "--axis goes with one array, without --by, --skip-nan and --weights; leave one of them out");
  refuse(is_array && options.format == NumberFormat::exact,
         "--format exact prints every digit of one result, not of an array; choose shortest or hex");
  refuse(options.format == NumberFormat::exact && options.context.accuracy == Accuracy::fast,
         "--format exact prints every digit of the exact result, which --accuracy fast does not find; leave "
         "one of them out");
  const bool on_gpu = options.context.execution.device.kind == Device::Kind::cuda;
  refuse(on_gpu && !text.key.empty(), "groups are added up on the CPU; leave out --device cuda");
  refuse(on_gpu && options.axis && !computes, "scans along an axis run on the CPU; leave out --device cuda");
  refuse(options.all_gpus && (!computes || options.axis),
         "--device cuda:all shares the numbers of files among GPUs for one result; name one of them, such as "
         "cuda:0");
  refuse(text.sorted && text.key.empty(), "--sort sorts groups; name their column with --by");
  refuse(text.each_column && !text.columns.empty(),
         "--column and --each-column exclude each other; choose one");
  refuse(text.all_columns && (text.each_column || !text.columns.empty()),
         "--all-columns makes one vector of all columns; leave out --column and --each-column");
  refuse(text.all_columns && !text.key.empty(),
         "--all-columns leaves no column for --by; leave out one of them");
  refuse(text.all_columns && (text.weights || options.second_file),
         "--all-columns goes without weights; leave out one of them");
  refuse(!text.missing.empty() && !text.only_missing.empty(),
         "--missing adds to what stands for no value, --only-missing replaces it; choose one");
  refuse(options.second_file && text.weights,
         "--weights and --weights-column exclude each other; choose one");
  refuse(options.second_file && options.files.size() > 1,
         "--weights goes with one file; add up several in one file first");
  refuse(options.second_file && !text.key.empty(),
         "--by needs both columns in one file; name two columns of it");
  refuse(options.json && !is_array && options.output_format,
         "--json and --output-format exclude each other; choose one");
  refuse(is_array && options.output_format == OutputFormat::table,
         "an array is no table of results; give --output-format text, csv, tsv or npy, or leave it out");
  refuse(!is_array &&
             (options.output_format == OutputFormat::text || options.output_format == OutputFormat::npy),
         "--output-format text and npy are for arrays, as of --axis; give table, csv, tsv or json");
  const bool to_standard_output =
      options.output ? options.output == "-" : options.output_format || options.action != Action::compute;
  refuse(options.json && is_array && to_standard_output,
         "--json and the array cannot both go to standard output; name a file for the array");
  const std::size_t files = options.files.size() + (options.second_file ? 1 : 0);
  refuse(
      text.has_comma_in_marker && text.decimal_mark == ',',
      "with --decimal , a comma between digits in --missing may be either; write numbers there with a point "
      "(-99.9), and repeat the option for several");
  refuse(options.members.size() > 1 && options.members.size() != files,
         "--member is given more than once, but not once for each file; - stands for a file without members");
}

/// What names the same pipe has the same: its device and number, of "-" those of standard input.
using Pipe = std::pair<dev_t, ino_t>;

std::optional<Pipe> pipe_of(const std::string& file) {
  struct stat found = {};
  const int failed = file == "-" ? ::fstat(STDIN_FILENO, &found) : ::stat(file.c_str(), &found);
  if (failed == 0 && (S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode)))
    return Pipe(found.st_dev, found.st_ino);
  return std::nullopt;
}

/// What comes from a pipe is there once, so that a second reader would find nothing, or both a part. (A pipe
/// with a name may have another writer for each in turn.)
void check_pipes(const Options& options) {
  std::vector<std::string> files = options.files;
  if (options.second_file) files.push_back(*options.second_file);
  const std::optional<Pipe> input = pipe_of("-");
  const auto is_input = [&](const std::string& file) {
    return file == "-" || (input && pipe_of(file) == input);
  };
  if (std::ranges::count_if(files, is_input) > 1)
    throw UsageError("standard input can be read only once; give a file for the other");
  if (const std::optional<Pipe> second = options.second_file ? pipe_of(*options.second_file) : std::nullopt)
    for (const std::string& file : options.files)
      if (pipe_of(file) == second)
        throw UsageError(file + ": is a pipe, which can be read only once; give a file for the other");
}

/// Checks that the operation gets as many columns as it needs: pairs come from two columns of one file, or
/// one column of each of two.
void check_columns(const Options& options) {
  const std::size_t columns = options.text_options.columns.size();
  if (options.action == Action::scan && columns > 1) throw UsageError("a scan is of one column; name one");
  if (options.operation == Operation::dot && !options.second_file && columns != 2)
    throw UsageError(
        "dot needs two arrays, or one text with two columns (--column x,y); give one or the other");
  if (options.text_options.weights && columns == 0)
    throw UsageError("--weights-column needs the column that is weighted, too; name it with --column");
  const bool one_each = options.second_file || options.text_options.weights;
  if (one_each && (columns > 1 || options.text_options.each_column))
    throw UsageError("more than one column for one of the two vectors; name one");
}

}  // namespace

void check_together(const Options& options) {
  if (options.output) destination_of(options);
  check_options(options);
  check_pipes(options);
  check_columns(options);
}

}  // namespace foldline::cli
