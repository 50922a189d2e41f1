// Any bytes as CSV, with columns, keys, headers and separators of every kind: a DataError, or vectors that
// keep what the reader promises. Threads and blocks must not show.
#include <mutex>
#include <thread>

#include "text_input.hpp"

using namespace foldline;
using fuzz::require;

namespace {

/// The error that two threads get, "" if there is none: the same for both.
std::string error_of_threads(const std::string& path, const TextFormat& format) {
  std::string errors[2];
  try {
    TextReader reader = TextReader::open(path, format);
    const auto work = [&](std::string& error) {
      try {
        TextBlock block;
        while (reader.read(block)) {
        }
      } catch (const DataError& failure) {
        error = failure.what();
      }
    };
    std::thread other(work, std::ref(errors[1]));
    work(errors[0]);
    other.join();
  } catch (const DataError& failure) {
    return failure.what();
  }
  require(errors[0].empty() || errors[1].empty() || errors[0] == errors[1], "threads get the same error");
  return errors[0].empty() ? errors[1] : errors[0];
}

TextFormat format_of(const std::uint8_t* choice) {
  TextFormat format;
  constexpr ElementType types[] = {ElementType::half, ElementType::int16, ElementType::boolean,
                                   ElementType::float64};
  format.type = types[choice[0] & 3];
  format.missing = static_cast<MissingValues>((choice[0] >> 2) % 3);
  format.header = static_cast<TextHeader>((choice[0] >> 4) % 3);
  if ((choice[0] & 64) != 0) format.comment = TextFormat::no_comment;
  if ((choice[0] & 128) != 0) format.key = {1};
  if ((choice[1] & 1) != 0) format.columns = {2};
  if ((choice[1] & 2) != 0) format.columns.emplace_back("a");
  if ((choice[1] & 4) != 0) format.columns.emplace_back(1);
  format.every_column = format.columns.empty() && (choice[1] & 8) != 0;
  const char separators[] = {',', ';', '\t', '|'};
  if ((choice[1] & 16) != 0) format.separator = separators[choice[1] >> 6];
  format.most_keys = 5;
  return format;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 5) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 5, size - 5);
  TextFormat format = format_of(data);
  format.all_columns =
      format.columns.empty() && !format.every_column && format.key.empty() && (data[1] & 32) != 0;
  fuzz::choose_options(format, data[3], data[4]);
  const fuzz::TextContent content = fuzz::read_text_twice(text, format, 1 + data[2] % 64);
  if (data[2] >= 128) return 0;  // threads take their time to start
  const fuzz::MemoryFile file(text);
  format.block_size = 1 + data[2];
  const std::string error = error_of_threads(file.path(), format);
  require(error.empty() == content.error.empty(), "an error with threads is one without");
  return 0;
}
