// Makes .npy files byte by byte, right and wrong ones, and puts bytes where a reader can open them.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace foldline::test {

/// Whether a message holds a phrase.
inline testing::AssertionResult contains(const std::string& message, const std::string& phrase) {
  if (message.find(phrase) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << phrase << "\" in \"" << message << "\"";
}

/// The first bytes of a .npy file of the given version, with the length of `dictionary`.
inline std::string npy_preamble(int major, std::size_t dictionary_size) {
  std::string result = "\x93NUMPY";
  result += static_cast<char>(major);
  result += '\0';
  const int length_size = major == 1 ? 2 : 4;
  for (int i = 0; i < length_size; ++i) result += static_cast<char>((dictionary_size >> (8 * i)) & 0xff);
  return result;
}

inline std::string npy_dictionary(const std::string& descr, const std::string& shape,
                                  bool fortran_order = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

/// A whole file from its dictionary and data.
inline std::string npy(const std::string& dictionary, const std::string& data, int major = 1) {
  return npy_preamble(major, dictionary.size()) + dictionary + data;
}

/// The bytes of numbers as this machine holds them.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A file that goes away with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) throw std::runtime_error("mkstemp failed");
    ::close(descriptor);
    write(content);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path_.c_str()); }

  void write(const std::string& content) const {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    if (file == nullptr || std::fwrite(content.data(), 1, content.size(), file) != content.size() ||
        std::fclose(file) != 0) {
      throw std::runtime_error("cannot write " + path_);
    }
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_ =
      std::string(::getenv("TMPDIR") != nullptr ? ::getenv("TMPDIR") : "/tmp") + "/foldline-test-XXXXXX";
};

/// A file without a place in the file system, which is faster.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content)
      : descriptor_(::memfd_create("foldline-test", MFD_CLOEXEC)) {
    if (::write(descriptor_, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
      throw std::runtime_error("memfd_create failed");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// A pipe that a thread feeds in small pieces, so that every read of it is short.
class FedPipe {
 public:
  explicit FedPipe(std::string content, std::size_t piece = 7) : content_(std::move(content)) {
    if (::pipe(ends_) != 0) throw std::runtime_error("pipe failed");
    feeder_ = std::thread([this, piece] {
      for (std::size_t at = 0; at < content_.size(); at += piece) {
        const std::size_t count = std::min(piece, content_.size() - at);
        if (::write(ends_[1], content_.data() + at, count) != static_cast<ssize_t>(count)) break;
      }
      ::close(ends_[1]);
    });
  }
  FedPipe(const FedPipe&) = delete;
  FedPipe& operator=(const FedPipe&) = delete;
  ~FedPipe() {
    // What nobody read must not keep the feeder waiting.
    char ignored[4096];
    while (::read(ends_[0], ignored, sizeof(ignored)) > 0) {
    }
    feeder_.join();
    ::close(ends_[0]);
  }

  std::string path() const { return std::string("/dev/fd/") + std::to_string(ends_[0]); }

 private:
  std::string content_;
  int ends_[2] = {-1, -1};
  std::thread feeder_;
};

}  // namespace foldline::test
