#include "io/text_kind.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "foldline/error.hpp"
#include "foldline/text_reader.hpp"
#include "io/text_dialect.hpp"
#include "io/text_message.hpp"

namespace foldline::io {
namespace {

constexpr const char *decompress = "decompress it first", *unpack = "unpack it first",
                     *save = "save it as CSV first", *convert = "convert it to CSV or .npy",
                     *recode = "convert it to UTF-8", *other = "name a file of numbers";

struct Signature {
  std::string_view bytes;
  const char* name;
  const char* cure;
  std::size_t offset = 0;
};

constexpr Signature signatures[] = {
    {{"\xff\xfe\0\0", 4}, "UTF-32", recode},
    {{"\0\0\xfe\xff", 4}, "UTF-32", recode},
    {"\xff\xfe", "UTF-16", recode},
    {"\xfe\xff", "UTF-16", recode},
    {"\x1f\x8b", "compressed by gzip", decompress},
    {"\x28\xb5\x2f\xfd", "compressed by zstd", decompress},
    {"\xfd\x37zXZ", "compressed by xz", decompress},
    {"1AY&SY", "compressed by bzip2", decompress, 4},
    {"\x04\x22\x4d\x18", "compressed by lz4", decompress},
    {"\x1f\x9d", "compressed by compress", decompress},
    {"LZIP\x01", "compressed by lzip", decompress},
    {"PK\x03\x04", "a ZIP archive or a spreadsheet", save},
    {"PK\x05\x06", "an empty ZIP archive", other},
    {"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", unpack},
    {"Rar!\x1a\x07", "a RAR archive", unpack},
    {"ustar", "a tar archive", unpack, 257},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word file", save},
    {"\x93NUMPY", "a .npy file, not a text", "read it as that"},
    {"Obj\x01", "an Avro file", convert},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", convert},
    {"CDF\x01", "a NetCDF file", convert},
    {"CDF\x02", "a NetCDF file", convert},
    {"CDF\x05", "a NetCDF file", convert},
    {"SIMPLE  =", "a FITS file", convert},
    {"MATLAB 5.0 MAT-file", "a MATLAB file", convert},
    {"MATLAB 7.3 MAT-file", "a MATLAB file", convert},
    {"SQLite format 3", "an SQLite database", convert},
    {"RDX2\n", "an R data file", convert},
    {"RDX3\n", "an R data file", convert},
    {"<stata_dta>", "a Stata file", convert},
    {"$FL2", "an SPSS file", convert},
    {"$FL3", "an SPSS file", convert},
    {"\x80\x02", "a Python pickle", convert},
    {"\x80\x03", "a Python pickle", convert},
    {"\x80\x04", "a Python pickle", convert},
    {"\x80\x05", "a Python pickle", convert},
    {"\x89PNG", "an image (PNG)", other},
    {"\xff\xd8\xff", "an image (JPEG)", other},
    {"GIF87a", "an image (GIF)", other},
    {"GIF89a", "an image (GIF)", other},
    {{"II*\0", 4}, "an image (TIFF)", other},
    {{"MM\0*", 4}, "an image (TIFF)", other},
    {"%PDF-", "a PDF document", other},
    {"%!PS", "a PostScript document", other},
    {"{\\rtf", "an RTF document", other},
    {"\x7f"
     "ELF",
     "a program", other},
};

/// These could also begin a text: "PAR1,PAR2" may be a header. Control characters decide.
constexpr Signature known_words[] = {
    {"PAR1", "a Parquet file", convert}, {"ARROW1", "an Arrow file", convert},
    {"FEA1", "a Feather file", convert}, {"ORC", "an ORC file", convert},
    {"GRIB", "a GRIB file", convert},
};

[[noreturn]] void refuse(const std::string& name, const std::string& kind, const std::string& cure) {
  throw DataError(name + ": is " + kind + "; " + cure);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Whether a text without blanks in front is HTML or XML. "<NA>" is a missing value, and "<DATE>,<CLOSE>" a
/// header as programs for markets write it: a separator follows its first name.
bool is_markup(std::string_view text) {
  if (!text.starts_with('<') || text.size() < 2) return false;
  if (text[1] == '!' || text[1] == '?' || text[1] == '/') return true;
  if (!is_letter(text[1]) || text.starts_with("<NA>")) return false;
  const std::size_t end = text.find_first_of("> \t\r\n");
  return end == std::string_view::npos || end + 1 == text.size() || text[end] != '>' ||
         std::string_view(",;|\t").find(text[end + 1]) == std::string_view::npos;
}

/// Whether a text without blanks in front is JSON. "[id],[price]" is a header.
bool is_json(std::string_view text) {
  if (!text.starts_with('{') && !text.starts_with('[')) return false;
  const bool is_array = text.front() == '[';
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n", 1), text.size()));
  if (text.empty()) return true;
  const std::string_view first = is_array ? "\"{[]-0123456789" : "\"}";
  return first.find(text.front()) != std::string_view::npos ||
         (is_array && (text.starts_with("null") || text.starts_with("true") || text.starts_with("false")));
}

/// UTF-16 of ASCII has a NUL in every other byte.
bool is_utf16(std::string_view start) {
  if (start.size() < 4) return false;
  const std::array<bool, 4> is_nul = {start[0] == 0, start[1] == 0, start[2] == 0, start[3] == 0};
  return is_nul == std::array{false, true, false, true} || is_nul == std::array{true, false, true, false};
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' &&
         std::string_view("\t\n\v\f\r").find(c) == std::string_view::npos;
}

void refuse_if_any(std::span<const Signature> kinds, std::string_view start, const std::string& name) {
  for (const Signature& kind : kinds)
    if (start.substr(std::min(start.size(), kind.offset)).starts_with(kind.bytes))
      refuse(name, kind.name, kind.cure);
}

}  // namespace

void refuse_other_kinds(std::string_view start, const std::string& name) {
  refuse_if_any(signatures, start, name);
  if (is_utf16(start)) refuse(name, "UTF-16 without a byte order mark", recode);
}

void refuse_other_contents(std::string_view start, std::string_view separators, const std::string& name) {
  const auto is_foreign = [&](char c) {
    return is_control(c) && separators.find(c) == std::string_view::npos;
  };
  // A tenth of random bytes are control characters; a text has one where something went wrong.
  const auto foreign = static_cast<std::size_t>(std::ranges::count_if(start, is_foreign));
  if (foreign * 64 > start.size() || start.find('\0') != std::string_view::npos) {
    refuse_if_any(known_words, start, name);
    const auto* const first = std::ranges::find_if(start, is_foreign);
    const std::int64_t line = 1 + count_lines({start.begin(), first});
    throw UnreadableText(name + ": line " + std::to_string(line) + ": " + message_of_control(*first),
                         TextRemedy::other_kind);
  }
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  if (is_markup(start)) refuse(name, "HTML or XML, not a table of numbers", "save the table as CSV");
  if (is_json(start)) refuse(name, "JSON, not a table of numbers", "convert it to CSV");
}

}  // namespace foldline::io
