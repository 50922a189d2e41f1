// The results as a table for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "options.hpp"
#include "results.hpp"

namespace foldline::bench {

void print_table(const Results& results);

/// A number, or a dash for 0: there is nothing to compare with.
std::string ratio_text(double ratio);

/// The ratio with its spread and that of the run; null where there is nothing to compare with.
nlohmann::ordered_json ratio_json(const Ratio& ratio);

/// "2^27", or the number itself.
std::string size_text(std::int64_t size);

nlohmann::ordered_json as_json(const Results& results);

/// Throws std::runtime_error if the file cannot be written: asked before the measurements, which take long.
void require_writable(const std::string& path);

/// Writes under a temporary name and renames, so that the file is never half written. Throws
/// std::runtime_error.
void write_json(const std::string& path, const nlohmann::ordered_json& json);

}  // namespace foldline::bench
