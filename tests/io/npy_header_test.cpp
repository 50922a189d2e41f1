#include "io/npy_header.hpp"

#include <gtest/gtest.h>

#include <string>

#include "foldline/error.hpp"
#include "npy_file.hpp"

namespace foldline::io {
namespace {

using test::contains;
using test::npy_dictionary;
using test::npy_preamble;
using Shape = std::vector<std::int64_t>;

NpyHeader parse(const std::string& text) { return parse_npy_dictionary(text, 10 + text.size(), "x.npy"); }

/// The message of the DataError that parsing gives; "" if it gives none.
std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

std::string error_of_preamble(const std::string& bytes) {
  try {
    parse_npy_preamble(std::as_bytes(std::span(bytes)), "x.npy");
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(NpyHeader, ReadsWhatNumpyWrites) {
  const NpyHeader header = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n");
  EXPECT_EQ(header.type, ElementType::float64);
  EXPECT_EQ(header.byte_order, ByteOrder::little);
  EXPECT_FALSE(header.fortran_order);
  EXPECT_EQ(header.shape, (Shape{3, 4}));
  EXPECT_EQ(header.size, 12);
}

TEST(NpyHeader, ReadsTypesAndByteOrders) {
  EXPECT_EQ(parse(npy_dictionary("<f2", "(1,)")).type, ElementType::half);
  EXPECT_EQ(parse(npy_dictionary("<f4", "(1,)")).type, ElementType::float32);
  EXPECT_EQ(parse(npy_dictionary(">f4", "(1,)")).byte_order, ByteOrder::big);
  EXPECT_EQ(parse(npy_dictionary("<f4", "(1,)")).byte_order, ByteOrder::little);
  EXPECT_EQ(parse(npy_dictionary("=f4", "(1,)")).byte_order, native_byte_order);
  EXPECT_TRUE(parse(npy_dictionary(">f8", "(2, 2)", true)).fortran_order);
}

TEST(NpyHeader, ReadsIntegersAndBooleans) {
  const std::pair<const char*, ElementType> types[] = {
      {"|i1", ElementType::int8},   {"<i2", ElementType::int16},  {"<i4", ElementType::int32},
      {"<i8", ElementType::int64},  {"|u1", ElementType::uint8},  {"<u2", ElementType::uint16},
      {"<u4", ElementType::uint32}, {"<u8", ElementType::uint64}, {"|b1", ElementType::boolean},
      {"<i1", ElementType::int8},   {">b1", ElementType::boolean}};
  for (const auto& [name, type] : types) {
    EXPECT_EQ(parse(npy_dictionary(name, "(3,)")).type, type) << name;
    EXPECT_EQ(parse(npy_dictionary(name, "(3,)")).size, 3) << name;
  }
  EXPECT_EQ(parse(npy_dictionary(">i8", "(1,)")).byte_order, ByteOrder::big);
  EXPECT_EQ(parse(npy_dictionary("|i1", "(1,)")).byte_order, native_byte_order);
}

TEST(NpyHeader, ReadsShapes) {
  EXPECT_EQ(parse(npy_dictionary("<f8", "()")).size, 1);
  EXPECT_EQ(parse(npy_dictionary("<f8", "()")).shape, Shape{});
  EXPECT_EQ(parse(npy_dictionary("<f8", "(0,)")).size, 0);
  EXPECT_EQ(parse(npy_dictionary("<f8", "(3, 0, 5)")).size, 0);
  EXPECT_EQ(parse(npy_dictionary("<f8", "(3,4,)")).size, 12);
  EXPECT_EQ(parse(npy_dictionary("<f8", "(3L, 4L)")).size, 12);  // Python 2
  EXPECT_EQ(parse(npy_dictionary("<f2", "(1000000000000000000,)")).size, 1000000000000000000);
  EXPECT_EQ(parse(npy_dictionary("<f2", "(4611686018427387903,)")).size, 4611686018427387903);
}

TEST(NpyHeader, ReadsAnyOrderOfKeysAnySpacingAndBothQuotes) {
  EXPECT_EQ(parse("{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"<f4\"}").size, 2);
  EXPECT_EQ(parse(" \n{ 'shape' : ( 2 , 3 ) , 'descr' : '<f4' , 'fortran_order' : False }\n \n").size, 6);
}

TEST(NpyHeader, RefusesOtherElementTypesByName) {
  EXPECT_TRUE(contains(error_of(npy_dictionary("<i16", "(1,)")), "not numbers"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<b2", "(1,)")), "not numbers"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("|i4", "(1,)")), "byte order open; write '<i4' or '>i4'"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<c16", "(1,)")), "complex"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("|O", "(1,)")), "Python objects, which are never read"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<M8[ns]", "(1,)")), "dates"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<m8[ns]", "(1,)")), "dates"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<f16", "(1,)")), "wider than float64"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<U5", "(1,)")), "not numbers"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<V2", "(1,)")), "bfloat16"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("|f4", "(1,)")), "byte order open"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("f4", "(1,)")), "byte order open"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("", "(1,)")), "not numbers"));
  EXPECT_TRUE(
      contains(error_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }"), "structured"));
}

TEST(NpyHeader, RefusesHostileShapes) {
  EXPECT_TRUE(contains(error_of(npy_dictionary("<f8", "(-1,)")), "negative"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<f8", "(1152921504606846976,)")), "2^63 bytes or more"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<f8", "(4294967296, 4294967296)")), "2^63 bytes or more"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<f8", "(9223372036854775808,)")), "2^63 bytes or more"));
  EXPECT_TRUE(
      contains(error_of(npy_dictionary("<f8", "(" + std::string(1000, '9') + ",)")), "2^63 bytes or more"));
  EXPECT_TRUE(contains(error_of(npy_dictionary("<f8", "(0, 4294967296, 4294967296)")), "2^63 bytes or more"));
  std::string many;
  for (int i = 0; i < 65; ++i) many += "1, ";
  EXPECT_TRUE(contains(error_of(npy_dictionary("<f8", "(" + many + ")")), "more than 64 dimensions"));
}

TEST(NpyHeader, RefusesWhatPythonDoesNotCallATupleOfNumbers) {
  for (const char* shape : {"(3)", "3", "[3]", "(3", "(,)", "(3,,)", "(03,)", "(+3,)", "(3.0,)", "(1_0,)",
                            "(0x3,)", "(True,)", "((3,),)", "('3',)", "(3 4)", "None", ""}) {
    EXPECT_TRUE(contains(error_of(npy_dictionary("<f8", shape)), "malformed .npy header")) << shape;
  }
}

TEST(NpyHeader, RefusesUnknownRepeatedAndMissingKeys) {
  EXPECT_TRUE(contains(error_of("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}"),
                       "unknown key 'more'"));
  EXPECT_TRUE(
      contains(error_of("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"), "twice"));
  EXPECT_TRUE(contains(error_of("{'fortran_order': False, 'shape': (1,)}"), "no key 'descr'"));
  EXPECT_TRUE(contains(error_of("{'descr': '<f8', 'shape': (1,)}"), "no key 'fortran_order'"));
  EXPECT_TRUE(contains(error_of("{'descr': '<f8', 'fortran_order': False}"), "no key 'shape'"));
  EXPECT_TRUE(contains(error_of("{}"), "no key"));
}

TEST(NpyHeader, RefusesMalformedText) {
  const std::string good = npy_dictionary("<f8", "(3,)");
  EXPECT_TRUE(contains(error_of(""), "expected '{'"));
  EXPECT_TRUE(contains(error_of(good + "x"), "follows the closing brace"));
  EXPECT_TRUE(contains(error_of(good + std::string(1, '\0')), "follows the closing brace"));
  EXPECT_TRUE(contains(error_of(good + good), "follows the closing brace"));
  EXPECT_TRUE(
      contains(error_of("{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}"), "neither True nor False"));
  EXPECT_TRUE(contains(error_of("{'descr': '<f\\x38', 'fortran_order': False, 'shape': (1,)}"), "backslash"));
  EXPECT_TRUE(contains(error_of("{,}"), "expected a key"));
  // Every prefix of a good header is malformed, up to its closing brace.
  for (std::size_t length = 0; length < good.find('}') + 1; ++length)
    EXPECT_TRUE(contains(error_of(good.substr(0, length)), "x.npy: ")) << length;
}

TEST(NpyHeader, SurvivesDeepNesting) {
  const std::string deep(60000, '(');
  EXPECT_TRUE(contains(error_of(npy_dictionary("<f8", deep)), "malformed"));
  EXPECT_TRUE(contains(error_of(std::string(60000, '{')), "malformed"));
  EXPECT_TRUE(contains(error_of("{'descr': " + std::string(60000, '[')), "structured"));
}

TEST(NpyHeader, MessagesHoldNoControlCharactersAndStayShort) {
  const std::string message = error_of("{'\x1b[31m\x07" + std::string(5000, 'a') + "': 1}");
  EXPECT_TRUE(contains(message, "\\x1b[31m\\x07"));
  EXPECT_LT(message.size(), 200u);
}

TEST(NpyPreamble, ReadsAllVersions) {
  const auto parse = [](const std::string& bytes) {
    return parse_npy_preamble(std::as_bytes(std::span(bytes)), "x.npy");
  };
  EXPECT_EQ(parse(npy_preamble(1, 118)).size, 10u);
  EXPECT_EQ(parse(npy_preamble(1, 118)).dictionary_size, 118u);
  EXPECT_EQ(parse(npy_preamble(2, 65536)).size, 12u);
  EXPECT_EQ(parse(npy_preamble(2, 65536)).dictionary_size, 65536u);
  EXPECT_EQ(parse(npy_preamble(3, 500)).dictionary_size, 500u);
}

TEST(NpyPreamble, RefusesLongHeadersAndOtherVersions) {
  EXPECT_TRUE(contains(error_of_preamble(npy_preamble(2, 65537)), "header of 65537 bytes"));
  EXPECT_TRUE(contains(error_of_preamble(npy_preamble(2, 1 << 20)), "header of 1048576 bytes"));
  EXPECT_TRUE(contains(error_of_preamble(npy_preamble(3, 0xffffffff)), "header of 4294967295 bytes"));
  EXPECT_TRUE(contains(error_of_preamble(npy_preamble(4, 100)), "version 4.0"));
  EXPECT_TRUE(contains(error_of_preamble(npy_preamble(0, 100)), "version 0.0"));
}

TEST(NpyPreamble, RecognisesOtherFiles) {
  EXPECT_TRUE(contains(error_of_preamble(""), "is empty"));
  EXPECT_TRUE(contains(error_of_preamble("\x93NUM"), "truncated"));
  EXPECT_TRUE(contains(error_of_preamble("PK\x03\x04 and more"), ".npz"));
  EXPECT_TRUE(contains(error_of_preamble("\x1f\x8b and so on"), "gzip"));
  EXPECT_TRUE(contains(error_of_preamble("1.0\n2.0\n3.0\n"), "not a .npy file"));
}

}  // namespace
}  // namespace foldline::io
