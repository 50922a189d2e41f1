#include "axes_cases.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <sstream>

#include "cases.hpp"

namespace axes_cases {

using generators::Generator;
using generators::Random;

Placement dense(const Extents& shape) { return {shape, foldline::row_major_strides(shape).to_vector(), 0}; }

Placement random_placement(const Extents& shape, bool distinct, Random& random) {
  Placement placement = dense(shape);
  if (random.one_in(3)) return placement;
  std::vector<std::size_t> order(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  const bool gaps = random.one_in(3);
  std::int64_t stride = gaps && random.one_in(4) ? random.between(2, 3) : 1;
  for (const std::size_t axis : order) {
    placement.strides[axis] = random.one_in(6) ? -stride : stride;
    if (!distinct && random.one_in(40)) placement.strides[axis] = 0;
    stride *= std::max<std::int64_t>(shape[axis], 1) + (gaps ? random.between(0, 3) : 0);
  }
  placement.misalignment = random.one_in(4) ? random.between(0, 7) : 0;
  return placement;
}

Memory::Memory(const Placement& placement, ElementType type) : type_(type) {
  constexpr std::int64_t guard = 1024;  // bytes: more than any vector or tile reads ahead
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::size_t axis = 0; axis < placement.shape.size(); ++axis) {
    const std::int64_t reach =
        (std::max<std::int64_t>(placement.shape[axis], 1) - 1) * placement.strides[axis];
    (reach < 0 ? lowest : highest) += reach;
  }
  const std::int64_t width = foldline::size_of(type);
  bytes_.assign(static_cast<std::size_t>((highest - lowest + 1) * width + 2 * guard + 128), std::byte{0xff});
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  const auto aligned = static_cast<std::int64_t>((64 - address % 64) % 64);
  origin_ = bytes_.data() + guard + aligned + placement.misalignment - lowest * width;
  view_ = ArrayView(origin_, type, placement.shape, placement.strides);
}

std::byte* Memory::at(const Extents& index) const {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * view_.strides()[axis];
  return origin_ + offset * foldline::size_of(type_);
}

std::uint64_t Memory::bits(const Extents& index) const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at(index), static_cast<std::size_t>(foldline::size_of(type_)));  // little-endian
  return bits;
}

void Memory::set_bits(const Extents& index, std::uint64_t bits) {
  std::memcpy(at(index), &bits, static_cast<std::size_t>(foldline::size_of(type_)));
}

std::byte* Memory::start_of(std::size_t axis, const Extents& rest) const {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) offset += rest[i] * view_.strides()[i < axis ? i : i + 1];
  return origin_ + offset * foldline::size_of(type_);
}

void Memory::get_line(std::size_t axis, const Extents& rest, std::vector<std::uint64_t>& words) const {
  words.resize(static_cast<std::size_t>(view_.shape()[axis]));
  cases::with_width(foldline::size_of(type_), [&]<class Word>(Word element) {
    const std::int64_t step = view_.strides()[axis] * foldline::size_of(type_);
    const std::byte* place = start_of(axis, rest);
    for (std::uint64_t& word : words) {
      std::memcpy(&element, place, sizeof element);
      word = element;
      place += step;
    }
  });
}

void Memory::set_line(std::size_t axis, const Extents& rest, std::span<const std::uint64_t> words) {
  cases::with_width(foldline::size_of(type_), [&]<class Word>(Word) {
    const std::int64_t step = view_.strides()[axis] * foldline::size_of(type_);
    std::byte* place = start_of(axis, rest);
    for (const std::uint64_t word : words) {
      const auto element = static_cast<Word>(word);
      std::memcpy(place, &element, sizeof element);
      place += step;
    }
  });
}

bool Memory::is_blank() const {
  // Each byte is the same as the next one.
  return bytes_.front() == std::byte{0xff} &&
         std::memcmp(bytes_.data(), bytes_.data() + 1, bytes_.size() - 1) == 0;
}

void Memory::reduce(Operation operation, std::int64_t axis, Memory& results, std::int64_t ddof,
                    const Context& context) const {
  if (context.execution.device.kind == foldline::Device::Kind::cpu || view_.size() % 8 == 5)
    return foldline::reduce_axis(operation, view_, axis, results.mutable_view(), {.ddof = ddof}, context);
  const cases::DeviceCopy array(bytes_, context.execution.device),
      out(results.bytes_, context.execution.device);
  foldline::reduce_axis(operation, ArrayView(array.at(origin_), type_, view_.shape(), view_.strides()), axis,
                        MutableArrayView(out.at(results.origin_), results.type_, results.view_.shape(),
                                         results.view_.strides()),
                        {.ddof = ddof}, context);
  out.fetch(results.bytes_);
}

void Memory::call_on(foldline::Device device, Memory& results,
                     const std::function<void(const ArrayView&, const MutableArrayView&)>& call) {
  if (device.kind == foldline::Device::Kind::cpu) return call(view_, results.mutable_view());
  const cases::DeviceCopy array(bytes_, device), others(results.bytes_, device);
  const cases::DeviceCopy& out = &results == this ? array : others;
  call(ArrayView(array.at(origin_), type_, view_.shape(), view_.strides()),
       MutableArrayView(out.at(results.origin_), results.type_, results.view_.shape(),
                        results.view_.strides()));
  out.fetch(results.bytes_);
}

bool advance(Extents& index, const Extents& shape) {
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (++index[axis] < shape[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

namespace {

Extents without(const Extents& shape, std::size_t axis) {
  Extents rest = shape;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
  return rest;
}

std::size_t index_of_axis(const Memory& array, std::int64_t axis) {
  return static_cast<std::size_t>(axis < 0 ? axis + array.view().axes() : axis);
}

std::string text_of(const Extents& numbers) {
  std::ostringstream text;
  for (std::size_t i = 0; i < numbers.size(); ++i) text << (i == 0 ? "" : " ") << numbers[i];
  return '(' + text.str() + ')';
}

std::string describe(const Memory& array, const Call& call, const Placement& out) {
  std::ostringstream text;
  text << name_of(call.operation) << " as " << name_of(call.result) << ", ddof " << call.ddof << ", target "
       << name_of(call.context.execution.target) << ", on " << name_of(call.context.execution.device)
       << ", threads " << call.context.execution.threads << ", of " << name_of(array.view().type()) << ' '
       << text_of(array.view().shape().to_vector()) << " with strides "
       << text_of(array.view().strides().to_vector()) << " along axis " << call.axis << " into strides "
       << text_of(out.strides);
  return text.str();
}

}  // namespace

std::string check(const Memory& array, const Call& call, const Placement& out) {
  Memory results(out, call.result);
  try {
    array.reduce(call.operation, call.axis, results, call.ddof, call.context);
  } catch (const std::exception& error) {
    return describe(array, call, out) + ": exception: " + error.what();
  }
  if (results.view().size() > 0) {
    thread_local oracle::BigIntegers big;
    const std::size_t axis = index_of_axis(array, call.axis);
    const bool with_squares = call.operation == Operation::two_norm ||
                              call.operation == Operation::root_mean_square ||
                              oracle::has_ddof(call.operation);
    std::vector<std::uint64_t> words;
    std::vector<double> values;
    Extents index(out.shape.size(), 0);
    do {
      array.get_line(axis, index, words);
      values.resize(words.size());
      std::ranges::transform(words, values.begin(),
                             [&](std::uint64_t word) { return oracle::decode(word, array.view().type()); });
      big.load(values, with_squares);
      const std::uint64_t expected = big.result(call.operation, call.result, call.ddof);
      if (results.bits(index) != expected)
        return describe(array, call, out) + ": result " + text_of(index) + " is " +
               cases::hex(results.bits(index)) + ", must be " + cases::hex(expected);
      results.set_bits(index, UINT64_MAX);
    } while (advance(index, out.shape));
  }
  return results.is_blank() ? "" : describe(array, call, out) + ": something was written around the results";
}

void fill(Memory& array, std::int64_t axis_number, ElementType type, Random& random) {
  const std::size_t axis = index_of_axis(array, axis_number);
  const Extents rest = without(array.view().shape().to_vector(), axis);
  const std::int64_t length = array.view().shape()[axis];
  const auto any = [&] {
    return generators::all_generators[static_cast<std::size_t>(
        random.between(0, static_cast<std::int64_t>(generators::all_generators.size()) - 1))];
  };
  enum class Mixture : std::uint8_t { one_for_all, one_each, odd_ones };
  const auto mixture = static_cast<Mixture>(random.between(0, 2));
  const Generator common = mixture == Mixture::odd_ones ? Generator::normal : any();
  const std::int64_t rarity = random.log_uniform(64);
  if (array.view().size() == 0) return;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(length));
  Extents index(rest.size(), 0);
  do {
    const bool own = mixture == Mixture::one_each || (mixture == Mixture::odd_ones && random.one_in(rarity));
    const std::vector<std::uint64_t> made =
        cases::encoded(generators::generate(own ? any() : common, type, length, random).x, type);
    // What has fewer elements than it was asked for, is repeated; nothing is only zeros.
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = made.empty() ? 0 : made[i % made.size()];
    array.set_line(axis, index, words);
  } while (advance(index, rest));
}

namespace {

/// Extents of up to four axes and not too many elements in all, around the sizes at which kernels change.
Extents random_shape(Random& random) {
  static const std::vector<std::int64_t> special = {0,  1,  2,  3,  4,  5,  7,  8,  9,   15,  16, 17,
                                                    31, 32, 33, 47, 63, 64, 65, 96, 127, 128, 129};
  if (random.one_in(300))
    return {random.between(8190, 8300), random.between(2, 9)};  // many rows of few columns
  Extents shape(static_cast<std::size_t>(random.one_in(4) ? random.between(1, 4) : 2));
  std::int64_t room = random.log_uniform(random.one_in(16) ? 16'384 : 2048);
  for (std::int64_t& extent : shape) {
    extent = random.coin() ? random.pick(special) : random.log_uniform(room) - (random.one_in(20) ? 1 : 0);
    extent = std::min(extent, room);
    room = std::max<std::int64_t>(1, room / std::max<std::int64_t>(extent, 1));
  }
  random.shuffle(shape);
  return shape;
}

Call random_call(ElementType type, std::int64_t axes, Random& random) {
  Call call;
  call.context = random.pick(cases::processors());
  call.operation = oracle::one_vector_operations[static_cast<std::size_t>(
      random.between(0, static_cast<std::int64_t>(oracle::one_vector_operations.size()) - 1))];
  call.axis = random.between(-axes, axes - 1);
  call.result = random.coin() ? type : oracle::all_types[static_cast<std::size_t>(random.between(0, 3))];
  call.ddof = oracle::has_ddof(call.operation) ? random.between(0, 1) : 0;
  call.context.execution.threads = random.one_in(16) ? static_cast<int>(random.between(2, 8)) : 1;
  return call;
}

}  // namespace

bool check_random_axes_case(std::uint64_t seed, std::string& failure) {
  Random random(seed);
  const ElementType type = oracle::all_types[static_cast<std::size_t>(random.between(0, 3))];
  const Extents shape = random_shape(random);
  Memory array(random_placement(shape, false, random), type);
  Call call = random_call(type, array.view().axes(), random);
  const std::size_t axis = index_of_axis(array, call.axis);
  fill(array, call.axis, type, random);
  if (oracle::needs_elements(call.operation) && shape[axis] == 0) call.operation = Operation::sum;
  failure = check(array, call, random_placement(without(shape, axis), true, random));
  if (!failure.empty()) failure += ", seed " + std::to_string(seed);
  return failure.empty();
}

}  // namespace axes_cases
