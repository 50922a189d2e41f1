#include <algorithm>
#include <cstring>
#include <ctime>

#include "arrays.hpp"
#include "contestant.hpp"
#include "grid_contestant.hpp"
#include "plain.hpp"

namespace foldline::bench {
namespace {

/// Of one thread its own time, which other processes take nothing of; of several what passes.
double nanoseconds(int threads) {
  timespec now{};
  ::clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

class Cpu final : public GridContestant {
 public:
  Cpu(int threads, std::int64_t most_bytes)
      : threads_(threads),
        x_(make_array<double>(most_bytes / 8 + 1, "uniform", 1)),
        out_(make_array<double>(most_bytes / 8 + 1, "uniform", 2)),
        count_(most_bytes / 8 + 1) {
    context_.execution.threads = threads;
  }
  std::string name() const override { return "foldline"; }

  bool prepare(const GridCell& cell) override {
    cell_ = cell;
    if (cell.type != type_) fill(cell.type);
    call();
    calls_ = 1;
    while (time(calls_) * static_cast<double>(calls_) < 1e6 && calls_ < 1 << 20) calls_ *= 2;
    return true;
  }
  double measure() override { return time(calls_); }
  std::optional<double> read(std::int64_t bytes) override {
    const Problem<double> problem = {x_.get(), nullptr, bytes / 8, threads_};
    double best = 0;
    for (int i = 0; i < 5; ++i) {
      const double begin = nanoseconds(threads_);
      keep(plain_read(problem, 1));
      const double ns = nanoseconds(threads_) - begin;
      if (best == 0 || ns < best) best = ns;
    }
    return best;
  }

 private:
  void call() const {
    const ArrayView x = cell_.x(x_.get());
    const MutableArrayView out = cell_.out(out_.get());
    if (cell_.is_scan())
      inclusive_scan_axis(x, cell_.axis, out, context_);
    else
      reduce_axis(operation_of(cell_), x, cell_.axis, out, {}, context_);
  }
  double time(std::int64_t calls) const {
    const double begin = nanoseconds(threads_);
    for (std::int64_t i = 0; i < calls; ++i) call();
    return (nanoseconds(threads_) - begin) / static_cast<double>(calls);
  }

  /// Numbers of a type, in turns of the same ones: floats in [0, 1), integers that use all of their bits up
  /// to 20.
  void fill(ElementType type) {
    type_ = type;
    constexpr std::int64_t some = 1'000'003;
    const Array<double> numbers = make_array<double>(some, "uniform", 3);
    const std::int64_t width = size_of(type), count = count_ * 8 / width;
    const double scale = is_floating(type)            ? 1
                         : type == ElementType::uint8 ? 256
                         : width == 1                 ? 128
                         : width == 2                 ? 32768
                                                      : 1 << 20;
    auto* const bytes = reinterpret_cast<std::byte*>(x_.get());
    std::vector<double> scaled(numbers.get(), numbers.get() + some);
    for (double& x : scaled)
      x = is_floating(type) ? x : static_cast<double>(static_cast<std::int64_t>(x * scale));
    // The sum of one element is that element, in another type.
    const MutableArrayView out(bytes, type, {std::min(some, count)}, {1});
    if (is_floating(type))
      reduce_rows(Operation::sum, MatrixView(scaled.data(), out.size(), 1), out);
    else {
      std::vector<std::int64_t> whole(scaled.begin(), scaled.end());
      reduce_rows(Operation::maximum, MatrixView(whole.data(), out.size(), 1), out);
    }
    for (std::int64_t at = out.size(); at < count; at += out.size())
      std::memcpy(bytes + at * width, bytes,
                  static_cast<std::size_t>(std::min(out.size(), count - at) * width));
  }

  const int threads_;
  const Array<double> x_, out_;
  const std::int64_t count_;
  Context context_;
  std::optional<ElementType> type_;
  GridCell cell_;
  std::int64_t calls_ = 1;
};

}  // namespace

MadeContestant grid_cpu(int threads, std::int64_t most_bytes) {
  return std::make_unique<Cpu>(threads, most_bytes);
}

}  // namespace foldline::bench
