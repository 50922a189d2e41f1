#include "json_report.hpp"

#include "result_type.hpp"

namespace foldline::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The name of the type, or a list if there are several.
Json type_names(const std::vector<ElementType>& types) {
  if (types.size() == 1) return name_of(types[0]);
  Json names = Json::array();
  for (const ElementType type : types) names.push_back(name_of(type));
  return names;
}

Json header_of(const FirstLine& line) { return line.header ? Json(*line.header) : Json(false); }

/// The names in the header of a text, false if it has none; of several texts, by file.
Json headers_of(const std::vector<FirstLine>& lines) {
  if (lines.size() == 1) return header_of(lines[0]);
  Json headers;
  for (const FirstLine& line : lines) headers[line.file] = header_of(line);
  return headers;
}

std::string lines_of(const Json& json) {
  // A file name need not be UTF-8; a result must not be lost over that.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void add_provenance(Json& json, const Found& found, const Options& options) {
  const bool many = found.has_groups || found.has_columns;
  if (found.shape)
    json["shape"] = *found.shape;
  else if (!many && json.contains("count"))
    json["shape"] = Json::array({json["count"]});  // GCC and clang disagree about Json{...} with one element
  if (options.text_options.skip_missing) json["skipped_missing"] = found.skipped_missing;
  if (options.skip_nan) json["skipped_nan"] = found.skipped_nan;
  if (takes_ddof(options.operation)) json["ddof"] = options.ddof;
  json["input_type"] = type_names(found.types);
  json["output_type"] =
      name_of(options.counts ? ElementType::int64 : result_type(options.operation, found.types, options));
  json["accuracy"] = found.plan.accuracy == Accuracy::exact ? "exact" : "fast";
  json["threads"] = found.plan.threads;
  json["target"] = name_of(found.plan.target);
  json["device"] = options.all_gpus ? "cuda:all" : name_of(found.plan.device);
  json["files"] = found.files;
  if (!found.first_lines.empty()) json["header"] = headers_of(found.first_lines);
  if (options.explain) json["plan"] = found.explanation;
}

std::string dump(const Json& json) { return lines_of(json) + "\n"; }

std::string indented(const Json& json) {
  std::string text;
  for (const char c : lines_of(json)) text.append(1, c).append(c == '\n' ? 4 : 0, ' ');
  return text;
}

}  // namespace foldline::cli
