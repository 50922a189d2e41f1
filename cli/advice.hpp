// Advice that names the command's options instead of the library's.
#pragma once

#include <exception>
#include <string>

#include <foldline/error.hpp>
#include <foldline/text_reader.hpp>

namespace foldline::cli {

/// What to add where a text does not have a column of the name given; it may be nothing.
std::string advice_of(const UnknownColumn& error);

/// What to say of a text that cannot be read.
std::string message_of(const UnreadableText& error);

/// What to say of an integer result that its type cannot hold.
std::string message_of(const OverflowError& error);

/// What the command says of an exception, and the code that it ends with.
struct Complaint {
  std::string text;
  int code;
};
Complaint complaint_about(const std::exception_ptr& exception);

}  // namespace foldline::cli
