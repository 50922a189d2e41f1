#include "command_line.hpp"

#include <algorithm>
#include <iterator>

#include "choices.hpp"
#include "help.hpp"
#include "integrate_options.hpp"
#include "numbers.hpp"
#include "option_groups.hpp"
#include "order_options.hpp"
#include "samples_options.hpp"

namespace foldline::cli {
namespace {

constexpr const char* examples = R"(Examples:
  foldline sum data.npy                    the correctly rounded sum
  foldline stats data.npy --json           everything in one pass, for machines
  foldline dot x.npy y.npy --threads 2     the same for any number of threads
  foldline mean data.npy --weights w.npy   a weighted mean
  foldline sum data.npy --format exact     every digit of the exact sum
  foldline sum matrix.npy --axis 0         one sum for each column
  foldline scan data.npy -o sums.npy       all prefix sums, each rounded once
  foldline quantile data.npy --q 0.25,0.9  two quantiles
  foldline mean co2.csv --column co2 --skip-missing
  foldline sum sales.csv --column price --by shop
  producer | foldline sum -                from standard input, of any length
  foldline sum x.bin --input-type float32  bare numbers without a header
  foldline matmul a.npy b.npy -o c.npy     the product of two matrices
  foldline integrate 'exp(-x^2)*cos(3*x)' 0 inf --tolerance 1e-12

Every result is the exact mathematical result of the numbers in the file,
rounded once. Exit codes: 0 done, 1 the data or the computation failed, 2 the
command line makes no sense.
)";

/// Actions of `foldline ladder`; foldline-ladder parses their arguments.
const Choices<std::string> ladder_actions = {{"list", "list"}, {"run", "run"},         {"show", "show"},
                                             {"diff", "diff"}, {"results", "results"}, {"new", "new"},
                                             {"try", "try"},   {"exec", "exec"},       {"check", "check"}};

const Choices<ElementType> product_types = {{"float32", ElementType::float32},
                                            {"float64", ElementType::float64}};

const Choices<Shell> shells = {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}};

struct Computation {
  const char* name;
  std::optional<Operation> operation;  ///< none for `count`
  const char* text;
  const char* example;
};

constexpr Computation computations[] = {
    {"sum", Operation::sum, "Sum of x_i", "data.npy"},
    {"mean", Operation::mean, "Arithmetic or weighted mean", "data.npy --weights weights.npy"},
    {"std", Operation::standard_deviation, "Standard deviation, of a population by default",
     "data.npy --ddof 1"},
    {"variance", Operation::variance, "Variance, of a population by default", "data.npy --ddof 1"},
    {"standard-error", Operation::standard_error, "Standard error of the mean, of a sample by default",
     "data.npy"},
    {"norm", Operation::two_norm, "Euclidean norm: square root of the sum of x_i^2", "data.npy"},
    {"rms", Operation::root_mean_square, "Root mean square: square root of the mean of x_i^2", "data.npy"},
    {"abs-sum", Operation::abs_sum, "Sum of |x_i|", "data.npy --output-type float32"},
    {"min", Operation::minimum, "Smallest element", "data.npy"},
    {"max", Operation::maximum, "Largest element", "data.npy --json"},
    {"range", Operation::range, "Largest element minus the smallest one", "data.npy"},
    {"count", std::nullopt, "How many elements there are", "data.csv --column price --by shop"},
    {"stats", Operation::statistics, "Count, extrema, sum, mean, deviation and more, in one pass",
     "data.csv"},
    {"dot", Operation::dot, "Dot product of two arrays or columns", "x.npy y.npy"},
};

}  // namespace

CLI::App* add_command(CLI::App& app, Parsed& parsed, const std::string& name, const std::string& text,
                      const std::string& example, Action action) {
  CLI::App* command = app.add_subcommand(name, text);
  command->footer("Example:\n  foldline " + name + (example.empty() ? "" : " " + example) + "\n");
  command->parse_complete_callback([&options = parsed.options, name, action] {
    options.command = name;
    options.action = action;
  });
  return command;
}

namespace {

void add_files(CLI::App& command, Parsed& parsed, Operation operation) {
  if (operation == Operation::dot) {
    command.add_option("A", parsed.first, kinds_of_files)->required()->check(check_path)->type_name("FILE");
    command.add_option("B", parsed.second, "Another of the same shape; not needed with two columns of A")
        ->check(check_path)
        ->type_name("FILE");
    return;
  }
  command
      .add_option("FILE", parsed.options.files,
                  std::string(kinds_of_files) + ". Several files are one data set")
      ->required()
      ->check(check_path)
      ->type_name("FILE");
}

void add_axis(CLI::App& command, Options& options) {
  command
      .add_option_function<std::int64_t>(
          "--axis", [&options](std::int64_t axis) { options.axis = axis; },
          "Along this axis of an array, from 0; -1 is the last one")
      ->check(whole_number(-64, 63))
      ->type_name("K");
}

void add_weights(CLI::App& command, Parsed& parsed) {
  command.add_option("--weights", parsed.second, "A file of weights, of the same shape")
      ->check(check_path)
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--weights-column",
          [&parsed](const std::string& name) { parsed.options.text_options.weights = column_of(name); },
          "The column that holds the weights")
      ->type_name("NAME");
}

void add_shared_options(CLI::App& command, Parsed& parsed) {
  command.add_flag("--skip-nan", parsed.options.skip_nan, "Leave out NaNs; a pair if either is one");
  add_text_options(command, parsed);
}

void add_computation(CLI::App& app, Parsed& parsed, const Computation& computation) {
  const Operation operation = computation.operation.value_or(Operation::sum);
  const bool counts = !computation.operation;
  Options& options = parsed.options;
  CLI::App* command =
      add_command(app, parsed, computation.name, computation.text, computation.example, Action::compute);
  const std::int64_t ddof = operation == Operation::standard_error ? 1 : 0;
  command->preparse_callback([&options, operation, counts, ddof](std::size_t) {
    options.operation = operation;
    options.counts = counts;
    options.ddof = ddof;
  });
  add_files(*command, parsed, operation);
  if (operation == Operation::mean) add_weights(*command, parsed);
  if (takes_ddof(operation))
    command
        ->add_option("--ddof", options.ddof,
                     "The variance's divisor is n - ddof: 0 for a population, 1 for a sample (default: " +
                         std::to_string(ddof) + ")")
        ->check(whole_number(0))
        ->type_name("N");
  if (operation != Operation::dot && operation != Operation::statistics && !counts) {
    add_axis(*command, options);
    add_array_output(*command, options, "With --axis: write the results");
  } else {
    add_output_format(*command, options);
  }
  counts ? add_json_option(*command, options) : add_output_options(*command, options);
  add_shared_options(*command, parsed);
  if (!takes_pairs(operation)) add_many_columns_options(*command, options);
  add_group_options(*command, options);
  add_member_option(*command, parsed.options);
  add_raw_options(*command, parsed);
  add_computation_options(*command, options);
}

void add_scan(CLI::App& app, Parsed& parsed) {
  Options& options = parsed.options;
  CLI::App* command =
      add_command(app, parsed, "scan", "All prefix sums: x_0, x_0 + x_1, ..., each rounded once",
                  "data.npy -o sums.npy", Action::scan);
  command->add_option("FILE", parsed.first, kinds_of_files)->required()->check(check_path)->type_name("FILE");
  command->add_flag("--exclusive", options.exclusive, "Without x_i itself: 0, x_0, x_0 + x_1, ...");
  command
      ->add_option_function<std::string>(
          "--init", [&options](const std::string& value) { options.init = *scalar_of(value); },
          "What an exclusive scan begins with (default: 0)")
      ->check([](const std::string& value) {
        return scalar_of(value) ? "" : "'" + value + "' is not a number; give one such as 0.5";
      })
      ->needs("--exclusive")
      ->type_name("X");
  add_axis(*command, options);
  add_array_output(*command, options, "Write the sums");
  add_json_option(*command, options);
  add_format_option(*command, options);
  add_type_options(*command, options, "that of the elements; of integers, a 64-bit integer");
  add_shared_options(*command, parsed);
  add_member_option(*command, parsed.options);
  add_raw_options(*command, parsed);
  add_computation_options(*command, options);
}

void add_matmul(CLI::App& app, Parsed& parsed) {
  Options& options = parsed.options;
  CLI::App* command =
      add_command(app, parsed, "matmul", "The product of two matrices, each entry rounded once",
                  "a.npy b.npy -o c.npy", Action::matmul);
  const std::string kinds =
      "A matrix of float32 or float64: .npy, .npz, either compressed, or bare numbers with --input-type and "
      "--shape; - is standard input";
  command->add_option("A", parsed.first, kinds)->required()->check(check_path)->type_name("FILE");
  command->add_option("B", parsed.second, "Another, with as many rows as A has columns")
      ->required()
      ->check(check_path)
      ->type_name("FILE");
  add_array_output(*command, options, "Write the product");
  add_json_option(*command, options);
  add_format_option(*command, options);
  add_choice(*command, "--output-type", options.output_type, product_types,
             "The type that the exact product is rounded to, once (default: that of the factors)")
      ->group(output_group);
  add_member_option(*command, parsed.options);
  add_raw_options(*command, parsed);
  add_computation_options(*command, options);
}

/// Defines `ladder` for help, manual and completions only: its arguments are not parsed here (see
/// parse_options).
void add_ladder(CLI::App& app, Parsed& parsed) {
  CLI::App* command = add_command(app, parsed, "ladder",
                                  "The textbooks' GPU kernels, step by step: listed, shown, compared, "
                                  "verified and timed (runs foldline-ladder)",
                                  "", Action::ladder);
  command->footer(R"(Examples:
  foldline ladder list                     problems, and the rungs of each
  foldline ladder show reduce warp-shuffles
  foldline ladder diff reduce neighboured-pairs interleaved-pairs
  foldline ladder run reduce --n 1000003   simulated where there is no NVIDIA GPU
  foldline ladder run --help               its options
  foldline ladder new reduce mine.cu       a file to begin a solution of your own with
  foldline ladder try reduce mine.cu       verified, checked and counted among the rungs
  foldline ladder exec program.cu          a whole CUDA program, without a GPU
)");
  add_choice(
      *command, "ACTION", parsed.options.command, ladder_actions,
      "What to do: list problems and rungs (the default), run the rungs of a problem, show the source of "
      "one, what changes from one to another (diff), or what was measured on GPUs (results); begin and "
      "try a solution of your own; run a CUDA program (exec), or look for mistakes in kernels (check)");
}

void add_info(CLI::App& app, Parsed& parsed) {
  CLI::App* info = add_command(
      app, parsed, "info", "This machine: processor, instruction sets, threads, bandwidth", "", Action::info);
  info->add_flag("--json", parsed.options.json, "Print one JSON object")->group(output_group);
}

void add_descriptions(CLI::App& app, Parsed& parsed) {
  CLI::App* completions =
      add_command(app, parsed, "completions", "Completions for a shell", "bash", Action::print);
  add_choice(*completions, "SHELL", parsed.shell, shells,
             "The shell to print a script for: bash, zsh or fish")
      ->required();
  CLI::App* manual =
      add_command(app, parsed, "man", "This manual as a page for man", "| man -l -", Action::print);
  manual->callback([&parsed] { parsed.wants_manual = true; });
}

}  // namespace

void define_command_line(CLI::App& app, Parsed& parsed, std::string_view only) {
  app.description("Exact sums at the speed of memory");
  app.footer(examples);
  app.set_help_flag("-h,--help", "Print this help");  // commands inherit it, and the formatter
  app.set_version_flag("--version", std::string("foldline ") + foldline::version, "Print the version");
  app.formatter(std::make_shared<HelpFormatter>());
  // A missing command is refused later: CLI11 would say the same of "smu x.npy".
  app.require_subcommand(0, 1);
  const auto* const named = std::ranges::find(computations, only, &Computation::name);
  if (named != std::end(computations)) return add_computation(app, parsed, *named);
  for (const Computation& computation : computations) add_computation(app, parsed, computation);
  add_scan(app, parsed);
  add_matmul(app, parsed);
  add_integrate(app, parsed);
  add_samples(app, parsed);
  add_order_statistics(app, parsed);
  add_ladder(app, parsed);
  add_info(app, parsed);
  add_descriptions(app, parsed);
}

}  // namespace foldline::cli
