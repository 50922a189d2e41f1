// Matrix products: validation, then the backend.
#include "foldline/matrix_product.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "api/dispatch.hpp"
#include "api/validate.hpp"
#include "foldline/error.hpp"

namespace foldline {

namespace {

constexpr const char* prefix = "matrix_product: ";

void check_operand(const ArrayView& operand, const char* which) {
  if (operand.axes() != 2)
    throw InvalidArgument(prefix + std::string(which) + " has " + std::to_string(operand.axes()) +
                          " axes; a matrix has two");
  if (operand.type() != ElementType::float32 && operand.type() != ElementType::float64)
    throw InvalidArgument(prefix + std::string(which) + " is of " + std::string(name_of(operand.type())) +
                          "; only float32 and float64 are possible");
}

void check_apart(const ArrayView& c, const ArrayView& operand, const char* which) {
  if (c.size() == 0 || operand.size() == 0) return;
  const auto [c_first, c_end] = address_range(c);
  const auto [first, end] = address_range(operand);
  if (c_first < end && first < c_end)
    throw InvalidArgument(std::string(prefix) + "C and " + which +
                          " overlap; C must lie before or behind all of " + which);
}

void check(const ArrayView& a, const ArrayView& b, const ArrayView& c, double alpha, double beta,
           Accuracy accuracy) {
  check_operand(a, "A");
  check_operand(b, "B");
  check_operand(c, "C");
  if (a.shape()[1] != b.shape()[0] || c.shape()[0] != a.shape()[0] || c.shape()[1] != b.shape()[1])
    throw InvalidArgument(prefix + ("A is " + text_of_shape(a) + ", B " + text_of_shape(b)) + ", C " +
                          text_of_shape(c) + "; needed are m x k, k x n and m x n");
  if (a.type() != b.type())
    throw InvalidArgument(prefix + ("A is of " + std::string(name_of(a.type()))) + ", B of " +
                          std::string(name_of(b.type())) + "; they must be of one type");
  if (accuracy == Accuracy::fast && c.type() != a.type())
    throw InvalidArgument(prefix + ("A and B are of " + std::string(name_of(a.type()))) + ", C of " +
                          std::string(name_of(c.type())) + "; a fast product has the type of its factors");
  if (!std::isfinite(alpha) || !std::isfinite(beta))
    throw InvalidArgument(std::string(prefix) + "alpha and beta must be finite");
  check_apart(c, a, "A");
  check_apart(c, b, "B");
}

MatrixOperand operand_of(const ArrayView& matrix) {
  return {matrix.at(0),      matrix.type(),       matrix.shape()[0],
          matrix.shape()[1], matrix.strides()[0], matrix.strides()[1]};
}

}  // namespace

void matrix_product(const ArrayView& a, const ArrayView& b, const MutableArrayView& c,
                    const ProductOptions& options, const Context& context) {
  const auto [alpha, beta] = options;
  check(a, b, c, alpha, beta, context.accuracy);
  const Plan chosen =
      on_present_device(plan_matrix_product(a.type(), c.shape()[0], c.shape()[1], a.shape()[1], context));
  if (c.size() == 0) return;
  MatrixProduct product = {operand_of(a), operand_of(b), operand_of(c), alpha, beta};
  // As with empty factors: A and B are not read.
  if (alpha == 0) product.a.columns = product.b.rows = 0;
  matrix_product(product, chosen, context);
}

}  // namespace foldline
