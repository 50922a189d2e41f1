// Matrix products of stacks of matrices, wherever they are.
#pragma once

#include <vector>

#include "array.hpp"
#include "gpu.hpp"
#include "reduction.hpp"

namespace foldline::python {

/// A stack of matrices, or a vector as one matrix.
struct Stack {
  AxisValues shape, strides;  // of the axes before the last two
  std::int64_t rows, columns, row_stride, column_stride;
};

/// A product of stacks of matrices.
struct Product {
  Stack a, b;
  AxisValues shape, a_strides, b_strides;  // of the stacks, broadcast
};

/// Throws ValueError for numbers, and for stacks of matrices where they are not taken.
void require_matrices(const Array& a, const Array& b, const ProductCall& call);

/// Throws ValueError if shapes do not fit.
Product product_of(const Array& a, const Array& b, const char* caller);
std::vector<std::int64_t> result_shape(const Product& product, const Array& a, const Array& b);

/// Whether the library's matrix product takes these; dot products take all else.
bool has_matrix_product(const Array& a, const Array& b, ElementType out);

/// Writes the products of all matrices, one after the other.
void multiply_stacks(const Product& product, const Array& a, const Array& b, std::byte* out, ElementType type,
                     const Context& context);

/// Each entry as a dot product.
Reduction entries(const Product& product, const Array& a, const Array& b, std::byte* out, ElementType type);

}  // namespace foldline::python
