// Pairs of different types become pairs of one type, block by block: of int64 or uint64 if that holds both,
// else of doubles. An integer beyond 2^53 is the sum of two doubles, and its products are those of both.
#include "api/mixed_pairs.hpp"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <mutex>

#include "api/as_doubles.hpp"
#include "api/dispatch.hpp"
#include "api/validate.hpp"
#include "foldline/detail/parallel.hpp"

namespace foldline {

namespace {

constexpr std::int64_t block_size = 2048;  // a tile of Accuracy::fast; a block's conversions fit L2
constexpr std::int64_t part_size = 32 * block_size;

ElementType common_type(ElementType a, ElementType b) {
  if (is_floating(a) || is_floating(b)) return ElementType::float64;
  if (!is_signed(a) && !is_signed(b)) return ElementType::uint64;
  const bool fits = a != ElementType::uint64 && b != ElementType::uint64;
  return fits ? ElementType::int64 : ElementType::float64;
}

/// Sets the default floating-point environment while it lives, so that subnormal floats are widened exactly.
class DefaultEnvironment {
 public:
  DefaultEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultEnvironment() { std::fesetenv(&saved_); }
  DefaultEnvironment(const DefaultEnvironment&) = delete;
  DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;

 private:
  std::fenv_t saved_;
};

template <class Integer>
VectorView as_integers(const VectorView& x, std::array<Integer, block_size>& out) {
  detail::visit_integer(x.type(), [&]<class T>(std::type_identity<T>) {
    for (std::int64_t i = 0; i < x.size(); ++i)
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): int8 is a number here
      out[static_cast<std::size_t>(i)] = static_cast<Integer>(detail::element_at<T>(x.at(i)));
  });
  return {out.data(), x.size()};
}

/// Adds blocks of pairs in one thread.
class MixedPairs {
 public:
  MixedPairs(Operation operation, const Context& context, Moments& moments)
      : operation_(operation),
        context_{.accuracy = context.accuracy,
                 .execution = {.threads = 1, .target = context.execution.target}},
        whole_block_(plan(operation, ElementType::float64, block_size, context_)),
        moments_(moments) {}

  void add(const VectorView& x, const VectorView& y) {
    switch (common_type(x.type(), y.type())) {
      case ElementType::int64:
        return add_integers<std::int64_t>(x, y);
      case ElementType::uint64:
        return add_integers<std::uint64_t>(x, y);
      default:
        return add_doubles(x, y);
    }
  }

 private:
  using Doubles = std::array<double, block_size>;

  template <class Integer>
  void add_integers(const VectorView& x, const VectorView& y) {
    std::array<Integer, block_size> of_x, of_y;
    reduce_to(needs_of(operation_), as_integers(x, of_x), as_integers(y, of_y), moments_);
  }

  void add_doubles(const VectorView& x, const VectorView& y) {
    Doubles high_x, low_x, high_y, low_y;
    const bool more_x = split(x, high_x.data(), low_x.data());
    const bool more_y = split(y, high_y.data(), low_y.data());
    // The high parts alone decide whether a product or a weight is NaN or infinite: they have the elements'
    // signs, and are 0 where these are.
    reduce_to(needs_of(operation_), {high_x.data(), x.size()}, {high_y.data(), x.size()}, moments_);
    if (more_x) add_products(low_x, high_y, x.size());
    if (more_y) add_products(low_y, high_x, x.size());
    if (more_x && more_y) add_products(low_x, low_y, x.size());
    if (more_y && needs_of(operation_).values) add_weights(low_y, x.size());
  }

  /// Skips low parts of 0: infinity times 0 must not add a NaN.
  void add_products(const Doubles& low, const Doubles& other, std::int64_t size) {
    Doubles x, y;
    std::size_t count = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
      if (low[i] == 0 || !std::isfinite(other[i])) continue;
      x[count] = low[i];
      y[count++] = other[i];
    }
    const auto left = static_cast<std::int64_t>(count);
    Moments more;
    reduce_to({.products = true}, {x.data(), left}, {y.data(), left}, more);
    merge_without_count(more);
  }

  void add_weights(const Doubles& low, std::int64_t size) {
    Moments more;
    const VectorView weights(low.data(), size);
    reduce({.needs = {.values = true}, .x = weights, .y = {}, .two_vectors = false}, plan_block(size),
           context_, more);
    merge_without_count(more);
  }

  void reduce_to(const Needs& needs, const VectorView& x, const VectorView& y, Moments& moments) {
    reduce({.needs = needs, .x = x, .y = y, .two_vectors = true}, plan_block(x.size()), context_, moments);
  }
  /// By one thread, so it is the same for all types of 8 bytes; a short block takes other instructions.
  Plan plan_block(std::int64_t size) const {
    return size == block_size ? whole_block_ : plan(operation_, ElementType::float64, size, context_);
  }

  /// Merges low parts, whose elements have been counted.
  void merge_without_count(Moments& more) {
    more.count = 0;
    moments_.merge(more);
  }

  Operation operation_;
  Context context_;
  Plan whole_block_;
  Moments& moments_;
};

void reduce_mixed(Operation operation, const VectorView& x, const VectorView& y, const Context& context,
                  Moments& moments) {
  if (context.execution.device.kind != Device::Kind::cpu) require_same_type(operation, x, y);
  const Plan whole = plan(operation, common_type(x.type(), y.type()), x.size(), context);
  std::mutex merging;
  const std::int64_t parts = (x.size() + part_size - 1) / part_size;
  detail::run_parts(parts, whole.threads, [&](std::int64_t part) {
    const DefaultEnvironment environment;
    Moments own;
    MixedPairs pairs(operation, context, own);
    const std::int64_t end = std::min(x.size(), (part + 1) * part_size);
    for (std::int64_t first = part * part_size; first < end; first += block_size) {
      const std::int64_t count = std::min(block_size, end - first);
      pairs.add(x.part(first, count), y.part(first, count));
    }
    const std::lock_guard lock(merging);
    moments.merge(own);
  });
}

}  // namespace

void reduce_pairs(Operation operation, const VectorView& x, const VectorView& y, const Context& context,
                  Moments& moments) {
  if (x.type() != y.type()) return reduce_mixed(operation, x, y, context, moments);
  reduce({.needs = needs_of(operation), .x = x, .y = y, .two_vectors = true},
         on_present_device(plan(operation, x.type(), x.size(), context)), context, moments);
}

}  // namespace foldline
