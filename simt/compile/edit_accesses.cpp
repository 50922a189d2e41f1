#include <algorithm>
#include <charconv>
#include <map>

#include "compile/instrument.hpp"

namespace simt::ir {
namespace {

/// An address as a base that is not known and a distance that is.
struct Place {
  std::string base;
  std::int64_t offset = 0;
};

class Places {
 public:
  explicit Places(const Module& module) : module_(module) {}

  void note(std::string_view line) {
    if (operation(line) == "getelementptr") define(line);
  }
  Place of(std::string_view pointer) const {
    const auto known = places_.find(std::string(pointer));
    return known == places_.end() ? Place{std::string(pointer), 0} : known->second;
  }

 private:
  /// "%3 = getelementptr inbounds %struct.S, ptr %0, i64 %2, i32 1"
  void define(std::string_view line) {
    std::string_view rest = line.substr(line.find("getelementptr") + 14);
    rest = rest.substr(0, rest.find(", !dbg"));
    const std::vector<std::string_view> parts = split(rest);
    if (parts.size() < 3 || !parts[1].starts_with("ptr ")) return;
    std::string_view type = parts[0];
    for (const std::string_view flag : {"inbounds ", "nusw ", "nuw "})
      if (type.starts_with(flag)) type.remove_prefix(flag.size());
    Place place = of(parts[1].substr(4));
    std::string current(type);
    for (std::size_t i = 2; i < parts.size(); ++i) {
      std::optional<Element> element;
      if (i == 2) {
        const std::optional<Layout> whole = layout_of(module_, current);
        if (!whole) return;
        element = Element{current, 0, whole->bytes};
      } else {
        element = element_of(module_, current, 0);
        if (!element) return;
      }
      const std::string_view index = parts[i].substr(parts[i].rfind(' ') + 1);
      if (index.starts_with("%")) {
        place.base += "+" + std::string(index) + "*" + std::to_string(element->stride);
      } else {
        std::int64_t number = 0;
        if (std::from_chars(index.data(), index.data() + index.size(), number).ec != std::errc{}) return;
        if (i > 2 && element->stride == 0) {
          element = element_of(module_, current, static_cast<std::size_t>(number));
          if (!element) return;
          place.offset += static_cast<std::int64_t>(element->offset);
        } else {
          place.offset += number * static_cast<std::int64_t>(element->stride);
        }
      }
      current = element->type;
    }
    places_[std::string(defined_name(line))] = place;
  }

  const Module& module_;
  std::map<std::string, Place> places_;
};

/// A callback that may become part of a larger one.
struct Access {
  std::size_t line = 0;
  std::string pointer;
  std::int64_t offset = 0;
  std::int64_t bytes = 0, alignment = 1;
};

class Merger {
 public:
  explicit Merger(Module& module) : module_(module) {}

  void add(bool store, const Place& place, Access access) {
    if (store != stores_) flush();
    stores_ = store;
    access.offset = place.offset;
    groups_[place.base].push_back(std::move(access));
  }

  /// What follows must not be passed by the accesses before it.
  void flush() {
    for (auto& [base, group] : groups_) merge(group);
    groups_.clear();
  }

 private:
  void merge(std::vector<Access>& group) {
    std::stable_sort(group.begin(), group.end(),
                     [](const Access& a, const Access& b) { return a.offset < b.offset; });
    for (std::size_t i = 0; i < group.size();) {
      std::size_t taken = 0;
      std::int64_t bytes = 16;
      for (; bytes > group[i].bytes && taken < 2; bytes /= 2)
        if (group[i].alignment >= bytes) taken = covers(group, i, bytes);
      if (taken >= 2) replace(group, i, taken, bytes * 2);
      i += std::max<std::size_t>(taken, 1);
    }
  }

  /// How many accesses from i on are `bytes` without a gap; 0 if they are not.
  static std::size_t covers(const std::vector<Access>& group, std::size_t i, std::int64_t bytes) {
    std::int64_t next = group[i].offset;
    for (std::size_t k = i; k < group.size(); ++k) {
      if (group[k].offset != next) return 0;
      next += group[k].bytes;
      if (next - group[i].offset == bytes) return k - i + 1;
      if (next - group[i].offset > bytes) return 0;
    }
    return 0;
  }

  /// One callback, where the first of them is in the program, because its pointer is known there.
  void replace(const std::vector<Access>& group, std::size_t begin, std::size_t count, std::int64_t bytes) {
    std::size_t first = begin;
    for (std::size_t k = begin; k < begin + count; ++k) {
      if (group[k].line < group[first].line) first = k;
    }
    const std::string call = module_.lines[group[first].line];
    const std::string name = "%simt.whole." + std::to_string(merged_++);
    const std::int64_t back = group[begin].offset - group[first].offset;
    for (std::size_t k = begin; k < begin + count; ++k) module_.lines[group[k].line] = "\n";
    module_.lines[group[first].line] = "  " + name + " = getelementptr i8, ptr " + group[first].pointer +
                                       ", i64 " + std::to_string(back) + "\n  call void @__sanitizer_cov_" +
                                       (stores_ ? "store" : "load") + std::to_string(bytes) + "(ptr " + name +
                                       ")" + std::string(debug_location(call));
  }

  Module& module_;
  std::map<std::string, std::vector<Access>> groups_;
  bool stores_ = false;
  std::size_t merged_ = 0;
};

/// The next line that is no callback.
std::size_t after_callbacks(const Module& module, std::size_t line, std::size_t end) {
  ++line;
  while (line < end && module.lines[line].find("@__sanitizer_cov_") != std::string::npos) ++line;
  return line;
}

std::int64_t alignment_of(std::string_view line) {
  const std::string_view number = between(line, ", align ", ", !");
  std::int64_t alignment = 1;
  std::from_chars(number.data(), number.data() + number.size(), alignment);
  return alignment;
}

bool changes_memory(std::string_view line, std::string_view what) {
  if (what == "store" || what == "fence" || what == "atomicrmw" || what == "cmpxchg" || what == "invoke")
    return true;
  if (what != "call") return false;
  const std::size_t at = line.find('@');
  if (at == line.npos) return true;
  const std::string_view callee = line.substr(at);
  for (const std::string_view pure :
       {"@__sanitizer_cov_", "@simt_thread_", "@simt_block_", "@simt_grid_", "@llvm.dbg.", "@llvm.fma",
        "@llvm.smin", "@llvm.smax", "@llvm.umin", "@llvm.umax", "@llvm.abs", "@llvm.fabs", "@llvm.assume",
        "@llvm.lifetime"})
    if (callee.starts_with(pure)) return false;
  return true;
}

/// Callbacks for the copies and fills that clang leaves without.
void add_copies(std::string& line) {
  const bool fill = line.find("@llvm.memset.") != line.npos;
  if (!fill && line.find("@llvm.memcpy.") == line.npos && line.find("@llvm.memmove.") == line.npos) return;
  const std::size_t open = line.find('(', line.find("@llvm.mem"));
  const std::vector<std::string_view> arguments = split(std::string_view(line).substr(open + 1));
  if (arguments.size() < 4) return;
  const auto pointer = [](std::string_view argument) { return argument.substr(argument.rfind(' ') + 1); };
  const auto alignment = [](std::string_view argument) {
    const std::string_view number = between(argument, "align ", " ");
    return number.empty() ? std::string("1") : std::string(number);
  };
  if (pointer(arguments[0]).find(')') != std::string_view::npos)
    return;  // a constant expression: no kernel's
  std::string call = "  call void @";
  call += fill ? "simt_fill(ptr " : "simt_copy(ptr ";
  call += pointer(arguments[0]);
  if (!fill) call += ", ptr " + std::string(pointer(arguments[1]));
  call += ", " + std::string(arguments[2]) + ", i32 " + alignment(arguments[0]);
  if (!fill) call += ", i32 " + alignment(arguments[1]);
  call += ")" + std::string(debug_location(line)) + "\n";
  line.insert(0, call);
}

/// An access past the L1 cache, which has had its callback: the compiler's, in the same block, is left out.
struct Announced {
  Place place;
  std::int64_t bytes = 0;
  bool store = false;

  bool holds(const Place& other) const {
    return other.base == place.base && other.offset >= place.offset && other.offset < place.offset + bytes;
  }
};

std::optional<Announced> announcement(std::string_view line, const Places& places) {
  const std::string_view what = between(line, "@simt_cached_", "(");
  if (what.empty()) return {};
  const std::vector<std::string_view> arguments = split(line.substr(line.find('(') + 1));
  Announced announced{places.of(arguments[0].substr(arguments[0].rfind(' ') + 1)), 0, what == "store"};
  const std::string_view bytes = between(arguments[1], "i64 noundef ", ")");
  std::from_chars(bytes.data(), bytes.data() + bytes.size(), announced.bytes);
  return announced;
}

void edit_function(Module& module, const Function& function) {
  Places places(module);
  Merger merger(module);
  for (const Block& block : function.blocks) {
    std::optional<Announced> announced;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      std::string& line = module.lines[i];
      const std::string_view callback = between(line, "@__sanitizer_cov_", "(");
      const bool store = callback.starts_with("store");
      if (!store && !callback.starts_with("load")) {
        places.note(line);
        if (std::optional<Announced> found = announcement(line, places)) announced = std::move(found);
        if (changes_memory(line, operation(line))) {
          // A store whose callback waits for its neighbours does not end their group.
          if (operation(line) != "store") merger.flush();
          add_copies(line);
        }
        continue;
      }
      const std::string pointer(between(line, "(ptr ", ")"));
      if (announced && announced->store == store && announced->holds(places.of(pointer))) {
        line = "\n";
        continue;
      }
      const std::string_view access = module.lines[after_callbacks(module, i, block.end)];
      if (access.find(" volatile ") != access.npos) {
        merger.flush();
        line.replace(line.find("@__sanitizer_cov_"), 17, "@simt_volatile_");
        continue;
      }
      Access one{i, pointer, 0, 0, alignment_of(access)};
      const std::string_view bytes = callback.substr(store ? 5 : 4);
      std::from_chars(bytes.data(), bytes.data() + bytes.size(), one.bytes);
      if (one.alignment < one.bytes) {
        // Two loads that clang has made one: for all that a GPU knows of the address, it cannot.
        merger.flush();
        line = "  call void @simt_pieces(ptr " + pointer + ", i64 " + std::to_string(one.bytes) + ", i32 " +
               std::to_string(one.alignment) + ", i32 " + (store ? "1)" : "0)") +
               std::string(debug_location(line));
        continue;
      }
      merger.add(store, places.of(pointer), std::move(one));
    }
    merger.flush();
  }
}

}  // namespace

void edit_accesses(Module& module) {
  for (const Function& function : module.functions)
    if (!function.guards.empty()) edit_function(module, function);
  std::string& last = module.lines.back();
  last +=
      "\ndeclare void @simt_copy(ptr, ptr, i64, i32, i32)\ndeclare void @simt_fill(ptr, i64, i32)\ndeclare "
      "void @simt_pieces(ptr, i64, i32, i32)";
  for (const char* const bytes : {"1", "2", "4", "8", "16"}) {
    for (const char* const what : {"load", "store"}) {
      last += std::string("\ndeclare void @simt_volatile_") + what + bytes + "(ptr)";
      const std::string merged = std::string("declare void @__sanitizer_cov_") + what + bytes + "(ptr)";
      if (std::find(module.lines.begin(), module.lines.end(), merged) == module.lines.end())
        last += "\n" + merged;
    }
  }
}

}  // namespace simt::ir
