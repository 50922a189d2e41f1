// Counts of a launch, by basic block and by instruction.
#pragma once

#include <simt/report.hpp>

#include <cstdint>
#include <vector>

namespace simt {

struct BlockCounts {
  std::uint64_t warps = 0, lanes = 0, divergent = 0;
};

/// An instruction: its events have the same word.
struct SiteCounts {
  std::uint64_t word = 0;
  Traffic traffic;
};

class Counters {
 public:
  void clear(std::size_t blocks) {
    blocks_.assign(blocks, {});
    sites_.assign(256, {});
    used_ = 0;
    totals = {};
  }
  BlockCounts& block(std::uint32_t id) { return blocks_[id]; }
  const std::vector<BlockCounts>& blocks() const { return blocks_; }
  const std::vector<SiteCounts>& sites() const { return sites_; }

  Traffic& site(std::uint64_t word) {
    std::size_t at = place_of(word);
    if (sites_[at].word == word) return sites_[at].traffic;
    if (2 * ++used_ > sites_.size()) {
      grow();
      at = place_of(word);
    }
    sites_[at].word = word;
    return sites_[at].traffic;
  }

  Counts totals;  ///< what is not by block or site

 private:
  std::size_t place_of(std::uint64_t word) const {
    std::size_t at = (word * 0x9e3779b97f4a7c15u) >> 32 & (sites_.size() - 1);
    while (sites_[at].word != 0 && sites_[at].word != word) at = (at + 1) & (sites_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<SiteCounts> old(sites_.size() * 2);
    old.swap(sites_);
    for (const SiteCounts& site : old)
      if (site.word != 0) sites_[place_of(site.word)] = site;
  }

  std::vector<BlockCounts> blocks_;
  std::vector<SiteCounts> sites_;
  std::size_t used_ = 0;
};

}  // namespace simt
