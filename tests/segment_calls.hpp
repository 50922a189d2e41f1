// Random calls for segments, groups and masks, and the comparison of all their results with the oracle's.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <span>

#include "segment_cases.hpp"

namespace segment_cases {

struct Call {
  Operation operation = Operation::sum;
  ElementType type = ElementType::float64, result = ElementType::float64;
  std::int64_t ddof = 0;
  Context context;
};

Call random_call(Random& random);

/// The oracle's result of some elements.
oracle::Answer expected(const Call& call, std::span<const std::uint64_t> words);

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

/// What a result is that nothing was written to.
oracle::Answer blank_of(ElementType type);

/// Calls, and compares each result with the oracle's of the words that `elements` gives for it. An extremum
/// of no elements is what is usual, or not written.
template <class Reduce, class Elements>
std::string compare(const Call& call, std::int64_t count, Random& random, const Reduce& reduce,
                    const Elements& elements, bool leaves_blank = false) {
  Results results(count, call, random);
  using oracle::Answer;
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

/// Empty if nothing is wrong; otherwise the call and what is wrong.
std::string describe(const Call& call, std::int64_t count, std::int64_t values, std::uint64_t seed,
                     const std::string& wrong);

}  // namespace segment_cases
