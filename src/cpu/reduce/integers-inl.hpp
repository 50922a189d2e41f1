// The reduction of one thread over integers: from views to tiles, and each tile to every sum of the operation
// while it is in L1 cache. Included once per instruction set.

#include "cpu/reduce/integer_tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// The sums of one thread over elements of type T.
template <class T>
class IntegerReducer {
  using Stored = cpu::Stored<T>;
  using Tile = cpu::PlainTile<T>;
  static constexpr std::size_t lanes = vector_bytes / sizeof(T);
  static constexpr std::size_t tile_elements = integer_tile_vectors * lanes;

 public:
  IntegerReducer(const Reduction& reduction, Moments& moments) : reduction_(reduction), moments_(moments) {}

  /// Adds elements [first, first + count) of the reduction's views; count > 0.
  void Add(std::int64_t first, std::int64_t count) {
    const VectorView& x = reduction_.x;
    const VectorView& y = reduction_.y;
    const bool in_place = x.stride() == 1 && (!reduction_.two_vectors || y.stride() == 1);
    Stored buffer_x[tile_elements];
    Stored buffer_y[tile_elements];
    for (std::int64_t i = first; i < first + count;) {
      const std::size_t n = HWY_MIN(static_cast<std::size_t>(first + count - i), tile_elements);
      const auto* tile_x = reinterpret_cast<const Stored*>(x.at(i));
      const auto* tile_y = reduction_.two_vectors ? reinterpret_cast<const Stored*>(y.at(i)) : tile_x;
      if (!in_place) {
        tile_x = Copy(x, i, n, buffer_x);
        tile_y = reduction_.two_vectors ? Copy(y, i, n, buffer_y) : tile_x;
      }
      AddTile(tile_x, tile_y, n);
      i += static_cast<std::int64_t>(n);
    }
    moments_.only_negative_zeros = false;  // an integer 0 is +0
    empty_ = false;
  }

  void Finish() {
    moments_.values.add(values_);
    moments_.magnitudes.add(magnitudes_);
    moments_.products.add(products_);
    if (!reduction_.needs.extrema || empty_) return;
    if constexpr (has_vectors) extrema_.MoveTo(low_, high_);
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    moments_.add_extrema(wide_key(static_cast<Wide>(low_)), wide_key(static_cast<Wide>(high_)));
  }

 private:
  static const Stored* Copy(const VectorView& view, std::int64_t start, std::size_t n, Stored* buffer) {
    const std::byte* source = view.at(start);
    const std::int64_t step = view.stride() * static_cast<std::int64_t>(sizeof(T));
    for (std::size_t i = 0; i < n; ++i, source += step) std::memcpy(buffer + i, source, sizeof(T));
    return buffer;
  }

  /// Adds whole vectors, then the remaining elements.
  HWY_INLINE void AddTile(const Stored* x, const Stored* y, std::size_t n) {
    const std::size_t whole = has_vectors ? n / lanes * lanes : 0;
    if constexpr (has_vectors)
      if (whole != 0) AddVectors(x, y, whole / lanes);
    if (whole != n) AddPlain({x + whole, n - whole}, {y + whole, n - whole});
  }

  HWY_INLINE void AddVectors(const Stored* x, const Stored* y, std::size_t vectors) {
    const Needs& needs = reduction_.needs;
    if (needs.values) values_ += SumOfVectors<T, ElementTerms<T>>(reduction_.two_vectors ? y : x, vectors);
    if (needs.magnitudes) magnitudes_ += SumOfVectors<T, MagnitudeTerms<T>>(x, vectors);
    if (needs.squares || needs.products) {
      if constexpr (sizeof(T) == 8)
        cpu::add_plain_products(Tile(x, vectors * lanes), Tile(y, vectors * lanes), products_);
      else
        products_ += ProductsOfVectors<T>(x, y, vectors);
    }
    if (needs.extrema) extrema_.Add(x, vectors);
  }

  void AddPlain(const Tile& x, const Tile& y) {
    const Needs& needs = reduction_.needs;
    if (needs.values) values_ += cpu::plain_sum(reduction_.two_vectors ? y : x);
    if (needs.magnitudes) magnitudes_ += cpu::plain_abs_sum(x);
    if (needs.squares || needs.products) cpu::add_plain_products(x, y, products_);
    if (needs.extrema) cpu::add_plain_extrema(x, low_, high_);
  }

  const Reduction& reduction_;
  Moments& moments_;
  Int192 values_ = {}, magnitudes_ = {}, products_ = {};
  LaneExtrema<T> extrema_;
  bool empty_ = true;
  T low_ = std::numeric_limits<T>::max(), high_ = std::numeric_limits<T>::lowest();
};

template <class T>
HWY_NOINLINE void ReduceIntegersAs(const Reduction& reduction, cpu::PartQueue& parts, Moments& moments) {
  std::int64_t first;
  std::int64_t count;
  IntegerReducer<T> reducer(reduction, moments);
  while (parts.take(first, count)) reducer.Add(first, count);
  reducer.Finish();
}

void ReduceIntegerParts(const Reduction& reduction, cpu::PartQueue& parts, Moments& moments) {
  detail::visit_integer(reduction.x.type(), [&]<class T>(std::type_identity<T>) {
    ReduceIntegersAs<T>(reduction, parts, moments);
  });
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
