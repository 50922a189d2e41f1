// The reduction of one thread: from views to tiles, and each tile to every sum of the operation while it is
// in L1 cache. Included once per instruction set.

#include "cpu/reduce/square_sum-inl.hpp"
//
#include "cpu/simd/gather-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

// Levels tried first: 92 bits hold doubles within 39 binades, 46 bits floats within 22; 138 bits hold
// products of doubles within 32 binades, 92 bits those of floats within 44.
template <class T>
constexpr int usual_levels = sizeof(T) == 8 ? 2 : 1;
template <class T>
constexpr int usual_levels_of_products = sizeof(T) == 8 ? 3 : 2;

/// The sums of one thread over elements that are T, or widened to T.
template <class T>
class Reducer {
  static constexpr bool is_double = sizeof(T) == 8;

 public:
  Reducer(const Reduction& reduction, Accuracy accuracy, double one, Moments& moments)
      : reduction_(reduction),
        // A variance of inexact sums would cancel: if both sums are needed, they are exact.
        fast_(accuracy == Accuracy::fast && !(reduction.needs.values && reduction.needs.squares)),
        one_(one),
        moments_(moments),
        values_(moments.values, usual_levels<T>),
        magnitudes_(moments.magnitudes, usual_levels<T>),
        products_(moments.products) {}

  /// Adds elements [first, first + count) of the reduction's views.
  void Add(std::int64_t first, std::int64_t count) {
    const VectorView& x = reduction_.x;
    const VectorView& y = reduction_.y;
    const bool in_place = IsInPlace<T>(x) && (!reduction_.two_vectors || IsInPlace<T>(y));
    if (moments_.only_negative_zeros)
      moments_.only_negative_zeros = cpu::only_negative_zeros(x, first, count);
    T buffer_x[tile_elements];
    T buffer_y[tile_elements];
    for (std::int64_t i = first; i < first + count;) {
      std::size_t n = HWY_MIN(static_cast<std::size_t>(first + count - i), tile_elements);
      const T* tile_x = buffer_x;
      const T* tile_y = buffer_y;
      if (in_place && n >= group) {
        n -= n % group;  // whole groups in place; the last few elements go through the buffer
        tile_x = reinterpret_cast<const T*>(x.at(i));
        tile_y = reduction_.two_vectors ? reinterpret_cast<const T*>(y.at(i)) : tile_x;
      } else {
        Gather(x, i, n, buffer_x);
        if (reduction_.two_vectors) Gather(y, i, n, buffer_y);
      }
      AddTile(tile_x, tile_y, n);
      i += static_cast<std::int64_t>(n);
    }
  }

  void Finish() {
    values_.Finish();
    magnitudes_.Finish();
    products_.Finish();
    if (min_key_ <= max_key_)
      moments_.add_extrema(wide_key(from_order_key(min_key_)), wide_key(from_order_key(max_key_)));
  }

 private:
  /// Adds a tile of n elements, padded with zeros to a multiple of group.
  HWY_INLINE void AddTile(const T* x, const T* y, std::size_t n) {
    const Needs& needs = reduction_.needs;
    const std::size_t vectors = (n + group - 1) / group * unroll;
    if (fast_) {
      AddFast(x, y, vectors);
    } else {
      if (needs.values) values_.Add(Values<T>{reduction_.two_vectors ? y : x}, vectors, one_);
      if (needs.magnitudes) magnitudes_.Add(Magnitudes<T>{x}, vectors, one_);
      if (needs.squares || needs.products) AddProducts(x, y, vectors);
    }
    if (needs.extrema) AddExtrema(x, n, min_key_, max_key_);
  }

  HWY_INLINE void AddProducts(const T* x, const T* y, std::size_t vectors) {
    if constexpr (is_double) {
      if (reduction_.needs.squares)
        products_.squares.Add(x, vectors);
      else
        products_.products.Add(ExactProducts{x, y}, vectors, one_);
    } else if (reduction_.needs.squares) {
      products_.Add(Squares<T>{x}, vectors, one_);
    } else {
      products_.Add(Products<T>{x, y}, vectors, one_);
    }
  }

  void AddFast(const T* x, const T* y, std::size_t vectors) {
    const Needs& needs = reduction_.needs;
    if (needs.values)
      AddSpecialOr(moments_.values, FastSum(Values<T>{reduction_.two_vectors ? y : x}, vectors));
    if (needs.magnitudes) AddSpecialOr(moments_.magnitudes, FastSum(Magnitudes<T>{x}, vectors));
    if (needs.squares) AddSpecialOr(moments_.products, FastSum(Squares<T>{x}, vectors));
    if (needs.products) AddSpecialOr(moments_.products, FastSum(Products<T>{x, y}, vectors));
  }

  template <class Sum>
  static void AddSpecialOr(Sum& sum, double tile) {
    if (!is_finite(tile))
      sum.specials.count(tile);
    else
      sum.limbs().add(tile);
  }

  using ProductSum = ExactSum<ProductLimbs>;
  /// For doubles: squares by slices, products by bins; only one of the two is used.
  struct DoubleProducts {
    explicit DoubleProducts(ProductSum& sum) : squares(sum), products(sum, usual_levels_of_products<T>) {}
    void Finish() {
      squares.Finish();
      products.Finish();
    }
    SquareSum<ProductSum> squares;
    BinnedSum<ExactProductBuckets, ProductSum> products;
  };
  /// For floats: squares and products are doubles.
  struct FloatProducts : BinnedSum<TermBuckets, ProductSum> {
    explicit FloatProducts(ProductSum& sum)
        : BinnedSum<TermBuckets, ProductSum>(sum, usual_levels_of_products<T>) {}
  };

  const Reduction& reduction_;
  const bool fast_;
  const double one_;
  Moments& moments_;
  std::int64_t min_key_ = INT64_MAX, max_key_ = INT64_MIN;  // of doubles
  BinnedSum<TermBuckets, ExactSum<SumLimbs>> values_, magnitudes_;
  std::conditional_t<is_double, DoubleProducts, FloatProducts> products_;
};

/// The sum of a contiguous vector of at most one tile, if the operation needs just one sum: as Reducer does
/// it, without its set-up (64 doubles: 76 instead of 84 ns). Returns false in other cases.
template <class T>
HWY_INLINE bool ReduceShort(const Reduction& reduction, double one, Moments& moments) {
  const Needs& needs = reduction.needs;
  const VectorView& view_x = reduction.x;
  const VectorView& view_y = reduction.two_vectors ? reduction.y : reduction.x;
  const auto n = static_cast<std::size_t>(view_x.size());
  if (n > tile_elements || needs.values + needs.magnitudes + needs.products != 1 || needs.squares ||
      needs.extrema || !IsInPlace<T>(view_x) || !IsInPlace<T>(view_y))
    return false;
  const std::size_t whole = n - n % group;
  const auto* x = static_cast<const T*>(view_x.data());
  const auto* y = static_cast<const T*>(view_y.data());
  T tail_x[group];
  T tail_y[group];
  const auto add = [&](auto& sum, const auto& terms, const auto& tail) FOLDLINE_LAMBDA {
    if (whole != 0) sum.Add(terms, whole / lanes, one);
    if (whole != n) {
      Gather(view_x, static_cast<std::int64_t>(whole), n - whole, tail_x);
      if (reduction.two_vectors) Gather(view_y, static_cast<std::int64_t>(whole), n - whole, tail_y);
      sum.Add(tail, unroll, one);
    }
    sum.Finish();
  };
  if (needs.products) {
    using Terms = std::conditional_t<sizeof(T) == 8, ExactProducts, Products<T>>;
    using Sum = ExactSum<ProductLimbs>;
    std::conditional_t<sizeof(T) == 8, BinnedSum<ExactProductBuckets, Sum>, BinnedSum<TermBuckets, Sum>> sum(
        moments.products, usual_levels_of_products<T>);
    add(sum, Terms{x, y}, Terms{tail_x, tail_y});
  } else if (needs.magnitudes) {
    BinnedSum<TermBuckets, ExactSum<SumLimbs>> sum(moments.magnitudes, usual_levels<T>);
    add(sum, Magnitudes<T>{x}, Magnitudes<T>{tail_x});
  } else {
    BinnedSum<TermBuckets, ExactSum<SumLimbs>> sum(moments.values, usual_levels<T>);
    add(sum, Values<T>{x}, Values<T>{tail_x});
  }
  if (moments.only_negative_zeros)
    moments.only_negative_zeros = cpu::only_negative_zeros(view_x, 0, view_x.size());
  return true;
}

template <class T>
HWY_NOINLINE void ReduceAs(const Reduction& reduction, Accuracy accuracy, cpu::PartQueue& parts, double one,
                           Moments& moments) {
  std::int64_t first;
  std::int64_t count;
  Reducer<T> reducer(reduction, accuracy, one, moments);
  while (parts.take(first, count)) reducer.Add(first, count);
  reducer.Finish();
}

void ReduceParts(const Reduction& reduction, Accuracy accuracy, cpu::PartQueue& parts, double one,
                 Moments& moments) {
  if (accuracy == Accuracy::exact && parts.is_whole()) {
    if (reduction.x.type() == ElementType::float64 && ReduceShort<double>(reduction, one, moments)) return;
    if (reduction.x.type() == ElementType::float32 && ReduceShort<float>(reduction, one, moments)) return;
  }
  if (reduction.x.type() == ElementType::float64)
    ReduceAs<double>(reduction, accuracy, parts, one, moments);
  else
    ReduceAs<float>(reduction, accuracy, parts, one, moments);
}

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
