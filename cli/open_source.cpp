// Opens files: finds out what they are, and makes a Source of them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "advice.hpp"
#include "array_source.hpp"
#include "header_note.hpp"
#include "memory.hpp"
#include "pair_source.hpp"
#include "source.hpp"
#include "suggest.hpp"
#include "text_source.hpp"

namespace foldline::cli {
namespace {

enum class Kind : std::uint8_t { npy, raw, text };

/// Whether a path ends in one of these, in any case of letters.
bool has_extension(std::string path, std::initializer_list<const char*> extensions) {
  std::ranges::transform(path, path.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::ranges::any_of(extensions, [&](const char* extension) { return path.ends_with(extension); });
}

/// The path without .gz or another suffix of compressed files.
std::string without_compression(const std::string& path) {
  for (const std::string suffix : {".gz", ".xz", ".zst", ".bz2"})
    if (has_extension(path, {suffix.c_str()})) return path.substr(0, path.size() - suffix.size());
  return path;
}

/// The member of an archive to read: --member is given once for all files, or once for each.
Unpacking unpacking_of(const std::string& file, const Options& options) {
  Unpacking unpacking = {.unpack = !options.as_it_stands};
  if (options.members.empty()) return unpacking;
  std::size_t number = 0;  // the second file comes after all others
  while (number < options.files.size() && &options.files[number] != &file) ++number;
  const std::string& member = options.members[std::min(number, options.members.size() - 1)];
  if (member != "-") unpacking.member = member;
  return unpacking;
}

/// Names of columns are taken for those of files if no option precedes them.
void refuse_names_of_columns(const std::string& path, const Options& options) {
  std::error_code error;
  if (path.find_first_of("./-") != std::string::npos || std::filesystem::exists(path, error)) return;
  if (options.files.size() > 1)
    throw DataError(path + ": no such file; check the path, or give --column " + path +
                    " if it names a column");
  if (options.second_file == path && options.operation == Operation::weighted_mean)
    throw DataError(path + ": no such file; check the path, or give --weights-column " + path +
                    " if it names a column");
}

InputFile open_input(const std::string& path, const Options& options) {
  refuse_names_of_columns(path, options);
  try {
    return InputFile::open(path, unpacking_of(path, options));
  } catch (const UnknownMember& error) {
    const std::string guess = suggestion(error.member(), error.known());
    throw UsageError(error.what() + (guess.empty() ? " (--member)" : guess));
  }
}

/// An empty file is a text without numbers, unless its name is that of another kind: then it was cut off.
void refuse_empty(InputFile& file) {
  if (!file.is_empty()) return;
  const std::string inner = without_compression(file.name());
  const bool cut_off = inner != file.name() && !file.is_unpacked();
  if (cut_off || has_extension(inner, {".npy", ".npy\"", ".npz", ".zip"}))
    throw DataError(file.name() + ": is empty, which no file of its kind is; write it again");
}

/// Whether there are options that only a text can satisfy.
bool selects_columns(const TextOptions& text) {
  return !text.columns.empty() || text.each_column || text.all_columns || !text.key.empty() || text.weights;
}

/// Decided by options, then by the content. The name counts only if the content may be text or bare numbers.
Kind kind_of(InputFile& file, const Options& options) {
  refuse_empty(file);
  if (options.text_options.forced) return Kind::text;
  if (!options.raw) return file.begins_like_npy() ? Kind::npy : Kind::text;
  if (selects_columns(options.text_options) && file.begins_like_text() && !options.raw_layout)
    return Kind::text;
  if (options.raw_layout || !file.begins_like_text()) return Kind::raw;
  if (has_extension(without_compression(file.name()), {".txt", ".csv", ".tsv", ".dat"})) return Kind::text;
  throw UsageError(
      file.name() +
      ": begins like a text; give --text to read it as one, or --offset 0 if its bytes are numbers");
}

/// The separator of --csv: a comma; with decimal commas a semicolon, as spreadsheets write.
std::optional<char> separator_of(const TextOptions& text) {
  if (text.separator || !text.csv) return text.separator;
  return text.decimal_mark == ',' ? ';' : ',';
}

TextFormat format_of(const Options& options, bool one_of_two_files) {
  const TextOptions& text = options.text_options;
  TextFormat format;
  format.type = options.raw ? options.raw->type : ElementType::float64;
  format.columns = text.columns;
  if (text.weights) format.columns.push_back(*text.weights);
  format.every_column = text.each_column;
  format.numeric_columns = summarises(options);
  format.all_columns = text.all_columns;
  format.key = text.key;
  format.separator = separator_of(text);
  format.skip_lines = text.skip_lines;
  format.header = text.header;
  format.decimal_mark = text.decimal_mark;
  format.thousands = text.thousands;
  format.fortran = text.fortran;
  format.missing_markers = text.only_missing.empty() ? text.missing : text.only_missing;
  format.only_missing_markers = !text.only_missing.empty();
  if (text.longest_line) format.longest_row = *text.longest_line;
  format.comment = text.comment;
  if (text.skip_missing)
    format.missing =
        takes_pairs(options) && !one_of_two_files ? MissingValues::skip_row : MissingValues::skip_value;
  return format;
}

void refuse_text_options(const InputFile& file, const TextOptions& text) {
  if (!selects_columns(text)) return;
  throw UsageError(
      file.name() +
      ": is an array, whose columns have no names; give --axis 0 for a result of each, and leave out "
      "--column and the other options of texts");
}

std::unique_ptr<Source> open_text(InputFile file, const Options& options, bool one_of_two_files,
                                  const std::shared_ptr<TextKeys>& keys = nullptr) {
  TextFormat format = format_of(options, one_of_two_files);
  format.keys = keys;
  try {
    TextReader reader = TextReader::open(std::move(file), format);
    note_header(reader, options);
    return std::make_unique<TextFileSource>(std::move(reader), format.key.size());
  } catch (const UnknownColumn& error) {
    throw UsageError(error.what() + advice_of(error));
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what());
  }
}

ArrayReader open_array(InputFile file, Kind kind, const Options& options) {
  refuse_text_options(file, options.text_options);
  if (kind == Kind::raw) {
    if (options.raw->offset == 0 && file.begins_like_npy())
      throw UsageError(file.name() +
                       ": is a .npy file, which says itself what its elements are; leave out --input-type");
    return ArrayReader::open_raw(std::move(file), *options.raw);
  }
  return ArrayReader::open_npy(std::move(file));
}

std::unique_ptr<Source> open_two(const std::string& file, const Options& options) {
  InputFile x = open_input(file, options), y = open_input(*options.second_file, options);
  const Kind kind_x = kind_of(x, options), kind_y = kind_of(y, options);
  if (kind_x != Kind::text && kind_y != Kind::text) {
    std::vector<ArrayReader> arrays;
    arrays.push_back(open_array(std::move(x), kind_x, options));
    arrays.push_back(open_array(std::move(y), kind_y, options));
    return std::make_unique<ArraySource>(std::move(arrays));
  }
  if (options.text_options.skip_missing)
    throw UsageError(
        "--skip-missing would put the pairs of two files out of step; give two columns of one file");
  const auto open_half = [&](InputFile half, Kind kind) -> std::unique_ptr<Source> {
    if (kind == Kind::text) return open_text(std::move(half), options, true);
    std::vector<ArrayReader> array;
    array.push_back(open_array(std::move(half), kind, options));
    return std::make_unique<ArraySource>(std::move(array));
  };
  return std::make_unique<PairSource>(open_half(std::move(x), kind_x), open_half(std::move(y), kind_y));
}

}  // namespace

ArrayReader open_whole_array(const std::string& file, const Options& options) {
  InputFile input = open_input(file, options);
  const Kind kind = kind_of(input, options);
  if (kind == Kind::text && input.begins_like_text())
    throw UsageError(input.name() + ": is a text, which has no axes; " +
                     (options.action == Action::compute ? "give --each-column, or "
                      : options.action == Action::scan  ? "leave out --axis, or give "
                                                        : "give ") +
                     "a .npy file");
  ArrayReader array = open_array(std::move(input), kind, options);
  if (!array.shape())
    throw UsageError(array.name() +
                     ": has no shape yet, being numbers from a pipe or a compressed file; give --shape");
  return array;
}

std::unique_ptr<Source> open_source(const std::string& file, const Options& options,
                                    const std::shared_ptr<TextKeys>& keys) {
  if (options.second_file) return open_two(file, options);
  InputFile input = open_input(file, options);
  const Kind kind = kind_of(input, options);
  if (kind == Kind::text) return open_text(std::move(input), options, false, keys);
  std::vector<ArrayReader> arrays;
  arrays.push_back(open_array(std::move(input), kind, options));
  return std::make_unique<ArraySource>(std::move(arrays));
}

}  // namespace foldline::cli
