#include "options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <map>

#include "shape.hpp"

namespace foldline::cli {
namespace {

constexpr const char* description = R"(Examples:
  foldline sum data.npy                    the correctly rounded sum of all elements
  foldline dot x.npy y.npy --threads 2     a dot product; the result is the same for any number of threads
  foldline stats data.npy --json           count, extrema, sum, mean, variance, norms in one pass, for machines
  foldline mean data.npy --weights w.npy   a weighted mean
  producer | foldline sum -                from standard input, of any length
  foldline sum x.bin --input-type float32  bare numbers without a header
  foldline sum data.npy --format exact     every digit of the exact sum
  foldline info                            this machine: instruction sets, threads, memory bandwidth

Every result is the exact mathematical result of the numbers in the file, rounded once.
Exit codes: 0 done, 1 the data or the computation failed, 2 the command line makes no sense.
)";

template <class Value>
using Choices = std::map<std::string, Value>;

const Choices<ElementType> element_types = {{"float16", ElementType::half},
                                            {"bfloat16", ElementType::bfloat16},
                                            {"float32", ElementType::float32},
                                            {"float64", ElementType::float64}};
const Choices<Target> targets = {{"auto", Target::automatic},
                                 {"portable", Target::portable},
                                 {"avx2", Target::avx2},
                                 {"avx512", Target::avx512},
                                 {"neon", Target::neon}};
const Choices<Accuracy> accuracies = {{"exact", Accuracy::exact}, {"fast", Accuracy::fast}};
const Choices<NumberFormat> formats = {
    {"shortest", NumberFormat::shortest}, {"hex", NumberFormat::hex}, {"exact", NumberFormat::exact}};
const Choices<ByteOrder> byte_orders = {
    {"native", native_byte_order}, {"little", ByteOrder::little}, {"big", ByteOrder::big}};
const Choices<bool> devices = {{"auto", true}, {"cpu", true}};

/// An option that takes one of a few names and stores what the name stands for.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value, const Choices<Value>& choices,
                        const std::string& text) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : "|") + choice.first;
  const auto check = [&choices, names](std::string& chosen) {
    return choices.contains(chosen) ? "" : "'" + chosen + "' is not one of " + names;
  };
  return app
      .add_option_function<std::string>(
          name, [&value, &choices](const std::string& chosen) { value = choices.at(chosen); }, text)
      ->check(CLI::Validator(check, ""))
      ->type_name(names);
}

/// Accepts plain whole numbers of [0, most]. (CLI11's own conversion also takes what overflows.)
CLI::Validator whole_number(std::int64_t most) {
  const auto check = [most](std::string& text) -> std::string {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= most) return "";
    return "'" + text + "' is not a whole number from 0 to " + std::to_string(most);
  };
  return CLI::Validator(check, "");
}

struct RawOptions {
  ElementType type = ElementType::float64;
  std::string shape;
  std::int64_t offset = 0;
  ByteOrder byte_order = native_byte_order;
};

void add_raw_options(CLI::App& app, Options& options, RawOptions& raw) {
  const std::string group = "Files of bare numbers";
  CLI::Option* type = add_choice(app, "--input-type", raw.type, element_types,
                                 "The files have no header; their elements are of this type")
                          ->group(group);
  app.add_option("--shape", raw.shape, "Lengths of the axes, as 1000,3 (default: to the end of the file)")
      ->check(CLI::Validator(
          [](std::string& text) { return parse_shape(text) ? "" : "not lengths like 1000,3"; }, ""))
      ->type_name("N,...")
      ->needs(type)
      ->group(group);
  app.add_option("--offset", raw.offset, "Bytes before the first element (default: 0)")
      ->check(whole_number(std::numeric_limits<std::int64_t>::max()))
      ->type_name("BYTES")
      ->needs(type)
      ->group(group);
  add_choice(app, "--byte-order", raw.byte_order, byte_orders, "Byte order of the elements (default: native)")
      ->needs(type)
      ->group(group);
  app.final_callback([&options, &raw, type] {
    if (type->count() == 0) return;
    options.raw = RawFormat{.type = raw.type, .offset = raw.offset, .byte_order = raw.byte_order};
    if (!raw.shape.empty()) options.raw->shape = parse_shape(raw.shape);
  });
}

void add_common_options(CLI::App& app, Options& options) {
  app.add_flag("--json", options.json, "Print one JSON object");
  add_choice(
      app, "--format", options.format, formats,
      "How numbers are printed: the shortest decimal that reads back the same, hexadecimal, or every digit "
      "of the exact result before rounding (default: shortest)");
  add_choice(app, "--output-type", options.output_type, element_types,
             "The type that the exact result is rounded to, once (default: float64)");
  add_choice(app, "--accuracy", options.context.accuracy, accuracies,
             "exact, or an ordinary sum (default: exact)");
  app.add_option("--threads", options.context.threads, "Threads; 0 is as many as are worth it (default: 0)")
      ->check(whole_number(4096))
      ->type_name("N");
  add_choice(app, "--target", options.context.target, targets,
             "Instruction set (default: auto, the best there is)");
  static bool ignored = true;  // there is one kind of device as yet
  add_choice(app, "--device", ignored, devices, "Where to compute (default: auto)");
  app.add_flag("--explain", options.explain, "Say how the result is computed, on standard error");
}

/// The parts of a command line that CLI11 fills in before they are put together.
struct Parsed {
  Options options;
  std::map<std::string, std::string> examples;  // per command
  RawOptions raw;
  std::string first, second;
};

CLI::App* add_computation(CLI::App& app, Parsed& parsed, const std::string& name, Operation operation,
                          const std::string& text, const std::string& example) {
  CLI::App* command = app.add_subcommand(name, text);
  parsed.examples[name] = "Example:\n  foldline " + name + " " + example + "\n";
  command
      ->add_option(operation == Operation::dot ? "A" : "FILE", parsed.first,
                   "A .npy file; - is standard input")
      ->required();
  if (operation == Operation::dot)
    command->add_option("B", parsed.second, "Another of the same shape and type")->required();
  if (operation == Operation::mean)
    command->add_option("--weights", parsed.second, "A file of weights, of the same shape and type")
        ->type_name("FILE");
  if (operation == Operation::variance || operation == Operation::statistics)
    command->add_option("--ddof", parsed.options.ddof, "The variance's divisor is n - ddof (default: 0)")
        ->check(whole_number(std::numeric_limits<std::int64_t>::max()))
        ->type_name("N");
  add_common_options(*command, parsed.options);
  add_raw_options(*command, parsed.options, parsed.raw);
  command->parse_complete_callback([&options = parsed.options, name, operation] {
    options.command = name;
    options.operation = operation;
  });
  return command;
}

void add_commands(CLI::App& app, Parsed& parsed) {
  app.require_subcommand(0, 1);  // none is found out later: CLI11 would say so of "foldline smu x.npy" too
  add_computation(app, parsed, "sum", Operation::sum, "Sum of x_i", "data.npy");
  add_computation(app, parsed, "mean", Operation::mean, "Arithmetic or weighted mean",
                  "data.npy --weights weights.npy");
  add_computation(app, parsed, "variance", Operation::variance, "Variance, population by default",
                  "data.npy --ddof 1");
  add_computation(app, parsed, "norm", Operation::two_norm, "Euclidean norm: square root of the sum of x_i^2",
                  "data.npy");
  add_computation(app, parsed, "abs-sum", Operation::abs_sum, "Sum of |x_i|",
                  "data.npy --output-type float32");
  add_computation(app, parsed, "min", Operation::minimum, "Smallest element", "data.npy");
  add_computation(app, parsed, "max", Operation::maximum, "Largest element", "data.npy --json");
  add_computation(app, parsed, "stats", Operation::statistics, "All of these in one pass", "data.npy --json");
  add_computation(app, parsed, "dot", Operation::dot, "Dot product of two arrays", "x.npy y.npy");
  CLI::App* info =
      app.add_subcommand("info", "This machine: processor, instruction sets, threads, bandwidth");
  info->add_flag("--json", parsed.options.json, "Print one JSON object");
  info->callback([&options = parsed.options] { options.action = Action::info; });
}

Options text_to_print(const std::string& text) {
  Options options;
  options.action = Action::print;
  options.text = text;
  return options;
}

Options put_together(const Parsed& parsed) {
  Options options = parsed.options;
  if (options.action == Action::info) return options;
  options.files = {parsed.first};
  if (!parsed.second.empty()) options.files.push_back(parsed.second);
  if (options.operation == Operation::mean && options.files.size() == 2)
    options.operation = Operation::weighted_mean;
  if (options.files.size() == 2 && options.files[0] == "-" && options.files[1] == "-")
    throw UsageError("standard input can be only one of the two arrays; give a file for the other");
  return options;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Parsed parsed;
  CLI::App app(description, "foldline");
  app.set_version_flag("--version", std::string("foldline ") + foldline::version);
  app.get_formatter()->column_width(36);
  add_commands(app, parsed);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return text_to_print((chosen.empty() ? "" : parsed.examples[chosen[0]->get_name()]) + app.help());
  } catch (const CLI::CallForVersion& version) {
    return text_to_print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + "; see foldline --help");
  }
  if (app.get_subcommands().empty()) throw UsageError("name a command, such as sum; see foldline --help");
  return put_together(parsed);
}

}  // namespace foldline::cli
