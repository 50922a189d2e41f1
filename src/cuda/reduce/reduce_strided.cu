// Vectors of any type, stride and alignment.
#include "cuda/device/any_element.cuh"
#include "cuda/exact/thread_sum.cuh"
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

const std::size_t workspace_bytes = sizeof(Workspace);

/// Vectors of any type, stride and alignment.
template <bool TwoVectors, int Threads>
struct Strided {
  static constexpr int size = 4;
  using Element = AnyElement;
  using BatchType = Batch<AnyElement, size, TwoVectors>;
  const std::byte *first_x, *first_y;
  std::int64_t stride_x, stride_y;  // in bytes
  int count;
  ElementType type;
  int element_bytes;
  int full_tiles, tiles;

  struct Reader {
    static constexpr int size = Strided::size;
    using BatchType = Strided::BatchType;
    const Strided& source;
    int tile, thread;

    __device__ __forceinline__ BatchType batch() const {
      BatchType taken;
#pragma unroll
      for (int i = 0; i < size; ++i) {
        taken.x[i] = at(source.first_x, source.stride_x, i);
        if constexpr (TwoVectors) taken.y[i] = at(source.first_y, source.stride_y, i);
      }
      return taken;
    }
    /// The same, not in the main loop: a call.
    __device__ __noinline__ BatchType masked_batch() const { return batch(); }
    __device__ __forceinline__ Batch<AnyElement, 1, TwoVectors> element(int i) const {
      Batch<AnyElement, 1, TwoVectors> taken;
      taken.x[0] = at(source.first_x, source.stride_x, i);
      if constexpr (TwoVectors) taken.y[0] = at(source.first_y, source.stride_y, i);
      return taken;
    }
    __device__ __forceinline__ void prefetch() const {}
    __device__ std::uint64_t present() const {
      std::uint64_t bits = 0;
      for (int i = 0; i < size; ++i)
        if (is_present(i)) bits |= std::uint64_t{1} << i;
      return bits;
    }

   private:
    __device__ bool is_present(int i) const { return index(i) < source.count; }
    __device__ int index(int i) const { return (tile * size + i) * Threads + thread; }
    __device__ __forceinline__ AnyElement at(const std::byte* vector, std::int64_t stride, int i) const {
      return is_present(i) ? decode(bits_at(vector + index(i) * stride, source.element_bytes), source.type)
                           : neutral<AnyElement>();
    }
  };
  __device__ Reader reader(int tile, int thread) const { return {*this, tile, thread}; }
};

namespace {

template <bool TwoVectors>
Strided<TwoVectors, threads> strided(const Reduction& reduction, std::int64_t count) {
  Strided<TwoVectors, threads> source;
  source.type = reduction.x.type();
  source.element_bytes = static_cast<int>(size_of(source.type));
  source.first_x = reduction.x.at(0);
  source.stride_x = reduction.x.stride() * source.element_bytes;
  source.first_y = TwoVectors ? reduction.y.at(0) : nullptr;
  source.stride_y = TwoVectors ? reduction.y.stride() * source.element_bytes : 0;
  source.count = static_cast<int>(count);
  source.full_tiles = source.count / (threads * source.size);
  source.tiles = (source.count + threads * source.size - 1) / (threads * source.size);
  return source;
}

}  // namespace

std::int64_t launch_strided(const Reduction& reduction, const Launch& launch) {
  constexpr int levels = 3;
  using Any = Kernels<ReduceKernels, ThreadSum<Values, levels, true>, ThreadSum<Magnitudes, levels, true>,
                      ThreadSum<Squares, levels, false>, ThreadSum<Weights, levels, true>,
                      ThreadSum<Products, levels, false>>;
  const std::int64_t count =
      std::min(reduction.x.size(), elements_per_launch<Strided<false, threads>>(launch));
  if (reduction.two_vectors)
    Any::launch_two_vectors(reduction.needs, strided<true>(reduction, count), launch);
  else
    Any::launch_one_vector(reduction.needs, strided<false>(reduction, count),
                           strided<false>(reduction, count), launch);
  return count;
}

}  // namespace foldline::cuda
