#include "option_groups.hpp"

#include <charconv>
#include <optional>

#include "choices.hpp"
#include "shape.hpp"

namespace foldline::cli {
namespace {

const Choices<ElementType> element_types = {
    {"float16", ElementType::half},    {"bfloat16", ElementType::bfloat16}, {"float32", ElementType::float32},
    {"float64", ElementType::float64}, {"int8", ElementType::int8},         {"int16", ElementType::int16},
    {"int32", ElementType::int32},     {"int64", ElementType::int64},       {"uint8", ElementType::uint8},
    {"uint16", ElementType::uint16},   {"uint32", ElementType::uint32},     {"uint64", ElementType::uint64},
    {"bool", ElementType::boolean}};
const Choices<Overflow> overflows = {{"error", Overflow::error}, {"wrap", Overflow::wrap}};
const Choices<Target> targets = {{"auto", Target::automatic},
                                 {"portable", Target::portable},
                                 {"avx2", Target::avx2},
                                 {"avx512", Target::avx512},
                                 {"neon", Target::neon}};
const Choices<Accuracy> accuracies = {{"exact", Accuracy::exact}, {"fast", Accuracy::fast}};
const Choices<NumberFormat> formats = {
    {"shortest", NumberFormat::shortest}, {"hex", NumberFormat::hex}, {"exact", NumberFormat::exact}};
const Choices<OutputFormat> output_formats = {{"table", OutputFormat::table}, {"csv", OutputFormat::csv},
                                              {"tsv", OutputFormat::tsv},     {"json", OutputFormat::json},
                                              {"text", OutputFormat::text},   {"npy", OutputFormat::npy}};
const Choices<ByteOrder> byte_orders = {
    {"native", native_byte_order}, {"little", ByteOrder::little}, {"big", ByteOrder::big}};
// auto is the CPU: file contents are in host memory, which the CPU reads faster than they can be copied to a
// GPU.
const Choices<Device> devices = {{"auto", Device{}}, {"cpu", Device{}}, {"cuda", Device::cuda()}};

/// A device by its name in `devices`, or "cuda:N".
std::optional<Device> device_named(const std::string& name) {
  for (const auto& [known, device] : devices)
    if (known == name) return device;
  constexpr std::string_view prefix = "cuda:";
  int index = 0;
  const char* const end = name.data() + name.size();
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, index);
  if (error != std::errc() || stop != end || index < 0) return std::nullopt;
  return Device::cuda(index);
}

void add_device_option(CLI::App& command, Options& options, const std::string& group) {
  const std::string all = "cuda:all";
  std::vector<std::string> names = names_of(devices);
  names.push_back(all);
  const std::string joined = CLI::detail::join(names, "|");
  command
      .add_option_function<std::string>(
          "--device",
          [&options, all](const std::string& name) {
            options.all_gpus = name == all;
            options.context.execution.device = name == all ? Device::cuda() : *device_named(name);
          },
          "Where to compute; cuda:1 is the second GPU, cuda:all shares files among all (default: auto, the "
          "CPU)")
      ->check([names, joined, all](const std::string& name) -> std::string {
        if (name == all || device_named(name)) return "";
        return "'" + name + "' is not one of " + joined + " or cuda:N" + suggestion(name, names);
      })
      ->type_name(joined)
      ->group(group);
}

}  // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t largest) {
  const auto check = [least, largest](const std::string& text) -> std::string {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (whole && value >= least && value <= largest) return "";
    return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
           std::to_string(largest);
  };
  return {check, "", ""};
}

void add_json_option(CLI::App& command, Options& options) {
  command.add_flag("--json", options.json, "Print one JSON object")->group(output_group);
}

void add_array_output(CLI::App& command, Options& options, const std::string& text) {
  command
      .add_option_function<std::string>(
          "-o,--output", [&options](const std::string& path) { options.output = path; },
          text +
              " to a file, all of it or nothing: .npy, .csv, .tsv, or text (.txt, .dat); - is standard "
              "output")
      ->check(check_path)
      ->type_name("FILE")
      ->group(output_group);
  add_output_format(command, options);
}

void add_output_format(CLI::App& command, Options& options) {
  add_choice(
      command, "--output-format", options.output_format, output_formats,
      "How results are written: a table for people, CSV, columns between tabs, or JSON; arrays also as "
      "text with blanks between, or .npy (default: arrays as the name of the file ends, npy to -)")
      ->group(output_group);
}

void add_type_options(CLI::App& command, Options& options, const std::string& default_type) {
  add_choice(command, "--output-type", options.output_type, element_types,
             "The type that the exact result is rounded to, once (default: " + default_type + ")")
      ->group(output_group);
  add_choice(
      command, "--overflow", options.context.overflow, overflows,
      "What becomes of an integer result that its type cannot hold: an error, or the result modulo 2^bits "
      "(default: error)")
      ->group(output_group);
}

void add_format_option(CLI::App& command, Options& options) {
  add_choice(command, "--format", options.format, formats,
             "How numbers are printed: the shortest decimal that reads back the same, hexadecimal, or every "
             "digit of the exact result before rounding (default: shortest)")
      ->group(output_group);
}

void add_output_options(CLI::App& command, Options& options) {
  add_json_option(command, options);
  add_format_option(command, options);
  add_type_options(command, options,
                   "float64; of integers, 64-bit integers for sums and their own type for min and max");
}

void add_computation_options(CLI::App& command, Options& options) {
  const std::string group = "Computation";
  add_choice(command, "--accuracy", options.context.accuracy, accuracies,
             "exact, or an ordinary sum (default: exact)")
      ->group(group);
  command
      .add_option("--threads", options.context.execution.threads,
                  "Threads; 0 is as many as are worth it (default: 0)")
      ->check(whole_number(0, 4096))
      ->type_name("N")
      ->group(group);
  add_choice(command, "--target", options.context.execution.target, targets,
             "Instruction set (default: auto, the best there is)")
      ->group(group);
  add_device_option(command, options, group);
  command.add_flag("--explain", options.explain, "Say how the result is computed, on standard error")
      ->group(group);
}

void add_raw_options(CLI::App& command, Parsed& parsed) {
  const std::string group = "Files of bare numbers";
  CLI::Option* type = add_choice(command, "--input-type", parsed.raw.type, element_types,
                                 "The files are bare numbers of this type; texts are rounded to it first")
                          ->group(group);
  command
      .add_option("--shape", parsed.shape, "Lengths of the axes, as 1000,3 (default: to the end of the file)")
      ->check([](const std::string& text) -> std::string {
        return parse_shape(text) ? "" : "'" + text + "' is not lengths like 1000,3";
      })
      ->type_name("N,...")
      ->needs(type)
      ->group(group);
  command.add_option("--offset", parsed.raw.offset, "Bytes before the first element (default: 0)")
      ->check(whole_number(0))
      ->type_name("BYTES")
      ->needs(type)
      ->group(group);
  add_choice(command, "--byte-order", parsed.raw.byte_order, byte_orders,
             "Byte order of the elements (default: native)")
      ->needs(type)
      ->group(group);
  command
      .add_flag("--no-decompression", parsed.options.as_it_stands,
                "Files that begin like compressed ones are bare numbers all the same")
      ->needs(type)
      ->group(group);
  command.final_callback([&parsed, &command, type] {
    parsed.is_raw = type->count() != 0;
    for (const char* const name : {"--shape", "--offset", "--byte-order", "--no-decompression"})
      if (command.count(name) != 0) parsed.options.raw_layout = true;
  });
}

void add_member_option(CLI::App& command, Options& options) {
  command
      .add_option(
          "--member", options.members,
          "Of .npz files and other ZIP archives, this member (default: their only one); again for each "
          "further file")
      ->allow_extra_args(false)
      ->type_name("NAME");
}

}  // namespace foldline::cli
