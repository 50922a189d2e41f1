// The scan of one thread over consecutive elements: from views to tiles, each tile by vectors if a window
// holds it, else element by element. Included once per instruction set.

#include "cpu/scan/scan_window-inl.hpp"
//
#include "cpu/simd/gather-inl.hpp"
//
#include "cpu/simd/gather_integers-inl.hpp"
//
#include "cpu/scan/scan_integers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

template <class Out>
using RoundingTo =
    std::conditional_t<std::is_same_v<Out, double>, RoundToDouble,
                       std::conditional_t<std::is_same_v<Out, float>, RoundToFloat, RoundToOddFloat>>;

/// The number of vectors of n elements, padded to whole groups.
constexpr std::size_t VectorsOf(std::size_t n) { return (n + group - 1) / group * unroll; }

/// Scans elements that are T, or widened to T; results are Out.
template <class T, class Out>
class Scanner {
  using Rounding = RoundingTo<Out>;
  using Stored = typename Rounding::Stored;
  using Fast = FastTile<T, Rounding>;
  static constexpr bool by_quads =
      has_quads && std::is_same_v<T, float> && std::is_same_v<Rounding, RoundToFloat>;

 public:
  Scanner(const Scan& scan, const cpu::ScanMode& mode, ScanState& state)
      : scan_(scan),
        mode_(mode),
        fast_(mode.accuracy == Accuracy::fast),
        ahead_(IsInPlace<T>(scan.x) ? mode.ahead : 0),
        state_(state),
        window_(state.prefix, sizeof(Out) == 8 ? 53 : 24, sizeof(T) > sizeof(Out)) {}

  /// Scans elements [first, first + count), which follow those in the state.
  void Run(std::int64_t first, std::int64_t count) {
    Out* results = results_ + results_start;
    if (scan_.exclusive) results[-1] = narrow_exactly<Out>(state_.rounded(format_for<Out>));
    const std::size_t tile = fast_ ? tile_elements : HWY_MIN(tile_elements, ScanWindow::elements);
    T buffer[tile_elements];
    for (std::int64_t i = first; i < first + count;) {
      std::size_t n = HWY_MIN(static_cast<std::size_t>(first + count - i), tile);
      if (i == first) n = HWY_MIN(n, ElementsToAlignment(i));
      bool is_in_out = false;
      if (is_floating(scan_.x.type())) {
        const T* const x = GatherUnlessInPlace(scan_.x, i, n, buffer);
        is_in_out = ScanTile(x, n, x == buffer ? nullptr : Target(i));
      } else {
        ScanIntegers(i, n, buffer);
      }
      if (!is_in_out) Emit(i, n);
      i += static_cast<std::int64_t>(n);
    }
    window_.Close();
  }

 private:
  /// Whether vector code can store results directly in `out`.
  bool CanBeDirect() const { return sizeof(Out) > 2 && !scan_.exclusive && scan_.out.stride() == 1; }

  /// Length of the first tile, chosen so that the others begin at a cache line, as stores past the caches
  /// must. (A tile of a fast scan always begins at the same element, because that shows in the results.)
  std::size_t ElementsToAlignment(std::int64_t first) const {
    const std::size_t n = ElementsToLine(scan_.out.at(first), sizeof(Out));
    return mode_.stream && !fast_ && CanBeDirect() && n != 0 ? n : tile_elements;
  }

  /// The address for results from element i on if vector code can store there, else nullptr.
  Stored* Target(std::int64_t i) const {
    if (!CanBeDirect()) return nullptr;
    std::byte* target = scan_.out.at(i);
    if (mode_.stream && !IsAtLine(target)) return nullptr;
    return reinterpret_cast<Stored*>(target);
  }

  /// Finds the results of n elements, padded with zeros to a multiple of group. They are in `target` if that
  /// is not null and this returns true, else in results_.
  bool ScanTile(const T* x, std::size_t n, Stored* target) {
    const std::size_t vectors = VectorsOf(n);
    if (IsOtherThanNegativeZero(x)) state_.only_negative_zeros = false;
    const bool by_vectors = !state_.only_negative_zeros && !state_.specials.any() &&
                            (fast_ ? ScanFast(x, vectors, target) : ScanExact(x, vectors, target));
    if (!by_vectors) {
      window_.Close();
      if (fast_)
        ScanElementsFast(x, n);
      else
        cpu::scan_elements(x, n, results_ + results_start, state_);
      return false;
    }
    if constexpr (sizeof(Out) == 2) NarrowTile(n);
    return target != nullptr && is_in_target_;
  }

  /// Finds the results of n integers, by vectors if all are doubles.
  void ScanIntegers(std::int64_t start, std::size_t n, T* buffer) {
    if constexpr (std::is_same_v<T, double>) {
      std::uint64_t integers[tile_elements];
      GatherIntegers(scan_.x, start, n, integers);
      if (ToDoubles(integers, n, is_signed(scan_.x.type()), buffer)) {
        ScanTile(buffer, n, nullptr);
        return;
      }
      window_.Close();
      cpu::scan_integers(integers, n, is_signed(scan_.x.type()), results_ + results_start, state_);
    }
  }

  static bool IsOtherThanNegativeZero(const T* x) {
    T first;
    std::memcpy(&first, reinterpret_cast<const char*>(x), sizeof first);
    return bits_of(static_cast<double>(first)) != sign_bit;
  }

  bool ScanExact(const T* x, std::size_t vectors, Stored* target) {
    if (!window_.Holds(x, vectors)) return false;
    TwoParts sum = window_.Sum();
    const double smallest_allowed = window_.IsFarFromSmallest() ? 0 : window_.SmallestResult();
    // Results that may have to be found again must not overwrite the elements of a scan in place.
    is_in_target_ = target != nullptr && (smallest_allowed == 0 || scan_.out.data() != scan_.x.data());
    const Output<Stored> out = is_in_target_ ? Output<Stored>{target, mode_.stream} : Buffered();
    const auto scan = [&](auto split, auto find_smallest) {
      if constexpr (by_quads && !split)
        return ScanQuads<find_smallest>(x, vectors, mode_.one, ahead_, sum, out);
      else
        return ScanVectors<Rounding, split, find_smallest>(x, vectors, window_.anchor(), mode_.one, ahead_,
                                                           sum, out);
    };
    constexpr std::true_type yes;
    constexpr std::false_type no;
    if (smallest_allowed == 0)
      window_.is_split() ? scan(yes, no) : scan(no, no);
    else if ((window_.is_split() ? scan(yes, yes) : scan(no, yes)) < smallest_allowed)
      return false;
    window_.Advance(sum);
    return true;
  }

  bool ScanFast(const T* x, std::size_t vectors, Stored* target) {
    // The elements of a scan in place are still needed if sums overflow.
    is_in_target_ = target != nullptr && scan_.out.data() != scan_.x.data();
    const Output<Stored> out = is_in_target_ ? Output<Stored>{target, mode_.stream} : Buffered();
    const double sum = state_.prefix.is_zero() ? 0.0 : state_.prefix.rounded(format_of_double);
    const double total = Fast::Scan(x, vectors, mode_.one, ahead_, sum, out);
    if (!std::isfinite(total)) return false;
    state_.prefix.add(total);
    return true;
  }

  /// Exact results of n elements; the state changes as by ScanFast.
  void ScanElementsFast(const T* x, std::size_t n) {
    ScanState exact = state_;
    cpu::scan_elements(x, n, results_ + results_start, exact);
    const double total = Fast::Total(x, VectorsOf(n));
    if (std::isfinite(total)) {
      state_.prefix.add(total);
      state_.only_negative_zeros = exact.only_negative_zeros;
    } else {
      state_ = exact;
    }
  }

  /// The buffer for results that do not go to `out` directly.
  Output<Stored> Buffered() {
    if constexpr (sizeof(Out) == 2)
      return {floats_, false};
    else
      return {results_ + results_start, false};
  }

  void NarrowTile(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) results_[results_start + i] = Out(floats_[i]);
  }

  /// Stores the results of elements [first, first + n) in `out`.
  void Emit(std::int64_t first, std::size_t n) {
    Out* results = results_ + results_start;
    const Out* source = scan_.exclusive ? results - 1 : results;
    std::byte* target = scan_.out.at(first);
    if (scan_.out.stride() != 1) {
      const std::int64_t step = scan_.out.stride() * static_cast<std::int64_t>(sizeof(Out));
      for (std::size_t i = 0; i < n; ++i, target += step) std::memcpy(target, source + i, sizeof(Out));
    } else {
      CopyBytes(source, n * sizeof(Out), target, mode_.stream);
    }
    results[-1] = results[n - 1];
  }

  // The result before the tile's first one precedes it, for exclusive scans.
  static constexpr std::size_t results_start = lanes * sizeof(double) / sizeof(Out);

  const Scan& scan_;
  const cpu::ScanMode mode_;
  const bool fast_;
  const std::int64_t ahead_;
  ScanState& state_;
  ScanWindow window_;
  bool is_in_target_ = false;  // the last tile's results are in its target, if vector code found them
  HWY_ALIGN Out results_[results_start + tile_elements];
  HWY_ALIGN float floats_[sizeof(Out) == 2 ? tile_elements : 1];
};

/// Adds to `total` what a fast Scanner adds to its state.
template <class T, class Out>
void AddTotalAs(const VectorView& x, std::int64_t first, std::int64_t count, Moments& total) {
  if (total.only_negative_zeros) total.only_negative_zeros = cpu::only_negative_zeros(x, first, count);
  T buffer[tile_elements];
  for (std::int64_t i = first; i < first + count;) {
    std::size_t n = HWY_MIN(static_cast<std::size_t>(first + count - i), tile_elements);
    const T* const tile = GatherUnlessInPlace(x, i, n, buffer);
    const double sum = FastTile<T, RoundingTo<Out>>::Total(tile, VectorsOf(n));
    if (std::isfinite(sum)) total.values.limbs().add(sum);
    for (std::size_t k = 0; k < n && !std::isfinite(sum); ++k) {
      T element;  // which need not be aligned
      std::memcpy(&element, reinterpret_cast<const char*>(tile) + k * sizeof element, sizeof element);
      if (std::isfinite(element))
        total.values.limbs().add(static_cast<double>(element));
      else
        total.values.specials.count(static_cast<double>(element));
    }
    i += static_cast<std::int64_t>(n);
  }
}

/// A ScanTotal.
void AddTotal(const Scan& scan, std::int64_t first, std::int64_t count, Moments& total) {
  detail::visit_floating(scan.out.type(), [&]<class Out>(std::type_identity<Out>) {
    if (scan.x.type() == ElementType::float64)
      AddTotalAs<double, Out>(scan.x, first, count, total);
    else
      AddTotalAs<float, Out>(scan.x, first, count, total);
  });
}

template <class T>
void ScanFloatsAs(const Scan& scan, const cpu::ScanMode& mode, std::int64_t first, std::int64_t count,
                  ScanState& state) {
  detail::visit_floating(scan.out.type(), [&]<class Out>(std::type_identity<Out>) {
    Scanner<T, Out>(scan, mode, state).Run(first, count);
  });
}

std::int64_t ScanPart(const Scan& scan, const cpu::ScanMode& mode, std::int64_t first, std::int64_t count,
                      ScanState& state) {
  std::int64_t overflow = no_result;
  if (!is_floating(scan.out.type()))
    overflow = IntegerScanner(scan, mode, state).Run(first, count);
  else if (scan.x.type() == ElementType::float64 || !is_floating(scan.x.type()))
    ScanFloatsAs<double>(scan, mode, first, count, state);
  else
    ScanFloatsAs<float>(scan, mode, first, count, state);
  if (mode.stream) hwy::FlushStream();  // the results must be visible to whoever sees that the scan is done
  return overflow;
}

constexpr cpu::ScanKernels scan_kernels = {ScanPart, AddTotal};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
