#include "compute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <future>
#include <limits>
#include <mutex>
#include <system_error>

#include "progress.hpp"

namespace foldline::cli {
namespace {

// A block is small enough to stay in the outer caches between reading and adding, and large enough that a
// thread seldom waits for its turn to read. All blocks together stay below the last figure, whatever
// --threads says.
constexpr std::int64_t largest_block_bytes = std::int64_t{4} << 20;
constexpr std::int64_t all_blocks_bytes = std::int64_t{64} << 20;

/// The next elements of each of the arrays, the same number of each.
struct Block {
  std::array<std::vector<std::byte>, 2> bytes;
  std::int64_t size = 0;
};

std::int64_t elements_per_block(const ArrayReader& array, int threads) {
  const std::int64_t most = std::min(largest_block_bytes, all_blocks_bytes / threads) / size_of(array.type());
  // Whole tiles of the library, so that an inexact sum too is the same for every number of threads.
  constexpr std::int64_t tile = 2048;
  const std::int64_t share = array.size() ? *array.size() / threads + 1 : most;
  return std::max(std::min(share, most) / tile * tile, tile);
}

void read_block(std::vector<ArrayReader>& arrays, Block& block) {
  block.size = arrays[0].read(block.bytes[0]);
  if (arrays.size() == 1) return;
  const std::int64_t other = arrays[1].read(block.bytes[1]);
  if (other != block.size) {
    const ArrayReader& shorter = arrays[other < block.size ? 1 : 0];
    throw DataError(
        fmt::format("{}: ends after {} elements, the other array goes on; give arrays of the same size",
                    shorter.name(), shorter.position()));
  }
}

std::string shape_text(const ArrayReader& array) {
  return fmt::format("({}{})", fmt::join(*array.shape(), ", "), array.shape()->size() == 1 ? "," : "");
}

void check_pair(const ArrayReader& x, const ArrayReader& y) {
  const std::string pair = fmt::format("{} and {}", x.name(), y.name());
  if (x.type() != y.type())
    throw DataError(fmt::format("{}: element types differ, {} and {}; convert one of them", pair,
                                name_of(x.type()), name_of(y.type())));
  if (!x.shape() || !y.shape()) return;  // raw numbers from a pipe: read_block finds out
  if (*x.shape() != *y.shape())
    throw DataError(fmt::format("{}: shapes differ, {} and {}; give arrays of the same shape", pair,
                                shape_text(x), shape_text(y)));
  // With one axis longer than 1, both orders are the same.
  if (x.fortran_order() != y.fortran_order() &&
      std::ranges::count_if(*x.shape(), [](std::int64_t length) { return length > 1; }) > 1)
    throw DataError(fmt::format(
        "{}: one is in C order, the other in Fortran order, so their elements do not meet in pairs; "
        "save both in the same order (numpy.ascontiguousarray)",
        pair));
}

/// Threads take turns to read a block and then add it each on its own, so that reading and adding overlap
/// without a schedule. Which thread gets which block is left to chance: the sums are exact, so it cannot
/// change the result.
class Computation {
 public:
  Computation(std::vector<ArrayReader>& arrays, Operation operation, const Plan& plan)
      : arrays_(arrays),
        operation_(operation),
        threads_(plan.threads),
        block_bytes_(elements_per_block(arrays[0], plan.threads) * size_of(arrays[0].type())),
        // One thread per block: with a team for every block, which spins while it waits for the next, beside
        // a thread that reads, 12 GB from the page cache took 4.2 s on 2 cores; this way 1.0 to 1.2 s.
        context_{.accuracy = plan.accuracy, .threads = 1, .target = plan.target},
        progress_(arrays[0].size(), size_of(arrays[0].type()) * static_cast<std::int64_t>(arrays.size())) {}

  Accumulator run() {
    std::vector<std::future<Accumulator>> others;  // their destructors join, whatever is thrown
    for (int i = 1; i < threads_; ++i) others.push_back(start_thread());
    Accumulator total = work();
    for (auto& other : others) total.merge(other.get());
    return total;
  }

 private:
  std::future<Accumulator> start_thread() {
    try {
      return std::async(std::launch::async, [this] { return work(); });
    } catch (const std::system_error& error) {
      throw Error(
          fmt::format("{} threads cannot be started: {}; give a smaller --threads", threads_, error.what()));
    }
  }

  /// What one thread does: adds blocks until there are no more.
  Accumulator work() {
    Accumulator accumulator(operation_);
    Block block;
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      block.bytes[i].resize(static_cast<std::size_t>(block_bytes_));
    while (read_next(block)) {
      const VectorView x(block.bytes[0].data(), arrays_[0].type(), block.size);
      const VectorView y(block.bytes[1].data(), arrays_[0].type(), block.size);
      arrays_.size() == 2 ? accumulator.add(x, y, context_) : accumulator.add(x, context_);
    }
    return accumulator;
  }

  bool read_next(Block& block) {
    const std::lock_guard lock(reading_);
    if (finished_) return false;
    finished_ = true;  // also if read_block throws: there is no sense in reading on then
    read_block(arrays_, block);
    finished_ = block.size == 0;
    progress_.show(arrays_[0].position());
    return !finished_;
  }

  std::vector<ArrayReader>& arrays_;
  Operation operation_;
  int threads_;
  std::int64_t block_bytes_;
  Context context_;
  std::mutex reading_;  ///< guards arrays_, finished_ and progress_
  bool finished_ = false;
  Progress progress_;
};

}  // namespace

std::vector<ArrayReader> open_arrays(const Options& options) {
  std::vector<ArrayReader> arrays;
  arrays.reserve(options.files.size());
  for (const std::string& file : options.files)
    arrays.push_back(options.raw ? ArrayReader::open_raw(file, *options.raw) : ArrayReader::open_npy(file));
  if (arrays.size() == 2) check_pair(arrays[0], arrays[1]);
  return arrays;
}

Plan make_plan(const Options& options, const ArrayReader& array) {
  // A pipe of unknown length is taken for a long one.
  const std::int64_t size = array.size().value_or(std::numeric_limits<std::int64_t>::max());
  try {
    return plan(options.operation, array.type(), size, options.context);
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what());
  }
}

Accumulator compute(std::vector<ArrayReader>& arrays, const Options& options, const Plan& plan) {
  return Computation(arrays, options.operation, plan).run();
}

}  // namespace foldline::cli
