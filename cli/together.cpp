#include "together.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

namespace foldline::cli {
namespace {

using nlohmann::json;

/// What a process sends: its failure, or what it found in its files.
json packed_part(const Found& found) {
  json left_out = json::array(), sums = json::array();
  for (const LeftOut& one : found.left_out)
    left_out.push_back({one.file, one.number, one.column, one.name, one.line, one.problem});
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

json failed_part(const Complaint& complaint, std::size_t file) {
  return {{"failure", complaint.text}, {"code", complaint.code}, {"file", file}};
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
void refuse_pipes(const std::vector<std::string>& files) {
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
                              .number = one[1],
                              .column = one[2],
                              .name = one[3],
                              .line = one[4],
                              .problem = one[5]});
}

}  // namespace

void require_shareable(const Options& options) {
  if (options.action != Action::compute) refuse("this command");
  if (options.axis) refuse("a computation along an axis");
  if (!options.text_options.key.empty()) refuse("a computation by groups");
  if (options.second_file) refuse("a computation of pairs of files");
  if (std::ranges::find(options.files, "-") != options.files.end()) refuse("standard input");
}

Found compute_together(const Options& options, const std::function<void(const std::string&)>& explain,
                       Processes& processes) {
  Found found;
  json own;
  std::size_t file = 0;
  try {
    refuse_pipes(options.files);
    found = compute(options, explain, {processes.rank(), processes.count(), &file});
    own = packed_part(found);
  } catch (...) {
    own = failed_part(complaint_about(std::current_exception()), file);
  }
  const std::vector<std::uint8_t> bytes = json::to_cbor(own);
  const std::vector<std::string> all = processes.exchange(std::string(bytes.begin(), bytes.end()));
  found.skipped_missing = found.skipped_nan = 0;
  found.missing.clear();
  found.left_out.clear();
  std::vector<json> parts;
  parts.reserve(all.size());
  for (const std::string& part : all) parts.push_back(json::from_cbor(part.begin(), part.end()));
  require_done(parts);
  for (const json& part : parts) add_part(found, part);
  leave_out_columns(found, options);
  return found;
}

}  // namespace foldline::cli
