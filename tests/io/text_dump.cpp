// Prints what TextReader gives for a text, for the test that compares it with Python:
//
//   text_dump FILE [type=float32] [columns=2,name] [every] [key=name] [separator=;] [header=yes|no]
//   [comment=%|none] [skip=3] [decimal=,] [thousands=.] [fortran] [marker=-999 ...] [only]
//             [missing=value|row] [block=1000] [threads=2]
//
// "error MESSAGE", or a line "rows missing", then one line per vector with the bits of its values in
// hexadecimal and, with a key column, one with the keys, each in hexadecimal too. Blocks are put in order.
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "foldline/text_reader.hpp"

using namespace foldline;

namespace {

TextColumn column_of(const std::string& text) {
  if (text.find_first_not_of("0123456789") == std::string::npos) return std::int64_t{std::stoll(text)};
  return text;
}

ElementType type_of(const std::string& name) {
  for (const ElementType type : foldline::element_types)
    if (name_of(type) == name) return type;
  throw std::runtime_error("no type " + name);
}

/// Returns the number of threads.
int set_option(const std::string& option, TextFormat& format) {
  const std::size_t equals = option.find('=');
  const std::string name = option.substr(0, equals),
                    value = equals == std::string::npos ? "" : option.substr(equals + 1);
  if (name == "type") format.type = type_of(value);
  if (name == "every") format.every_column = true;
  if (name == "key") format.key = {column_of(value)};
  if (name == "separator") format.separator = value.at(0);
  if (name == "header") format.header = value == "yes" ? TextHeader::present : TextHeader::absent;
  if (name == "comment") format.comment = value == "none" ? TextFormat::no_comment : value.at(0);
  if (name == "skip") format.skip_lines = std::stoll(value);
  if (name == "decimal") format.decimal_mark = value.at(0);
  if (name == "thousands") format.thousands = value;
  if (name == "fortran") format.fortran = true;
  if (name == "marker") format.missing_markers.push_back(value);
  if (name == "only") format.only_missing_markers = true;
  if (name == "missing")
    format.missing = value == "row" ? MissingValues::skip_row : MissingValues::skip_value;
  if (name == "block") format.block_size = std::stoll(value);
  std::istringstream columns(name == "columns" ? value : "");
  for (std::string column; std::getline(columns, column, ',');) format.columns.push_back(column_of(column));
  return name == "threads" ? std::stoi(value) : 0;
}

std::string hexadecimal(const void* bytes, std::size_t size) {
  std::string result;
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<const unsigned char*>(bytes)[i];
    result += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  }
  return result;
}

struct Block {
  std::int64_t rows = 0, missing = 0;
  std::vector<std::string> values, keys;
};

Block copy_of(const TextBlock& block, const TextReader& reader) {
  Block result{.rows = block.rows(), .missing = block.missing(), .values = {}, .keys = {}};
  const std::vector<std::string> names = reader.keys();
  for (std::size_t column = 0; column < reader.columns(); ++column) {
    std::string values, keys;
    const VectorView view = block.values(column);
    for (std::int64_t i = 0; i < view.size(); ++i)
      values.append(hexadecimal(view.at(i), static_cast<std::size_t>(size_of(view.type())))) += ' ';
    for (const std::uint32_t key : block.keys(column))
      keys.append("x").append(hexadecimal(names.at(key).data(), names.at(key).size())) += ' ';
    result.values.push_back(values);
    result.keys.push_back(keys);
  }
  return result;
}

void dump(const std::string& path, const TextFormat& format, int threads) {
  TextReader reader = TextReader::open(path, format);
  std::mutex mutex;
  std::map<std::int64_t, Block> blocks;
  std::string error;
  const auto work = [&] {
    try {
      TextBlock block;
      while (reader.read(block)) {
        Block copy = copy_of(block, reader);
        const std::lock_guard lock(mutex);
        blocks.emplace(block.number(), std::move(copy));
      }
    } catch (const DataError& failure) {
      const std::lock_guard lock(mutex);
      if (!error.empty() && error != failure.what()) error += " BUT ALSO ";
      if (error != failure.what()) error += failure.what();
    }
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(work);
  workers.clear();
  if (!error.empty()) throw DataError(error);
  std::int64_t rows = 0, missing = 0;
  std::vector<std::string> values(reader.columns()), keys(reader.columns());
  for (const auto& [number, block] : blocks) {
    rows += block.rows;
    missing += block.missing;
    for (std::size_t column = 0; column < reader.columns(); ++column) {
      values[column] += block.values[column];
      keys[column] += block.keys[column];
    }
  }
  std::cout << rows << " " << missing << "\n";
  for (std::size_t column = 0; column < reader.columns(); ++column) {
    std::cout << values[column] << "\n";
    if (!format.key.empty()) std::cout << keys[column] << "\n";
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    TextFormat format;
    int threads = 1;
    for (int i = 2; i < count; ++i) threads = std::max(threads, set_option(arguments[i], format));
    dump(count > 1 ? arguments[1] : "-", format, threads);
  } catch (const Error& error) {
    std::cout << "error " << error.what() << "\n";
  }
  return 0;
}
