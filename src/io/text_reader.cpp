#include "foldline/text_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <mutex>
#include <utility>

#include "io/text_layout.hpp"
#include "io/text_message.hpp"
#include "io/text_order.hpp"
#include "io/text_parser.hpp"
#include "io/text_source.hpp"

namespace foldline {
namespace {

/// Sets the default floating-point environment while it lives: numbers are rounded by arithmetic, which the
/// caller's rounding mode and flush-to-zero must not affect.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;
  ~DefaultFloatingPoint() { std::fesetenv(&callers_); }

 private:
  std::fenv_t callers_ = {};
};

}  // namespace

struct TextBlock::State {
  std::int64_t number = 0;
  ElementType type = ElementType::float64;
  io::TextRows rows;
  io::TextValues values;
  io::KeyCache keys;
  std::vector<std::uint64_t> marks;
};

struct TextReader::State {
  State(io::ByteSource bytes, const TextFormat& format)
      : source(std::move(bytes), format),
        parser(io::find_layout(source, format), format),
        order(parser.layout().lines) {}

  bool take(TextBlock::State& block);
  void parse(TextBlock::State& block);

  std::mutex mutex;  ///< of the source and next_number
  io::TextSource source;
  io::TextParser parser;
  io::TextOrder order;
  std::int64_t next_number = 0;
  std::atomic<std::int64_t> position = 0;
};

/// Takes the next rows from the source.
bool TextReader::State::take(TextBlock::State& block) {
  const std::lock_guard lock(mutex);
  order.check();
  try {
    if (!source.take(parser.layout().dialect, parser.cuts_lines(), block.rows)) return false;
  } catch (const DataError& error) {
    order.fail(next_number,
               [&](io::TextOrder::Extent) { return UnreadableText(error.what(), TextRemedy::none); });
  }
  block.number = next_number++;
  position += static_cast<std::int64_t>(block.rows.size);
  return true;
}

void TextReader::State::parse(TextBlock::State& block) try {
  const std::string_view text = block.rows.text();
  const std::optional<io::TextError> error =
      parser.parse(block.rows, block.number, block.values, block.keys, block.marks);
  if (!error)
    return order.finish(block.number,
                        {.lines = io::count_lines(text) - (block.rows.unfinished ? 1 : 0),
                         .fields = block.rows.unfinished ? block.values.fields_of_last_row : 0},
                        std::move(block.values.non_numeric));
  order.fail(block.number, [&](io::TextOrder::Extent before) {
    const std::int64_t lines = io::count_lines({text.data(), error->at});
    const auto fields_before = static_cast<std::size_t>(lines == 0 ? before.fields : 0);
    return UnreadableText(
        source.name() + ": line " + std::to_string(before.lines + lines + 1) +
            (error->field ? ", " + parser.layout().name_of(fields_before + *error->field) : "") + ": " +
            error->what,
        error->remedy);
  });
} catch (...) {
  order.abandon(source.name());  // unless it was fail() that threw
  throw;
}

TextBlock::TextBlock() : state_(std::make_unique<State>()) {}
TextBlock::TextBlock(TextBlock&& other) noexcept = default;
TextBlock& TextBlock::operator=(TextBlock&& other) noexcept = default;
TextBlock::~TextBlock() = default;

std::int64_t TextBlock::number() const { return state_->number; }
std::int64_t TextBlock::rows() const { return state_->values.rows; }
std::int64_t TextBlock::missing() const { return state_->values.missing; }
std::int64_t TextBlock::missing(std::size_t column) const {
  return state_->values.vectors.at(column).missing;
}

VectorView TextBlock::values(std::size_t column) const {
  io::TextValues::Vector& vector = state_->values.vectors.at(column);
  return {vector.values(), state_->type, static_cast<std::int64_t>(vector.size)};
}

std::span<const std::uint32_t> TextBlock::keys(std::size_t column) const {
  if (state_->values.own_keys) return state_->values.keys.at(column);
  return state_->keys.numbers();
}

TextReader::TextReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextReader::TextReader(TextReader&& other) noexcept = default;
TextReader& TextReader::operator=(TextReader&& other) noexcept = default;
TextReader::~TextReader() = default;

TextReader TextReader::open(const std::string& path, const TextFormat& format) {
  io::validate(format);  // before the file is opened
  return open(InputFile::open(path), format);
}

TextReader TextReader::open(InputFile file, const TextFormat& format) {
  io::validate(format);
  const DefaultFloatingPoint environment;  // numbers among the markers are rounded
  return TextReader(std::make_unique<State>(std::move(*file.source_), format));
}

const std::string& TextReader::name() const { return state_->source.name(); }
ElementType TextReader::type() const { return state_->parser.type(); }
char TextReader::separator() const { return state_->parser.layout().dialect.separator(); }
bool TextReader::has_header() const { return state_->parser.layout().has_header; }
std::int64_t TextReader::width() const {
  return static_cast<std::int64_t>(state_->parser.layout().first_row.size());
}
const std::vector<std::string>& TextReader::first_line() const { return state_->parser.layout().first_row; }
std::size_t TextReader::columns() const { return state_->parser.layout().vectors(); }
std::string TextReader::column_name(std::size_t column) const {
  return state_->parser.layout().label_of(column);
}
std::string TextReader::key_name(std::size_t column) const {
  const io::TextLayout& layout = state_->parser.layout();
  return layout.label_of_field(layout.key.at(column));
}
std::vector<LeftOutColumn> TextReader::left_out() const { return state_->order.left_out(); }
std::int64_t TextReader::position() const { return state_->position; }
std::optional<std::int64_t> TextReader::size() const { return state_->source.size(); }
std::optional<TextPart> TextReader::unread() const {
  const io::TextSource& source = state_->source;
  if (!source.size()) return std::nullopt;
  return TextPart{std::min(source.offset(), *source.size()), *source.size()};
}
void TextReader::read_only(TextPart part, bool is_row) {
  if (!unread() || part.begin < unread()->begin || part.end > unread()->end || part.begin > part.end)
    throw InvalidArgument(name() + ": has no part from byte " + std::to_string(part.begin) + " to " +
                          std::to_string(part.end) + "; ask for one within unread()");
  state_->source.read_part(part.begin, part.end, is_row);
}
std::int64_t TextReader::lines_read() const { return state_->order.lines() - state_->parser.layout().lines; }
std::vector<std::string> TextReader::keys() const { return state_->parser.keys().keys(); }

bool TextReader::read(TextBlock& block) {
  const DefaultFloatingPoint environment;
  if (!block.state_) block = TextBlock();  // its state was moved elsewhere
  TextBlock::State& state = *block.state_;
  state.type = type();
  state.values.clear(columns());
  state.keys.clear();
  if (!state_->take(state)) return false;
  state_->parse(state);
  return true;
}

}  // namespace foldline
