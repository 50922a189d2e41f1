// One array, or two whose elements make pairs.
#pragma once

#include <atomic>
#include <mutex>

#include "source.hpp"

namespace foldline::cli {

class ArraySource : public Source {
 public:
  /// One or two arrays. Throws DataError if two do not fit together.
  explicit ArraySource(std::vector<ArrayReader> arrays);

  bool next(Block& block) override;
  std::optional<FilePart> unread() const override;
  void read_only(FilePart part, bool is_row) override;
  std::vector<ElementType> types() const override;
  void divide_among(int threads) override;
  std::optional<std::int64_t> size() const override { return arrays_[0].size(); }
  std::optional<std::vector<std::int64_t>> shape() const override { return arrays_[0].shape(); }
  bool fortran_order() const override { return arrays_[0].fortran_order(); }
  std::int64_t bytes_read() const override { return bytes_read_; }
  std::optional<std::int64_t> bytes_in_all() const override;
  std::vector<std::string> files() const override;

 private:
  std::int64_t read(Block& block);
  std::int64_t bytes_of_all() const;

  std::vector<ArrayReader> arrays_;
  std::int64_t block_size_ = 0;  ///< in elements
  std::mutex reading_;           ///< guards arrays_, next_number_ and finished_
  std::int64_t next_number_ = 0;
  bool finished_ = false;
  std::atomic<std::int64_t> bytes_read_ = 0;
};

}  // namespace foldline::cli
