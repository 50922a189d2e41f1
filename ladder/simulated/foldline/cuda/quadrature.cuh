// foldline::cuda::integrate where rungs are simulated: the library's own call on the CPU.
#pragma once

#include <foldline/quadrature.hpp>

namespace foldline::cuda {

template <class... Arguments>
auto integrate(Arguments... arguments) {
  return foldline::integrate(arguments...);
}

}  // namespace foldline::cuda
