#include "together.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <tuple>

#include <nlohmann/json.hpp>

#include "file_reduction.hpp"

namespace foldline::cli {
namespace {

using nlohmann::json;

/// What a process sends at the end.
json packed(const Found& found) {
  json left_out = json::array(), sums = json::array();
  for (const LeftOut& one : found.left_out)
    left_out.push_back({one.file, one.file_number, one.number, one.column, one.name, one.line, one.problem});
  for (std::size_t column = 0; column < found.columns.size(); ++column) {
    const std::vector<std::byte> bytes = found.sums->at(0, column).serialise();
    std::vector<std::uint8_t> binary(bytes.size());
    std::memcpy(binary.data(), bytes.data(), bytes.size());
    sums.push_back(json::binary(std::move(binary)));
  }
  return {{"sums", sums},
          {"skipped", {found.skipped_missing, found.skipped_nan}},
          {"missing", found.missing},
          {"left_out", left_out}};
}

/// Throws what failed at the first of the files, as one process would have.
void require_done(const std::vector<json>& parts) {
  const json* first = nullptr;
  for (const json& part : parts)
    if (part.contains("failure") &&
        (first == nullptr || part["file"].get<std::size_t>() < (*first)["file"].get<std::size_t>()))
      first = &part;
  if (first != nullptr)
    throw SharedFailure{{(*first)["failure"].get<std::string>(), (*first)["code"].get<int>()}};
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(what +
              " cannot be shared by the processes of mpirun: run foldline without it, since it uses all "
              "cores by itself");
}

/// Every process opens every file, and of a pipe each would get another part.
void refuse_pipes(const Options& options) {
  std::vector<std::string> files = options.files;
  if (options.second_file) files.push_back(*options.second_file);
  for (const std::string& file : files) {
    std::error_code failed;
    if (std::filesystem::is_other(std::filesystem::status(file, failed)))
      refuse(file + " is a pipe or device, which");
  }
}

Accumulator accumulator_from(const json& sum) {
  return Accumulator::deserialise(std::as_bytes(std::span(sum.get_binary())));
}

/// Adds what a process found.
void add_part(Found& found, const json& part) {
  for (std::size_t column = 0; column < part["sums"].size(); ++column) {
    const Accumulator sum = accumulator_from(part["sums"][column]);
    if (found.totals.size() <= column)
      found.totals.push_back(sum);
    else
      found.totals[column].merge(sum);
  }
  found.skipped_missing += part["skipped"][0].get<std::int64_t>();
  found.skipped_nan += part["skipped"][1].get<std::int64_t>();
  for (std::size_t i = 0; i < part["missing"].size(); ++i) {
    found.missing.resize(std::max(found.missing.size(), i + 1));
    found.missing[i] += part["missing"][i].get<std::int64_t>();
  }
  for (const json& one : part["left_out"])
    found.left_out.push_back({.file = one[0],
                              .file_number = one[1],
                              .number = one[2],
                              .column = one[3],
                              .name = one[4],
                              .line = one[5],
                              .problem = one[6]});
}

/// Where a process has begun and ended in a file that all read a part of.
struct Stretch {
  enum State : std::uint8_t { read, failed, indivisible };
  FilePart part;
  std::int64_t lines = 0;
  State state = read;
};

class SharedReduction {
 public:
  SharedReduction(const Options& options, const std::function<void(const std::string&)>& explain,
                  Processes& processes)
      : options_(options), processes_(processes), reduction_(options, explain) {}

  Found run();

 private:
  std::vector<json> exchange(const json& own);
  std::vector<bool> divided_files();
  template <class Work>
  void attempt(const Work& work);
  void add_divided(const std::string& file);
  Stretch read_part(const std::string& file, std::optional<std::int64_t> begin);

  const Options& options_;
  Processes& processes_;
  FileReduction reduction_;
  std::optional<FileSums> part_;
  std::size_t file_ = 0;
  json failure_;
};

/// What all processes send. Throws a SharedFailure if one has failed: what one process would have complained
/// about, since all files before are done.
std::vector<json> SharedReduction::exchange(const json& own) {
  const std::vector<std::uint8_t> bytes = json::to_cbor(failure_.is_null() ? own : failure_);
  std::vector<json> parts;
  for (const std::string& part : processes_.exchange(std::string(bytes.begin(), bytes.end())))
    parts.push_back(json::from_cbor(part.begin(), part.end()));
  require_done(parts);
  return parts;
}

/// Of which files every process reads a part: those that are long enough and look the same to all. An
/// inexact sum depends on where blocks begin.
std::vector<bool> SharedReduction::divided_files() {
  constexpr std::int64_t smallest_part = std::int64_t{1} << 16;
  const bool any = options_.context.accuracy == Accuracy::exact;
  std::vector<std::int64_t> sizes;
  for (const std::string& file : options_.files) {
    std::error_code failed;
    const bool is_regular = any && std::filesystem::is_regular_file(file, failed);
    const auto size = is_regular ? static_cast<std::int64_t>(std::filesystem::file_size(file, failed)) : -1;
    sizes.push_back(failed || size / processes_.count() < smallest_part ? -1 : size);
  }
  std::vector<bool> divided(sizes.size(), true);
  for (const json& part : exchange(sizes))
    for (std::size_t i = 0; i < divided.size(); ++i)
      divided[i] = divided[i] && sizes[i] >= 0 && part[i].get<std::int64_t>() == sizes[i];
  return divided;
}

/// Does work unless this process has failed. A failure waits for the next exchange.
template <class Work>
void SharedReduction::attempt(const Work& work) {
  if (!failure_.is_null()) return;
  try {
    work();
  } catch (...) {
    const Complaint complaint = complaint_about(std::current_exception());
    failure_ = {{"failure", complaint.text}, {"code", complaint.code}, {"file", file_}};
  }
}

Stretch SharedReduction::read_part(const std::string& file, std::optional<std::int64_t> begin) {
  try {
    part_ = reduction_.read_part(file, processes_.rank(), processes_.count(), begin);
    if (!part_) return {{}, 0, Stretch::indivisible};
    return {part_->part, part_->lines, Stretch::read};
  } catch (...) {  // one process that reads the file to there says what is wrong, and in which line
    part_.reset();
    return {{begin.value_or(-1), -1}, 0, Stretch::failed};
  }
}

/// Every process reads a part of the file. Where rows begin in a text is a guess, which is right if the part
/// before ends there; else the part is read again, from where that one ends. The first part is no guess, so
/// each round settles one more. What nobody can divide, or what fails, one process reads from the beginning.
void SharedReduction::add_divided(const std::string& file) {
  const auto rank = static_cast<std::size_t>(processes_.rank());
  std::optional<std::int64_t> begin;
  bool is_to_be_read = true;
  Stretch own;
  for (;;) {
    if (is_to_be_read && failure_.is_null()) own = read_part(file, begin);
    std::vector<Stretch> all;
    for (const json& part : exchange({own.part.begin, own.part.end, own.lines, own.state}))
      all.push_back({{part[0], part[1]}, part[2], static_cast<Stretch::State>(part[3].get<int>())});
    std::size_t settled = 1;  // number of parts that begin where they should
    while (settled < all.size() && all[settled - 1].state == Stretch::read &&
           all[settled].part.begin == all[settled - 1].part.end)
      ++settled;
    if (all[settled - 1].state != Stretch::read) break;
    if (settled == all.size()) {
      std::int64_t lines = 0;
      for (std::size_t i = 0; i < rank; ++i) lines += all[i].lines;
      return attempt([&] { reduction_.keep(std::move(*part_), lines); });
    }
    is_to_be_read = rank > 0 && all[rank - 1].state == Stretch::read &&
                    (own.state != Stretch::read || own.part.begin != all[rank - 1].part.end);
    if (is_to_be_read) begin = all[rank - 1].part.end;
  }
  const bool is_mine = file_ % static_cast<std::size_t>(processes_.count()) == rank;
  attempt([&] { is_mine ? reduction_.add(file) : reduction_.look_at(file); });
}

Found SharedReduction::run() {
  attempt([&] { refuse_pipes(options_); });
  const std::vector<bool> divided = divided_files();
  const auto count = static_cast<std::size_t>(processes_.count()),
             rank = static_cast<std::size_t>(processes_.rank());
  for (file_ = 0; file_ < options_.files.size(); ++file_) {
    const std::string& file = options_.files[file_];
    if (divided[file_])
      add_divided(file);
    else
      attempt([&] { file_ % count == rank ? reduction_.add(file) : reduction_.look_at(file); });
    reduction_.next_file();
  }
  Found found;
  json own;
  attempt([&] {
    found = reduction_.finish();
    own = packed(found);
  });
  const std::vector<json> parts = exchange(own);
  found.skipped_missing = found.skipped_nan = 0;
  found.missing.clear();
  found.left_out.clear();
  for (const json& part : parts) add_part(found, part);
  std::ranges::sort(found.left_out, {}, [](const LeftOut& column) {
    return std::tuple(column.file_number, column.line, column.column);
  });
  leave_out_columns(found, options_);
  return found;
}

}  // namespace

void require_shareable(const Options& options) {
  if (options.action != Action::compute) refuse("this command");
  if (options.axis) refuse("a computation along an axis");
  if (!options.text_options.key.empty()) refuse("a computation by groups");
  if (std::ranges::find(options.files, "-") != options.files.end() || options.second_file == "-")
    refuse("standard input");
}

Found compute_together(const Options& options, const std::function<void(const std::string&)>& explain,
                       Processes& processes) {
  return SharedReduction(options, explain, processes).run();
}

}  // namespace foldline::cli
