// SPDX-License-Identifier: Apache-2.0
// What the estimate of the number of classes is worth on a program:
//
//   probes PROGRAM sc|tso|pso stop|explore|ignore all        the mean over all executions, each with its probability: no chance left in it
//   probes PROGRAM sc|tso|pso stop|explore|ignore N SEED     mean and standard error of N executions at random
#include <cmath>
#include <cstdlib>
#include <string>

#include "../end_to_end/difference.h"
#include "explore/class_weight.h"
#include "explore/random.h"

using namespace treadle;

namespace {

constexpr std::uint64_t most_schedules = 300'000;

const Recording choices{.choices = true, .stacks_at = {}};

/// As it stands in a prefix.
Decision bare(Decision d) {
  if (d.kind == DecisionKind::Step) d.argument = 0;
  return d;
}

/// Every schedule once, depth first, with its probability.
template <class F>
std::uint64_t each_schedule(Subject& subject, const Schedule& base, F f) {
  std::vector<std::vector<Decision>> open{{}};
  std::uint64_t count = 0;
  Trace trace;
  while (!open.empty()) {
    Schedule schedule = base;
    schedule.prefix = std::move(open.back());
    schedule.threads = subject.threads();
    open.pop_back();
    must(subject.run(schedule, choices, trace));
    if (++count > most_schedules) return fmt::print("more than {} schedules\n", most_schedules), std::exit(2), 0;
    double probability = 1;
    std::vector<Decision> taken;
    for (std::size_t c = 0; c < trace.choices.size(); ++c) {
      const Choice& choice = trace.choices[c];
      probability *= probability_of(trace, static_cast<std::uint32_t>(c));
      if (c >= schedule.prefix.size())
        for (std::uint32_t a = 1; a < choice.alternatives; ++a) {
          open.push_back(taken);
          open.back().push_back(bare(trace.alternatives[choice.first_alternative + a]));
        }
      taken.push_back(bare(choice.taken));
    }
    f(trace, probability);
  }
  return count;
}

int all(Subject& subject, const Schedule& base) {
  ClassWeight learned(base);
  double ignorant_mean = 0, probabilities = 0, mean = 0;
  const std::uint64_t schedules = each_schedule(subject, base, [&](const Trace& trace, double probability) {
    probabilities += probability;
    ignorant_mean += probability * ClassWeight(base).of(trace).exact;
    learned.of(trace);
  });
  double square = 0;
  each_schedule(subject, base, [&](const Trace& trace, double probability) {
    const double weight = learned.of(trace).exact;
    mean += probability * weight;
    square += probability * weight * weight;
  });
  fmt::print("schedules {} probability {:.9f} ignorant {:.6f} mean {:.6f} deviation {:.4f}\n", schedules, probabilities, ignorant_mean,
             mean, std::sqrt(std::max(square - mean * mean, 0.0)) / mean);
  return 0;
}

int some(Subject& subject, Schedule base, std::uint64_t probes, std::uint64_t seed) {
  ClassWeight weight(base);
  double sum = 0, squares = 0;
  std::uint64_t in_vain = 0;
  Trace trace;
  for (std::uint64_t n = 0; n < probes; ++n) {
    make_probe(base, nth_seed(seed, n));
    base.threads = subject.threads();
    must(subject.run(base, choices, trace));
    const double one = weight.of(trace).exact;
    sum += one;
    squares += one * one;
    in_vain += one == 0;
  }
  const auto count = static_cast<double>(probes);
  const double mean = sum / count;
  fmt::print("probes {} in vain {} mean {:.6g} error {:.6g}\n", probes, in_vain, mean,
             std::sqrt(std::max(squares / count - mean * mean, 0.0) / (count - 1)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return fmt::print(stderr, "usage: probes PROGRAM MODEL RACES all | N SEED\n"), 2;
  const std::string model = argv[2], races = argv[3], how = argv[4];
  SubjectOptions options;
  options.program = argv[1];
  const auto subject = must(Subject::start(options));
  Schedule base;
  base.model = model == "pso" ? MemoryModel::Pso : model == "tso" ? MemoryModel::Tso : MemoryModel::Sc;
  base.races = races == "explore" ? Races::Explore : races == "ignore" ? Races::Ignore : Races::Stop;
  make_probe(base, 1);
  if (how == "all") return all(*subject, base);
  return some(*subject, base, std::strtoull(argv[4], nullptr, 10), argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 1);
}
