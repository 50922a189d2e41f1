#include "io/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include "foldline/error.hpp"
#include "foldline/output_file.hpp"

namespace foldline::io {
namespace {

constexpr mode_t all_may_write = 0666;  // less what the process's umask takes away
constexpr mode_t all_modes = 0777;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The path with symbolic links followed, if something is there; rename() would replace the link itself.
std::string followed(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

std::string temporary_name(const std::string& path) {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device random;
  std::uniform_int_distribution<std::size_t> any(0, letters.size() - 1);
  std::string name = path + ".tmp";
  for (int i = 0; i < 10; ++i) name += letters[any(random)];
  return name;
}

int open_again(const std::string& path, int flags, mode_t mode = all_may_write) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EINTR) return descriptor;
  }
}

/// Writes all of it at `offset`, or where the file stands if that is negative; 0 or the system's error.
int write_all(int descriptor, std::span<const std::byte> bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = offset < 0 ? ::write(descriptor, bytes.data(), bytes.size())
                                     : ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    if (offset >= 0) offset += count;
  }
  return 0;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  // A NUL would make the system open another file than the one named.
  if (path.empty() || path.find('\0') != std::string::npos)
    throw Error("'" + path + "': is no path; name a file to write");
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    direct_ = true;
    return;
  }
  path_ = followed(path);
  struct stat status = {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw Error(name_ + ": is a directory; name a file to write");
  if (exists && !S_ISREG(status.st_mode)) {
    open_existing();
    return;
  }
  // A write-protected file is not replaced, though the system would allow it.
  if (exists && ::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
    fail("cannot be replaced", errno);
  if (exists) mode_ = status.st_mode & all_modes;
  open_temporary();
}

OutputFile::~OutputFile() {
  if (!committed_ && !temporary_.empty()) ::unlink(temporary_.c_str());
  if (descriptor_ >= 0 && !path_.empty()) ::close(descriptor_);
}

void OutputFile::open_existing() {
  direct_ = true;
  descriptor_ = open_again(path_, O_WRONLY);
  if (descriptor_ < 0) fail("cannot be opened", errno);
}

/// Opens a file without a name if the file system supports it: it vanishes with the process, however that
/// ends.
void OutputFile::open_temporary() {
  const mode_t mode = mode_.value_or(all_may_write);
  descriptor_ = open_again(folder_of(path_), O_TMPFILE | O_WRONLY, mode);
  if (descriptor_ >= 0) return;
  for (;;) {
    temporary_ = temporary_name(path_);
    descriptor_ = open_again(temporary_, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (descriptor_ >= 0) return;
    if (errno == EEXIST) continue;
    temporary_.clear();
    fail("cannot be created", errno);
  }
}

void OutputFile::reserve(std::int64_t bytes) {
  // Not posix_fallocate, which writes zeros where the file system cannot reserve.
  if (direct_ || bytes == 0 || ::fallocate(descriptor_, 0, 0, bytes) == 0) return;
  if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT) fail("cannot be written", errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (const int error = write_all(descriptor_, bytes, -1)) fail("cannot be written", error);
}

void OutputFile::overwrite_start(std::span<const std::byte> bytes) {
  if (const int error = write_all(descriptor_, bytes, 0)) fail("cannot be written", error);
}

void OutputFile::commit() {
  if (!direct_) {
    if (::fsync(descriptor_) != 0) fail("cannot be written", errno);
    if (mode_ && ::fchmod(descriptor_, *mode_) != 0) fail("cannot be given its mode", errno);
    if (temporary_.empty()) give_name();
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be put in place", errno);
  }
  committed_ = true;
  const int descriptor = std::exchange(descriptor_, -1);
  // Some file systems report only now what they could not write.
  if (!path_.empty() && ::close(descriptor) != 0) fail("cannot be written", errno);
}

/// link() cannot replace a file, so the nameless one first gets a temporary name.
void OutputFile::give_name() {
  const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
  for (;;) {
    std::string name = temporary_name(path_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(name);
      return;
    }
    if (errno != EEXIST) fail("cannot be put in place", errno);
  }
}

void OutputFile::fail(const std::string& what, int error) const {
  throw Error(name_ + ": " + what + ": " + std::generic_category().message(error) +
              "; nothing was written there");
}

}  // namespace foldline::io

namespace foldline {

OutputFile::OutputFile(std::unique_ptr<io::OutputFile> file) : file_(std::move(file)) {}
OutputFile::OutputFile(OutputFile&& other) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&& other) noexcept = default;
OutputFile::~OutputFile() = default;

OutputFile OutputFile::create(const std::string& path) {
  return OutputFile(std::make_unique<io::OutputFile>(path));
}
const std::string& OutputFile::name() const { return file_->name(); }
void OutputFile::write(std::span<const std::byte> bytes) { file_->write(bytes); }
void OutputFile::commit() { file_->commit(); }

}  // namespace foldline
