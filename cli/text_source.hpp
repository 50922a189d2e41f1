// A text as a Source.
#pragma once

#include <mutex>

#include "source.hpp"

namespace foldline::cli {

class TextFileSource : public Source {
 public:
  TextFileSource(TextReader reader, std::size_t key_columns)
      : reader_(std::move(reader)), key_columns_(key_columns) {}

  bool next(Block& block) override;
  std::optional<FilePart> unread() const override;
  void read_only(FilePart part, bool is_row) override { reader_.read_only({part.begin, part.end}, is_row); }
  std::int64_t lines_read() const override { return reader_.lines_read(); }
  std::vector<ElementType> types() const override { return {reader_.type()}; }
  std::optional<int> busy_threads() const override;
  std::optional<std::int64_t> size() const override { return std::nullopt; }
  std::optional<std::vector<std::int64_t>> shape() const override { return std::nullopt; }
  std::int64_t bytes_read() const override { return reader_.position(); }
  std::optional<std::int64_t> bytes_in_all() const override { return reader_.size(); }
  std::vector<std::string> columns() const override;
  bool has_header() const override { return reader_.has_header(); }
  std::vector<std::string> key_names() const override;
  std::vector<std::string> files() const override { return {reader_.name()}; }
  std::vector<LeftOut> left_out() const override;
  std::vector<std::int64_t> missing() const override { return missing_; }
  std::vector<FirstLine> first_lines() const override;

 private:
  void count_missing(const Block& block);

  TextReader reader_;
  std::mutex counting_;  ///< guards missing_
  std::vector<std::int64_t> missing_;
  std::size_t key_columns_;
};

}  // namespace foldline::cli
