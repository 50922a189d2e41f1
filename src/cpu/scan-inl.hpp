// The scan of one thread over consecutive elements: from views to tiles, each tile by vectors if a window
// holds it, else element by element. Included once per instruction set.

#include "cpu/scan_window-inl.hpp"
//
#include "cpu/gather-inl.hpp"
//
#include "cpu/scan_integers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

template <class Out>
using RoundingTo =
    std::conditional_t<std::is_same_v<Out, double>, RoundToDouble,
                       std::conditional_t<std::is_same_v<Out, float>, RoundToFloat, RoundToOddFloat>>;

/// Scans elements that are T, or widened to T; results are Out.
template <class T, class Out>
class Scanner {
  using Rounding = RoundingTo<Out>;
  using Stored = typename Rounding::Stored;

 public:
  Scanner(const Scan& scan, Accuracy accuracy, bool stream, ScanState& state)
      : scan_(scan),
        fast_(accuracy == Accuracy::fast),
        stream_(stream),
        state_(state),
        window_(state.prefix) {}

  /// Scans elements [first, first + count), which come after those in the state.
  void Run(std::int64_t first, std::int64_t count) {
    Out* results = results_ + results_start;
    if (scan_.exclusive) results[-1] = narrow_exactly<Out>(state_.rounded(format_for<Out>));
    const std::size_t tile = fast_ ? tile_elements : HWY_MIN(tile_elements, Window::elements);
    T buffer[tile_elements];
    for (std::int64_t i = first; i < first + count;) {
      std::size_t n = HWY_MIN(static_cast<std::size_t>(first + count - i), tile);
      if (IsInPlace<T>(scan_.x) && n >= group) {
        n -= n % group;
        ScanTile(reinterpret_cast<const T*>(scan_.x.at(i)), n);
      } else if (is_floating(scan_.x.type())) {
        Gather(scan_.x, i, n, buffer);
        ScanTile(buffer, n);
      } else {
        ScanIntegers(i, n, buffer);
      }
      Emit(i, n);
      i += static_cast<std::int64_t>(n);
    }
    window_.Close();
  }

 private:
  /// Results of n elements, padded with zeros to a multiple of group.
  void ScanTile(const T* x, std::size_t n) {
    const std::size_t vectors = (n + group - 1) / group * unroll;
    if (IsOtherThanNegativeZero(x)) state_.only_negative_zeros = false;
    const bool by_vectors = !state_.only_negative_zeros && !state_.specials.any() &&
                            (fast_ ? ScanFast(x, vectors) : ScanExact(x, vectors));
    if (!by_vectors) {
      window_.Close();
      cpu::scan_elements(x, n, results_ + results_start, state_);
    } else if constexpr (sizeof(Out) == 2) {
      NarrowTile(n);
    }
  }

  /// Results of n integers, as doubles if that is what they are.
  void ScanIntegers(std::int64_t start, std::size_t n, T* buffer) {
    if constexpr (std::is_same_v<T, double>) {
      std::uint64_t integers[tile_elements];
      GatherIntegers(scan_.x, start, n, integers);
      if (ToDoubles(integers, n, is_signed(scan_.x.type()), buffer)) return ScanTile(buffer, n);
      window_.Close();
      cpu::scan_integers(integers, n, is_signed(scan_.x.type()), results_ + results_start, state_);
    }
  }

  static bool IsOtherThanNegativeZero(const T* x) {
    T first;
    std::memcpy(&first, reinterpret_cast<const char*>(x), sizeof first);
    return bits_of(static_cast<double>(first)) != sign_bit;
  }

  bool ScanExact(const T* x, std::size_t vectors) {
    const int parts = window_.PartsFor(x, vectors);
    if (parts == 0) return false;
    TwoParts sum = window_.Sum();
    const double smallest = parts == 2
                                ? ScanVectors<Rounding, true>(x, vectors, window_.anchor(), sum, stored())
                                : ScanVectors<Rounding, false>(x, vectors, 0, sum, stored());
    if (smallest < window_.SmallestResult(sizeof(T) > sizeof(Out))) return false;
    window_.Advance(sum);
    return true;
  }

  bool ScanFast(const T* x, std::size_t vectors) {
    const double total = FastSum(Values<T>{x}, vectors);
    TwoParts sum = {state_.prefix.is_zero() ? 0.0 : state_.prefix.rounded(format_of_double), 0};
    ScanVectors<Rounding, false>(x, vectors, 0, sum, stored());
    // What overflowed in between stays infinite or NaN to the end.
    if (!std::isfinite(total) || !std::isfinite(sum.high)) return false;
    state_.prefix.add(total);
    return true;
  }

  /// Where vectors put their results.
  Stored* stored() {
    if constexpr (sizeof(Out) == 2)
      return floats_;
    else
      return results_ + results_start;
  }

  void NarrowTile(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) results_[results_start + i] = Out(floats_[i]);
  }

  /// Writes the results of elements [first, first + n) where they belong.
  void Emit(std::int64_t first, std::size_t n) {
    Out* results = results_ + results_start;
    const Out* source = scan_.exclusive ? results - 1 : results;
    std::byte* target = scan_.out.at(first);
    if (scan_.out.stride() != 1) {
      const std::int64_t step = scan_.out.stride() * static_cast<std::int64_t>(sizeof(Out));
      for (std::size_t i = 0; i < n; ++i, target += step) std::memcpy(target, source + i, sizeof(Out));
    } else {
      CopyBytes(source, n * sizeof(Out), target);
    }
    results[-1] = results[n - 1];
  }

  /// Copies, past the caches if the whole target is longer than they are: to write to it through them would
  /// mean to read it first. (Not by memcpy, which takes 8 KiB by a string instruction at 5 GB/s.)
  void CopyBytes(const void* source, std::size_t n, std::byte* target) const {
    const auto* from = static_cast<const std::uint8_t*>(source);
    auto* to = reinterpret_cast<std::uint8_t*>(target);
    const hn::ScalableTag<std::uint8_t> d;
    constexpr std::size_t width = hn::MaxLanes(d);
    std::size_t i = HWY_MIN(n, (width - reinterpret_cast<std::uintptr_t>(to) % width) % width);
    std::memcpy(to, from, i);
    if (stream_)
      for (; i + width <= n; i += width) hn::Stream(hn::LoadU(d, from + i), d, to + i);
    else
      for (; i + width <= n; i += width) hn::Store(hn::LoadU(d, from + i), d, to + i);
    std::memcpy(to + i, from + i, n - i);
  }

  // The result before the tile's first one is kept before it, for exclusive scans.
  static constexpr std::size_t results_start = lanes * sizeof(double) / sizeof(Out);

  const Scan& scan_;
  const bool fast_, stream_;
  ScanState& state_;
  Window window_;
  HWY_ALIGN Out results_[results_start + tile_elements];
  HWY_ALIGN float floats_[sizeof(Out) == 2 ? tile_elements : 1];
};

template <class T>
void ScanFloatsAs(const Scan& scan, Accuracy accuracy, bool stream, std::int64_t first, std::int64_t count,
                  ScanState& state) {
  const auto run = [&](auto out) {
    Scanner<T, decltype(out)>(scan, accuracy, stream, state).Run(first, count);
  };
  switch (scan.out.type()) {
    case ElementType::half:
      return run(half());
    case ElementType::bfloat16:
      return run(bfloat16());
    case ElementType::float32:
      return run(float());
    default:
      return run(double());
  }
}

std::int64_t ScanPart(const Scan& scan, Accuracy accuracy, bool stream, std::int64_t first,
                      std::int64_t count, ScanState& state) {
  if (!is_floating(scan.out.type())) return IntegerScanner(scan, state).Run(first, count);
  if (scan.x.type() == ElementType::float64 || !is_floating(scan.x.type()))
    ScanFloatsAs<double>(scan, accuracy, stream, first, count, state);
  else
    ScanFloatsAs<float>(scan, accuracy, stream, first, count, state);
  return no_result;
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
