#include "segment_cases.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace segment_cases {

using foldline::Overflow;
using foldline::VectorView;
using integer_cases::pick;
using oracle::Answer;

std::vector<std::int64_t> random_lengths(std::int64_t count, std::int64_t longest, Random& random) {
  const std::int64_t usual = random.log_uniform(longest);
  const bool has_empty = random.coin();
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(count));
  for (std::int64_t& length : lengths) {
    length = random.log_uniform(random.one_in(8) ? usual : std::min<std::int64_t>(usual, 20));
    if (has_empty && random.one_in(3)) length = 0;
  }
  return lengths;
}

Words random_values(ElementType type, std::int64_t size, Random& random) {
  Words words;
  while (std::ssize(words) < size) {
    const std::int64_t some = random.log_uniform(size - std::ssize(words));
    const Words more =
        foldline::is_floating(type)
            ? cases::encoded(
                  generators::generate(pick(generators::all_generators, random), type, some, random).x, type)
            : integer_cases::generate(pick(integer_cases::all_generators, random), type, some, random);
    words.insert(words.end(), more.begin(), more.end());
    if (more.empty()) words.push_back(0);
  }
  words.resize(static_cast<std::size_t>(size));
  return words;
}

namespace {

struct Call {
  Operation operation = Operation::sum;
  ElementType type = ElementType::float64, result = ElementType::float64;
  std::int64_t ddof = 0;
  Context context;
};

Call random_call(Random& random) {
  Call call;
  call.type = pick(foldline::element_types, random);
  call.context = random.pick(cases::processors());
  do call.operation = pick(oracle::all_one_vector_operations, random);
  while (!cases::runs_on(call.context.execution.device, call.operation));
  if (foldline::is_floating(call.type))
    call.result = random.coin() ? call.type : pick(oracle::all_types, random);
  else
    call.result = integer_cases::random_result(call.operation, random);
  call.ddof = oracle::has_ddof(call.operation) ? random.between(0, 2) : 0;
  call.context.overflow = random.coin() ? Overflow::wrap : Overflow::error;
  call.context.execution.threads = random.one_in(16) ? static_cast<int>(random.between(2, 8)) : 1;
  return call;
}

Answer expected(const Call& call, std::span<const std::uint64_t> words) {
  const bool is_floating = foldline::is_floating(call.result);
  if (words.empty() && oracle::needs_elements(call.operation))
    return is_floating ? Answer{Answer::Kind::value, oracle::canonical_nan(call.result)}
                       : Answer{Answer::Kind::refused, 0};
  if (!foldline::is_floating(call.type)) {
    oracle::Integers integers;
    integers.load(call.type, words);
    return integers.result(call.operation, call.result, call.ddof, call.context.overflow);
  }
  thread_local oracle::BigIntegers big;
  std::vector<double> values(words.size());
  std::ranges::transform(words, values.begin(),
                         [&](std::uint64_t word) { return oracle::decode(word, call.type); });
  big.load(values);
  return {Answer::Kind::value, big.result(call.operation, call.result, call.ddof)};
}

/// Results with bytes of 0xff around and between them, in the host's memory or a device's.
class Results {
 public:
  Results(std::int64_t count, const Call& call, Random& random)
      : type_(call.result),
        count_(count),
        stride_(random.one_in(4) ? random.between(1, 3) : 1),
        bytes_(static_cast<std::size_t>(2 * guard + count * stride_ * foldline::size_of(type_)),
               std::byte{0xff}),
        first_(guard + (random.one_in(4) ? random.between(0, 7) : 0)) {
    if (call.context.execution.device.kind == foldline::Device::Kind::cuda && random.coin())
      copy_.emplace(bytes_, call.context.execution.device);
  }
  foldline::MutableVectorView view() {
    std::byte* const first = bytes_.data() + first_;
    return {copy_ ? copy_->at(first) : first, type_, count_, stride_};
  }
  void fetch() {
    if (copy_) copy_->fetch(bytes_);
  }
  /// Result i, which is blank then.
  std::uint64_t take(std::int64_t i) {
    const auto width = static_cast<std::size_t>(foldline::size_of(type_));
    std::byte* const at = bytes_.data() + first_ + i * stride_ * static_cast<std::int64_t>(width);
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, width);
    std::memset(at, 0xff, width);
    return bits;
  }
  bool is_blank() const {
    return std::ranges::all_of(bytes_, [](std::byte byte) { return byte == std::byte{0xff}; });
  }

 private:
  static constexpr std::int64_t guard = 64;
  ElementType type_;
  std::int64_t count_, stride_;
  std::vector<std::byte> bytes_;
  std::int64_t first_;
  std::optional<cases::DeviceCopy> copy_;
};

/// Integers in memory as the narrowest type that a draw allows, and wider ones.
cases::Layout random_indices(const std::vector<std::int64_t>& indices, Random& random) {
  const std::int64_t largest = indices.empty() ? 0 : std::ranges::max(indices);
  ElementType type = ElementType::int64;
  do type = pick(integer_cases::all_types, random);
  while (type == ElementType::boolean || oracle::highest_of(type) < static_cast<long>(largest));
  const Words words(indices.begin(), indices.end());
  return cases::Layout::of_words(words, type, random.one_in(4) ? random.between(1, 3) : 1,
                                 random.one_in(8) ? random.between(0, 7) : 0);
}

/// What a result is that nothing was written to.
Answer blank_of(ElementType type) {
  return {Answer::Kind::value, UINT64_MAX >> (64 - 8 * foldline::size_of(type))};
}

/// Calls, and compares each result with the oracle's of the words that `elements` gives for it. An extremum
/// of no elements is what is usual, or not written.
template <class Reduce, class Elements>
std::string compare(const Call& call, std::int64_t count, Random& random, const Reduce& reduce,
                    const Elements& elements, bool leaves_blank = false) {
  Results results(count, call, random);
  Answer::Kind outcome = Answer::Kind::value;
  try {
    reduce(results.view());
  } catch (const foldline::OverflowError&) {
    outcome = Answer::Kind::overflow;
  } catch (const foldline::InvalidArgument&) {
    outcome = Answer::Kind::refused;
  } catch (const std::exception& error) {
    return std::string("exception: ") + error.what();
  }
  results.fetch();
  bool is_right = outcome == Answer::Kind::value;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto words = elements(i);
    const bool is_blank = leaves_blank && words.empty() && oracle::needs_elements(call.operation);
    const Answer right = is_blank ? blank_of(call.result) : expected(call, words);
    is_right = is_right || right.kind == outcome;
    if (outcome != Answer::Kind::value) continue;
    const Answer actual = {Answer::Kind::value, results.take(i)};
    if (actual != right)
      return "result " + std::to_string(i) + " is " + integer_cases::describe(actual) + ", must be " +
             integer_cases::describe(right);
  }
  if (outcome != Answer::Kind::value)
    return is_right ? "" : "there was " + integer_cases::describe({outcome, 0});
  return results.is_blank() ? "" : "something was written around the results";
}

std::string describe(const Call& call, std::int64_t count, std::int64_t values, std::uint64_t seed,
                     const std::string& wrong) {
  if (wrong.empty()) return {};
  const integer_cases::Call like = {call.operation, call.result, call.ddof, integer_cases::Way::function,
                                    call.context};
  return integer_cases::describe(like) + ", " + std::to_string(count) + " results of " +
         std::to_string(values) + ' ' + std::string(name_of(call.type)) + ", seed " + std::to_string(seed) +
         ": " + wrong;
}

}  // namespace

std::string check_random_segments(std::uint64_t seed) {
  Random random(seed);
  const Call call = random_call(random);
  const std::int64_t count = random.log_uniform(100) - (random.one_in(8) ? 1 : 0);
  const std::int64_t before = random.one_in(4) ? random.between(0, 9) : 0;
  std::vector<std::int64_t> offsets = {before};
  for (const std::int64_t length : random_lengths(count, random.one_in(64) ? 20'000 : 500, random))
    offsets.push_back(offsets.back() + length);
  const Words words =
      random_values(call.type, offsets.back() + (random.one_in(4) ? random.between(0, 9) : 0), random);
  const cases::Layout values =
      cases::Layout::of_words(words, call.type, random.one_in(6) ? -random.between(1, 2) : 1,
                              random.one_in(6) ? random.between(0, 7) : 0);
  const cases::Layout indices = random_indices(offsets, random);
  const foldline::Device device = call.context.execution.device, host;
  const VectorView x = values.view(random.one_in(8) ? host : device),
                   ends = indices.view(random.one_in(8) ? host : device);
  const auto reduce = [&](const foldline::MutableVectorView& out) {
    foldline::reduce_segments(call.operation, x, ends, out, {.ddof = call.ddof}, call.context);
  };
  const auto elements = [&](std::int64_t i) {
    const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(i)]),
               end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(i) + 1]);
    return std::span(words).subspan(begin, end - begin);
  };
  return describe(call, count, std::ssize(words), seed, compare(call, count, random, reduce, elements));
}

std::string check_random_groups(std::uint64_t seed) {
  Random random(seed);
  const Call call = random_call(random);
  const std::int64_t count = random.log_uniform(random.one_in(8) ? 5000 : 40);
  const std::int64_t used = random.log_uniform(count);
  const std::int64_t size = random.log_uniform(1000) - 1;
  const Words words = random_values(call.type, size, random);
  std::vector<std::int64_t> keys(words.size());
  for (std::int64_t& key : keys) key = random.between(0, used - 1);
  if (random.one_in(4)) std::ranges::sort(keys);
  std::vector<Words> groups(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < keys.size(); ++i) groups[static_cast<std::size_t>(keys[i])].push_back(words[i]);
  const cases::Layout values =
      cases::Layout::of_words(words, call.type, random.one_in(4) ? random.between(-2, 2) == 0 ? 2 : -1 : 1,
                              random.one_in(4) ? random.between(0, 7) : 0);
  const cases::Layout indices = random_indices(keys, random);
  const foldline::Device device = call.context.execution.device, host;
  const VectorView x = values.view(random.one_in(8) ? host : device),
                   names = indices.view(random.one_in(8) ? host : device);
  const auto reduce = [&](const foldline::MutableVectorView& out) {
    foldline::reduce_by_key(call.operation, names, x, out, {.ddof = call.ddof}, call.context);
  };
  const auto elements = [&](std::int64_t i) {
    return std::span<const std::uint64_t>(groups[static_cast<std::size_t>(i)]);
  };
  return describe(call, count, size, seed, compare(call, count, random, reduce, elements));
}

std::string check_random_mask(std::uint64_t seed) {
  Random random(seed);
  Call call = random_call(random);
  const foldline::Device device = call.context.execution.device, host;
  const std::int64_t size = random.log_uniform(random.one_in(8) ? 20'000 : 500) - 1;
  const Words words = random_values(call.type, size, random);
  Words mask(words.size()), taken;
  const std::int64_t rarity = random.log_uniform(100);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (random.one_in(rarity)) {
      mask[i] = static_cast<std::uint64_t>(random.between(1, 255));
      taken.push_back(words[i]);
    }
  if (taken.empty() && oracle::needs_elements(call.operation)) call.operation = Operation::sum;
  const cases::Layout values = cases::Layout::of_words(words, call.type, random.one_in(4) ? -2 : 1,
                                                       random.one_in(4) ? random.between(0, 7) : 0);
  const cases::Layout where =
      cases::Layout::of_words(mask, random.coin() ? ElementType::boolean : ElementType::uint8,
                              random.one_in(4) ? random.between(2, 3) : 1);
  const VectorView x = values.view(random.one_in(8) ? host : device),
                   taking = where.view(random.one_in(8) ? host : device);
  const auto reduce = [&](const foldline::MutableVectorView& out) {
    const std::int64_t count =
        foldline::reduce_where(call.operation, x, taking, out, {.ddof = call.ddof}, call.context);
    if (count != std::ssize(taken)) throw std::runtime_error("a count of " + std::to_string(count));
  };
  const auto elements = [&](std::int64_t) { return std::span<const std::uint64_t>(taken); };
  return describe(call, 1, size, seed, compare(call, 1, random, reduce, elements));
}

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
