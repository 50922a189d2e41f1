#include <numeric>
#include <stdexcept>

#include "segment_calls.hpp"

namespace segment_cases {

using foldline::VectorView;

namespace {

/// Extents of a few axes, around the sizes at which kernels change; a few thousand elements at most.
std::vector<std::int64_t> random_extents(Random& random) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(random.one_in(3) ? random.between(1, 5) : 2));
  std::int64_t room = random.log_uniform(random.one_in(8) ? 8192 : 1024);
  for (std::int64_t& extent : shape) {
    extent = random.one_in(30) ? 0 : random.log_uniform(room);
    if (random.one_in(4))
      extent =
          std::min<std::int64_t>(room, random.pick(std::vector<std::int64_t>{7, 8, 9, 32, 63, 64, 65, 512}));
    room = std::max<std::int64_t>(1, room / std::max<std::int64_t>(extent, 1));
  }
  random.shuffle(shape);
  return shape;
}

/// Strides of distinct elements in a random order of axes, some of them negative; and where element 0 is.
struct Strides {
  std::vector<std::int64_t> strides;
  std::int64_t first = 0, size = 1;
};
Strides random_strides(const std::vector<std::int64_t>& shape, Random& random) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  if (random.one_in(3)) random.shuffle(order);
  Strides result{std::vector<std::int64_t>(shape.size())};
  for (const std::size_t axis : order) {
    const std::int64_t extent = std::max<std::int64_t>(shape[axis], 1);
    const bool is_turned = random.one_in(6);
    result.strides[axis] = is_turned ? -result.size : result.size;
    if (is_turned) result.first += (extent - 1) * result.size;
    result.size *= extent;
    if (random.one_in(6)) result.size += random.between(1, 3);
  }
  return result;
}

std::int64_t at(const Strides& strides, const std::vector<std::int64_t>& index) {
  return std::inner_product(index.begin(), index.end(), strides.strides.begin(), strides.first);
}

}  // namespace

std::string check_random_masked_axes(std::uint64_t seed) {
  Random random(seed);
  Call call = random_call(random);
  const foldline::Device device = call.context.execution.device, host;
  const std::vector<std::int64_t> shape = random_extents(random);
  const Strides x = random_strides(shape, random);
  // The mask is of the last axes, some of which have one element.
  std::vector<std::int64_t> mask_shape(
      shape.begin() + (random.one_in(8) ? random.between(0, std::ssize(shape)) : 0), shape.end());
  for (std::int64_t& extent : mask_shape)
    if (random.one_in(10)) extent = 1;
  const Strides m = random_strides(mask_shape, random);
  const Words words = random_values(call.type, x.size, random);
  Words mask(static_cast<std::size_t>(m.size));
  const std::int64_t rarity = random.log_uniform(random.coin() ? 100 : 2);
  for (std::uint64_t& taken : mask)
    taken = random.one_in(rarity) ? static_cast<std::uint64_t>(random.between(1, 255)) : 0;

  std::vector<std::int64_t> axes, kept;
  std::vector<bool> is_reduced(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    is_reduced[axis] = random.coin();
    if (is_reduced[axis])
      axes.push_back(static_cast<std::int64_t>(axis) - (random.coin() ? std::ssize(shape) : 0));
    else
      kept.push_back(shape[axis]);
  }
  random.shuffle(axes);
  std::int64_t results = 1;
  for (const std::int64_t extent : kept) results *= extent;

  // The elements of each result, one by one.
  std::vector<Words> elements(static_cast<std::size_t>(results));
  std::vector<std::int64_t> index(shape.size());
  const bool has_elements = std::ranges::find(shape, 0) == shape.end();
  for (bool more = has_elements; more;) {
    std::int64_t result = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (!is_reduced[axis]) result = result * shape[axis] + index[axis];
    std::vector<std::int64_t> place(index.end() - std::ssize(mask_shape), index.end());
    for (std::size_t axis = 0; axis < place.size(); ++axis) place[axis] %= mask_shape[axis];
    if (mask[static_cast<std::size_t>(at(m, place))] != 0)
      elements[static_cast<std::size_t>(result)].push_back(words[static_cast<std::size_t>(at(x, index))]);
    more = false;
    for (std::size_t axis = shape.size(); axis-- > 0 && !more; more = index[axis] != 0)
      index[axis] = (index[axis] + 1) % shape[axis];
  }

  const cases::Layout values =
      cases::Layout::of_words(words, call.type, 1, random.one_in(4) ? random.between(0, 7) : 0);
  const cases::Layout where =
      cases::Layout::of_words(mask, random.coin() ? ElementType::boolean : ElementType::uint8, 1);
  const auto view = [&](const cases::Layout& layout, const Strides& strides,
                        const std::vector<std::int64_t>& extents) {
    const VectorView all = layout.view(random.one_in(8) ? host : device);
    const auto* const first = static_cast<const std::byte*>(all.data());
    return foldline::ArrayView(first + strides.first * foldline::size_of(all.type()), all.type(), extents,
                               strides.strides);
  };
  std::vector<std::int64_t> counts(static_cast<std::size_t>(results), -1);
  const bool counts_too = random.coin();
  const auto reduce = [&](const foldline::MutableVectorView& out) {
    foldline::AxisValues strides = foldline::row_major_strides(kept);
    for (std::int64_t& stride : strides) stride *= out.stride();
    std::optional<foldline::MutableArrayView> taken;
    if (counts_too) taken.emplace(counts.data(), kept);
    foldline::reduce_axes_where(call.operation, view(values, x, shape), view(where, m, mask_shape), axes,
                                {out.data(), out.type(), kept, strides}, taken, {.ddof = call.ddof},
                                call.context);
    for (std::size_t i = 0; counts_too && i < counts.size(); ++i)
      if (counts[i] != std::ssize(elements[i]))
        throw std::runtime_error("count " + std::to_string(i) + " is " + std::to_string(counts[i]) +
                                 ", must be " + std::to_string(elements[i].size()));
  };
  const auto elements_of = [&](std::int64_t i) {
    return std::span<const std::uint64_t>(elements[static_cast<std::size_t>(i)]);
  };
  return describe(call, results, x.size, seed, compare(call, results, random, reduce, elements_of, true));
}

}  // namespace segment_cases
