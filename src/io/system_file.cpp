#include "io/system_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "foldline/error.hpp"

namespace foldline::io {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw DataError(name + ": " + what);
}

[[noreturn]] void fail_to_open(const std::string& path, int error) {
  if (error == ENOENT) fail(path, "no such file; check the path");
  if (error == EACCES) fail(path, "permission denied; make the file readable");
  fail(path, "cannot be opened: " + std::generic_category().message(error));
}

int open_to_read(const std::string& path) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) return descriptor;
    if (errno != EINTR)
      fail_to_open(path, errno);  // a signal while waiting for a pipe's other end is no failure
  }
}

}  // namespace

SystemFile::SystemFile(const std::string& path)
    : owned_(path != "-"), name_(owned_ ? path : "standard input") {
  // A NUL would make the system open another file than the one named.
  if (path.empty() || path.find('\0') != std::string::npos) fail("'" + path + "'", "is no path; name a file");
  descriptor_ = owned_ ? open_to_read(path) : STDIN_FILENO;
  try {
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0)
      fail(name_, "cannot be read: " + std::generic_category().message(errno));
    if (S_ISDIR(status.st_mode)) fail(name_, "is a directory; name a file");
    if (S_ISREG(status.st_mode)) {
      // Standard input may have been read in part before it came to us.
      begin_ = std::max<std::int64_t>(0, ::lseek(descriptor_, 0, SEEK_CUR));
      offset_ = begin_;
      end_ = std::max<std::int64_t>(begin_, status.st_size);
      regular_ = true;
      ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);  // advice: a failure changes nothing
    }
  } catch (...) {
    if (owned_) ::close(descriptor_);
    throw;
  }
}

SystemFile::SystemFile(SystemFile&& other) noexcept
    : descriptor_(other.descriptor_),
      owned_(std::exchange(other.owned_, false)),
      name_(std::move(other.name_)),
      regular_(other.regular_),
      begin_(other.begin_),
      offset_(other.offset_),
      end_(other.end_) {}

SystemFile::~SystemFile() {
  if (owned_) ::close(descriptor_);
}

std::size_t SystemFile::read(std::span<std::byte> buffer) {
  const std::size_t count = read_from(offset_, buffer);
  offset_ += static_cast<std::int64_t>(count);
  return count;
}

std::size_t SystemFile::read_at(std::int64_t position, std::span<std::byte> buffer) const {
  return read_from(begin_ + position, buffer);
}

std::size_t SystemFile::read_from(std::int64_t offset, std::span<std::byte> buffer) const {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const std::span<std::byte> rest = buffer.subspan(filled);
    const ssize_t count =
        regular_ ? ::pread(descriptor_, rest.data(), rest.size(), offset + static_cast<std::int64_t>(filled))
                 : ::read(descriptor_, rest.data(), rest.size());
    if (count == 0) break;
    if (count < 0) {
      if (errno == EINTR) continue;
      fail(name_, "cannot be read: " + std::generic_category().message(errno));
    }
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

std::int64_t SystemFile::skip(std::int64_t count) {
  count = std::min(count, std::max<std::int64_t>(0, end_ - offset_));
  offset_ += count;
  return count;
}

}  // namespace foldline::io
