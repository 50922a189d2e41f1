#include "foldline/accumulator_array.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "accumulators/accumulator_state.hpp"
#include "accumulators/exact_sum_array.hpp"
#include "accumulators/terms.hpp"
#include "api/dispatch.hpp"
#include "api/mixed_pairs.hpp"
#include "api/validate.hpp"
#include "foldline/error.hpp"

namespace foldline {
namespace {

/// Values per batch: their terms stay in L1 cache while sum after sum is updated.
constexpr std::size_t batch_size = 256;
/// How many sums ahead to prefetch: a table of many sums fits no cache.
constexpr std::size_t prefetch_distance = 12;
/// Fewer values than this are added one by one: a call of reduce() takes as long.
constexpr std::int64_t fewest_to_reduce = 48;

using Indices = std::span<const std::uint32_t>;

[[noreturn]] void refuse_array(const std::string& what) {
  throw InvalidArgument("accumulator array: " + what);
}

void prefetch_all(const auto& sums, Indices indices) {
  for (std::size_t i = 0; i < std::min(prefetch_distance, indices.size()); ++i) sums.prefetch(indices[i]);
}

/// Calls add(i) for each index, and prefetches the sums of the next ones.
template <class Sums, class Add>
void for_each(const Sums& sums, Indices indices, const Add& add) {
  prefetch_all(sums, indices);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i + prefetch_distance < indices.size()) sums.prefetch(indices[i + prefetch_distance]);
    add(i);
  }
}

}  // namespace

/// Structure of arrays: each part of Moments in an array of its own, if the operation needs it.
struct AccumulatorArray::State {
  struct Extremes {
    WideKey min = above_all, max = below_all;
  };

  explicit State(Operation of) : operation(of), needs(needs_of(of)) {}

  Operation operation;
  Needs needs;
  std::size_t size = 0;
  /// Twice the count, plus 1 if an element was not -0.
  ChunkedArray<std::uint64_t> counts;
  ExactSumArray<Int128, SumLimbs> values, magnitudes;
  ExactSumArray<Int256, ProductLimbs> products;
  ChunkedArray<Extremes> extremes;

  bool has_products() const { return needs.squares || needs.products; }

  void resize(std::size_t new_size) {
    size = new_size;
    counts.resize(size);
    if (needs.values) values.resize(size);
    if (needs.magnitudes) magnitudes.resize(size);
    if (has_products()) products.resize(size);
    if (needs.extrema) extremes.resize(size);
  }

  std::size_t checked(std::int64_t index) const {
    if (index < 0 || static_cast<std::uint64_t>(index) >= size)
      refuse_array("there is no element " + std::to_string(index) + "; it has " + std::to_string(size));
    return static_cast<std::size_t>(index);
  }

  void count(std::size_t i, std::int64_t n, bool only_negative_zeros) {
    counts[i] = (counts[i] + 2 * static_cast<std::uint64_t>(n)) | (only_negative_zeros ? 0 : 1);
  }
  void add_extremes(std::size_t i, WideKey low, WideKey high) {
    extremes[i].min = std::min(extremes[i].min, low);
    extremes[i].max = std::max(extremes[i].max, high);
  }

  void add_batch(Indices indices, std::span<const Term> x, std::span<const Term> y);
  void add_products(Indices indices, std::span<const Term> x, std::span<const Term> y);
  void add_all(const VectorView& x, const VectorView* y, const auto& indices_from);
  void add_reduced(std::size_t i, const VectorView& x, const VectorView* y, const Context& context);
  void add_each(Indices indices, const VectorView& x, const VectorView* y);
  void gather(std::size_t i, Moments& moments) const;
};

/// `y` is empty for operations on one vector.
void AccumulatorArray::State::add_batch(Indices indices, std::span<const Term> x, std::span<const Term> y) {
  for (std::size_t i = 0; i < indices.size(); ++i) count(indices[i], 1, x[i].is_negative_zero());
  if (needs.values) {
    const std::span<const Term> terms = y.empty() ? x : y;
    for_each(values, indices, [&](std::size_t i) {
      if (terms[i].is_special) return values.add_special(indices[i], terms[i].special);
      values.add(indices[i], terms[i].negative, terms[i].significand, terms[i].exponent);
    });
  }
  if (needs.magnitudes)
    for_each(magnitudes, indices, [&](std::size_t i) {
      if (x[i].is_special)
        return magnitudes.add_special(indices[i], from_bits(bits_of(x[i].special) & ~sign_bit));
      magnitudes.add(indices[i], false, x[i].significand, x[i].exponent);
    });
  if (has_products()) add_products(indices, x, y.empty() ? x : y);
  if (needs.extrema)
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const WideKey key = x[i].key();
      add_extremes(indices[i], key, key);
    }
}

void AccumulatorArray::State::add_products(Indices indices, std::span<const Term> x,
                                           std::span<const Term> y) {
  for_each(products, indices, [&](std::size_t i) {
    if (x[i].is_special || y[i].is_special)  // IEEE's product of specials is the contract's
      return products.add_special(indices[i], x[i].representative() * y[i].representative());
    products.add(indices[i], x[i].negative != y[i].negative,
                 static_cast<Uint128>(x[i].significand) * y[i].significand, x[i].exponent + y[i].exponent);
  });
}

/// Adds all elements one by one. indices_from(i, n) gives the indices of elements i to i + n - 1.
void AccumulatorArray::State::add_all(const VectorView& x, const VectorView* y, const auto& indices_from) {
  std::array<Term, batch_size> terms_x, terms_y;
  const auto n = static_cast<std::size_t>(x.size());
  for (std::size_t first = 0; first < n; first += batch_size) {
    const std::size_t taken = std::min(batch_size, n - first);
    const auto of_x = std::span(terms_x).first(taken),
               of_y = std::span(terms_y).first(y != nullptr ? taken : 0);
    read_terms(x, static_cast<std::int64_t>(first), of_x);
    if (y != nullptr) read_terms(*y, static_cast<std::int64_t>(first), of_y);
    add_batch(indices_from(first, taken), of_x, of_y);
  }
}

/// Adds all elements to one sum by a reduction of the whole vector.
void AccumulatorArray::State::add_reduced(std::size_t i, const VectorView& x, const VectorView* y,
                                          const Context& context) {
  Moments part;
  if (y != nullptr)
    reduce_pairs(operation, x, *y, context, part);
  else
    reduce({.needs = needs, .x = x, .y = {}, .two_vectors = false},
           on_present_device(plan(operation, x.type(), x.size(), context)), context, part);
  count(i, part.count, part.only_negative_zeros);
  if (needs.values) values.add(i, part.values);
  if (needs.magnitudes) magnitudes.add(i, part.magnitudes);
  if (has_products()) products.add(i, part.products);
  if (needs.extrema) add_extremes(i, part.min_key, part.max_key);
}

void AccumulatorArray::State::add_each(Indices indices, const VectorView& x, const VectorView* y) {
  if (indices.size() != static_cast<std::size_t>(x.size()))
    refuse_array("there are " + std::to_string(indices.size()) + " indices for " + std::to_string(x.size()) +
                 " values");
  if (!indices.empty()) checked(*std::ranges::max_element(indices));
  add_all(x, y, [&](std::size_t first, std::size_t n) { return indices.subspan(first, n); });
}

void AccumulatorArray::State::gather(std::size_t i, Moments& moments) const {
  moments.count = static_cast<std::int64_t>(counts[i] / 2);
  moments.only_negative_zeros = counts[i] % 2 == 0;
  if (needs.values) values.add_to(moments.values, i);
  if (needs.magnitudes) magnitudes.add_to(moments.magnitudes, i);
  if (has_products()) products.add_to(moments.products, i);
  if (needs.extrema) {
    moments.min_key = extremes[i].min;
    moments.max_key = extremes[i].max;
  }
}

AccumulatorArray::AccumulatorArray(Operation operation, std::int64_t size)
    : state_(std::make_unique<State>(operation)) {
  if (name_of(operation) == "unknown") refuse_array("unknown operation");
  resize(size);
}
AccumulatorArray::AccumulatorArray(AccumulatorArray&& other) noexcept = default;
AccumulatorArray& AccumulatorArray::operator=(AccumulatorArray&& other) noexcept = default;
AccumulatorArray::~AccumulatorArray() = default;

Operation AccumulatorArray::operation() const { return state_->operation; }
std::int64_t AccumulatorArray::size() const { return static_cast<std::int64_t>(state_->size); }

void AccumulatorArray::resize(std::int64_t new_size) {
  if (new_size < size())
    refuse_array("its " + std::to_string(size()) + " elements cannot become " + std::to_string(new_size));
  if (new_size > std::int64_t{UINT32_MAX}) refuse_array("more than 2^32 - 1 elements are not possible");
  state_->resize(static_cast<std::size_t>(new_size));
}

void AccumulatorArray::add(std::int64_t index, const VectorView& x, const Context& context) {
  validate(operation(), x);
  const std::size_t i = state_->checked(index);
  if (x.size() >= fewest_to_reduce) return state_->add_reduced(i, x, nullptr, context);
  std::array<std::uint32_t, fewest_to_reduce> same;
  std::fill_n(same.begin(), x.size(), static_cast<std::uint32_t>(index));
  state_->add_all(x, nullptr, [&](std::size_t, std::size_t n) { return Indices(same).first(n); });
}

void AccumulatorArray::add(std::int64_t index, const VectorView& x, const VectorView& y,
                           const Context& context) {
  validate(operation(), x, y);
  state_->add_reduced(state_->checked(index), x, &y, context);
}

void AccumulatorArray::add(Indices indices, const VectorView& x) {
  validate(operation(), x);
  state_->add_each(indices, x, nullptr);
}

void AccumulatorArray::add(Indices indices, const VectorView& x, const VectorView& y) {
  validate(operation(), x, y);
  state_->add_each(indices, x, &y);
}

void AccumulatorArray::merge(std::int64_t index, const AccumulatorArray& other, std::int64_t other_index) {
  if (other.operation() != operation())
    refuse_array("one for " + std::string(name_of(other.operation())) + " cannot be merged into one for " +
                 std::string(name_of(operation())));
  const std::size_t i = state_->checked(index), j = other.state_->checked(other_index);
  const State& from = *other.state_;
  const Needs& needs = state_->needs;
  state_->count(i, static_cast<std::int64_t>(from.counts[j] / 2), from.counts[j] % 2 == 0);
  if (needs.values) state_->values.merge(i, from.values, j);
  if (needs.magnitudes) state_->magnitudes.merge(i, from.magnitudes, j);
  if (state_->has_products()) state_->products.merge(i, from.products, j);
  if (needs.extrema) state_->add_extremes(i, from.extremes[j].min, from.extremes[j].max);
}

std::int64_t AccumulatorArray::count(std::int64_t index) const {
  return static_cast<std::int64_t>(state_->counts[state_->checked(index)] / 2);
}

Accumulator AccumulatorArray::at(std::int64_t index) const {
  const std::size_t i = state_->checked(index);
  // Not value-initialised: to clear unused limbs would take as long as the rest.
  std::unique_ptr<Accumulator::State> result(new Accumulator::State);
  result->operation = operation();
  state_->gather(i, result->moments);
  return Accumulator(std::move(result));
}

std::int64_t AccumulatorArray::bytes() const {
  return state_->counts.bytes() + state_->values.bytes() + state_->magnitudes.bytes() +
         state_->products.bytes() + state_->extremes.bytes();
}

}  // namespace foldline
