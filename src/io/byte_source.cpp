#include "io/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

ByteSource::ByteSource(const std::string& path)
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
      offset_ = std::max<std::int64_t>(0, ::lseek(descriptor_, 0, SEEK_CUR));
      end_ = std::max<std::int64_t>(offset_, status.st_size);
      regular_ = true;
      ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);  // advice: a failure changes nothing
    }
  } catch (...) {
    if (owned_) ::close(descriptor_);
    throw;
  }
}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : descriptor_(other.descriptor_),
      owned_(std::exchange(other.owned_, false)),
      name_(std::move(other.name_)),
      regular_(other.regular_),
      offset_(other.offset_),
      end_(other.end_),
      ahead_(other.ahead_),
      ahead_size_(other.ahead_size_) {}

ByteSource::~ByteSource() {
  if (owned_) ::close(descriptor_);
}

std::optional<std::int64_t> ByteSource::remaining() const {
  if (!regular_) return std::nullopt;
  return end_ - offset_ + static_cast<std::int64_t>(ahead_size_);
}

std::span<const std::byte> ByteSource::start() {
  if (ahead_size_ == 0) ahead_size_ = read_from_system(ahead_);
  return std::span(ahead_).first(ahead_size_);
}

std::size_t ByteSource::read(std::span<std::byte> buffer) {
  if (ahead_size_ == 0) return read_from_system(buffer);
  const std::size_t count = std::min(buffer.size(), ahead_size_);
  std::copy_n(ahead_.begin(), count, buffer.begin());
  std::copy(ahead_.begin() + count, ahead_.begin() + ahead_size_, ahead_.begin());
  ahead_size_ -= count;
  return count + read_from_system(buffer.subspan(count));
}

std::size_t ByteSource::read_from_system(std::span<std::byte> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const std::span<std::byte> rest = buffer.subspan(filled);
    const ssize_t count = regular_ ? ::pread(descriptor_, rest.data(), rest.size(), offset_)
                                   : ::read(descriptor_, rest.data(), rest.size());
    if (count == 0) break;
    if (count < 0) {
      if (errno == EINTR) continue;
      fail(name_, "cannot be read: " + std::generic_category().message(errno));
    }
    filled += static_cast<std::size_t>(count);
    if (regular_) offset_ += count;
  }
  return filled;
}

std::int64_t ByteSource::skip(std::int64_t count) {
  if (regular_ && ahead_size_ == 0) {
    count = std::min(count, end_ - offset_);
    offset_ += count;
    return count;
  }
  std::array<std::byte, 16384> ignored;
  std::int64_t skipped = 0;
  while (skipped < count) {
    const auto wanted = std::min(static_cast<std::int64_t>(ignored.size()), count - skipped);
    const auto got = read(std::span(ignored).first(static_cast<std::size_t>(wanted)));
    skipped += static_cast<std::int64_t>(got);
    if (static_cast<std::int64_t>(got) < wanted) break;
  }
  return skipped;
}

}  // namespace foldline::io
