// Exact matrix products.
#pragma once

#include "contract/backend.hpp"

namespace foldline::cpu {

/// Writes C, each entry rounded once.
void exact_product(const MatrixProduct& product, const Plan& plan);

}  // namespace foldline::cpu
