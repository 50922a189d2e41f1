// An array as Eigen sees it.
#pragma once

#include <Eigen/Core>

#include "problem.hpp"

namespace foldline::bench {

template <FloatingElement T>
auto eigen(std::span<const T> x) {
  using Elements = Eigen::Array<T, Eigen::Dynamic, 1>;
  return Eigen::Map<const Elements>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace foldline::bench
