#include "runner/sizes.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace foldline::ladder {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 40;

/// The number that the whole text is.
std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> value_of(std::string_view text) {
  const std::size_t power = text.find('^');
  if (power == std::string_view::npos) return number_in(text);
  const auto base = number_in(text.substr(0, power)), exponent = number_in(text.substr(power + 1));
  if (!base || !exponent) return std::nullopt;
  return std::pow(*base, *exponent);
}

}  // namespace

CLI::Validator size() {
  return {[](std::string& text) -> std::string {
            const std::optional<double> value = value_of(text);
            if (!value || *value != std::floor(*value))
              return "'" + text + "' is no size; sizes are integers such as 1000, 1e6 or 2^20";
            if (*value < 0 || *value > static_cast<double>(largest))
              return text + " is not in the range from 0 to 2^40";
            text = std::to_string(static_cast<std::int64_t>(*value));
            return "";
          },
          "SIZE"};
}

}  // namespace foldline::ladder
