// A peer in another process: a line for each question and each answer.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "grid_contestant.hpp"
#include "python_peer.hpp"

namespace foldline::bench {
namespace {

class Peer final : public GridContestant {
 public:
  Peer(const std::string& package, const std::string& python, std::int64_t most_bytes) {
    std::array<int, 2> questions{}, answers{};
    if (::pipe(questions.data()) != 0 || ::pipe(answers.data()) != 0)
      throw std::runtime_error("no pipe can be made");
    const std::string script = path_of_script("grid_peer.py"), bytes = std::to_string(most_bytes);
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("no process can be started");
    if (child_ == 0) {
      ::dup2(questions[0], 0);
      ::dup2(answers[1], 1);
      for (const int file : {questions[0], questions[1], answers[0], answers[1]}) ::close(file);
      ::execlp(python.c_str(), python.c_str(), script.c_str(), package.c_str(), bytes.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(questions[0]);
    ::close(answers[1]);
    to_ = ::fdopen(questions[1], "w");
    from_ = ::fdopen(answers[0], "r");
    name_ = answer();
  }
  ~Peer() override {
    std::fclose(to_);
    std::fclose(from_);
    ::waitpid(child_, nullptr, 0);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  std::string name() const override { return name_; }
  bool prepare(const GridCell& cell) override {
    const nlohmann::json question = {{"operation", cell.operation},    {"type", name_of(cell.type)},
                                     {"result", name_of(cell.result)}, {"shape", cell.shape},
                                     {"strides", cell.strides},        {"axis", cell.axis}};
    ask(question.dump());
    return answer() == "ready";
  }
  double measure() override {
    ask("run");
    return std::stod(answer());
  }

 private:
  void ask(const std::string& line) {
    fmt::print(to_, "{}\n", line);
    std::fflush(to_);
  }
  std::string answer() {
    std::string line;
    for (int c = std::fgetc(from_); c != '\n'; c = std::fgetc(from_)) {
      if (c == EOF) throw std::runtime_error("grid_peer.py ended, see above");
      line += static_cast<char>(c);
    }
    return line;
  }

  ::pid_t child_;
  std::FILE* to_;
  std::FILE* from_;
  std::string name_;
};

}  // namespace

MadeContestant grid_peer(const std::string& package, const std::string& python, std::int64_t most_bytes) {
  return std::make_unique<Peer>(package, python, most_bytes);
}

}  // namespace foldline::bench
