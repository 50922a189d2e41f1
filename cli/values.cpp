#include "values.hpp"

#include <bit>
#include <limits>

#include <foldline/detail/element_at.hpp>

#include "numbers.hpp"

namespace foldline::cli {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

/// Makes the bits of a double an integer of the same order: negative doubles have all bits but the sign
/// inverted.
std::int64_t invert_if_negative(std::int64_t bits) { return bits ^ ((bits >> 63) & highest); }

template <Element T>
auto widest(T value) {
  if constexpr (std::same_as<T, double>)
    return value;
  else if constexpr (FloatingElement<T>)
    return static_cast<double>(static_cast<float>(value));
  else if constexpr (is_signed(element_type_of<T>))
    return static_cast<std::int64_t>(value);
  else
    return static_cast<std::uint64_t>(value);
}

[[noreturn]] void refuse(const Scalar& number, const char* kind) {
  throw DataError("the files have numbers of several types, and " + shortest(number) + " is no " + kind +
                  ", which would be the type of all; convert one of the files");
}

/// Whether the double is this integer.
bool equals(double number, const Scalar& integer) {
  if (integer.type() == ElementType::uint64)
    return number < 0x1p64 && static_cast<std::uint64_t>(number) == integer.unsigned_integer();
  return number < 0x1p63 && static_cast<std::int64_t>(number) == integer.signed_integer();
}

double as_double(const Scalar& number) {
  const double nearest = number.to_double();
  if (!is_floating(number.type()) && !equals(nearest, number)) refuse(number, "float64");
  return nearest;
}

std::int64_t as_int64(const Scalar& number) {
  if (number.type() == ElementType::uint64 && number.signed_integer() < 0) refuse(number, "int64");
  return number.signed_integer();
}

}  // namespace

std::int64_t key_of(double number) { return invert_if_negative(std::bit_cast<std::int64_t>(number)); }
std::int64_t key_of(std::int64_t number) { return number; }
std::int64_t key_of(std::uint64_t number) { return static_cast<std::int64_t>(number) ^ lowest; }

Values::Kind Values::kind_of(ElementType type) {
  if (is_floating(type)) return Kind::float64;
  return is_signed(type) || type == ElementType::boolean ? Kind::int64 : Kind::uint64;
}

ElementType Values::type() const {
  return kind_ == Kind::float64 ? ElementType::float64
         : kind_ == Kind::int64 ? ElementType::int64
                                : ElementType::uint64;
}

Scalar Values::number(std::int64_t key) const {
  if (kind_ == Kind::float64) return Scalar(std::bit_cast<double>(invert_if_negative(key)));
  return kind_ == Kind::int64 ? Scalar(key) : Scalar(static_cast<std::uint64_t>(key ^ lowest));
}

void Values::append(const VectorView& x) {
  if (kind_of(x.type()) != kind_) {
    Values others(kind_of(x.type()));
    others.append(x);
    return append(others);
  }
  Scalar::from_integer(0, x.type()).visit([&]<class T>(T) {
    for (std::int64_t i = 0; i < x.size(); ++i) {
      const auto value = widest(detail::element_at<T>(x.at(i)));
      if (value != value)
        ++nans_;
      else if constexpr (std::same_as<T, bool>)
        keys_.push_back(value != 0 ? 1 : 0);
      else
        keys_.push_back(key_of(value));
    }
  });
}

void Values::append(const Values& other) {
  nans_ += other.nans_;
  if (other.keys_.empty()) return;
  if (keys_.empty()) kind_ = other.kind_;
  if (other.kind_ != kind_) {
    const bool integers = kind_ != Kind::float64 && other.kind_ != Kind::float64;
    const Kind common = integers ? Kind::int64 : Kind::float64;
    convert_to(common);
    if (other.kind_ != common) {
      Values converted = other;
      converted.convert_to(common);
      keys_.insert(keys_.end(), converted.keys_.begin(), converted.keys_.end());
      return;
    }
  }
  keys_.insert(keys_.end(), other.keys_.begin(), other.keys_.end());
}

void Values::convert_to(Kind kind) {
  if (kind == kind_) return;
  for (std::int64_t& key : keys_)
    key = kind == Kind::float64 ? key_of(as_double(number(key))) : key_of(as_int64(number(key)));
  kind_ = kind;
}

}  // namespace foldline::cli
