// matmul and dot.
#include <algorithm>
#include <string>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/matrix_product.hpp"
#include "gpu.hpp"
#include "output.hpp"
#include "pairs.hpp"
#include "products.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

Stack stack_of(const Array& array, bool vector_is_row) {
  const std::size_t axes = array.shape.size();
  if (axes == 1 && vector_is_row) return {{}, {}, 1, array.shape[0], 0, array.strides[0]};
  if (axes == 1) return {{}, {}, array.shape[0], 1, array.strides[0], 0};
  return {AxisValues::generate(axes - 2, [&](std::size_t i) { return array.shape[i]; }),
          AxisValues::generate(axes - 2, [&](std::size_t i) { return array.strides[i]; }),
          array.shape[axes - 2],
          array.shape[axes - 1],
          array.strides[axes - 2],
          array.strides[axes - 1]};
}

/// The operand of one matrix product.
ArrayView matrix_at(const Array& array, const Stack& stack, std::int64_t offset) {
  const std::int64_t size = size_of(array.type);
  return {array.data + offset,
          array.type,
          {stack.rows, stack.columns},
          {stack.rows > 1 ? stack.row_stride / size : 1, stack.columns > 1 ? stack.column_stride / size : 1}};
}

}  // namespace

void require_matrices(const Array& a, const Array& b, const ProductCall& call) {
  if (a.axes() == 0 || b.axes() == 0)
    raise(PyExc_ValueError,
          std::string(call.name) + ": numbers are no matrices; both need one axis at least");
  if (!call.takes_stacks && std::max(a.axes(), b.axes()) > 2)
    raise(PyExc_ValueError,
          std::string(call.name) + ": vectors and matrices only; matmul and vecdot take more axes");
}

Product product_of(const Array& a, const Array& b, const char* caller) {
  Product product = {stack_of(a, true), stack_of(b, false), {}, {}, {}};
  if (product.a.columns != product.b.rows)
    raise(PyExc_ValueError, std::string(caller) + ": shapes " + text_of(a.shape) + " and " +
                                text_of(b.shape) + " do not fit: " + std::to_string(product.a.columns) +
                                " columns, " + std::to_string(product.b.rows) + " rows");
  product.shape = broadcast_shapes(product.a.shape, product.b.shape, caller);
  product.a_strides = broadcast_strides(product.a.shape, product.a.strides, product.shape, caller);
  product.b_strides = broadcast_strides(product.b.shape, product.b.strides, product.shape, caller);
  return product;
}

std::vector<std::int64_t> result_shape(const Product& product, const Array& a, const Array& b) {
  std::vector<std::int64_t> shape = product.shape.to_vector();
  if (a.axes() > 1) shape.push_back(product.a.rows);
  if (b.axes() > 1) shape.push_back(product.b.columns);
  return shape;
}

bool has_matrix_product(const Array& a, const Array& b, ElementType out) {
  const auto is_ieee = [](ElementType type) {
    return type == ElementType::float32 || type == ElementType::float64;
  };
  return a.type == b.type && is_ieee(a.type) && is_ieee(out) && a.is_viewable() && b.is_viewable();
}

void multiply_stacks(const Product& product, const Array& a, const Array& b, std::byte* out, ElementType type,
                     const Context& context) {
  const std::int64_t size = size_of(type), rows = product.a.rows, columns = product.b.columns;
  std::vector<Axis> stack;
  std::int64_t matrices = 1;
  for (std::size_t i = 0; i < product.shape.size(); ++i) {
    stack.push_back(axis_of_pairs(product.shape[i], product.a_strides[i], product.b_strides[i]));
    matrices *= product.shape[i];
  }
  for (std::int64_t matrix = 0; matrix < matrices; ++matrix, out += rows * columns * size) {
    std::int64_t rest = matrix, of_a = 0, of_b = 0;
    for (std::size_t i = stack.size(); i-- > 0;) {
      of_a += rest % stack[i].extent * stack[i].strides[Axis::first];
      of_b += rest % stack[i].extent * stack[i].strides[Axis::second];
      rest /= stack[i].extent;
    }
    matrix_product(matrix_at(a, product.a, of_a), matrix_at(b, product.b, of_b),
                   MutableArrayView(out, type, {rows, columns}, {std::max<std::int64_t>(columns, 1), 1}), {},
                   context);
  }
}

Reduction entries(const Product& product, const Array& a, const Array& b, std::byte* out, ElementType type) {
  Reduction reduction = reduction_of_pairs(Operation::dot, a, b);
  const std::int64_t size = size_of(type), rows = product.a.rows, columns = product.b.columns;
  std::int64_t out_stride = rows * columns * size;
  for (std::size_t i = product.shape.size(); i-- > 0;) {
    reduction.kept.insert(reduction.kept.begin(), axis_of_pairs(product.shape[i], product.a_strides[i],
                                                                product.b_strides[i], out_stride));
    out_stride *= product.shape[i];
  }
  reduction.kept.push_back(axis_of_pairs(rows, product.a.row_stride, 0, columns * size));
  reduction.kept.push_back(axis_of_pairs(columns, 0, product.b.column_stride, size));
  reduction.reduced.push_back(
      axis_of_pairs(product.a.columns, product.a.column_stride, product.b.row_stride));
  reduction.out = out;
  reduction.out_type = type;
  return reduction;
}

namespace {

nb::object multiply(nb::handle given_a, nb::handle given_b, const ProductCall& call) {
  if (is_on_gpu(given_a) || is_on_gpu(given_b)) return multiply_on_gpu(given_a, given_b, call);
  const Array a = array_from(given_a, call.name), b = array_from(given_b, call.name);
  require_matrices(a, b, call);
  const Product product = product_of(a, b, call.name);
  Output output =
      Output::make(nb::none(), call.dtype, result_shape(product, a, b), dot_type(a, b), a, call.name);
  {
    const WithoutLock unlocked(a.size + b.size);
    if (has_matrix_product(a, b, output.type()))
      multiply_stacks(product, a, b, output.data(), output.type(), current_context());
    else
      run(entries(product, a, b, output.data(), output.type()));
  }
  return output.finish(call.name);
}

nb::object matmul(nb::handle a, nb::handle b, nb::handle dtype) {
  return multiply(a, b, {"foldline.matmul", dtype, true});
}

nb::object dot(nb::handle a, nb::handle b) {
  const nb::object no_dtype = nb::none();
  return multiply(a, b, {"foldline.dot", no_dtype, false});
}

}  // namespace

void register_products(nb::module_& module) {
  module.def("matmul", matmul, nb::arg().none(), nb::arg().none(), nb::kw_only(),
             nb::arg("dtype") = nb::none(), nb::sig("def matmul(x1, x2, /, *, dtype=None)"),
             R"(The matrix product: each entry is the exact sum of its exact products, rounded once.

Shapes are those of numpy.matmul: vectors are rows on the left and columns on the right, further axes are
stacks of matrices. float32 and float64 are fast; other types, and two types, are added up entry by entry.

Examples
--------
>>> import foldline as fl
>>> fl.matmul([[1e200, 1.0], [0.0, 2.0]], [[1e-200, 0.0], [3.0, 0.5]])
array([[4. , 0.5],
       [6. , 1. ]])
)");
  module.def("dot", dot, nb::arg().none(), nb::arg().none(), nb::sig("def dot(a, b, /)"),
             R"(The dot product of two vectors, or the product with one or two matrices, as `matmul`.

Examples
--------
>>> import foldline as fl
>>> fl.dot([1e16, 1.0, -1e16], [1, 1, 1])
np.float64(1.0)
)");
}

}  // namespace foldline::python
