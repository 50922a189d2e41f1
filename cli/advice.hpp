// Advice that names the command's options instead of the library's.
#pragma once

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

}  // namespace foldline::cli
