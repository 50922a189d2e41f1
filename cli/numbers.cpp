#include "numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace foldline::cli {
namespace {

/// Shortest decimal for a 16-bit type: of the decimals with ever more digits, the first that lies strictly
/// between the midpoints to both neighbours. Midpoints have few bits, so comparing in double is exact enough
/// to decide.
template <FloatingElement T>
std::string shortest_of_16_bits(double value) {
  const T narrow = narrow_exactly<T>(std::abs(value));
  const auto at = [](int bits) {
    return static_cast<double>(static_cast<float>(T::from_bits(static_cast<std::uint16_t>(bits))));
  };
  const double above = at(narrow.bits + 1), below = at(narrow.bits - 1);
  const double low = (std::abs(value) + below) / 2;
  // The largest number has no neighbour above; the step below it stands in.
  const double high = std::isinf(above) ? 2 * std::abs(value) - low : (std::abs(value) + above) / 2;
  for (int digits = 1; digits < 17; ++digits) {
    const double candidate = std::strtod(fmt::format("{:.{}g}", std::abs(value), digits).c_str(), nullptr);
    if (candidate > low && candidate < high) return fmt::format("{}", std::copysign(candidate, value));
  }
  return fmt::format("{}", value);
}

std::string shortest_of_floating(double value, ElementType type) {
  if (!std::isfinite(value) || value == 0) return fmt::format("{}", value);
  switch (type) {
    case ElementType::half:
      return shortest_of_16_bits<half>(value);
    case ElementType::bfloat16:
      return shortest_of_16_bits<bfloat16>(value);
    case ElementType::float32:
      return fmt::format("{}", static_cast<float>(value));
    default:
      return fmt::format("{}", value);
  }
}

template <class Integer>
std::optional<Integer> integer_of(const std::string& text) {
  Integer integer = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, integer);
  if (error != std::errc() || stop != end) return std::nullopt;
  return integer;
}

}  // namespace

std::string shortest(const Scalar& value) {
  if (is_floating(value.type())) return shortest_of_floating(value.floating(), value.type());
  if (value.type() == ElementType::boolean) return value.unsigned_integer() != 0 ? "true" : "false";
  return is_signed(value.type()) ? fmt::format("{}", value.signed_integer())
                                 : fmt::format("{}", value.unsigned_integer());
}

std::string hexadecimal(const Scalar& value) {
  if (!is_floating(value.type()))
    return is_signed(value.type()) ? fmt::format("{:#x}", value.signed_integer())
                                   : fmt::format("{:#x}", value.unsigned_integer());
  char text[40];  // sign, "0x1.", 13 digits, "p-1074"
  std::snprintf(text, sizeof(text), "%a", value.floating());
  return text;
}

std::optional<double> number_of(const std::string& text) {
  // strtod() would skip blanks, and take an empty text for 0.
  if (text.empty() || text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

std::optional<Scalar> scalar_of(const std::string& text) {
  if (const std::optional<std::int64_t> integer = integer_of<std::int64_t>(text)) return Scalar(*integer);
  if (const std::optional<std::uint64_t> integer = integer_of<std::uint64_t>(text)) return Scalar(*integer);
  if (const std::optional<double> number = number_of(text)) return Scalar(*number);
  return std::nullopt;
}

}  // namespace foldline::cli
