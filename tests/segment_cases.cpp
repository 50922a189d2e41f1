#include "segment_cases.hpp"

#include <algorithm>
#include <stdexcept>

#include "segment_calls.hpp"

namespace segment_cases {

using foldline::VectorView;
using integer_cases::pick;

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

}  // namespace segment_cases
