#include "reduction_blocks.hpp"

#include <cstring>
#include <mutex>
#include <string>

#include "foldline/accumulator.hpp"
#include "foldline/error.hpp"
#include "gather.hpp"

namespace foldline::python {

namespace {

constexpr std::int64_t block_size = 2048;  // elements that are gathered at a time
constexpr std::int64_t short_run = 64;     // fewer are cheaper to copy together than to add by themselves

/// Feeds an accumulator with runs of elements, those that count.
class Feed {
 public:
  Feed(const Reduction& reduction, Accumulator& accumulator)
      : reduction_(reduction), accumulator_(accumulator), is_plain_(is_plain(reduction)) {
    context_.execution.threads = 1;
  }

  /// Elements [0, count) along an axis from a place on.
  void add(const Offsets& at, const Axis& axis, std::int64_t count) {
    if (is_plain_ && count >= short_run) {
      add_views(at, axis, count);
      return;
    }
    for (std::int64_t first = 0; first < count;) {
      const std::int64_t n = std::min(count - first, block_size - filled_);
      add_copies(at, axis, first, n);
      first += n;
      if (filled_ == block_size) flush();
    }
  }

  void flush() {
    if (filled_ == 0) return;
    const VectorView x(x_.data(), reduction_.x.type, filled_);
    if (reduction_.has_pairs)
      accumulator_.add(x, VectorView(y_.data(), reduction_.y.type, filled_), context_);
    else
      accumulator_.add(x, context_);
    filled_ = 0;
  }

 private:
  Run run(const Operand& operand, std::size_t which, const Offsets& at, const Axis& axis,
          std::int64_t first) const {
    return {operand.data + at[which] + first * axis.strides[which], operand.type, operand.is_swapped,
            axis.strides[which]};
  }

  void add_views(const Offsets& at, const Axis& axis, std::int64_t count) {
    const auto view = [&](const Operand& operand, std::size_t which) {
      return VectorView(operand.data + at[which], operand.type, count,
                        axis.strides[which] / size_of(operand.type));
    };
    if (reduction_.has_pairs)
      accumulator_.add(view(reduction_.x, Axis::first), view(reduction_.y, Axis::second), context_);
    else
      accumulator_.add(view(reduction_.x, Axis::first), context_);
  }

  void add_copies(const Offsets& at, const Axis& axis, std::int64_t first, std::int64_t count) {
    const Run x = run(reduction_.x, Axis::first, at, axis, first);
    std::byte* const to_x = x_.data() + filled_ * size_of(reduction_.x.type);
    const Run y = run(reduction_.y, Axis::second, at, axis, first);
    std::byte* const to_y = y_.data() + filled_ * size_of(reduction_.y.type);
    if (reduction_.mask == nullptr && !reduction_.without_nan) {
      gather(x, count, to_x);
      if (reduction_.has_pairs) gather(y, count, to_y);
      filled_ += count;
      return;
    }
    const std::int64_t stride = axis.strides[Axis::mask];
    const std::byte* const mask =
        reduction_.mask == nullptr ? nullptr : reduction_.mask + at[Axis::mask] + first * stride;
    const Chosen chosen = {mask, stride, reduction_.without_nan};
    const std::int64_t copied = gather(x, count, chosen, to_x);
    if (reduction_.has_pairs) gather(y, count, chosen, to_y);
    filled_ += copied;
  }

  const Reduction& reduction_;
  Accumulator& accumulator_;
  bool is_plain_;
  Context context_;
  std::int64_t filled_ = 0;
  std::array<std::byte, block_size * 8> x_, y_;
};

Offsets sum_of(const Offsets& a, const Offsets& b) {
  Offsets sum{};
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = a[i] + b[i];
  return sum;
}

/// Adds positions [first, last) along the reduced axes of one result.
void add_part(const Reduction& reduction, const Offsets& result, std::int64_t first, std::int64_t last,
              Accumulator& accumulator) {
  const std::vector<Axis>& axes = reduction.reduced;
  const Axis inner = axes.empty() ? Axis{} : axes.back();
  Feed feed(reduction, accumulator);
  while (first < last) {
    const std::int64_t count = std::min(last - first, inner.extent - first % inner.extent);
    feed.add(sum_of(result, offsets_of(axes, first)), inner, count);
    first += count;
  }
  feed.flush();
}

void store(const Accumulator& accumulator, const Reduction& reduction, const Offsets& at) {
  require_taken(reduction, accumulator.count());
  accumulator
      .rounded(reduction.operation, reduction.out_type, reduction.options.ddof, reduction.context.overflow)
      .visit([&](auto element) { std::memcpy(reduction.out + at[Axis::out], &element, sizeof element); });
}

}  // namespace

std::int64_t positions(const std::vector<Axis>& axes) {
  std::int64_t product = 1;
  for (const Axis& axis : axes) product *= axis.extent;
  return product;
}

Offsets offsets_of(const std::vector<Axis>& axes, std::int64_t index) {
  Offsets offsets{};
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::int64_t place = index % axes[i].extent;
    index /= axes[i].extent;
    for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] += place * axes[i].strides[k];
  }
  return offsets;
}

bool has_views(const Reduction& reduction) {
  const auto describes = [&](const Operand& operand, std::size_t which) {
    const auto fits = [&](const Axis& axis) { return axis.strides[which] % size_of(operand.type) == 0; };
    return !operand.is_swapped && std::ranges::all_of(reduction.kept, fits) &&
           std::ranges::all_of(reduction.reduced, fits);
  };
  return describes(reduction.x, Axis::first) &&
         (!reduction.has_pairs || describes(reduction.y, Axis::second));
}

bool is_plain(const Reduction& reduction) {
  return reduction.mask == nullptr && !reduction.without_nan && has_views(reduction);
}

void require_taken(const Reduction& reduction, std::int64_t taken) {
  if (taken == 0 && (reduction.operation == Operation::minimum || reduction.operation == Operation::maximum))
    throw InvalidArgument(std::string(name_of(reduction.operation)) +
                          ": the mask takes none of a result's elements");
}

int threads_for(const Reduction& reduction) {
  // More than these are enough for any number of threads, and their product does not overflow.
  const std::int64_t results = std::min(positions(reduction.kept), std::int64_t{1} << 30);
  const std::int64_t terms = std::min(positions(reduction.reduced), std::int64_t{1} << 28);
  const std::int64_t element =
      size_of(reduction.x.type) + (reduction.has_pairs ? size_of(reduction.y.type) : 0);
  return detail::choose_threads("foldline", results * terms * element, results * terms,
                                reduction.context.execution);
}

void add_blocks(const Reduction& reduction, const Offsets& at, int threads, Accumulator& accumulator) {
  const std::int64_t terms = positions(reduction.reduced);
  if (threads == 1) {
    add_part(reduction, at, 0, terms, accumulator);
    return;
  }
  std::mutex merging;
  const std::int64_t part = std::max<std::int64_t>(block_size, (terms - 1) / (std::int64_t{threads} * 4) + 1);
  detail::run_parts(terms == 0 ? 0 : (terms - 1) / part + 1, threads, [&](std::int64_t i) {
    Accumulator own(reduction.operation);
    add_part(reduction, at, i * part, std::min(terms, (i + 1) * part), own);
    const std::lock_guard lock(merging);
    accumulator.merge(own);
  });
}

void reduce_blocks(const Reduction& reduction) {
  share_results(reduction, positions(reduction.kept), [&](std::int64_t result, const Context& context) {
    const Offsets at = offsets_of(reduction.kept, result);
    Accumulator accumulator(reduction.operation);
    add_blocks(reduction, at, context.execution.threads == 1 ? 1 : threads_for(reduction), accumulator);
    if (reduction.initial.data != nullptr)
      accumulator.add(VectorView(reduction.initial.data, reduction.initial.type, 1), context);
    store(accumulator, reduction, at);
  });
}

}  // namespace foldline::python
