#include "text_source.hpp"

#include <algorithm>
#include <thread>

namespace foldline::cli {

bool TextFileSource::next(Block& block) {
  if (!reader_.read(block.text)) return false;
  block.number = block.text.number();
  block.missing = block.text.missing();
  block.vectors.clear();
  block.keys.clear();
  for (std::size_t column = 0; column < reader_.columns(); ++column) {
    block.vectors.push_back(block.text.values(column));
    if (key_columns_ != 0) block.keys.push_back(block.text.keys(column));
  }
  count_missing(block);
  return true;
}

std::optional<FilePart> TextFileSource::unread() const {
  const std::optional<TextPart> part = reader_.unread();
  if (!part) return std::nullopt;
  return FilePart{part->begin, part->end};
}

void TextFileSource::count_missing(const Block& block) {
  if (block.missing == 0) return;
  const std::lock_guard lock(counting_);
  missing_.resize(reader_.columns());
  for (std::size_t column = 0; column < missing_.size(); ++column)
    missing_[column] += block.text.missing(column);
}

std::vector<LeftOut> TextFileSource::left_out() const {
  std::vector<LeftOut> columns;
  for (const LeftOutColumn& found : reader_.left_out())
    columns.push_back({reader_.name(), 0, found.column, found.column, reader_.column_name(found.column),
                       found.line, found.problem});
  return columns;
}

/// Parsing takes most of the time, so there is a thread for each core, but not more than blocks; but each
/// thread has a sum for every column, of some 100 bytes: 520,000 columns take more memory than is worth it.
std::optional<int> TextFileSource::busy_threads() const {
  constexpr std::int64_t bytes_for_columns = std::int64_t{1} << 26, bytes_a_column = 100;
  const std::int64_t block_size = TextFormat{}.block_size;
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t blocks = reader_.size() ? *reader_.size() / block_size + 1 : cores;
  const auto columns = static_cast<std::int64_t>(std::max<std::size_t>(reader_.columns(), 1));
  const std::int64_t affordable = std::max<std::int64_t>(bytes_for_columns / (bytes_a_column * columns), 1);
  return static_cast<int>(std::min({cores, blocks, affordable}));
}

std::vector<FirstLine> TextFileSource::first_lines() const {
  if (!reader_.has_header()) return {{reader_.name(), std::nullopt}};
  return {{reader_.name(), reader_.first_line()}};
}

std::vector<std::string> TextFileSource::columns() const {
  std::vector<std::string> names;
  names.reserve(reader_.columns());
  for (std::size_t column = 0; column < reader_.columns(); ++column)
    names.push_back(reader_.column_name(column));
  return names;
}

std::vector<std::string> TextFileSource::key_names() const {
  std::vector<std::string> names;
  names.reserve(key_columns_);
  for (std::size_t column = 0; column < key_columns_; ++column) names.push_back(reader_.key_name(column));
  return names;
}

}  // namespace foldline::cli
