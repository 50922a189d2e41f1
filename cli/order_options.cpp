#include "order_options.hpp"

#include <cmath>
#include <optional>

#include "choices.hpp"
#include "numbers.hpp"
#include "option_groups.hpp"
#include "quantile.hpp"

namespace foldline::cli {
namespace {

constexpr std::int64_t most_bins = 1'000'000;

std::string check_fraction(const std::string& text) {
  return fraction_of(text) ? "" : "'" + text + "' is not a decimal from 0 to 1, such as 0.25";
}

std::optional<std::pair<double, double>> range_of(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  const std::optional<double> low = number_of(text.substr(0, comma)),
                              high = number_of(text.substr(comma + 1));
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || *low > *high) return std::nullopt;
  return std::pair(*low, *high);
}

CLI::App& add_one(CLI::App& app, Parsed& parsed, const std::string& name, const std::string& text,
                  const std::string& example, Action action) {
  CLI::App& command = *add_command(app, parsed, name, text, example, action);
  command
      .add_option("FILE", parsed.options.files,
                  std::string(kinds_of_files) + ". Several files are one data set")
      ->required()
      ->check(check_path)
      ->type_name("FILE");
  return command;
}

void add_options_of_all(CLI::App& command, Parsed& parsed) {
  Options& options = parsed.options;
  add_json_option(command, options);
  add_output_format(command, options);
  add_format_option(command, options);
  command.add_flag("--skip-nan", options.skip_nan, "Leave out NaNs");
  add_text_options(command, parsed);
  add_member_option(command, parsed.options);
  add_raw_options(command, parsed);
  add_computation_options(command, options);
}

void add_quantiles(CLI::App& command, Options& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--q",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) options.fractions.push_back(*fraction_of(text));
          },
          "Fractions from 0 to 1; may be repeated (default: 0,0.25,0.5,0.75,1)")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(check_fraction)
      ->type_name("Q,...");
}

void add_bins(CLI::App& command, HistogramOptions& histogram) {
  command.add_option("--bins", histogram.bins, "Bins of equal width (default: 10)")
      ->check(whole_number(1, most_bins))
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--range", [&histogram](const std::string& text) { histogram.range = range_of(text); },
          "Where the first bin begins and the last one ends; numbers outside are left out (default: the "
          "smallest and the largest number)")
      ->check([](const std::string& text) {
        return range_of(text)
                   ? ""
                   : "'" + text + "' is no range; give two numbers, the smaller first, such as 0,1";
      })
      ->type_name("A,B");
}

}  // namespace

void add_order_statistics(CLI::App& app, Parsed& parsed) {
  Options& options = parsed.options;
  CLI::App& median = add_one(app, parsed, "median", "The number in the middle, or the mean of the middle two",
                             "data.npy", Action::quantile);
  median.preparse_callback([&options](std::size_t) { options.fractions = {*fraction_of("0.5")}; });
  add_options_of_all(median, parsed);
  add_many_columns_options(median, options);
  CLI::App& quantile = add_one(app, parsed, "quantile", "Quantiles, by linear interpolation",
                               "data.npy --q 0.25,0.5,0.9", Action::quantile);
  add_quantiles(quantile, options);
  add_options_of_all(quantile, parsed);
  add_many_columns_options(quantile, options);
  CLI::App& histogram = add_one(app, parsed, "histogram", "How many numbers are in each of some bins",
                                "data.npy --bins 20", Action::histogram);
  add_bins(histogram, options.histogram);
  add_options_of_all(histogram, parsed);
  histogram
      .add_flag("--all-columns", options.text_options.all_columns, "The numbers of all columns of a text")
      ->group(text_group);
}

void set_default_fractions(Options& options) {
  if (options.action == Action::quantile && options.fractions.empty())
    for (const char* const text : {"0", "0.25", "0.5", "0.75", "1"})
      options.fractions.push_back(*fraction_of(text));
}

void check_order_statistics(const Options& options) {
  const auto refuse = [&](bool wrong, const char* what) {
    if (wrong) throw UsageError(options.command + ": " + what);
  };
  refuse(options.context.accuracy == Accuracy::fast,
         "numbers are put in order, not added up; leave --accuracy fast out");
  refuse(options.context.execution.device.kind == Device::Kind::cuda,
         "runs on the CPU; leave --device cuda out");
  refuse(options.action == Action::histogram && options.format == NumberFormat::exact,
         "--format exact is for results, which counts are anyway; use shortest or hex");
  refuse(options.action == Action::histogram && options.text_options.columns.size() > 1,
         "takes one column; name one");
}

}  // namespace foldline::cli
