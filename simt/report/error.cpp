#include <simt/error.hpp>

#include <utility>

namespace simt {
namespace {

std::string line_of(ErrorKind kind, const std::string& text, const std::string& file, int line) {
  std::string place = file.empty() ? "" : file + ":" + (line > 0 ? std::to_string(line) + ":" : "") + " ";
  return place + "error: " + name_of(kind) + ": " + text;
}

}  // namespace

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::race:
      return "race";
    case ErrorKind::barrier:
      return "barrier";
    case ErrorKind::out_of_bounds:
      return "out of bounds";
    case ErrorKind::uninitialised:
      return "uninitialised";
    case ErrorKind::mask:
      return "mask";
    case ErrorKind::host_pointer:
      return "host pointer";
    case ErrorKind::deadlock:
      return "deadlock";
    case ErrorKind::launch:
      return "launch";
    case ErrorKind::unsupported:
      return "not on this device";
    case ErrorKind::assertion:
      return "assertion";
  }
  return "";
}

Error::Error(ErrorKind kind_, std::string text_, std::string file_, int line_)
    : std::runtime_error(line_of(kind_, text_, file_, line_)),
      kind(kind_),
      text(std::move(text_)),
      file(std::move(file_)),
      line(line_) {}

}  // namespace simt
