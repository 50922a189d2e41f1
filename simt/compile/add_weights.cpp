#include <algorithm>
#include <map>

#include "compile/addressing.hpp"
#include "compile/instrument.hpp"
#include "compile/remainders.hpp"

namespace simt::ir {
namespace {

/// In a block's word of the table: its last instruction is no branch on a GPU.
constexpr unsigned not_a_branch = 1u << 31;

/// A GPU runs the body of a short `if` with a predicate instead of jumping over it, up to about so much.
constexpr unsigned short_body = 4, loads_of_short_body = 1;

/// It notes where the lanes that a branch parts shall meet, and waits there.
constexpr unsigned meeting = 2;

/// How many rounds of a short loop are made one, so that counting and addresses are needed once.
constexpr unsigned rounds_at_once = 4;

unsigned weight_of_call(std::string_view line) {
  const std::size_t at = line.find('@');
  if (at == line.npos) return 4;
  const std::string_view callee = line.substr(at + 1);
  for (const std::string_view free :
       {"__sanitizer_cov_", "llvm.dbg.", "llvm.lifetime.", "llvm.assume", "simt_leave", "simt_copy",
        "simt_fill", "simt_pieces", "simt_volatile_", "llvm.experimental.", "llvm.threadlocal."})
    if (callee.starts_with(free)) return 0;
  for (const std::string_view one : {"simt_", "fma", "llvm."})
    if (callee.starts_with(one)) return 1;
  return 20;
}

unsigned weight_of_division(std::string_view line) {
  const std::vector<std::string_view> operands = split(line);
  const bool by_constant = operands.size() < 2 || !operands[1].starts_with("%");
  if (line.find(" i64 ") != line.npos) return by_constant ? 8 : 70;
  return by_constant ? 4 : 20;
}

/// True for the mask that clang has made of a remainder by a number that varies.
bool is_masked_remainder(std::string_view line, const std::set<std::string>& remainders) {
  const std::vector<std::string_view> operands = split(line);
  if (remainders.empty() || operands.size() < 2 || !operands[1].starts_with("%")) return false;
  const std::string_view location = debug_location(line);
  return !location.empty() && remainders.contains(std::string(location.substr(location.rfind('!'))));
}

/// About how many instructions a GPU has for a line. Addresses are added up in one instruction, or within the
/// access; 64-bit integers take two.
unsigned weight_of(std::string_view line, const std::set<std::string>& remainders) {
  const std::string_view what = operation(line);
  if (what == "and" && is_masked_remainder(line, remainders)) return weight_of_division(line);
  if (what == "call") return weight_of_call(line);
  for (const std::string_view free : {"phi", "sext", "zext", "trunc", "bitcast", "freeze", "extractelement",
                                      "insertelement", "shufflevector", "extractvalue", "insertvalue",
                                      "alloca", "unreachable", "inttoptr", "ptrtoint", "select", ""})
    if (what == free) return 0;
  if (what == "getelementptr") return line.find(", i64 %") != line.npos ? 1 : 0;
  if (what == "br") return line.find(" i1 ") != line.npos ? 1 : 0;
  if (what == "sdiv" || what == "udiv" || what == "srem" || what == "urem") return weight_of_division(line);
  if (what == "fdiv") return line.find(" double ") != line.npos ? 25 : 10;
  const bool wide = line.find(" i64 ") != line.npos;
  if (what == "mul") return wide ? 4 : 1;
  for (const std::string_view integer : {"add", "sub", "and", "or", "xor", "shl", "lshr", "ashr", "icmp"})
    if (what == integer) return wide ? 2 : 1;
  return 1;
}

bool compares_with_constant(std::string_view line) {
  const std::vector<std::string_view> operands = split(line);
  return operation(line) == "icmp" && operands.size() > 1 && !operands[1].starts_with("%");
}

struct Cost {
  unsigned weight = 0, loads = 0;
  unsigned counting = 0;          ///< of the weight, what is done once for several rounds of a loop
  bool has_fixed_rounds = false;  ///< a loop that a GPU's compiler writes out as a whole
  bool plain = true;              ///< no calls, so that a predicate can do
  std::vector<std::string> targets;
  bool leaves = false;
};

Cost cost_of(const Module& module, const Function& function, const Block& block,
             const std::set<std::string>& remainders) {
  Cost cost;
  const std::set<std::size_t> addressing = addressing_lines(module, function, block);
  for (std::size_t i = block.begin; i < block.end; ++i) {
    std::string_view rest = module.lines[i];
    if (rest == "\n") continue;
    const std::string_view line =
        rest.substr(rest.find_last_of('\n') + 1);  // what was inserted costs nothing
    const unsigned weight = weight_of(line, remainders);
    cost.weight += weight;
    if (addressing.contains(i)) cost.counting += weight;
    cost.has_fixed_rounds = cost.has_fixed_rounds || (addressing.contains(i) && compares_with_constant(line));
    // Wider integers that are added up are made by an instruction.
    if (!addressing.empty() && !addressing.contains(i) && operation(line) == "sext") ++cost.weight;
    const std::string_view callback = between(rest, "@__sanitizer_cov_", "(");
    if (callback.starts_with("load")) ++cost.loads;
    const std::string_view what = operation(line);
    if (what == "call" && weight_of_call(line) > 0) cost.plain = false;
    if (what == "ret") cost.leaves = true;
    if (what == "br")
      for (std::size_t at = line.find("label %"); at != line.npos; at = line.find("label %", at + 1))
        cost.targets.emplace_back(line.substr(at + 7, line.find_first_of(", ", at + 7) - at - 7));
  }
  return cost;
}

class FunctionCosts {
 public:
  FunctionCosts(const Module& module, const Function& function, const std::set<std::string>& remainders) {
    for (const Block& block : function.blocks) {
      const Cost& cost = costs_[block.label] = cost_of(module, function, block, remainders);
      places_[block.label] = block.begin;
      for (const std::string& target : cost.targets) ++sources_[target];
    }
  }

  unsigned word_of(const Block& block) const {
    const Cost& cost = costs_.at(block.label);
    const unsigned counting =
        cost.has_fixed_rounds ? 0 : (cost.counting + rounds_at_once - 1) / rounds_at_once;
    const unsigned weight = cost.weight - cost.counting + counting;
    if (!is_branch(cost, block.begin)) return weight | not_a_branch;
    return weight + (parts_lanes(cost, block.begin) ? meeting : 0);
  }

 private:
  /// A branch forward, whose ways meet again. A loop's goes back.
  bool parts_lanes(const Cost& cost, std::size_t place) const {
    return cost.targets.size() == 2 && std::ranges::all_of(cost.targets, [&](const std::string& target) {
             return places_.contains(target) && places_.at(target) > place;
           });
  }
  bool is_branch(const Cost& cost, std::size_t place) const {
    if (cost.targets.size() != 2) return true;
    const std::string &a = cost.targets[0], &b = cost.targets[1];
    // Threads that leave do so by a predicate, too, unless the others go back.
    if ((only_leaves(a) && places_.at(b) > place) || (only_leaves(b) && places_.at(a) > place)) return false;
    if (is_short(a) && costs_.at(a).targets[0] == b) return false;
    if (is_short(b) && costs_.at(b).targets[0] == a) return false;
    return !(is_short(a) && is_short(b) && costs_.at(a).targets[0] == costs_.at(b).targets[0]);
  }
  bool only_leaves(const std::string& label) const {
    const auto block = costs_.find(label);
    return block != costs_.end() && block->second.leaves && block->second.weight <= 1;
  }
  bool is_short(const std::string& label) const {
    const auto block = costs_.find(label);
    return block != costs_.end() && block->second.plain && block->second.targets.size() == 1 &&
           sources_.at(label) == 1 && block->second.weight <= short_body &&
           block->second.loads <= loads_of_short_body;
  }

  std::map<std::string, Cost> costs_;
  std::map<std::string, int> sources_;
  std::map<std::string, std::size_t> places_;
};

/// The number of guards, and so of words, of a function.
std::size_t guards_of(const Module& module, const Function& function) {
  for (const std::string& line : module.lines)
    if (line.starts_with(function.guards + " = "))
      return std::stoul(std::string(between(line, " global [", " ")));
  return 0;
}

}  // namespace

void add_weights(Module& module, const std::set<std::string>& remainders) {
  std::string tables;
  std::size_t number = 0;
  for (const Function& function : module.functions) {
    if (function.guards.empty()) continue;
    const FunctionCosts costs(module, function, remainders);
    std::vector<unsigned> words(guards_of(module, function));
    for (const Block& block : function.blocks) {
      if (block.guard && *block.guard < words.size()) words[*block.guard] = costs.word_of(block);
      for (std::size_t i = block.begin; i < block.end; ++i)
        if (operation(module.lines[i]) == "ret")
          module.lines[i].insert(0, "  call void @simt_leave(ptr " + function.guards + ")" +
                                        std::string(debug_location(module.lines[i])) + "\n");
    }
    for (const std::string& line : module.lines)
      if (line.starts_with(function.guards + " = ")) {
        tables += "@simt.weights." + std::to_string(number++) + " = private constant [" +
                  std::to_string(words.size()) + " x i32] [";
        for (std::size_t k = 0; k < words.size(); ++k)
          tables += (k == 0 ? "i32 " : ", i32 ") + std::to_string(words[k]);
        tables += "], section \"simt_weights\"";
        if (const std::string_view comdat = between(line, ", comdat($", ")"); !comdat.empty())
          tables += ", comdat($" + std::string(comdat) + ")";
        tables += ", align 4\n";
        break;
      }
  }
  module.lines.back() += "\n" + tables + "declare void @simt_leave(ptr)";
}

void register_tables(Module& module) {
  std::string call = "  call void @simt_register_tables(", declarations;
  for (const char* const section : {"simt_weights", "simt_arrays", "simt_dynamic", "simt_shared",
                                    "simt_constant", "simt_device", "simt_parameters"}) {
    for (const char* const end : {"start", "stop"}) {
      const std::string name = std::string("@__") + end + "_" + section;
      if (!call.ends_with("(")) call += ", ";
      call += "ptr " + name;
      declarations += "\n" + name + " = extern_weak hidden global i8";
    }
  }
  for (const Function& function : module.functions)
    if (function.name == "@sancov.module_ctor_trace_pc_guard")
      for (std::size_t i = function.define; i < function.end; ++i)
        if (module.lines[i].find("@__sanitizer_cov_cfs_init(") != std::string::npos)
          module.lines[i].insert(0, call + ")\n");
  std::string types;
  for (int i = 0; i < 14; ++i) types += i == 0 ? "ptr" : ", ptr";
  module.lines.back() += declarations + "\ndeclare void @simt_register_tables(" + types + ")";
}

std::string instrument(std::string_view text, std::string_view source) {
  Module module = parse(text);
  if (module.lines.empty()) module.lines.emplace_back();
  edit_accesses(module);
  add_weights(module, locations_at(module, remainders_in(source)));
  keep_parameter_names(module);
  place_variables(module);
  register_tables(module);
  return text_of(module);
}

}  // namespace simt::ir
