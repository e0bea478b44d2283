// SPDX-License-Identifier: Apache-2.0
#include "given_run.h"

#include <algorithm>
#include <stdexcept>

#include "cli/foresee.h"
#include "cli/program.h"
#include "report/predict_json.h"
#include "trace/files.h"

namespace oracle {
namespace {

constexpr int kMostTries = 20;

treadle::MemoryModel model_of(Model model) {
  return model == Model::Sc ? treadle::MemoryModel::Sc : model == Model::Tso ? treadle::MemoryModel::Tso : treadle::MemoryModel::Pso;
}

/// The engine names threads by who created them as how-manieth.
std::vector<int> threads_of(const treadle::Trace& trace, const Program& program) {
  std::vector<int> ours{0};
  for (std::size_t n = 1; n < trace.threads.size(); ++n) {
    const treadle::ThreadName name = trace.threads[n];
    std::vector<int> children;
    for (const Statement& statement : program.threads[ours.at(name.parent)])
      if (const Create* create = std::get_if<Create>(&statement.is)) children.push_back(create->thread);
    ours.push_back(children.at(name.ordinal - 1u));
  }
  return ours;
}

bool only_clears_up(treadle::EventKind kind) { return kind == TREADLE_EV_SEM_DESTROY || kind == TREADLE_EV_BARRIER_DESTROY; }

/// The decisions of a trace as moves.
class Translation {
 public:
  Translation(const treadle::Trace& trace, const Program& program, Model model)
      : trace_(trace), machine_(program, {.model = model}), state_(machine_.start()), threads_(threads_of(trace, program)) {}

  std::vector<Move> run() {
    std::size_t event = 0;
    for (std::uint32_t step = 0; step < trace_.choices.size(); ++step) {
      const treadle::Event* first = nullptr;
      for (; event < trace_.events.size() && trace_.events[event].step == step; ++event) {
        note_store(trace_.events[event], std::uint32_t(event));
        if (first == nullptr) first = &trace_.events[event];
      }
      // Main looks at its arguments first; then it creates a thread.
      if (moves_.empty() && (first == nullptr || first->kind != TREADLE_EV_THREAD_CREATE)) continue;
      if (first == nullptr || !only_clears_up(treadle::EventKind(first->kind))) add(trace_.choices[step].taken, first);
    }
    return std::move(moves_);
  }

 private:
  void add(const treadle::Decision& decision, const treadle::Event* event) {
    Move move{.thread = std::uint8_t(threads_.at(std::size_t(decision.thread)))};
    switch (decision.kind) {
      case treadle::DecisionKind::Step:
        break;
      case treadle::DecisionKind::Timeout:
        move.kind = Move::Kind::Timeout;
        break;
      case treadle::DecisionKind::Wake:
        move.kind = Move::Kind::Wake;
        move.argument = std::uint8_t(threads_.at(decision.argument));
        break;
      case treadle::DecisionKind::Flush:
        move.kind = Move::Kind::Flush;
        move.argument = position_of(move.thread, event);
        break;
      default:
        throw std::runtime_error("a decision that the interpreter does not know");
    }
    machine_.apply(state_, move);
    moves_.push_back(move);
  }

  void note_store(const treadle::Event& event, std::uint32_t number) {
    const bool stores = event.kind == TREADLE_EV_WRITE || event.kind == TREADLE_EV_ATOMIC_WRITE;
    if (stores && (event.order & TREADLE_ORDER_BUFFERED) != 0) buffered_[std::size_t(threads_.at(event.thread))].push_back(number);
  }

  /// Where the store that reaches memory stands in the interpreter's buffer, between fences that stand there too.
  std::uint8_t position_of(int thread, const treadle::Event* event) {
    if (event == nullptr || event->kind != TREADLE_EV_FLUSH) throw std::runtime_error("a store reaches memory without an event");
    std::vector<std::uint32_t>& stores = buffered_[std::size_t(thread)];
    const auto store = std::find(stores.begin(), stores.end(), std::uint32_t(event->extra));
    if (store == stores.end()) throw std::runtime_error("a store reaches memory that is in no buffer");
    auto before = store - stores.begin();
    stores.erase(store);
    const ThreadState& state = state_.threads[std::size_t(thread)];
    for (int i = 0; i < state.buffered; ++i)
      if (state.buffer[std::size_t(i)].variable >= 0 && before-- == 0) return std::uint8_t(i);
    throw std::runtime_error("a store reaches memory that the interpreter did not make");
  }

  const treadle::Trace& trace_;
  Machine machine_;
  State state_;
  std::vector<int> threads_;
  std::vector<Move> moves_;
  std::array<std::vector<std::uint32_t>, kMaxThreads> buffered_;  // events, oldest first
};

void must(const treadle::Result<treadle::Done>& done) {
  if (!done) throw std::runtime_error(done.problem().sentence);
}

}  // namespace

struct Batch::Names {
  std::vector<treadle::LoadedObject> of;
  std::unique_ptr<treadle::Symbols> symbols;
};

Batch::Batch(std::string path) : binary(std::move(path)), names(std::make_unique<Names>()) {}

Batch::~Batch() = default;

struct GivenRuns::Parts {
  Parts(treadle::SubjectOptions how, std::unique_ptr<treadle::Subject> started, Batch& of, const Program& generated, Model under)
      : options(std::move(how)), subject(std::move(started)), runner(*subject, numbers), batch(of), program(generated), model(under) {}

  const treadle::Symbols& symbols() {
    Batch::Names& known = *batch.names;
    if (auto objects = subject->loaded_objects(); !known.symbols || known.of != objects)
      known = {std::move(objects), treadle::symbols_of(*subject, options.program)};
    return *known.symbols;
  }

  treadle::SubjectOptions options;
  std::unique_ptr<treadle::Subject> subject;
  treadle::ThreadNumbers numbers;
  treadle::SubjectRunner runner;
  Batch& batch;
  const Program& program;
  Model model;
  treadle::Schedule passing;
};

GivenRuns::GivenRuns(Batch& batch, std::size_t number, const Program& program, Model model) {
  treadle::SubjectOptions options;
  options.program = batch.binary;
  options.arguments = {std::to_string(number)};
  auto subject = treadle::Subject::start(options);
  if (!subject) throw std::runtime_error(subject.problem().sentence);
  parts_ = std::make_unique<Parts>(options, std::move(*subject), batch, program, model);
}

GivenRuns::~GivenRuns() = default;

std::optional<std::vector<Move>> GivenRuns::passing(std::uint64_t seed, const std::string& file) {
  treadle::Schedule schedule;
  schedule.policy = treadle::Policy::Random;
  schedule.model = model_of(parts_->model);
  schedule.races = treadle::Races::Explore;
  treadle::Recording recording;
  recording.plain = true;
  treadle::Trace trace;
  for (int tries = 0; tries < kMostTries; ++tries) {
    schedule.seed = seed * kMostTries + std::uint64_t(tries);
    must(parts_->runner.run(schedule, recording, trace));
    if (trace.end.ending != TREADLE_END_COMPLETED) continue;
    parts_->passing = treadle::exactly(schedule, trace);
    const treadle::Witness from{schedule, parts_->options.program, parts_->subject->binary_hash(), parts_->options.arguments, {}, {}};
    if (!file.empty()) must(treadle::write_trace(file, trace, from));
    return Translation(trace, parts_->program, parts_->model).run();
  }
  return std::nullopt;
}

nlohmann::json GivenRuns::predicted(bool maximal) {
  treadle::ForeseeRequest request{parts_->passing, {}, false, true};
  request.predict.model = parts_->passing.model;
  request.predict.causal = maximal ? treadle::Causality::Maximal : treadle::Causality::Symbolic;
  treadle::Trace looked_at;
  const auto result = treadle::foresee(request, parts_->runner, parts_->symbols(), looked_at);
  if (!result) throw std::runtime_error(result.problem().sentence);
  return nlohmann::json::parse(treadle::json_of(*result));
}

}  // namespace oracle
