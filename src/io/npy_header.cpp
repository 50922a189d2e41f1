// The dictionary in a .npy header, as Python would print it:
//
//     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// The grammar read here is all that a plain array needs, and it has no recursion, so no nesting can exhaust
// anything:
//
//     header  = spaces "{" spaces [entry {"," spaces entry} ["," spaces]] "}" spaces
//     entry   = "'descr'" ":" string | "'fortran_order'" ":" ("True" | "False") | "'shape'" ":" tuple
//     tuple   = "(" [length "," [length {"," length} [","]]] ")"
//     length  = "0" | a decimal number without leading zeros; then perhaps "L", which Python 2 wrote
//     string  = '...' or "...", without backslashes
//
// with spaces between any two tokens, every key exactly once.
#include "io/npy_header.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "foldline/error.hpp"
#include "io/shape.hpp"

namespace foldline::io {
namespace {

/// At most a line of printable ASCII: hostile bytes must not reach a terminal.
std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    if (result.size() >= longest) return result + "...";
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code < 0x7f) {
      result += c;
    } else {
      result += {'\\', 'x', digits[code >> 4], digits[code & 15]};
    }
  }
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, std::size_t data_offset, std::string_view name)
      : text_(text), data_offset_(data_offset), name_(name) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      parse_entry();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (at_ < text_.size()) fail_malformed("something follows the closing brace");
    require_all_keys();
    finish_size();
    return header_;
  }

 private:
  void parse_entry() {
    const std::string_view key = parse_string("a key");
    expect(':');
    if (key == "descr") {
      mark_seen(has_descr_, key);
      parse_descr();
    } else if (key == "fortran_order") {
      mark_seen(has_order_, key);
      parse_order();
    } else if (key == "shape") {
      mark_seen(has_shape_, key);
      parse_shape();
    } else {
      fail_malformed("unknown key '" + printable(key) + "'");
    }
  }

  void parse_descr() {
    skip_spaces();
    if (peek() == '[' || peek() == '(')
      fail("has a structured element type; save one field of it with numpy.save");
    descr_ = parse_string("the element type");
    struct Kind {
      std::string_view name;
      ElementType type;
    };
    static constexpr Kind kinds[] = {
        {"f2", ElementType::half},   {"f4", ElementType::float32}, {"f8", ElementType::float64},
        {"i1", ElementType::int8},   {"i2", ElementType::int16},   {"i4", ElementType::int32},
        {"i8", ElementType::int64},  {"u1", ElementType::uint8},   {"u2", ElementType::uint16},
        {"u4", ElementType::uint32}, {"u8", ElementType::uint64},  {"b1", ElementType::boolean}};
    const std::size_t order =
        descr_.empty() ? std::string_view::npos : std::string_view("<>=|").find(descr_[0]);
    const auto* const kind =
        std::ranges::find(kinds, descr_.substr(order == std::string_view::npos ? 0 : 1), &Kind::name);
    if (kind == std::end(kinds)) fail_type();
    // '|' is for types without a byte order. NumPy never writes '=', but reads it as "this machine's order",
    // and so do we.
    if (order == std::string_view::npos || (descr_[0] == '|' && size_of(kind->type) > 1))
      fail_order(kind->name);
    header_.type = kind->type;
    header_.byte_order = descr_[0] == '<'   ? ByteOrder::little
                         : descr_[0] == '>' ? ByteOrder::big
                                            : native_byte_order;
  }

  [[noreturn]] void fail_order(std::string_view kind) const {
    fail("has elements of type '" + printable(descr_) + "', which leaves the byte order open; write '<" +
         std::string(kind) + "' or '>" + std::string(kind) + "'");
  }

  [[noreturn]] void fail_type() const {
    const std::string what = "has elements of type '" + printable(descr_) + "', ";
    const std::string remedy = "; convert it to a type of numbers up to 64 bits first (numpy.ndarray.astype)";
    const std::string_view kind = descr_.substr(descr_.find_first_not_of("<>=|") == 1 ? 1 : 0);
    if (kind.starts_with('f')) fail(what + "wider than float64, which is not supported" + remedy);
    if (kind.starts_with('c'))
      fail(what + "complex numbers, which are not supported; save real and imaginary part");
    if (kind.starts_with('O')) fail(what + "Python objects, which are never read" + remedy);
    if (kind.starts_with('M') || kind.starts_with('m'))
      fail(what + "dates or times, which are not supported" + remedy);
    if (kind == "V2" || kind == "bfloat16")
      fail(what +
           "which does not name a number; if it is bfloat16, read it as raw bfloat16 numbers from byte " +
           std::to_string(data_offset_));
    fail(what + "which are not numbers" + remedy);
  }

  void parse_order() {
    skip_spaces();
    if (accept_word("True")) {
      header_.fortran_order = true;
    } else if (!accept_word("False")) {
      fail_malformed("'fortran_order' is neither True nor False");
    }
  }

  void parse_shape() {
    expect('(');
    while (!accept(')')) {
      if (header_.shape.size() == npy_most_dimensions)
        fail("has more than " + std::to_string(npy_most_dimensions) + " dimensions; reshape it first");
      header_.shape.push_back(parse_length());
      if (!accept(',')) {
        // (3) is a number to Python, not a tuple; NumPy refuses it too.
        if (header_.shape.size() == 1) fail_malformed("'shape' is not a tuple");
        expect(')');
        break;
      }
    }
  }

  std::int64_t parse_length() {
    skip_spaces();
    const std::size_t first = at_;
    if (peek() == '-') fail("has a negative length in its shape: it is damaged; write it again");
    while (is_digit(peek())) ++at_;
    const std::string_view digits = text_.substr(first, at_ - first);
    if (digits.empty()) fail_malformed("'shape' is not a tuple of whole numbers");
    if (digits.size() > 1 && digits[0] == '0') fail_malformed("a length with leading zeros in 'shape'");
    if (digits.size() > 19) fail_too_large();  // 2^63 has 19 digits
    std::uint64_t value = 0;                   // 19 digits are below 2^64
    for (const char c : digits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) fail_too_large();
    if (peek() == 'L') ++at_;
    return static_cast<std::int64_t>(value);
  }

  std::string_view parse_string(const std::string& what) {
    skip_spaces();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail_malformed("expected " + what + " in quotes");
    const std::size_t first = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\\') ++at_;
    if (peek() != quote) fail_malformed("a string without end, or with a backslash");
    return text_.substr(first, at_++ - first);
  }

  void require_all_keys() const {
    if (!has_descr_) fail_malformed("no key 'descr'");
    if (!has_order_) fail_malformed("no key 'fortran_order'");
    if (!has_shape_) fail_malformed("no key 'shape'");
  }

  void finish_size() {
    const auto size = element_count(header_.shape, header_.type);
    if (!size) fail_too_large();
    header_.size = *size;
  }

  void mark_seen(bool& seen, std::string_view key) const {
    if (seen) fail_malformed("key '" + std::string(key) + "' twice");
    seen = true;
  }

  /// The next character, NUL at the end (a NUL in the text matches nothing either).
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_spaces() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }

  bool accept(char token) {
    skip_spaces();
    if (peek() != token) return false;
    ++at_;
    return true;
  }

  bool accept_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void expect(char token) {
    if (!accept(token)) fail_malformed(std::string("expected '") + token + "'");
  }

  [[noreturn]] void fail(const std::string& what) const { throw DataError(std::string(name_) + ": " + what); }

  [[noreturn]] void fail_malformed(const std::string& what) const {
    fail("malformed .npy header at byte " + std::to_string(data_offset_ - text_.size() + at_) + ": " + what +
         "; write the file again with numpy.save");
  }

  [[noreturn]] void fail_too_large() const {
    fail("has a shape of 2^63 bytes or more: it is damaged; write it again");
  }

  std::string_view text_;
  std::size_t data_offset_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::string_view descr_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
  NpyHeader header_;
};

}  // namespace

NpyHeader parse_npy_dictionary(std::string_view text, std::size_t data_offset, std::string_view name) {
  return DictionaryParser(text, data_offset, name).parse();
}

}  // namespace foldline::io
