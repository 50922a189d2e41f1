// The source pass before clang: tokens, launches, kernels, and what CUDA has removed.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compile/translate_asm.hpp"
#include "translate/translate.hpp"

namespace {

std::vector<std::string> words(std::string_view source) {
  std::vector<std::string> texts;
  for (const simt::Token& token : simt::tokens_of(source, "a.cu").tokens) texts.emplace_back(token.text);
  return texts;
}

/// What a launch became: kernel, configuration and arguments as "kernel|configuration|arguments".
std::string launch_in(const std::string& source) {
  const std::string text = simt::translate(source, "a.cu").text;
  const std::string open = "-> decltype(simt_take(", place = "}, ";
  const std::size_t kernel = text.find(open);
  if (kernel == text.npos) return "no launch";
  const std::size_t kernel_end = text.find(")) { return simt_take(", kernel);
  const std::size_t names = text.find(", {\"", kernel_end);
  std::string configuration = text.substr(text.find(place, names) + place.size());
  configuration.erase(0, configuration.find_first_not_of('\n'));
  return text.substr(kernel + open.size(), kernel_end - kernel - open.size()) + "|" + configuration;
}

TEST(Tokens, LeavesCommentsOutAndKeepsStringsWhole) {
  EXPECT_EQ(words("a /* <<< */ b // >>>\nc"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(words(R"(f("k<<<1>>>(\"", '"', L"x", u8"y"))"),
            (std::vector<std::string>{"f", "(", R"("k<<<1>>>(\"")", ",", "'\"'", ",", "L\"x\"", ",",
                                      "u8\"y\"", ")"}));
  EXPECT_EQ(words("R\"--(a \")\" // b\n)--\" c"),
            (std::vector<std::string>{"R\"--(a \")\" // b\n)--\"", "c"}));
  EXPECT_EQ(words("1'000'000 0x1p-3f 1e+5 .5 a.b"),
            (std::vector<std::string>{"1'000'000", "0x1p-3f", "1e+5", ".5", "a", ".", "b"}));
}

TEST(Tokens, TakesALineOfThePreprocessorAsOne) {
  EXPECT_EQ(words("#define A(k) k<<<1, \\\n 2>>>()\nb # c"),
            (std::vector<std::string>{"#define A(k) k<<<1, \\\n 2>>>()", "b", "#", "c"}));
}

TEST(Tokens, KnowsTheirLinesAndFiles) {
  const auto list = simt::tokens_of("a\n# 7 \"b.cuh\" 1 3\nb \"x\\\ny\"\n\nc\n# 3 \"a.cu\" 2\nd", "a.cu");
  const auto at = [&](std::string_view text) {
    return *std::ranges::find(list.tokens, text, &simt::Token::text);
  };
  EXPECT_EQ(at("a").line, 1);
  EXPECT_EQ(at("b").line, 7);
  EXPECT_EQ(list.files[static_cast<std::size_t>(at("b").file)], "b.cuh");
  EXPECT_TRUE(at("b").in_system);
  EXPECT_EQ(at("c").line, 10);
  EXPECT_EQ(at("d").line, 3);
  EXPECT_FALSE(at("d").in_system);
  EXPECT_EQ(list.files[static_cast<std::size_t>(at("d").file)], "a.cu");
}

TEST(Tokens, EndsWhereSomethingIsNotClosed) {
  for (const std::string_view source :
       {"\"abc", "'", "/* a", "R\"x(abc", "R\"x", "a \\", "#", "<<<", "k<<<("})
    EXPECT_NO_THROW(simt::tokens_of(source, "a.cu")) << source;
}

TEST(Launch, OfAKernelWithItsConfiguration) {
  EXPECT_EQ(launch_in("add<<<grid, 256>>>(a, n);"), "add|grid, 256)(a, n);");
  EXPECT_EQ(launch_in("{ add <<< dim3(2, n >> 3), 64, 0, stream >>> (a); }"),
            "add| dim3(2, n >> 3), 64, 0, stream ) (a); }");
}

TEST(Launch, NamesTemplatesNamespacesAndPointers) {
  EXPECT_EQ(launch_in("k<int, 256><<<1, 2>>>(a);"), "k<int, 256>|1, 2)(a);");
  EXPECT_EQ(launch_in("x = 1; a::b::k<std::pair<int, A<3>>><<<1, 2>>>(a);"),
            "a::b::k<std::pair<int, A<3>>>|1, 2)(a);");
  EXPECT_EQ(launch_in("k<(a > b)><<<1, 2>>>();"), "k<(a > b)>|1, 2)();");
  EXPECT_EQ(launch_in("::k<<<1, 2>>>();"), "::k|1, 2)();");
  EXPECT_EQ(launch_in("if (x) (*pointer)<<<1, 2>>>();"), "(*pointer)|1, 2)();");
  EXPECT_EQ(launch_in("else table[i + 1]<<<1, 2>>>();"), "table[i + 1]|1, 2)();");
  EXPECT_EQ(launch_in("Kernel<T>::template run<4><<<1, 2>>>();"), "Kernel<T>::template run<4>|1, 2)();");
  EXPECT_EQ(launch_in("plan->kernel<<<1, 2>>>();"), "plan->kernel|1, 2)();");
  EXPECT_EQ(launch_in("return k<<<1, 2>>>();"), "k|1, 2)();");
}

TEST(Launch, EndsAtTheRightAngles) {
  EXPECT_EQ(launch_in("k<<<A<B<C<int>>>(n), 256>>>(a);"), "k|A<B<C<int>>>(n), 256)(a);");
  EXPECT_EQ(launch_in("k<<<1, sizeof(A<B<C<int>>>)>>>(a);"), "k|1, sizeof(A<B<C<int>>>))(a);");
  EXPECT_EQ(launch_in("k<<<n >> 8, v<A<2>>>>>(a);"), "k|n >> 8, v<A<2>>)(a);");
  EXPECT_EQ(launch_in("k<<<[]{ if (1 > 0) return 2; return 1; }(), 4>>>(a);"),
            "k|[]{ if (1 > 0) return 2; return 1; }(), 4)(a);");
}

TEST(Launch, IsFoundAgainAfterTheFirst) {
  const std::string text = simt::translate("a<<<1, 2>>>(x), b<<<3, 4>>>(y);", "a.cu").text;
  EXPECT_NE(text.find("1, 2)(x), ::simt::starting"), text.npos);
  EXPECT_NE(text.find("3, 4)(y);"), text.npos);
}

TEST(Launch, IsNothingElse) {
  for (const std::string source :
       {"std::cout << \"k<<<1, 2>>>(a)\" << x;", "// k<<<1, 2>>>(a)\n", "R\"(k<<<1, 2>>>(a))\"",
        "a = b << c >> 3;", "std::vector<std::vector<A<int>>>(3);", "friend T& operator<<<>(T&, int);",
        "#define L(k) k<<<1, 2>>>()\n", "x = a << (b < c);"})
    EXPECT_EQ(simt::translate(source, "a.cu").text, source);
}

TEST(Launch, KeepsLines) {
  const std::string source =
      "f();\nk<int,\n  // a comment\n  4>\n  <<<dim3(1,\n 2),\n 64\n>>>(\n a,\n b);\nlast();\n";
  const std::string text = simt::translate(source, "a.cu").text;
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(source, '\n'));
  EXPECT_EQ(text.substr(text.find("\nlast")), "\nlast();\n");
  const auto line_of = [](const std::string& in, const std::string& what) {
    return std::ranges::count(in.substr(0, in.find(what)), '\n');
  };
  EXPECT_EQ(line_of(text, "dim3"), line_of(source, "dim3"));
  EXPECT_EQ(line_of(text, " b)"), line_of(source, " b)"));
  EXPECT_NE(text.find("{\"k<int, 4>\", \"a.cu\", 2}"), text.npos);
}

TEST(Launch, RefusesWhatIsNone) {
  const auto message = [](const char* source) -> std::string {
    try {
      simt::translate(source, "a.cu");
    } catch (const simt::TranslationError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(message("f();\nk<<<1, 2>>;"),
            "a.cu:2: error: the launch of k does not end: a launch is kernel<<<grid, block>>>(arguments)");
  EXPECT_EQ(message("k<<<>>>();"), "a.cu:1: error: the launch of k names no grid and no block");
  EXPECT_EQ(message("= <<<1, 2>>>();"), "a.cu:1: error: <<< has no kernel before it");
}

TEST(Kernels, AreListedWithTheirParameters) {
  const auto kernels =
      simt::translate(
          "namespace a { namespace {\ntemplate <class T, int B = 4> __global__ void __launch_bounds__(B) k(\n"
          "const T* x, unsigned int n, float (*f)[2], std::pair<int, T> p = {1, 2}, T y[]) {}\n}"
          "__simt_kernel__ static void l(void);}\n__global__ void m(int, unsigned long) {}",
          "a.cu")
          .kernels;
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "a::k");
  EXPECT_EQ(kernels[0].line, 2);
  EXPECT_TRUE(kernels[0].is_defined);
  ASSERT_EQ(kernels[0].template_parameters.size(), 2u);
  EXPECT_EQ(kernels[0].template_parameters[0].kind, "class");
  EXPECT_EQ(kernels[0].template_parameters[1].kind, "int");
  EXPECT_TRUE(kernels[0].template_parameters[1].has_default);
  ASSERT_EQ(kernels[0].parameters.size(), 5u);
  EXPECT_EQ(kernels[0].parameters[0].type, "const T*");
  EXPECT_EQ(kernels[0].parameters[0].name, "x");
  EXPECT_EQ(kernels[0].parameters[1].type, "unsigned int");
  EXPECT_EQ(kernels[0].parameters[3].type, "std::pair<int, T>");
  EXPECT_EQ(kernels[0].parameters[3].name, "p");
  EXPECT_EQ(kernels[0].parameters[4].type, "T*");
  EXPECT_EQ(kernels[1].name, "a::l");
  EXPECT_FALSE(kernels[1].is_defined);
  EXPECT_TRUE(kernels[1].parameters.empty());
  EXPECT_EQ(kernels[2].name, "m");
  EXPECT_TRUE(kernels[2].template_parameters.empty());
  EXPECT_EQ(kernels[2].parameters[0].name, "");
  EXPECT_EQ(kernels[2].parameters[1].type, "unsigned long");
}

TEST(Asm, HasEmptyListsOfOperands) {
  const std::string without = "do { unsigned long long simt_operands[] = {0}; ::simt_ptx(";
  EXPECT_EQ(simt::translate_asm("asm volatile(\"a;\" ::: \"memory\");"),
            without + "\"a;\" , simt_operands); } while (false);");
  EXPECT_EQ(simt::translate_asm("asm(\"a;\");"), without + "\"a;\", simt_operands); } while (false);");
  const std::string with_input = simt::translate_asm("asm(\"a %0;\" ::\"l\"(n::x), \"r\"(y) : \"memory\");");
  EXPECT_NE(with_input.find("{::simt::bits_of((n::x)), ::simt::bits_of((y)), 0}"), std::string::npos);
  EXPECT_EQ(with_input.find("set_bits"), std::string::npos);
  const std::string with_output = simt::translate_asm("asm(\"a %0;\" : \"=r\"(y));");
  EXPECT_NE(with_output.find("::simt::set_bits((y), simt_operands[0]);"), std::string::npos);
}

TEST(Notes, NameTodaysFormOnceAndWithTheirLine) {
  const auto notes = simt::translate(
                         "texture<float, 1, cudaReadModeElementType> t;\ntexture<int> u;\n"
                         "int f() { return __shfl_up(1, 2) + __shfl_up(3, 4); }\n// __any(1)\nint __all;\n"
                         "# 1 \"cuda.h\" 1 3\n int g() { return __any(1); }\n",
                         "a.cu")
                         .notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].line, 1);
  EXPECT_NE(notes[0].text.find("cudaTextureObject_t"), std::string::npos);
  EXPECT_EQ(notes[1].line, 3);
  EXPECT_EQ(notes[1].file, "a.cu");
  EXPECT_NE(notes[1].text.find("__shfl_up_sync(0xffffffff, value, distance)"), std::string::npos);
}

}  // namespace
