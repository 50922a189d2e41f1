#include "samples_options.hpp"

#include <cmath>

#include "choices.hpp"
#include "numbers.hpp"
#include "option_groups.hpp"

namespace foldline::cli {
namespace {

std::string check_distance(const std::string& text) {
  const std::optional<double> value = number_of(text);
  return value && std::isfinite(*value) ? "" : "'" + text + "' is no distance; give a number such as 0.1";
}

CLI::App* add_rule_of_samples(CLI::App& app, Parsed& parsed, const std::string& name, const std::string& text,
                              const std::string& example) {
  Options& options = parsed.options;
  CLI::App* command = add_command(app, parsed, name, text, example, Action::samples);
  command->add_option("Y", parsed.first, std::string("The samples: ") + kinds_of_files)
      ->required()
      ->check(check_path)
      ->type_name("FILE");
  command
      ->add_option("X", parsed.second,
                   "Where they were taken; not needed with two columns of Y, or with --dx")
      ->check(check_path)
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--dx", [&options](const std::string& dx) { options.samples.dx = number_of(dx); },
          "Distance of samples that are equally far apart (default: 1)")
      ->check(check_distance)
      ->type_name("H");
  return command;
}

void add_options_of_both(CLI::App& command, Parsed& parsed) {
  add_json_option(command, parsed.options);
  add_format_option(command, parsed.options);
  add_text_options(command, parsed);
  add_member_option(command, parsed.options);
  add_raw_options(command, parsed);
  add_computation_options(command, parsed.options);
}

}  // namespace

void add_samples(CLI::App& app, Parsed& parsed) {
  Options& options = parsed.options;
  CLI::App* trapezoid =
      add_rule_of_samples(app, parsed, "trapezoid", "Integral of samples, by trapezoids", "y.npy x.npy");
  add_array_output(*trapezoid, options, "Write the integrals up to each of the samples");
  add_options_of_both(*trapezoid, parsed);
  CLI::App* simpson =
      add_rule_of_samples(app, parsed, "simpson", "Integral of samples, by parabolas", "y.npy --dx 0.1");
  simpson->preparse_callback([&options](std::size_t) { options.samples.by_parabolas = true; });
  add_options_of_both(*simpson, parsed);
}

void check_samples(const Options& options) {
  const auto refuse = [&](bool wrong, const char* what) {
    if (wrong) throw UsageError(options.command + ": " + what);
  };
  const std::size_t columns = options.text_options.columns.size();
  refuse(columns > 2, "takes one column of samples, or two: samples and places (--column y,x)");
  refuse(have_places(options) && options.samples.dx, "takes places or a distance; leave X or --dx out");
  refuse(options.text_options.skip_missing && !have_places(options),
         "--skip-missing would close the gaps between samples; name the column of their places, too");
  refuse(options.context.accuracy == Accuracy::fast,
         "the terms are added up exactly, which costs little; leave --accuracy fast out");
  refuse(options.context.execution.device.kind == Device::Kind::cuda,
         "runs on the CPU; leave --device cuda out");
  refuse(options.output_format && !options.output,
         "the integral is one number; --output-format says how --output is written");
  refuse(options.format == NumberFormat::exact,
         "--format exact is for sums of given numbers, which an integral is not; use shortest or hex");
}

}  // namespace foldline::cli
