#include <cctype>
#include <set>

#include "compile/instrument.hpp"

namespace simt::ir {
namespace {

constexpr std::string_view guard_bytes = "128";
/// Alignments that the shim's __device__ gives, because variables and functions can have both: a mark.
constexpr std::string_view device_mark = ", align 2048";

bool replace(std::string& line, std::string_view what, std::string_view with) {
  const std::size_t at = line.find(what);
  if (at == line.npos) return false;
  line.replace(at, what.size(), with);
  return true;
}

/// Replaces a name wherever it stands as a whole.
void rename(std::string& line, const std::string& name, std::string_view with) {
  for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + with.size())) {
    const char next = at + name.size() < line.size() ? line[at + name.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(next)) || next == '_' || next == '.' || next == '$') {
      at += name.size() - with.size();
      continue;
    }
    line.replace(at, name.size(), with);
  }
}

void strip_thread_local(std::string& line) {
  const std::size_t at = line.find(" thread_local");
  std::size_t end = at + 13;
  if (line[end] == '(') end = line.find(')', end) + 1;
  line.erase(at, end - at);
}

/// The C string of a mangled name, and the line that defines it.
std::string name_constant(std::size_t number, std::string_view symbol) {
  return "@simt.name." + std::to_string(number) + " = private unnamed_addr constant [" +
         std::to_string(symbol.size() + 1) + " x i8] c\"" + std::string(symbol) + "\\00\", align 1\n";
}

std::string comdat_of(std::string_view line, std::string_view symbol) {
  if (line.find(", comdat($") != line.npos)
    return ", comdat($" + std::string(between(line, ", comdat($", ")")) + ")";
  return line.find(", comdat") != line.npos ? ", comdat($" + std::string(symbol.substr(1)) + ")" : "";
}

struct Tables {
  std::string lines;
  std::size_t count = 0;

  void add(std::string_view section, const std::string& symbol, std::string_view first,
           const std::string& size, const std::string& comdat) {
    std::string_view plain = std::string_view(symbol).substr(1);
    if (plain.starts_with("\"")) plain = plain.substr(1, plain.size() - 2);
    lines += name_constant(count, plain) + "@simt.entry." + std::to_string(count) +
             " = private constant { ptr, i64, ptr } { ptr " + std::string(first) + ", i64 " + size +
             ", ptr @simt.name." + std::to_string(count) + " }, section \"" + std::string(section) + "\"" +
             comdat + ", align 8\n";
    ++count;
  }
};

/// "@x = ... global TYPE zeroinitializer, ..." with TYPE and a guard behind it.
bool guard(std::string& line, std::string_view kind, std::string& size) {
  const std::size_t begin = line.find(kind);
  if (begin == line.npos) return false;
  const std::size_t type = begin + kind.size();
  std::size_t end = line.npos;
  std::string_view initial;
  for (const std::string_view word :
       {" zeroinitializer,", " undef,", " poison,", " 0,", " false,", " null,", " 0.000000e+00,"})
    if (const std::size_t at = line.find(word, type); at < end)
      end = at, initial = word.substr(0, word.size() - 1);
  if (end == line.npos) return false;
  const std::string name = line.substr(type, end - type);
  size = "ptrtoint (ptr getelementptr (" + name + ", ptr null, i64 1) to i64)";
  line.replace(type, end + initial.size() - type,
               "<{ " + name + ", [" + std::string(guard_bytes) + " x i8] }> zeroinitializer");
  return true;
}

void raise_alignment(std::string& line) {
  const std::size_t at = line.rfind(", align ");
  if (at == line.npos) return void(line += ", align 128");
  if (std::stoul(line.substr(at + 8)) >= 128) return;
  const std::size_t end = line.find_first_not_of("0123456789", at + 8);
  line.replace(at + 8, end == line.npos ? line.npos : end - at - 8, "128");
}

void forget_thread_local_address(std::string& line, const std::set<std::string>& names) {
  const std::size_t at = line.find("@llvm.threadlocal.address");
  if (at == line.npos || line.find(" = ") == line.npos) return;
  const std::size_t symbol = line.find('@', line.find('(', at));
  const std::string name = line.substr(symbol, line.find(')', symbol) - symbol);
  if (names.contains(name))
    line = "  " + std::string(defined_name(line)) + " = getelementptr i8, ptr " + name + ", i64 0" +
           std::string(debug_location(line));
}

}  // namespace

void place_variables(Module& module) {
  std::set<std::string> shared, dynamic;
  Tables tables;
  std::size_t first_global = module.lines.size();
  for (std::size_t i = 0; i < module.lines.size(); ++i) {
    std::string& line = module.lines[i];
    if (line.starts_with("define ") && line.find(device_mark.substr(1)) != line.npos)
      replace(line, device_mark.substr(1), "");
    if (!line.starts_with("@") || line.find(" = ") == line.npos) continue;
    if (first_global == module.lines.size()) first_global = i;
    const std::string symbol = line.substr(0, line.find(" = "));
    std::string size;
    if (line.find(" thread_local") != line.npos) {
      if (line.find(" = external ") != line.npos) {
        if (line.find(" global [0 x ") == line.npos) continue;
        dynamic.insert(symbol);
        line = "\n";
      } else if (line.find("section \"simt_shared\"") != line.npos) {
        strip_thread_local(line);
        if (!guard(line, " global ", size)) continue;
        raise_alignment(line);
        shared.insert(symbol);
        tables.add("simt_arrays", symbol, symbol, size, comdat_of(line, symbol));
      }
    } else if (line.find(device_mark) != line.npos && line.find(" global ") != line.npos &&
               line.find(" = external ") == line.npos) {
      replace(line, device_mark, ", align 256");
      if (line.find(", section ") == line.npos) {
        const std::size_t at =
            line.find(", comdat") != line.npos ? line.find(", comdat") : line.find(", align 256");
        line.insert(at, ", section \"simt_device\"");
      }
    }
  }
  std::set<std::string> all = shared;
  all.insert(dynamic.begin(), dynamic.end());
  for (const Function& function : module.functions) {
    std::set<std::string> named;
    for (std::size_t i = function.define; i < function.end; ++i) {
      std::string& line = module.lines[i];
      if (line.find('@') == line.npos) continue;
      forget_thread_local_address(line, all);
      for (const std::string& name : dynamic) {
        const std::string before = line;
        rename(line, name, "@simt_dynamic_shared");
        if (line != before) named.insert(name);
      }
    }
    for (const std::string& name : named) {
      const std::string& define = module.lines[function.define];
      tables.add("simt_dynamic", name, function.name, "0",
                 comdat_of(std::string(define).insert(define.find(") ") + 1, ","), function.name));
    }
  }
  // The used attribute keeps whole variables from being thrown out; dynamic arrays are gone from its list.
  for (std::string& line : module.lines)
    if (line.starts_with("@llvm.") && line.find("used = ") != line.npos)
      for (const std::string& name : dynamic) rename(line, name, "@simt_dynamic_shared");
  if (!dynamic.empty()) tables.lines += "@simt_dynamic_shared = external global [0 x i8], align 128\n";
  if (!tables.lines.empty()) module.lines[first_global].insert(0, tables.lines);
}

}  // namespace simt::ir
