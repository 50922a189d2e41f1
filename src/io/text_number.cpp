#include "io/text_number.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>
#include <type_traits>

#include "foldline/detail/visit_type.hpp"
#include "io/text_decimal.hpp"
#include "io/text_hexadecimal.hpp"
#include "io/text_integer.hpp"

namespace foldline::io {
namespace {

template <class T>
void store(T value, std::byte* at) {
  std::memcpy(at, &value, sizeof(T));
}

/// The layout of a binary format.
template <class T>
struct Layout;
template <>
struct Layout<half> {
  using Bits = std::uint16_t;
  static constexpr int exponent_bits = 5, fraction_bits = 10;
};
template <>
struct Layout<bfloat16> {
  using Bits = std::uint16_t;
  static constexpr int exponent_bits = 8, fraction_bits = 7;
};
template <>
struct Layout<float> {
  using Bits = std::uint32_t;
  static constexpr int exponent_bits = 8, fraction_bits = 23;
};
template <>
struct Layout<double> {
  using Bits = std::uint64_t;
  static constexpr int exponent_bits = 11, fraction_bits = 52;
};

constexpr std::array<double, 23> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Reads all of `text` as a short decimal without exponent; false if it is anything else. Digits and power of
/// ten are both exact doubles, so the division is the only rounding. A third of the library's time.
bool read_short_decimal(std::string_view text, double& value) {
  const char *at = text.data(), *const last = at + text.size();
  const bool negative = at != last && *at == '-';
  if (negative || (at != last && *at == '+')) ++at;
  if (last - at > 19) return false;  // more digits could overflow
  std::uint64_t digits = 0;
  const auto take_digits = [&] {
    const char* const first = at;
    for (; at != last && static_cast<unsigned char>(*at - '0') <= 9; ++at)
      digits = 10 * digits + static_cast<unsigned char>(*at - '0');
    return static_cast<std::size_t>(at - first);
  };
  const std::size_t whole = take_digits();
  std::size_t fraction = 0;
  if (at != last && *at == '.') {
    ++at;
    fraction = take_digits();
  }
  if (at != last || whole + fraction == 0 || digits > std::uint64_t{1} << 53) return false;
  const double magnitude = static_cast<double>(static_cast<std::int64_t>(digits)) / powers_of_ten[fraction];
  value = negative ? -magnitude : magnitude;
  return true;
}

/// Reads all of `text` as a decimal, an infinity or NaN.
template <class T>
bool read_binary(std::string_view text, T& value) {
  if constexpr (std::same_as<T, double>)
    if (read_short_decimal(text, value)) return true;
  if (text.starts_with('+')) {  // the library takes a minus only
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  if (text.empty() || text.back() == ')') return false;  // "nan(1)" is C's
  const char *const first = text.data(), *const last = first + text.size();
  const fast_float::from_chars_result result = fast_float::from_chars(first, last, value);
  // Versions differ in whether "out of range" is an error; the value, infinite or zero, is there in any case.
  return result.ptr == last && result.ec != std::errc::invalid_argument;
}

/// The next float away from zero (+1) or towards it (-1) of one that is neither zero nor beyond the finite.
float neighbour(float value, std::int32_t step) {
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(value) + step);
}

/// Whether a float lies exactly half-way between two neighbouring numbers of T (or its largest and what would
/// come next): an odd number of halves of T's last place.
template <class T>
bool is_half_way(float value) {
  if (value == 0 || !std::isfinite(value)) return false;
  constexpr int smallest_exponent = 2 - (1 << (Layout<T>::exponent_bits - 1));
  const int last_place = std::max(std::ilogb(value), smallest_exponent) - Layout<T>::fraction_bits;
  return std::fmod(std::ldexp(std::abs(value), 1 - last_place), 2.0f) == 1;
}

/// Rounds a decimal, whose nearest float is `nearest`, to a 16-bit number. Rounding to float first changes
/// the result only if that float is exactly halfway between two 16-bit numbers: then the digits decide.
template <class T>
T narrow(float nearest, std::string_view text) {
  if (!is_half_way<T>(nearest)) return T(nearest);
  std::array<char, 160> exact;  // no number half-way has more than 120 digits
  const auto written =
      std::to_chars(exact.data(), exact.data() + exact.size(), nearest, std::chars_format::scientific, 120);
  const std::optional<Decimal> decimal = read_decimal(text);
  const std::optional<Decimal> boundary =
      read_decimal({exact.data(), static_cast<std::size_t>(written.ptr - exact.data())});
  if (!decimal || !boundary) return T(nearest);  // an infinity
  const std::strong_ordering order = compare_magnitudes(*decimal, *boundary);
  return order == 0 ? T(nearest) : T(neighbour(nearest, order > 0 ? 1 : -1));
}

template <class T>
bool read_decimal_as(std::string_view text, T& value) {
  if constexpr (std::floating_point<T>) {
    return read_binary(text, value);
  } else {
    float nearest = 0;
    if (!read_binary(text, nearest)) return false;
    value = narrow<T>(nearest, text);
    return true;
  }
}

template <class T>
NumberStatus parse_floating_point(std::string_view text, std::byte* at) {
  T value;
  if (read_decimal_as(text, value)) {
    store(value, at);
    return NumberStatus::number;
  }
  const std::optional<Hexadecimal> hexadecimal = read_hexadecimal(text);
  if (!hexadecimal) return NumberStatus::not_a_number;
  using Format = Layout<T>;
  using Bits = typename Format::Bits;
  const std::uint64_t sign = std::uint64_t{hexadecimal->negative}
                             << (Format::exponent_bits + Format::fraction_bits);
  store(static_cast<Bits>(sign | round_to_bits(*hexadecimal, Format::exponent_bits, Format::fraction_bits)),
        at);
  return NumberStatus::number;
}

/// The value of T that a written integer is, which must be in range.
template <IntegerElement T>
NumberStatus store_integer(const WrittenInteger& integer, std::byte* at) {
  if (integer.status != NumberStatus::number) return integer.status;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const std::uint64_t most = !integer.negative ? largest : std::is_signed_v<T> ? largest + 1 : 0;
  if (integer.magnitude > most) return NumberStatus::out_of_range;
  store(static_cast<T>(integer.negative ? 0 - integer.magnitude : integer.magnitude), at);
  return NumberStatus::number;
}

/// Whether a text that is no integer is one of the other numbers: infinite, NaN, or hexadecimal with a point.
NumberStatus status_of_other(std::string_view text) {
  double value = 0;
  return read_binary(text, value) || read_hexadecimal(text) ? NumberStatus::not_an_integer
                                                            : NumberStatus::not_a_number;
}

template <IntegerElement T>
NumberStatus parse_written_integer(std::string_view text, std::byte* at) {
  const NumberStatus status = store_integer<T>(read_integer(text), at);
  return status == NumberStatus::not_a_number ? status_of_other(text) : status;
}

template <IntegerElement T>
NumberStatus parse_integer(std::string_view text, std::byte* at) {
  T value;
  const char *const first = text.data(), *const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || error != std::errc()) return parse_written_integer<T>(text, at);
  store(value, at);
  return NumberStatus::number;
}

NumberStatus parse_bool(std::string_view text, std::byte* at) {
  const std::optional<bool> value = read_truth_value(text);
  if (!value) return parse_written_integer<bool>(text, at);
  store(*value, at);
  return NumberStatus::number;
}

}  // namespace

ParseNumber number_parser(ElementType type) {
  return foldline::detail::visit_type(type, []<class T>(std::type_identity<T>) -> ParseNumber {
    if constexpr (FloatingElement<T>)
      return parse_floating_point<T>;
    else if constexpr (std::same_as<T, bool>)
      return parse_bool;
    else
      return parse_integer<T>;
  });
}

bool is_spreadsheet_error(std::string_view text) {
  if (text == "#N/A" || text == "#NV" || text == "#N/D" || text == "#GETTING_DATA") return true;
  if (text.size() < 3 || text.front() != '#' || (text.back() != '!' && text.back() != '?')) return false;
  return std::ranges::all_of(text.substr(1, text.size() - 2), [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '/' || c == '0' || (c & 0x80) != 0;  // other languages have umlauts
  });
}

}  // namespace foldline::io
