// Options that many commands share.
#pragma once

#include <CLI/CLI.hpp>

#include "command_line.hpp"

namespace foldline::cli {

inline constexpr const char* text_group = "Text and CSV";

inline constexpr const char* output_group = "Output";

/// What every command reads, for the help on its files.
inline constexpr const char* kinds_of_files =
    ".npy, .npz, text or CSV, any of them compressed (.gz, .xz, .zst, .bz2), or bare numbers with "
    "--input-type and "
    "--shape; - is standard input";

/// --json
void add_json_option(CLI::App& command, Options& options);
/// -o and --output-format, of arrays; the text says what is written there
void add_array_output(CLI::App& command, Options& options, const std::string& text);
/// --output-format
void add_output_format(CLI::App& command, Options& options);
/// --output-type, --overflow
void add_type_options(CLI::App& command, Options& options, const std::string& default_type);
/// --format
void add_format_option(CLI::App& command, Options& options);
/// All of these
void add_output_options(CLI::App& command, Options& options);
/// --accuracy, --threads, --target, --device, --explain
void add_computation_options(CLI::App& command, Options& options);
/// --member
void add_member_option(CLI::App& command, Options& options);
/// --input-type, --shape, --offset, --byte-order, --no-decompression
void add_raw_options(CLI::App& command, Parsed& parsed);
/// --text, --csv, --column, what tells fields, rows and numbers apart, and what becomes of missing ones
void add_text_options(CLI::App& command, Parsed& parsed);
/// --each-column, --all-columns
void add_many_columns_options(CLI::App& command, Options& options);
/// --by, --sort
void add_group_options(CLI::App& command, Options& options);

/// A column by its number or name.
TextColumn column_of(const std::string& text);

}  // namespace foldline::cli
