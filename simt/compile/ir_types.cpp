// Sizes of types: the rules of the System V ABI for the types that C++ makes.
#include <algorithm>
#include <charconv>

#include "compile/ir_module.hpp"

namespace simt::ir {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// "[4 x T]" or "<4 x T>": count and T.
struct Sequence {
  std::size_t count = 0;
  std::string_view element;
};
std::optional<Sequence> sequence(std::string_view type) {
  if (type.size() < 2) return {};
  Sequence result;
  const char* const end = type.data() + type.size();
  const auto [stop, error] = std::from_chars(type.data() + 1, end, result.count);
  if (error != std::errc{} || !std::string_view(stop, end).starts_with(" x ")) return {};
  result.element = std::string_view(stop + 3, end - 1);
  return result;
}

struct Members {
  std::vector<std::string_view> types;
  bool packed = false;
};
std::optional<Members> members(std::string_view type) {
  Members result;
  if (type.starts_with("<{")) {
    result.packed = true;
    type = type.substr(1, type.size() - 2);
  }
  if (!type.starts_with("{") || !type.ends_with("}")) return {};
  result.types = split(type.substr(1, type.size() - 2));
  return result;
}

std::optional<Layout> scalar(std::string_view type) {
  if (type == "float") return Layout{4, 4};
  if (type == "double" || type == "ptr") return Layout{8, 8};
  if (type == "half" || type == "bfloat") return Layout{2, 2};
  std::size_t bits = 0;
  if (!type.starts_with("i") ||
      std::from_chars(type.data() + 1, type.data() + type.size(), bits).ec != std::errc{} || bits == 0)
    return {};
  std::size_t bytes = 1;
  while (bytes * 8 < bits) bytes *= 2;
  return Layout{bytes, bytes};
}

/// Calls visit(index, offset, type) for each member; false if a type is not known.
template <class Visit>
std::optional<Layout> walk(const Module& module, const Members& members, Visit visit) {
  Layout whole;
  for (std::size_t i = 0; i < members.types.size(); ++i) {
    const std::optional<Layout> member = layout_of(module, members.types[i]);
    if (!member) return {};
    const std::size_t alignment = members.packed ? 1 : member->alignment;
    whole.bytes = round_up(whole.bytes, alignment);
    whole.alignment = std::max(whole.alignment, alignment);
    visit(i, whole.bytes, members.types[i]);
    whole.bytes += member->bytes;
  }
  whole.bytes = round_up(whole.bytes, whole.alignment);
  return whole;
}

}  // namespace

std::optional<Layout> layout_of(const Module& module, std::string_view type) {
  if (type.starts_with("%")) {
    const auto named = module.types.find(std::string(type));
    return named == module.types.end() ? std::nullopt : layout_of(module, named->second);
  }
  if (type.starts_with("[") || (type.starts_with("<") && !type.starts_with("<{"))) {
    const std::optional<Sequence> list = sequence(type);
    const std::optional<Layout> element = list ? layout_of(module, list->element) : std::nullopt;
    if (!element) return {};
    const std::size_t bytes = list->count * element->bytes;
    return Layout{bytes, type[0] == '<' ? std::max<std::size_t>(bytes, 1) : element->alignment};
  }
  if (const std::optional<Members> structure = members(type))
    return walk(module, *structure, [](std::size_t, std::size_t, std::string_view) {});
  return scalar(type);
}

std::optional<Element> element_of(const Module& module, std::string_view type, std::size_t index) {
  if (type.starts_with("%")) {
    const auto named = module.types.find(std::string(type));
    return named == module.types.end() ? std::nullopt : element_of(module, named->second, index);
  }
  if (const std::optional<Members> structure = members(type)) {
    std::optional<Element> found;
    walk(module, *structure, [&](std::size_t i, std::size_t offset, std::string_view member) {
      if (i == index) found = Element{std::string(member), offset, 0};
    });
    return found;
  }
  const std::optional<Sequence> list = sequence(type);
  const std::optional<Layout> element = list ? layout_of(module, list->element) : std::nullopt;
  if (!element) return {};
  return Element{std::string(list->element), index * element->bytes, element->bytes};
}

}  // namespace simt::ir
