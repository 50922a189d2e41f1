// Two files that do not come in blocks of the same length, such as a text and an array: pairs of their
// elements.
#pragma once

#include <mutex>

#include "source.hpp"

namespace foldline::cli {

class PairSource : public Source {
 public:
  /// Two sources of one vector each.
  PairSource(std::unique_ptr<Source> x, std::unique_ptr<Source> y);

  bool next(Block& block) override;
  std::vector<ElementType> types() const override {
    return {halves_[0].source->type(), halves_[1].source->type()};
  }
  std::optional<std::int64_t> size() const override { return halves_[0].source->size(); }
  std::optional<std::vector<std::int64_t>> shape() const override { return std::nullopt; }
  std::int64_t bytes_read() const override;
  std::optional<std::int64_t> bytes_in_all() const override;
  std::vector<std::string> files() const override;
  std::vector<FirstLine> first_lines() const override;

 private:
  struct Half {
    std::unique_ptr<Source> source;
    Block block = {};
    VectorView rest = {};  ///< elements of the block that are not used yet
    std::int64_t taken = 0;

    bool refill();
  };

  std::mutex reading_;
  std::array<Half, 2> halves_;
  std::int64_t next_number_ = 0;
};

}  // namespace foldline::cli
