// A ladder whose rungs are wrong, hang or crash, on the CPU: the runner must tell, and go on.
#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runner/commands.hpp"
#include "runner/records.hpp"
#include "runner/sources.hpp"

namespace foldline::ladder {

const std::vector<Source> sources = {
    {"planted", "right.cpp", "// Idea: the answer.\n// Fixes: nothing.\nint x;\n"},
    {"counted", "right.cpp", "// Idea: the answer.\n// Fixes: nothing.\nint x;\n"},
    {"planted", "wrong.cpp", "// Idea: another\n// answer.\n// Fixes: nothing.\nint y;\n"},
};

const std::vector<Record> records;

namespace {

class Answer : public Workbench {
 public:
  Answer(int (*answer)(int run)) : answer_(answer) {}
  void refresh() override { result_ = 0; }
  void start() override { result_ = answer_(runs_++); }
  void finish() override {}
  Check check() const override {
    if (result_ == 42) return {1, 1, 0, ""};
    return {0, 1, 0, "the answer is " + std::to_string(result_) + ", not 42"};
  }
  std::vector<std::byte> bits() const override { return {static_cast<std::byte>(result_)}; }
  std::string printed() const override { return "Answer = " + std::to_string(result_); }

 private:
  int (*answer_)(int);
  int result_ = 0, runs_ = 0;
};

int right(int) { return 42; }
int wrong(int) { return 41; }
/// Right at first, when no result is looked at on a GPU; wrong later.
int wrong_later(int run) { return run < 1 ? 42 : 41; }
int hang(int) {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}
int crash(int) {
  std::raise(SIGSEGV);
  return 42;
}
int fail(int) { throw std::runtime_error("no more answers"); }
int refuse(int) { throw Unsupported("needs a larger universe"); }

constexpr int (*answers[])(int) = {right, wrong, wrong_later, hang, crash, fail, refuse, right, hang};

class Question : public Instance {
 public:
  std::string title() const override { return "the question"; }
  std::int64_t work() const override { return 4; }
  std::unique_ptr<Workbench> set_up(std::size_t rung) const override {
    return std::make_unique<Answer>(answers[rung]);
  }
};

/// With the first of the answers, as many as there are names.
Problem planted(const char* about, Unit unit, const std::vector<std::string>& names) {
  Problem problem{.name = unit == Unit::bytes ? "planted" : "counted",
                  .about = about,
                  .rungs = {},
                  .takes = {"n"},
                  .instances = {},
                  .needs_gpu = false,
                  .unit = unit};
  for (const std::string& name : names)
    problem.rungs.push_back({name, Kind::rung, name[0] == 'r' ? "right.cpp" : "wrong.cpp", false,
                             name == "hanging-on-purpose" ? 1.0 : 3600.0});
  problem.instances = [](const Params&) {
    return std::vector<InstanceMaker>{[] { return std::make_unique<Question>(); }};
  };
  return problem;
}

}  // namespace
}  // namespace foldline::ladder

int main(int argc, char** argv) {
  using namespace foldline::ladder;
  return run_program(argc, argv,
                     {planted("rungs that go wrong", Unit::bytes,
                              {"right", "wrong", "wrong-later", "hanging", "crashing", "failing", "refusing",
                               "right-again", "hanging-on-purpose"}),
                      planted("what does not count bytes", Unit::operations, {"right"})});
}
