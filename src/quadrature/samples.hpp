// Checks shared by the integrals of tabulated data.
#pragma once

#include <string_view>

#include "foldline/context.hpp"
#include "foldline/vector_view.hpp"

namespace foldline::quadrature {

/// Throw InvalidArgument, with a message that begins with `caller`, unless this can be integrated.
void require_samples(std::string_view caller, const VectorView& y, double dx, const Context& context);
void require_samples(std::string_view caller, const VectorView& y, const VectorView& x,
                     const Context& context);

}  // namespace foldline::quadrature
