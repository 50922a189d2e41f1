#include "io/text_parser.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "io/text_damage.hpp"
#include "io/text_message.hpp"
#include "io/text_number.hpp"
#include "io/text_scan.hpp"

namespace foldline::io {
namespace {

constexpr std::size_t no_field = std::numeric_limits<std::size_t>::max();

/// Whether a text may be a number with a decimal comma or thousands separators.
bool is_spelled_otherwise(std::string_view text) {
  const std::string_view rest =
      text.substr(std::min(text.find_first_not_of("0123456789.,' +-"), text.size()));
  const bool has_mark = text.find_first_of(".,' ") != std::string_view::npos ||
                        rest.starts_with("\xc2\xa0") || rest.starts_with("\xe2\x80");
  return has_mark && text.find_first_of("0123456789") != std::string_view::npos &&
         (rest.empty() || static_cast<unsigned char>(rest.front()) >= 0x80);
}

/// An error in a row, and its remedy.
struct Problem {
  std::string what;
  std::string cure;
  TextRemedy remedy = TextRemedy::none;
};

Problem not_a_number(std::string_view text, const TextDialect& dialect) {
  const std::string what = quoted(text) + " is not a number";
  if (is_spreadsheet_error(text))
    return {what, "it is an error of a spreadsheet: mend the formula, or take out the row"};
  if (text.find("1.#") <= 1) return {what, "write inf or nan"};  // "-1.#IND": old C libraries of Microsoft
  if (dialect.comment() && text.find(*dialect.comment()) != std::string_view::npos)
    return {what, dialect.separator() == ' ' ? "a comment needs a blank before it"
                                             : "in CSV a comment takes a line of its own"};
  if (is_spelled_otherwise(text)) return {what, "", TextRemedy::spelling};
  if (const std::optional<std::string> number = plain_number(text)) return {what, "write " + *number};
  return {what, "correct it or choose other columns"};
}

Problem problem_of(NumberStatus status, std::string_view text, const TextParser& parser) {
  if (status == NumberStatus::not_an_integer)
    return {quoted(text) + " is not an integer", "", TextRemedy::type};
  if (status == NumberStatus::out_of_range)
    return {quoted(text) + " is beyond the range of " + std::string(name_of(parser.type())), "",
            TextRemedy::type};
  return not_a_number(text, parser.layout().dialect);
}

}  // namespace

void TextValues::clear(std::size_t count) {
  vectors.resize(count);
  for (Vector& vector : vectors) {
    vector.size = 0;
    vector.missing = 0;
    vector.left_out = false;
  }
  non_numeric.clear();
  for (std::vector<std::uint32_t>& of_vector : keys) of_vector.clear();
  rows = missing = fields_of_last_row = 0;
}

void TextValues::Vector::grow(std::size_t element_size) {
  const std::uint32_t more = room == 1 ? 3 : 2 * room;  // 3 fill the smallest allocation of malloc
  auto bigger = std::make_unique_for_overwrite<std::byte[]>(more * element_size);
  std::memcpy(bigger.get(), values(), size * element_size);
  many = std::move(bigger);
  room = more;
}

/// Parses one block of rows.
class BlockParser {
 public:
  BlockParser(const TextParser& parser, const TextRows& rows, std::int64_t number, TextValues& values,
              KeyCache& cache, TextMarks marks)
      : parser_(parser),
        dialect_(parser.layout_.dialect),
        values_(values),
        cache_(cache),
        marks_(marks),
        element_size_(static_cast<std::size_t>(size_of(parser.type_))),
        longest_row_(parser.cuts_lines_ ? INT64_MAX : parser.longest_row_),
        continues_(rows.continues),
        number_(number),
        first_(rows.text().data()),
        at_(first_),
        end_(at_ + rows.text().size()),
        key_(parser.layout_.key.size()),
        one_value_each_(!values.own_keys) {}

  std::optional<TextError> run();

 private:
  void parse_rows();
  bool parse_row();
  bool take(std::size_t field, std::size_t vector, const TextField& text);
  bool take_missing(std::size_t field, std::size_t vector, std::string what);
  bool leave_out(std::size_t field, std::size_t vector, Problem problem);
  Problem too_many_fields(std::size_t fields) const;
  bool are_empty_from(std::size_t first) const;
  bool end_row(std::size_t fields);
  void end_keys();
  std::optional<TextError> look_up_keys();
  std::string_view joined_key();
  bool fail(std::optional<std::size_t> field, Problem problem);
  bool fail_too_long();

  const TextParser& parser_;
  const TextDialect& dialect_;
  TextValues& values_;
  KeyCache& cache_;
  TextMarks marks_;
  std::size_t element_size_;
  std::int64_t longest_row_;
  bool continues_;       ///< the first line continues a row that has been counted
  std::int64_t number_;  ///< of the block
  const char* first_;
  const char* at_;
  const char* end_;
  const char* row_ = nullptr;    ///< where the row begins
  const char* field_ = nullptr;  ///< where its current field begins
  bool dropped_ = false;         ///< the row is dropped, because a value is missing
  std::uint32_t kept_ = 0;       ///< values per vector from earlier rows that were kept
  std::vector<TextField> key_;   ///< of the row: the parts
  std::string joined_key_;
  bool one_value_each_;  ///< per vector, in every row that is kept
  std::optional<TextError> error_;
};

std::optional<TextError> BlockParser::run() {
  if (key_.empty()) {
    parse_rows();
    return error_;
  }
  cache_.begin(parser_.keys_, parser_.first_block_ + static_cast<std::uint64_t>(number_));
  parse_rows();
  std::optional<TextError> error = look_up_keys();
  if (error && (!error_ || error->at < error_->at)) return error;
  if (one_value_each_) return error_;
  for (std::vector<std::uint32_t>& keys : values_.keys)
    for (std::uint32_t& key : keys) key = cache_.numbers()[key];  // was the row's number
  return error_;
}

/// Parses rows to the end or to an error.
void BlockParser::parse_rows() {
  while (at_ != end_) {
    row_ = at_;
    if (dialect_.enter_row(at_)) {
      if (!parse_row()) return;
      if (continues_) --values_.rows;
    }
    continues_ = false;
    if (at_ - row_ > longest_row_) {
      fail_too_long();
      return;
    }
    if (cache_.is_full()) {
      error_ = look_up_keys();
      if (error_) return;
    }
  }
}

bool BlockParser::parse_row() {
  const bool every_field = parser_.layout_.columns.empty();
  const TextParser::Wanted* wanted = parser_.wanted_.data();
  const TextParser::Wanted* wanted_key = parser_.wanted_keys_.data();
  const TextMarks marks = marks_;
  const char* at = at_;
  TextField text;
  std::size_t field = 0;
  dropped_ = false;
  do {
    if (!every_field)
      field += dialect_.skip_fields(at, std::min(wanted->field, wanted_key->field) - field, marks);
    field_ = at;
    if (const FieldEnd end = dialect_.read_field(at, end_, text, marks); end != FieldEnd::proper)
      return fail(field, {std::string(message_of(end)), "", remedy_of(end)});
    if (every_field && !take(field, 0, text)) return false;
    for (; wanted->field == field; ++wanted)
      if (!take(field, wanted->to, text)) return false;
    for (; wanted_key->field == field; ++wanted_key) key_[wanted_key->to] = text;
    ++field;
  } while (dialect_.next_field(at));
  at_ = at;
  for (; wanted->field != no_field; ++wanted)
    if (!take_missing(wanted->field, wanted->to, "is not there: the row has " + counted(field, "field")))
      return false;
  if (every_field && parser_.most_fields_ != no_field)
    for (std::size_t absent = field; absent < parser_.most_fields_; ++absent)
      if (!take_missing(absent, 0, "is not there: the row has " + counted(field, "field"))) return false;
  if (wanted_key->field != no_field)
    return fail(wanted_key->field,
                {"is not there: the row has " + counted(field, "field"), "it needs a key"});
  return end_row(field);
}

/// Appends a field to a vector.
bool BlockParser::take(std::size_t field, std::size_t vector, const TextField& text) {
  TextValues::Vector& out = values_.vectors[vector];
  if (out.left_out) return true;
  std::byte* const to = out.next(element_size_);
  const std::string_view number = text.quoted ? without_blanks(text.text) : text.text;
  const NumberStatus status = parser_.numbers_.read(number, to);
  if (status == NumberStatus::number) [[likely]] {
    if (!parser_.markers_.have_numbers() || !parser_.markers_.have_number(number, to, parser_.numbers_)) {
      ++out.size;
      return true;
    }
  } else if (!parser_.markers_.have(number, parser_.numbers_)) {
    return leave_out(field, vector, problem_of(status, number, parser_));
  }
  return take_missing(field, vector, number.empty() ? "is empty" : quoted(number) + " stands for no value");
}

/// Handles a field that is not a number: leaves its column out, or fails.
bool BlockParser::leave_out(std::size_t field, std::size_t vector, Problem problem) {
  if (!parser_.columns_left_out_) return fail(field, std::move(problem));
  values_.vectors[vector].left_out = true;
  parser_.columns_left_out_->add(number_, vector);
  values_.non_numeric.push_back({vector, count_lines({first_, field_}), std::move(problem.what)});
  return true;
}

bool BlockParser::take_missing(std::size_t field, std::size_t vector, std::string what) {
  if (parser_.missing_ == MissingValues::refuse)
    return fail(field, {std::move(what), "", TextRemedy::skip_missing});
  dropped_ |= parser_.missing_ == MissingValues::skip_row;
  ++values_.missing;
  ++values_.vectors[vector].missing;
  return true;
}

bool BlockParser::end_row(std::size_t fields) {
  if (fields > parser_.most_fields_) return fail(std::nullopt, too_many_fields(fields));
  ++values_.rows;
  values_.fields_of_last_row = static_cast<std::int64_t>(fields);
  if (parser_.missing_ == MissingValues::skip_row) {
    if (dropped_)
      for (TextValues::Vector& vector : values_.vectors) vector.size = kept_;
    kept_ = values_.vectors[0].size;
  }
  if (!key_.empty()) end_keys();
  return true;
}

/// All parts of the row's key; valid until the next one.
std::string_view BlockParser::joined_key() {
  if (key_.size() == 1 && !key_[0].quoted) return key_[0].text;
  joined_key_.clear();
  for (const TextField& part : key_) {
    if (&part != key_.data()) joined_key_ += '\0';
    part.quoted ? joined_key_ += part.value() : joined_key_ += part.text;
  }
  return joined_key_;
}

/// Gives the row's key to the values that it added, if there are any.
void BlockParser::end_keys() {
  if (one_value_each_ && dropped_) return;
  const auto row = static_cast<std::uint32_t>(cache_.numbers().size());
  if (!one_value_each_) {
    bool is_new = false;
    for (std::size_t i = 0; i < values_.vectors.size(); ++i) {
      is_new |= values_.vectors[i].size != values_.keys[i].size();
      values_.keys[i].resize(values_.vectors[i].size, row);
    }
    if (!is_new) return;
  }
  const bool outlives_block = key_.size() == 1 && !key_[0].quoted;
  cache_.add(joined_key(), outlives_block, key_[0].text.data());
}

std::optional<TextError> BlockParser::look_up_keys() {
  const std::optional<const char*> at = cache_.look_up();
  if (!at) return std::nullopt;
  return TextError{*at, parser_.layout_.key[0], "there are too many different keys, or too long ones",
                   TextRemedy::keys};
}

Problem BlockParser::too_many_fields(std::size_t fields) const {
  const std::size_t expected = parser_.most_fields_;
  Problem problem{"the row has " + counted(fields, "field") + ", the first line " + std::to_string(expected),
                  ""};
  if (!dialect_.comment() && parser_.layout_.first_row.front().starts_with('#')) {
    problem.remedy = TextRemedy::comment;
  } else if (dialect_.separator() == ' ') {
    problem.cure = "quote fields that contain blanks";
  } else if (are_empty_from(expected)) {
    problem.cure = "it ends with a separator: take that away, or let all lines end so";
  } else {
    problem.cure = "quote fields that contain the separator";
  }
  return problem;
}

/// Whether the fields of the row are empty from this one on.
bool BlockParser::are_empty_from(std::size_t first) const {
  const char* at = row_;
  dialect_.enter_row(at);
  TextField text;
  std::size_t field = 0;
  do {
    dialect_.read_field(at, end_, text);
    if (field++ >= first && !text.text.empty()) return false;
  } while (dialect_.next_field(at));
  return true;
}

/// Records an error. Returns false.
bool BlockParser::fail(std::optional<std::size_t> field, Problem problem) {
  const char* const end = dialect_.line_end(row_, end_);
  if ((end == nullptr ? end_ : end) - row_ > longest_row_) return fail_too_long();
  if (*row_ == '#' && !dialect_.comment() && dialect_.may_be_comment(row_))
    problem.remedy = TextRemedy::comment;
  if (problem.remedy == TextRemedy::none && !problem.cure.empty()) problem.what += "; " + problem.cure;
  error_ = TextError{field ? field_ : row_, field, std::move(problem.what), problem.remedy};
  return false;
}

bool BlockParser::fail_too_long() {
  error_ = TextError{row_, std::nullopt, too_long_message(parser_.longest_row_), TextRemedy::longest_row};
  return false;
}

TextParser::TextParser(const TextLayout& layout, const TextFormat& format)
    : layout_(layout),
      type_(format.type),
      numbers_(format.type, format),
      markers_(format, numbers_),
      missing_(format.missing),
      wanted_(in_order_of_fields(layout.columns)),
      wanted_keys_(in_order_of_fields(layout.key)),
      most_fields_(layout.any_width() || layout.first_row.empty() ? no_field : layout.first_row.size()),
      longest_row_(format.longest_row),
      cuts_lines_(layout.any_width() && has_no_rows(format)),
      keys_(format.keys ? format.keys->table_ : std::make_shared<KeyTable>(format.most_keys)),
      first_block_(keys_->blocks()) {
  if (!format.numeric_columns || layout.columns.empty()) return;
  columns_left_out_ = std::make_shared<ColumnsLeftOut>(layout.vectors());
  missing_ = MissingValues::skip_value;
}

std::vector<TextParser::Wanted> TextParser::in_order_of_fields(const std::vector<std::size_t>& fields) {
  std::vector<Wanted> result;
  result.reserve(fields.size() + 1);
  for (std::size_t i = 0; i < fields.size(); ++i) result.push_back({fields[i], i});
  std::ranges::sort(result, {}, [](const Wanted& wanted) { return std::pair(wanted.field, wanted.to); });
  result.push_back({no_field, 0});
  return result;
}

std::optional<TextError> TextParser::parse(const TextRows& rows, std::int64_t number, TextValues& values,
                                           KeyCache& cache, std::vector<std::uint64_t>& marks) const {
  values.clear(layout_.vectors());
  if (columns_left_out_)
    for (std::size_t i = 0; i < values.vectors.size(); ++i)
      values.vectors[i].left_out = columns_left_out_->before(number, i);
  values.own_keys =
      !layout_.key.empty() && (layout_.columns.empty() || missing_ == MissingValues::skip_value);
  if (values.own_keys) values.keys.resize(layout_.vectors());
  const std::string_view text = rows.text();
  if (rows.too_long)
    return TextError{text.data(), std::nullopt, too_long_message(longest_row_), TextRemedy::longest_row};
  const TextMarks field_ends = find_marks(text, layout_.dialect.field_ends(), marks);
  std::optional<TextError> error = BlockParser(*this, rows, number, values, cache, field_ends).run();
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos && (!error || text.data() + nul < next_line(error->at)))
    return TextError{text.data() + nul, std::nullopt, message_of_control('\0'), TextRemedy::other_kind};
  return error;
}

}  // namespace foldline::io
