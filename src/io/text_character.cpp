#include "io/text_character.hpp"

#include <algorithm>
#include <iterator>

namespace foldline::io {
namespace {

using enum CharacterKind;

struct Range {
  char32_t first, last;
  CharacterKind kind;
};

/// Ranges beyond ASCII, sorted: Unicode categories Nd, Pd, Sc, Zs, Cf, Ps, Pe, Pi and Pf, and members of Po,
/// Sm and Sk that may accompany a number.
constexpr Range ranges[] = {
    {0xa0, 0xa0, space},          {0xa1, 0xa1, symbol},       {0xa2, 0xa5, currency},
    {0xa6, 0xa8, symbol},         {0xab, 0xab, bracket},      {0xac, 0xac, symbol},
    {0xad, 0xad, minus},          {0xaf, 0xaf, symbol},       {0xb1, 0xb1, symbol},
    {0xb4, 0xb4, bracket},        {0xb7, 0xb8, symbol},       {0xbb, 0xbb, bracket},
    {0xbf, 0xbf, symbol},         {0xd7, 0xd7, symbol},       {0xf7, 0xf7, symbol},
    {0x2bc, 0x2bc, bracket},      {0x2d7, 0x2d7, minus},      {0x58a, 0x58a, minus},
    {0x58f, 0x58f, currency},     {0x5be, 0x5be, minus},      {0x600, 0x605, space},
    {0x60b, 0x60b, currency},     {0x60c, 0x60c, symbol},     {0x61c, 0x61c, space},
    {0x660, 0x669, digit},        {0x66a, 0x66a, symbol},     {0x66b, 0x66b, point},
    {0x66c, 0x66c, symbol},       {0x6f0, 0x6f9, digit},      {0x7c0, 0x7c9, digit},
    {0x7fe, 0x7ff, currency},     {0x966, 0x96f, digit},      {0x9e6, 0x9ef, digit},
    {0x9f2, 0x9f3, currency},     {0x9fb, 0x9fb, currency},   {0xa66, 0xa6f, digit},
    {0xae6, 0xaef, digit},        {0xaf1, 0xaf1, currency},   {0xb66, 0xb6f, digit},
    {0xbe6, 0xbef, digit},        {0xbf9, 0xbf9, currency},   {0xc66, 0xc6f, digit},
    {0xce6, 0xcef, digit},        {0xd66, 0xd6f, digit},      {0xde6, 0xdef, digit},
    {0xe3f, 0xe3f, currency},     {0xe50, 0xe59, digit},      {0xed0, 0xed9, digit},
    {0xf20, 0xf29, digit},        {0xf3a, 0xf3d, bracket},    {0x1040, 0x1049, digit},
    {0x1090, 0x1099, digit},      {0x1400, 0x1400, minus},    {0x1680, 0x1680, space},
    {0x169b, 0x169c, bracket},    {0x17db, 0x17db, currency}, {0x17e0, 0x17e9, digit},
    {0x1806, 0x1806, minus},      {0x180e, 0x180e, space},    {0x1810, 0x1819, digit},
    {0x1946, 0x194f, digit},      {0x19d0, 0x19d9, digit},    {0x1a80, 0x1a89, digit},
    {0x1a90, 0x1a99, digit},      {0x1b50, 0x1b59, digit},    {0x1bb0, 0x1bb9, digit},
    {0x1c40, 0x1c49, digit},      {0x1c50, 0x1c59, digit},    {0x2000, 0x200f, space},
    {0x2010, 0x2015, minus},      {0x2016, 0x2017, symbol},   {0x2018, 0x201f, bracket},
    {0x2020, 0x2027, symbol},     {0x2028, 0x202f, space},    {0x2030, 0x2031, symbol},
    {0x2032, 0x203a, bracket},    {0x203b, 0x2043, symbol},   {0x2044, 0x2044, symbol},
    {0x2045, 0x2046, bracket},    {0x2047, 0x205e, symbol},   {0x205f, 0x206f, space},
    {0x207a, 0x207a, plus},       {0x207b, 0x207b, minus},    {0x207d, 0x207e, bracket},
    {0x208a, 0x208a, plus},       {0x208b, 0x208b, minus},    {0x208d, 0x208e, bracket},
    {0x20a0, 0x20cf, currency},   {0x2190, 0x2211, symbol},   {0x2212, 0x2212, minus},
    {0x2213, 0x22ff, symbol},     {0x2308, 0x230b, bracket},  {0x2329, 0x232a, bracket},
    {0x2768, 0x2775, bracket},    {0x2795, 0x2795, plus},     {0x2796, 0x2796, minus},
    {0x27c5, 0x27c6, bracket},    {0x27e6, 0x27ef, bracket},  {0x2983, 0x2998, bracket},
    {0x29d8, 0x29db, bracket},    {0x29fc, 0x29fd, bracket},  {0x2e02, 0x2e0d, bracket},
    {0x2e17, 0x2e17, minus},      {0x2e1a, 0x2e1a, minus},    {0x2e1c, 0x2e1d, bracket},
    {0x2e20, 0x2e29, bracket},    {0x2e3a, 0x2e3b, minus},    {0x2e40, 0x2e40, minus},
    {0x2e42, 0x2e42, bracket},    {0x2e55, 0x2e5c, bracket},  {0x2e5d, 0x2e5d, minus},
    {0x3000, 0x3000, space},      {0x3001, 0x3003, symbol},   {0x3008, 0x3011, bracket},
    {0x3014, 0x301b, bracket},    {0x301c, 0x301c, minus},    {0x301d, 0x301f, bracket},
    {0x3030, 0x3030, minus},      {0x30a0, 0x30a0, minus},    {0xa620, 0xa629, digit},
    {0xa838, 0xa838, currency},   {0xa8d0, 0xa8d9, digit},    {0xa900, 0xa909, digit},
    {0xa9d0, 0xa9d9, digit},      {0xa9f0, 0xa9f9, digit},    {0xaa50, 0xaa59, digit},
    {0xabf0, 0xabf9, digit},      {0xfd3e, 0xfd3f, bracket},  {0xfdfc, 0xfdfc, currency},
    {0xfe17, 0xfe18, bracket},    {0xfe31, 0xfe32, minus},    {0xfe35, 0xfe44, bracket},
    {0xfe47, 0xfe48, bracket},    {0xfe50, 0xfe51, symbol},   {0xfe52, 0xfe52, point},
    {0xfe58, 0xfe58, minus},      {0xfe59, 0xfe5e, bracket},  {0xfe5f, 0xfe61, symbol},
    {0xfe62, 0xfe62, plus},       {0xfe63, 0xfe63, minus},    {0xfe64, 0xfe68, symbol},
    {0xfe69, 0xfe69, currency},   {0xfe6a, 0xfe6b, symbol},   {0xfeff, 0xfeff, space},
    {0xff5f, 0xff60, bracket},    {0xff61, 0xff61, point},    {0xff62, 0xff63, bracket},
    {0xff64, 0xff64, symbol},     {0xffe0, 0xffe1, currency}, {0xffe2, 0xffe4, symbol},
    {0xffe5, 0xffe6, currency},   {0xfff9, 0xfffb, space},    {0x104a0, 0x104a9, digit},
    {0x10d30, 0x10d39, digit},    {0x10ead, 0x10ead, minus},  {0x11066, 0x1106f, digit},
    {0x110f0, 0x110f9, digit},    {0x11136, 0x1113f, digit},  {0x111d0, 0x111d9, digit},
    {0x112f0, 0x112f9, digit},    {0x11450, 0x11459, digit},  {0x114d0, 0x114d9, digit},
    {0x11650, 0x11659, digit},    {0x116c0, 0x116c9, digit},  {0x11730, 0x11739, digit},
    {0x118e0, 0x118e9, digit},    {0x11950, 0x11959, digit},  {0x11c50, 0x11c59, digit},
    {0x11d50, 0x11d59, digit},    {0x11da0, 0x11da9, digit},  {0x11fdd, 0x11fe0, currency},
    {0x16a60, 0x16a69, digit},    {0x16ac0, 0x16ac9, digit},  {0x16b50, 0x16b59, digit},
    {0x1d7ce, 0x1d7ff, digit},    {0x1e140, 0x1e149, digit},  {0x1e2f0, 0x1e2f9, digit},
    {0x1e2ff, 0x1e2ff, currency}, {0x1e950, 0x1e959, digit},  {0x1ecb0, 0x1ecb0, currency},
    {0x1fbf0, 0x1fbf9, digit},    {0xe0001, 0xe007f, space},
};
static_assert(std::ranges::is_sorted(ranges, {}, &Range::last));

/// Bytes 0x80 to 0x9f of Windows-1252 as code points; only those that matter.
constexpr char32_t windows_1252[32] = {
    0x20ac, 0,      0x201a, 0,      0x201e, 0x2026, 0x2020, 0x2021, 0, 0x2030, 0, 0x2039, 0, 0, 0, 0,
    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0, 0,      0, 0x203a, 0, 0, 0, 0};

CharacterKind kind_of_ascii(char c) {
  if (c <= ' ' || c == '\x7f') return space;
  if (c >= '0' && c <= '9') return digit;
  if (c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return letter;
  switch (c) {
    case '-':
      return minus;
    case '+':
      return plus;
    case '.':
      return point;
    case '$':
      return currency;
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case '\'':
    case '"':
    case '`':
      return bracket;
    default:
      return symbol;
  }
}

char ascii_of(const Range& range, char32_t code) {
  switch (range.kind) {
    case digit:  // every range of digits begins with a zero
      return static_cast<char>('0' + (code - range.first) % 10);
    case minus:
      return '-';
    case plus:
      return '+';
    case point:
      return '.';
    default:
      return '\0';
  }
}

/// Decodes one character of UTF-8 at the start; returns its length, or 0 if it is none.
std::size_t decode(std::string_view text, char32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) < 0x80   ? 1
                           : byte(0) < 0xc2 ? 0
                           : byte(0) < 0xe0 ? 2
                           : byte(0) < 0xf0 ? 3
                                            : 4;
  if (size == 0 || size > text.size() || byte(0) > 0xf4) return 0;
  code = size == 1 ? byte(0) : byte(0) & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  return size;
}

}  // namespace

Character take_character(std::string_view& text) {
  char32_t code = 0;
  std::size_t size = decode(text, code);
  if (size == 0) {
    const auto byte = static_cast<unsigned char>(text.front());
    code = byte < 0xa0 ? windows_1252[byte - 0x80] : byte;
    size = 1;
  }
  text.remove_prefix(size);
  if (code >= 0xff01 && code <= 0xff5e) code -= 0xfee0;  // the wide forms of ASCII
  if (code != 0 && code < 0x80) return {kind_of_ascii(static_cast<char>(code)), static_cast<char>(code)};
  if (code == 0x39f || code == 0x3bf || code == 0x41e || code == 0x43e) return {letter, 'O'};
  const auto* const range = std::ranges::lower_bound(ranges, code, {}, &Range::last);
  if (range == std::end(ranges) || code < range->first) return {letter, '\0'};
  return {range->kind, ascii_of(*range, code)};
}

}  // namespace foldline::io
