// Vectors of any type, stride and alignment.
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

const std::size_t workspace_bytes = sizeof(Workspace);

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
  using Any = BinKernels<3, 3, false>;
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
