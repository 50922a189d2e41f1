// Segments: threads share them by elements; short ones are tried in few operations, and all threads share
// each of those that would keep one of them busy while the others wait.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "contract/few_elements.hpp"
#include "contract/segments.hpp"
#include "cpu/reduce/kernels.hpp"

namespace foldline::cpu {

namespace {

// What a segment takes beside its elements, in elements.
constexpr std::int64_t cost_of_segment = 16;
// Work of a part: enough to be worth taking, little enough that no thread waits long at the end.
constexpr std::int64_t least_part = std::int64_t{1} << 14;
constexpr std::int64_t parts_of_thread = 8;
// Longer segments are shared by the threads.
constexpr std::int64_t long_segment = std::int64_t{1} << 18;

/// A format's infinity as a magnitude, and its NaN, in bits.
template <class T>
constexpr std::uint64_t infinity_of = std::same_as<T, half>       ? 0x7c00
                                      : std::same_as<T, bfloat16> ? 0x7f80
                                      : std::same_as<T, float>    ? 0x7f80'0000
                                                                  : infinity_bits;
template <class T>
constexpr std::uint64_t nan_of = infinity_of<T> | (infinity_of<T> & ~(infinity_of<T> << 1)) >> 1;

/// The smallest or the largest of some elements as an element, which is not rounded: its bits are compared as
/// integers of the same order. NaN if there is one.
template <class T>
void store_extremum(const VectorView& x, bool lowest, std::byte* out) {
  constexpr int bits = 8 * sizeof(T);
  using Signed =
      std::conditional_t<sizeof(T) == 8, std::int64_t,
                         std::conditional_t<sizeof(T) == 4, std::int32_t,
                                            std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;
  using Word = std::make_unsigned_t<Signed>;
  constexpr auto sign = static_cast<Word>(Word{1} << (bits - 1));
  // To numbers in the order of elements, and back.
  const auto turned = [](Word word) -> Signed {
    if constexpr (FloatingElement<T>)
      return static_cast<Signed>((word & sign) != 0 ? word ^ static_cast<Word>(~sign) : word);
    return static_cast<Signed>(std::is_signed_v<T> ? word : word ^ sign);
  };
  const std::byte* at = x.at(0);
  const std::int64_t step = x.stride() * static_cast<std::int64_t>(sizeof(T));
  Signed best = 0;
  bool has_nan = false;
  for (std::int64_t i = 0; i < x.size(); ++i, at += step) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    if constexpr (FloatingElement<T>) has_nan |= static_cast<Word>(word & ~sign) > infinity_of<T>;
    const Signed own = turned(word);
    best = i == 0 ? own : lowest ? std::min(best, own) : std::max(best, own);
  }
  auto result = static_cast<Word>(turned(static_cast<Word>(best)));
  if constexpr (FloatingElement<T>) result = has_nan ? static_cast<Word>(nan_of<T>) : result;
  std::memcpy(out, &result, sizeof result);
}

template <class Offsets>
class Segments {
 public:
  Segments(const SegmentReduction& reduction, const SegmentPlan& plan, RoundSegment round,
           const Offsets& offsets)
      : reduction_(reduction),
        plan_(plan),
        round_(round),
        offsets_(offsets),
        count_(reduction.out.size()),
        one_thread_(plan.all) {
    one_thread_.threads = 1;
    one_thread_.part = std::max<std::int64_t>(reduction.values.size(), 1);
  }

  void reduce() const {
    const std::int64_t work = work_before(count_);
    const std::int64_t part = std::max((work - 1) / (plan_.all.threads * parts_of_thread) + 1, least_part);
    const std::int64_t parts = (work - 1) / part + 1;
    const auto threads = static_cast<int>(std::min<std::int64_t>(plan_.all.threads, parts));
    if (threads == 1) return reduce_some(0, count_, INT64_MAX);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (std::int64_t i = 0; i < parts; ++i)
      reduce_some(first_after(i * part), first_after(std::min((i + 1) * part, work)), long_segment);
    for (std::int64_t i = 0; i < count_; ++i)
      if (length(i) > long_segment) reduce_one(i, plan_.all);
  }

 private:
  std::int64_t length(std::int64_t i) const { return offsets_[i + 1] - offsets_[i]; }
  std::int64_t work_before(std::int64_t i) const { return offsets_[i] - offsets_[0] + i * cost_of_segment; }
  /// The first segment with at least so much work before it.
  std::int64_t first_after(std::int64_t work) const {
    std::int64_t low = 0;
    for (std::int64_t high = count_; low < high;) {
      const std::int64_t middle = low + (high - low) / 2;
      if (work_before(middle) < work)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  void reduce_some(std::int64_t first, std::int64_t end, std::int64_t longest) const {
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t size = length(i);
      if (size > longest || (size <= few_elements && plan_.tries_few && store_one_of_few(i, size))) continue;
      reduce_one(i, one_thread_);
    }
  }
  void reduce_one(std::int64_t i, const Plan& plan) const {
    Moments moments;
    cpu::reduce(
        {.needs = needs_of(reduction_.operation), .x = reduction_.segment(offsets_[i], length(i)), .y = {}},
        plan, moments);
    round_(reduction_, moments, i);
  }
  bool store_one_of_few(std::int64_t i, std::int64_t size) const {
    const ElementType type = reduction_.out.type();
    const VectorView x = reduction_.segment(offsets_[i], size);
    const bool lowest = reduction_.operation == Operation::minimum;
    if (lowest || reduction_.operation == Operation::maximum) {
      if (size == 0 || type != x.type() || type == ElementType::boolean) return false;
      detail::visit_type(
          type, [&]<class T>(std::type_identity<T>) { store_extremum<T>(x, lowest, reduction_.out.at(i)); });
      return true;
    }
    double value = 0;
    if (!reduce_few(reduction_.operation, x, x, type, value)) return false;
    const auto narrow = static_cast<float>(value);
    if (type == ElementType::float64)
      std::memcpy(reduction_.out.at(i), &value, sizeof value);
    else
      std::memcpy(reduction_.out.at(i), &narrow, sizeof narrow);
    return true;
  }

  const SegmentReduction& reduction_;
  const SegmentPlan& plan_;
  const RoundSegment round_;
  const Offsets offsets_;
  const std::int64_t count_;
  Plan one_thread_;
};

}  // namespace

void reduce_segments(const SegmentReduction& reduction, const SegmentPlan& plan, RoundSegment round) {
  visit_indices(reduction.offsets,
                [&](const auto& offsets) { Segments(reduction, plan, round, offsets).reduce(); });
}

}  // namespace foldline::cpu
