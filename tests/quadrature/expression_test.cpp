// Formulas: what they mean, and one clear complaint for each way to get them wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "../../cli/cuda_source.hpp"
#include "../../cli/expression.hpp"

namespace {

using foldline::cli::cuda_source;
using foldline::cli::Expression;
using foldline::cli::ExpressionError;

double at(double x, const std::string& text) {
  double y = 0;
  const Expression expression(text);
  expression(std::span(&x, 1), std::span(&y, 1));
  return y;
}

TEST(Expression, PrecedenceAndAssociativity) {
  EXPECT_EQ(at(3, "1+2*x^2"), 19);
  EXPECT_EQ(at(3, "-x^2"), -9);
  EXPECT_EQ(at(3, "2^-x"), 0.125);
  EXPECT_EQ(at(2, "2^3^x"), 512);
  EXPECT_EQ(at(2, "x**3"), 8);
  EXPECT_EQ(at(8, "x/4/2"), 1);
  EXPECT_EQ(at(8, "x-4-2"), 2);
  EXPECT_EQ(at(8, "2*-x"), -16);
  EXPECT_EQ(at(8, " ( x + 1 ) * ( x - 1 ) "), 63);
  EXPECT_EQ(at(8, "--x"), 8);
}

TEST(Expression, NumbersAndConstants) {
  EXPECT_EQ(Expression("1.5e-3").value(), 1.5e-3);
  EXPECT_EQ(Expression(".5").value(), 0.5);
  EXPECT_EQ(Expression("5.").value(), 5);
  EXPECT_EQ(Expression("2*pi").value(), 2 * std::numbers::pi);
  EXPECT_EQ(Expression("e").value(), std::numbers::e);
  EXPECT_EQ(Expression("-inf").value(), -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(Expression("x-x").is_constant());
}

TEST(Expression, Functions) {
  EXPECT_DOUBLE_EQ(at(0.5, "sin(x)"), std::sin(0.5));
  EXPECT_DOUBLE_EQ(at(0.5, "atan2(x, 2)"), std::atan2(0.5, 2));
  EXPECT_EQ(at(0.5, "max(x, min(1, 2))"), 1);
  EXPECT_DOUBLE_EQ(at(0.5, "log(exp(x))"), std::log(std::exp(0.5)));
  EXPECT_DOUBLE_EQ(at(4.5, "gamma(x)"), std::tgamma(4.5));
  EXPECT_EQ(at(-4.5, "sign(x)*abs(x)"), -4.5);
}

TEST(Expression, ConstantsAreComputedOnce) {
  EXPECT_EQ(Expression("sqrt(2)*(3-1)^2").nodes().size(), 1u);
  EXPECT_EQ(Expression("x^2").nodes().size(), 2u);  // a product
}

TEST(Expression, BlocksOfAnySize) {
  const Expression f("x*x+1");
  for (const std::size_t n : {0u, 1u, 127u, 128u, 129u, 1000u}) {
    std::vector<double> x(n), y(n, -1);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
    f(x, y);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], x[i] * x[i] + 1);
  }
}

void expect_error(const std::string& text, std::size_t position, const std::string& part) {
  try {
    const Expression expression(text);
    FAIL() << text << " was understood";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.position(), position) << text << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << text << ": " << error.what();
    EXPECT_LT(error.pointing_at(text).size(), 400u);
  }
}

TEST(Expression, FaultsAreNamedWhereTheyAre) {
  expect_error("", 0, "empty");
  expect_error("1+", 2, "ends too early");
  expect_error("2x", 1, "an operator is missing");
  expect_error("(x+1)(x-1)", 5, "an operator is missing");
  expect_error("sin x", 0, "write sin(x)");
  expect_error("x+sinn(x)", 2, "did you mean 'sin'");
  expect_error("x*y", 2, "the variable is x");
  expect_error("x(2)", 0, "not a function");
  expect_error("sin(x", 3, "not closed");
  expect_error("x)", 1, "closes nothing");
  expect_error("sin(x, 2)", 0, "takes 1 argument");
  expect_error("atan2(x)", 0, "takes 2 arguments");
  expect_error("max(1, 2, x)", 0, "given 3");
  expect_error("1,5", 1, "write 0.5");
  expect_error("*x", 0, "missing before this");
  expect_error("x;", 1, "no meaning");
  expect_error("system(x)", 0, "unknown name");
  expect_error(".", 0, "not a number");
  expect_error("1e400", 0, "more than a double");
  expect_error("3e", 1, "an operator is missing");
}

TEST(Expression, WhatHasNoValueIsFoundAtOnce) {
  expect_error("1/0", 1, "division by zero");
  expect_error("x/(2-2)", 1, "division by zero");
  expect_error("x + sqrt(0-1)", 4, "not a number");
  expect_error("inf-inf", 3, "not a number");
}

TEST(Expression, HostileTextsAreRefusedQuickly) {
  expect_error(std::string(1'000'000, '('), 4096, "1000000 characters");
  expect_error(std::string(1 << 20, 'x'), 4096, "characters");
  expect_error(std::string(4000, '('), 200, "inside each other");
  expect_error(std::string(4000, '-') + "x", 200, "inside each other");
  std::string powers = "x";
  for (int i = 0; i < 1000; ++i) powers += "^x";
  expect_error(powers, 400, "inside each other");
  expect_error(std::string(4000, 'a'), 0, "unknown name");
  expect_error(std::string("x\0x", 3), 1, "no meaning");
  std::string sum = "x";
  for (int i = 0; i < 2000; ++i) sum += "+x";
  EXPECT_EQ(at(1, sum), 2001);
}

TEST(Expression, TheCaretIsUnderTheFault) {
  const std::string text = "exp(x)*sinn(x)";
  try {
    const Expression expression(text);
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.pointing_at(text),
              "unknown name 'sinn'; did you mean 'sin'?\n  exp(x)*sinn(x)\n         ^~~~");
  }
}

TEST(Expression, IsSourceForAGpu) {
  EXPECT_EQ(cuda_source(Expression("0.5")),
            "const double v0 = __longlong_as_double(0x3fe0000000000000);\nreturn v0;\n");
  EXPECT_EQ(cuda_source(Expression("max(x,2)/ln(-x)")),
            "const double v0 = x;\n"
            "const double v1 = __longlong_as_double(0x4000000000000000);\n"
            "const double v2 = [](double a, double b) -> double { return fmax(a, b); }(v0, v1);\n"
            "const double v3 = x;\n"
            "const double v4 = [](double a) -> double { return -a; }(v3);\n"
            "const double v5 = [](double a) -> double { return log(a); }(v4);\n"
            "const double v6 = [](double a, double b) -> double { return a / b; }(v2, v5);\n"
            "return v6;\n");
}

}  // namespace
