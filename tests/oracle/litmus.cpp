// SPDX-License-Identifier: Apache-2.0
#include "litmus.h"

#include <algorithm>

namespace oracle {
namespace {

constexpr int x = 0, y = 1, z = 2;
constexpr AllowedFrom SC = AllowedFrom::Sc, TSO = AllowedFrom::Tso, PSO = AllowedFrom::Pso, NO = AllowedFrom::Never;

// W x 1 stores, R x 0 loads into r0. Relaxed unless the name says otherwise.
Statement W(int v, int value) { return Store{v, Order::Relaxed, constant(value)}; }
Statement Wrel(int v, int value) { return Store{v, Order::Release, constant(value)}; }
Statement Wsc(int v, int value) { return Store{v, Order::SeqCst, constant(value)}; }
Statement Wplain(int v, int value) { return Store{v, Order::Plain, constant(value)}; }
Statement Wreg(int v, int reg, int add) { return Store{v, Order::Relaxed, reg_plus(reg, add)}; }
Statement R(int v, int reg) { return Load{v, Order::Relaxed, reg}; }
Statement Racq(int v, int reg) { return Load{v, Order::Acquire, reg}; }
Statement Rsc(int v, int reg) { return Load{v, Order::SeqCst, reg}; }
Statement Rplain(int v, int reg) { return Load{v, Order::Plain, reg}; }
Statement X(int v, int reg, int value) { return Exchange{v, Order::Relaxed, reg, constant(value)}; }
Statement Add(int v, int reg, int value) { return FetchAdd{v, Order::Relaxed, reg, constant(value)}; }
Statement Cas(int v, int reg, int from, int to) { return CompareExchange{v, Order::Relaxed, reg, constant(from), constant(to)}; }
Statement F() { return Fence{Order::SeqCst}; }
Statement Frel() { return Fence{Order::Release}; }
Statement Facq() { return Fence{Order::Acquire}; }
Statement Far() { return Fence{Order::AcqRel}; }

Program threads(std::vector<Block> bodies) { return with_threads({{}, {}, {}}, std::move(bodies)); }
Program plain_threads(std::vector<Block> bodies) { return with_threads({{false, 0}, {false, 0}, {false, 0}}, std::move(bodies)); }
Program locking_threads(std::vector<Block> bodies) {
  Program program = threads(std::move(bodies));
  program.mutexes = 1;
  return program;
}

using Tests = std::vector<Litmus>;

void two_threads(Tests& all) {
  const std::map<std::string, int> sb{{"t1_r0", 0}, {"t2_r0", 0}}, mp{{"t2_r0", 1}, {"t2_r1", 0}}, lb{{"t1_r0", 1}, {"t2_r0", 1}},
      s{{"t2_r0", 1}, {"x0", 2}}, r{{"x1", 2}, {"t2_r0", 0}}, ww{{"x0", 1}, {"x1", 1}};

  all.push_back({"SB", threads({{W(x, 1), R(y, 0)}, {W(y, 1), R(x, 0)}}), sb, TSO, {3, 4, 4}});
  all.push_back({"SB+plain", plain_threads({{Wplain(x, 1), Rplain(y, 0)}, {Wplain(y, 1), Rplain(x, 0)}}), sb, TSO, {3, 4, 4}});
  all.push_back({"SB+mfences", threads({{W(x, 1), F(), R(y, 0)}, {W(y, 1), F(), R(x, 0)}}), sb, NO, {3, 3, 3}});
  all.push_back({"SB+mfence+po", threads({{W(x, 1), F(), R(y, 0)}, {W(y, 1), R(x, 0)}}), sb, TSO, {3, 4, 4}});
  all.push_back({"SB+acq_rel-fences", threads({{W(x, 1), Far(), R(y, 0)}, {W(y, 1), Far(), R(x, 0)}}), sb, TSO, {3, 4, 4}});
  all.push_back({"SB+rel+acq", threads({{Wrel(x, 1), Racq(y, 0)}, {Wrel(y, 1), Racq(x, 0)}}), sb, TSO, {3, 4, 4}});
  all.push_back({"SB+sc-stores", threads({{Wsc(x, 1), R(y, 0)}, {Wsc(y, 1), R(x, 0)}}), sb, NO, {3, 3, 3}});
  all.push_back({"SB+sc-loads", threads({{W(x, 1), Rsc(y, 0)}, {W(y, 1), Rsc(x, 0)}}), sb, TSO, {3, 4, 4}});
  all.push_back({"SB+sc-store+po", threads({{Wsc(x, 1), Rsc(y, 0)}, {W(y, 1), R(x, 0)}}), sb, TSO, {3, 4, 4}});
  all.push_back({"iwp2.8.a/SB+xchgs", threads({{X(x, 1, 1), R(y, 0)}, {X(y, 1, 1), R(x, 0)}}), sb, NO, {3, 3, 3}});
  all.push_back({"SB+xchg+po", threads({{X(x, 1, 1), R(y, 0)}, {W(y, 1), R(x, 0)}}), sb, TSO, {3, 4, 4}});
  all.push_back({"SB+adds-elsewhere", threads({{W(x, 1), Add(z, 1, 1), R(y, 0)}, {W(y, 1), Add(z, 1, 1), R(x, 0)}}), sb, NO, {4, 4, 4}});
  all.push_back({"SB+failing-cas", threads({{W(x, 1), Cas(z, 1, 5, 6), R(y, 0)}, {W(y, 1), Cas(z, 1, 5, 6), R(x, 0)}}), sb, NO, {3, 3, 3}});
  all.push_back(
      {"SB+locks", locking_threads({{W(x, 1), Lock{0}, Unlock{0}, R(y, 0)}, {W(y, 1), Lock{0}, Unlock{0}, R(x, 0)}}), sb, NO, {3, 3, 3}});

  all.push_back({"iwp2.1/MP", threads({{W(x, 1), W(y, 1)}, {R(y, 0), R(x, 1)}}), mp, PSO, {3, 3, 4}});
  all.push_back({"MP+plain", plain_threads({{Wplain(x, 1), Wplain(y, 1)}, {Rplain(y, 0), Rplain(x, 1)}}), mp, PSO, {3, 3, 4}});
  all.push_back({"MP+mfences", threads({{W(x, 1), F(), W(y, 1)}, {R(y, 0), F(), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+mfence+po", threads({{W(x, 1), F(), W(y, 1)}, {R(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+po+mfence", threads({{W(x, 1), W(y, 1)}, {R(y, 0), F(), R(x, 1)}}), mp, PSO, {3, 3, 4}});
  all.push_back({"MP+rel+acq", threads({{W(x, 1), Wrel(y, 1)}, {Racq(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+rel+rlx", threads({{W(x, 1), Wrel(y, 1)}, {R(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+rlx+acq", threads({{W(x, 1), W(y, 1)}, {Racq(y, 0), R(x, 1)}}), mp, PSO, {3, 3, 4}});
  all.push_back({"MP+rel-fence+acq-fence", threads({{W(x, 1), Frel(), W(y, 1)}, {R(y, 0), Facq(), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+acq-fence+po", threads({{W(x, 1), Facq(), W(y, 1)}, {R(y, 0), R(x, 1)}}), mp, PSO, {3, 3, 4}});
  all.push_back({"MP+acq_rel-fence+po", threads({{W(x, 1), Far(), W(y, 1)}, {R(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+rel-on-the-data", threads({{Wrel(x, 1), W(y, 1)}, {Racq(y, 0), R(x, 1)}}), mp, PSO, {3, 3, 4}});
  all.push_back({"MP+sc-on-the-flag", threads({{W(x, 1), Wsc(y, 1)}, {Rsc(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+sc-on-the-data", threads({{Wsc(x, 1), W(y, 1)}, {R(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+xchg-on-the-flag", threads({{W(x, 1), X(y, 0, 1)}, {R(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"iwp2.8.b/MP+xchg-on-the-data", threads({{X(x, 0, 1), W(y, 1)}, {R(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+unlock", locking_threads({{Lock{0}, W(x, 1), Unlock{0}, W(y, 1)}, {R(y, 0), R(x, 1)}}), mp, NO, {3, 3, 3}});
  all.push_back({"MP+rel-fence-then-two",  // both stores behind the fence wait, but not for each other
                 threads({{W(x, 1), Frel(), W(y, 1), W(z, 1)}, {R(z, 0), R(x, 1)}}),
                 mp,
                 NO,
                 {3, 3, 3}});
  all.push_back({"MP+two-behind-rel-fence", threads({{W(x, 1), Frel(), W(y, 1), W(z, 1)}, {R(z, 0), R(y, 1)}}), mp, PSO, {3, 3, 4}});
  all.push_back({"MP+rel-in-the-middle", threads({{W(x, 1), Wrel(y, 1), W(z, 1)}, {R(z, 0), R(x, 1)}}), mp, PSO, {3, 3, 4}});
  all.push_back({"MP+dependency", threads({{W(x, 1), W(y, 1)}, {R(y, 0), Wreg(z, 0, 0), R(x, 1)}}), mp, PSO, {3, 3, 4}});

  all.push_back({"iwp2.2/LB", threads({{R(x, 0), W(y, 1)}, {R(y, 0), W(x, 1)}}), lb, NO, {3, 3, 3}});
  all.push_back({"LB+mfences", threads({{R(x, 0), F(), W(y, 1)}, {R(y, 0), F(), W(x, 1)}}), lb, NO, {3, 3, 3}});
  all.push_back({"LB+datas", threads({{R(x, 0), Wreg(y, 0, 1)}, {R(y, 0), Wreg(x, 0, 1)}}), lb, NO, {3, 3, 3}});

  all.push_back({"S", threads({{W(x, 2), W(y, 1)}, {R(y, 0), W(x, 1)}}), s, PSO, {3, 3, 4}});
  all.push_back({"S+mfence+po", threads({{W(x, 2), F(), W(y, 1)}, {R(y, 0), W(x, 1)}}), s, NO, {3, 3, 3}});
  all.push_back({"S+po+mfence", threads({{W(x, 2), W(y, 1)}, {R(y, 0), F(), W(x, 1)}}), s, PSO, {3, 3, 4}});
  all.push_back({"S+rel+po", threads({{W(x, 2), Wrel(y, 1)}, {R(y, 0), W(x, 1)}}), s, NO, {3, 3, 3}});

  all.push_back({"R", threads({{W(x, 1), W(y, 1)}, {W(y, 2), R(x, 0)}}), r, TSO, {3, 4, 4}});
  all.push_back({"R+mfences", threads({{W(x, 1), F(), W(y, 1)}, {W(y, 2), F(), R(x, 0)}}), r, NO, {3, 3, 3}});
  all.push_back({"R+mfence+po", threads({{W(x, 1), F(), W(y, 1)}, {W(y, 2), R(x, 0)}}), r, TSO, {3, 4, 4}});
  all.push_back({"R+po+mfence", threads({{W(x, 1), W(y, 1)}, {W(y, 2), F(), R(x, 0)}}), r, PSO, {3, 3, 4}});
  all.push_back({"R+rel+mfence", threads({{W(x, 1), Wrel(y, 1)}, {W(y, 2), F(), R(x, 0)}}), r, NO, {3, 3, 3}});

  all.push_back({"2+2W", threads({{W(x, 1), W(y, 2)}, {W(y, 1), W(x, 2)}}), ww, PSO, {3, 3, 4}});
  all.push_back({"2+2W+mfences", threads({{W(x, 1), F(), W(y, 2)}, {W(y, 1), F(), W(x, 2)}}), ww, NO, {3, 3, 3}});
  all.push_back({"2+2W+rels", threads({{W(x, 1), Wrel(y, 2)}, {W(y, 1), Wrel(x, 2)}}), ww, NO, {3, 3, 3}});
  all.push_back({"2+2W+rel+po", threads({{W(x, 1), Wrel(y, 2)}, {W(y, 1), W(x, 2)}}), ww, PSO, {3, 3, 4}});
}

void three_threads(Tests& all) {
  const std::map<std::string, int> chain{{"t2_r0", 1}, {"t3_r0", 1}, {"t3_r1", 0}}, rwc{{"t2_r0", 1}, {"t2_r1", 0}, {"t3_r0", 0}},
      z60{{"t2_r0", 1}, {"x2", 2}, {"t3_r0", 0}}, z61{{"x1", 2}, {"t3_r0", 1}, {"x0", 2}}, z64{{"x1", 2}, {"t2_r0", 0}, {"t3_r0", 0}},
      z65{{"x1", 2}, {"x2", 2}, {"t3_r0", 0}}, zeros{{"t1_r0", 0}, {"t2_r0", 0}, {"t3_r0", 0}}, twos{{"x0", 2}, {"x1", 2}, {"x2", 2}};

  all.push_back({"iwp2.5/WRC", threads({{W(x, 1)}, {R(x, 0), W(y, 1)}, {R(y, 0), R(x, 1)}}), chain, NO, {7, 7, 7}});
  all.push_back({"RWC", threads({{W(x, 1)}, {R(x, 0), R(y, 1)}, {W(y, 1), R(x, 0)}}), rwc, TSO, {7, 8, 8}});
  all.push_back({"RWC+po+mfence", threads({{W(x, 1)}, {R(x, 0), R(y, 1)}, {W(y, 1), F(), R(x, 0)}}), rwc, NO, {7, 7, 7}});
  all.push_back({"RWC+mfence+po", threads({{W(x, 1)}, {R(x, 0), F(), R(y, 1)}, {W(y, 1), R(x, 0)}}), rwc, TSO, {7, 8, 8}});
  all.push_back({"ISA2", threads({{W(x, 1), W(y, 1)}, {R(y, 0), W(z, 1)}, {R(z, 0), R(x, 1)}}), chain, PSO, {7, 7, 8}});
  all.push_back({"ISA2+rel+po+po", threads({{W(x, 1), Wrel(y, 1)}, {R(y, 0), W(z, 1)}, {R(z, 0), R(x, 1)}}), chain, NO, {7, 7, 7}});
  all.push_back(
      {"ISA2+rel-fence+po+po", threads({{W(x, 1), Frel(), W(y, 1)}, {R(y, 0), W(z, 1)}, {R(z, 0), R(x, 1)}}), chain, NO, {7, 7, 7}});
  all.push_back({"W+RWC", threads({{W(x, 1), W(y, 1)}, {R(y, 0), R(z, 1)}, {W(z, 1), R(x, 0)}}), rwc, TSO, {7, 8, 8}});
  all.push_back({"W+RWC+po+po+mfence", threads({{W(x, 1), W(y, 1)}, {R(y, 0), R(z, 1)}, {W(z, 1), F(), R(x, 0)}}), rwc, PSO, {7, 7, 8}});
  all.push_back({"W+RWC+rel+po+mfence", threads({{W(x, 1), Wrel(y, 1)}, {R(y, 0), R(z, 1)}, {W(z, 1), F(), R(x, 0)}}), rwc, NO, {7, 7, 7}});
  all.push_back(
      {"WWC", threads({{W(x, 2)}, {R(x, 0), W(y, 1)}, {R(y, 0), W(x, 1)}}), {{"t2_r0", 2}, {"t3_r0", 1}, {"x0", 2}}, NO, {9, 9, 9}});
  all.push_back(
      {"WRW+2W", threads({{W(x, 2)}, {R(x, 0), W(y, 1)}, {W(y, 2), W(x, 1)}}), {{"t2_r0", 2}, {"x1", 2}, {"x0", 2}}, PSO, {9, 9, 12}});
  all.push_back(
      {"WRR+2W", threads({{W(x, 2)}, {R(x, 0), R(y, 1)}, {W(y, 1), W(x, 1)}}), {{"t2_r0", 2}, {"t2_r1", 0}, {"x0", 2}}, PSO, {9, 9, 12}});
  all.push_back(
      {"WRW+WR", threads({{W(x, 1)}, {R(x, 0), W(y, 1)}, {W(y, 2), R(x, 0)}}), {{"t2_r0", 1}, {"x1", 2}, {"t3_r0", 0}}, TSO, {7, 8, 8}});
  all.push_back({"3.SB", threads({{W(x, 1), R(y, 0)}, {W(y, 1), R(z, 0)}, {W(z, 1), R(x, 0)}}), zeros, TSO, {7, 8, 8}});
  all.push_back(
      {"3.SB+mfences", threads({{W(x, 1), F(), R(y, 0)}, {W(y, 1), F(), R(z, 0)}, {W(z, 1), F(), R(x, 0)}}), zeros, NO, {7, 7, 7}});
  all.push_back({"3.LB",
                 threads({{R(x, 0), W(y, 1)}, {R(y, 0), W(z, 1)}, {R(z, 0), W(x, 1)}}),
                 {{"t1_r0", 1}, {"t2_r0", 1}, {"t3_r0", 1}},
                 NO,
                 {7, 7, 7}});
  all.push_back({"3.2W", threads({{W(x, 2), W(y, 1)}, {W(y, 2), W(z, 1)}, {W(z, 2), W(x, 1)}}), twos, PSO, {7, 7, 8}});
  all.push_back({"3.2W+rels", threads({{W(x, 2), Wrel(y, 1)}, {W(y, 2), Wrel(z, 1)}, {W(z, 2), Wrel(x, 1)}}), twos, NO, {7, 7, 7}});
  all.push_back({"Z6.0", threads({{W(x, 1), W(y, 1)}, {R(y, 0), W(z, 1)}, {W(z, 2), R(x, 0)}}), z60, TSO, {7, 8, 8}});
  all.push_back({"Z6.0+po+po+mfence", threads({{W(x, 1), W(y, 1)}, {R(y, 0), W(z, 1)}, {W(z, 2), F(), R(x, 0)}}), z60, PSO, {7, 7, 8}});
  all.push_back({"Z6.1", threads({{W(x, 2), W(y, 1)}, {W(y, 2), W(z, 1)}, {R(z, 0), W(x, 1)}}), z61, PSO, {7, 7, 8}});
  all.push_back({"Z6.1+rels", threads({{W(x, 2), Wrel(y, 1)}, {W(y, 2), Wrel(z, 1)}, {R(z, 0), W(x, 1)}}), z61, NO, {7, 7, 7}});
  all.push_back({"Z6.2",
                 threads({{W(x, 2), W(y, 1)}, {R(y, 0), W(z, 1)}, {R(z, 0), W(x, 1)}}),
                 {{"t2_r0", 1}, {"t3_r0", 1}, {"x0", 2}},
                 PSO,
                 {7, 7, 8}});
  all.push_back({"Z6.3",
                 threads({{W(x, 1), W(y, 1)}, {W(y, 2), W(z, 1)}, {R(z, 0), R(x, 1)}}),
                 {{"x1", 2}, {"t3_r0", 1}, {"t3_r1", 0}},
                 PSO,
                 {7, 7, 8}});
  all.push_back({"Z6.4", threads({{W(x, 1), W(y, 1)}, {W(y, 2), R(z, 0)}, {W(z, 1), R(x, 0)}}), z64, TSO, {7, 8, 8}});
  all.push_back(
      {"Z6.4+po+mfence+mfence", threads({{W(x, 1), W(y, 1)}, {W(y, 2), F(), R(z, 0)}, {W(z, 1), F(), R(x, 0)}}), z64, PSO, {7, 7, 8}});
  all.push_back({"Z6.5", threads({{W(x, 1), W(y, 1)}, {W(y, 2), W(z, 1)}, {W(z, 2), R(x, 0)}}), z65, TSO, {7, 8, 8}});
  all.push_back({"Z6.5+po+po+mfence", threads({{W(x, 1), W(y, 1)}, {W(y, 2), W(z, 1)}, {W(z, 2), F(), R(x, 0)}}), z65, PSO, {7, 7, 8}});
  all.push_back({"n1",
                 threads({{W(x, 2), R(y, 0)}, {W(y, 1), W(x, 1)}, {R(x, 0), R(x, 1)}}),
                 {{"t1_r0", 0}, {"t3_r0", 1}, {"t3_r1", 2}},
                 TSO,
                 {18, 24, 24}});
  all.push_back({"n7",
                 threads({{W(x, 1), R(x, 0), R(y, 1)}, {W(y, 1)}, {R(y, 0), R(x, 1)}}),
                 {{"t1_r0", 1}, {"t1_r1", 0}, {"t3_r0", 1}, {"t3_r1", 0}},
                 TSO,
                 {7, 8, 8}});
}

void four_threads(Tests& all) {
  const std::map<std::string, int> iriw{{"t2_r0", 1}, {"t2_r1", 0}, {"t4_r0", 1}, {"t4_r1", 0}};
  all.push_back({"amd6/IRIW", threads({{W(x, 1)}, {R(x, 0), R(y, 1)}, {W(y, 1)}, {R(y, 0), R(x, 1)}}), iriw, NO, {15, 15, 15}});
  all.push_back(
      {"iwp2.7/IRIW+xchgs", threads({{X(x, 0, 1)}, {R(x, 0), R(y, 1)}, {X(y, 0, 1)}, {R(y, 0), R(x, 1)}}), iriw, NO, {15, 15, 15}});
  all.push_back({"IRRWIW",
                 threads({{W(x, 2)}, {R(x, 0), R(y, 1)}, {W(y, 1)}, {R(y, 0), W(x, 1)}}),
                 {{"t2_r0", 2}, {"t2_r1", 0}, {"t4_r0", 1}, {"x0", 2}},
                 NO,
                 {21, 21, 21}});
  all.push_back({"IRWIW",
                 threads({{W(x, 2)}, {R(x, 0), W(y, 1)}, {W(y, 2)}, {R(y, 0), W(x, 1)}}),
                 {{"t2_r0", 2}, {"t4_r0", 2}, {"x0", 2}, {"x1", 2}},
                 NO,
                 {27, 27, 27}});
  all.push_back({"n2",
                 threads({{W(y, 1), W(x, 1)}, {W(x, 2), W(z, 1)}, {R(x, 0), R(x, 1)}, {R(z, 0), R(y, 1)}}),
                 {{"t3_r0", 1}, {"t3_r1", 2}, {"t4_r0", 1}, {"t4_r1", 0}},
                 PSO,
                 {42, 42, 48}});
  all.push_back({"iwp2.6/CoRR2",
                 threads({{W(x, 1)}, {W(x, 2)}, {R(x, 0), R(x, 1)}, {R(x, 0), R(x, 1)}}),
                 {{"t3_r0", 1}, {"t3_r1", 2}, {"t4_r0", 2}, {"t4_r1", 1}},
                 NO,
                 {72, 72, 72}});
}

void one_location(Tests& all) {
  all.push_back({"CoRR", threads({{W(x, 1)}, {R(x, 0), R(x, 1)}}), {{"t2_r0", 1}, {"t2_r1", 0}}, NO, {3, 3, 3}});
  all.push_back({"CoWW", threads({{W(x, 1), W(x, 2)}}), {{"x0", 1}}, NO, {1, 1, 1}});
  all.push_back({"CoRW1", threads({{R(x, 0), W(x, 1)}}), {{"t1_r0", 1}}, NO, {1, 1, 1}});
  all.push_back({"CoRW2", threads({{W(x, 1)}, {R(x, 0), W(x, 2)}}), {{"t2_r0", 1}, {"x0", 1}}, NO, {3, 3, 3}});
  all.push_back({"CoWR", threads({{W(x, 1), R(x, 0)}, {W(x, 2)}}), {{"t1_r0", 2}, {"x0", 1}}, NO, {3, 3, 3}});
  all.push_back({"iwp2.3.b/CoWR0", threads({{W(x, 1), R(x, 0)}, {W(y, 1), R(y, 0)}}), {{"t1_r0", 0}}, NO, {1, 1, 1}});
  all.push_back({"d1", threads({{W(x, 1), W(x, 2), R(x, 0)}}), {{"t1_r0", 1}}, NO, {1, 1, 1}});
  all.push_back({"d2", threads({{W(x, 1), W(x, 0)}, {R(x, 0), R(x, 1)}}), {{"t2_r0", 0}, {"t2_r1", 1}}, SC, {4, 4, 4}});
  all.push_back({"d3", threads({{W(x, 1), W(x, 2)}, {R(x, 0), R(x, 1)}}), {{"t2_r0", 2}, {"t2_r1", 1}}, NO, {6, 6, 6}});
  all.push_back({"d4", threads({{W(x, 1), R(x, 0), R(x, 1)}, {W(y, 1)}}), {{"t1_r0", 1}, {"t1_r1", 0}}, NO, {1, 1, 1}});
  all.push_back({"n4",
                 threads({{R(x, 0), W(x, 1), R(x, 1)}, {R(x, 0), W(x, 2), R(x, 1)}}),
                 {{"t1_r0", 2}, {"t1_r1", 1}, {"t2_r0", 1}, {"t2_r1", 2}},
                 NO,
                 {8, 8, 8}});
  all.push_back({"n5", threads({{W(x, 1), R(x, 0)}, {W(x, 2), R(x, 0)}}), {{"t1_r0", 2}, {"t2_r0", 1}}, NO, {4, 4, 4}});
  all.push_back({"lost-update", threads({{R(x, 0), Wreg(x, 0, 1)}, {R(x, 0), Wreg(x, 0, 1)}}), {{"x0", 1}}, SC, {3, 3, 3}});
  all.push_back({"atomic-adds", threads({{Add(x, 0, 1)}, {Add(x, 0, 1)}}), {{"x0", 1}}, NO, {2, 2, 2}});
  all.push_back({"add-is-atomic", threads({{Add(x, 0, 1)}, {W(x, 2)}}), {{"t1_r0", 0}, {"x0", 1}}, NO, {2, 2, 2}});
  all.push_back({"add-drains", threads({{W(x, 1), Add(x, 0, 1)}, {R(x, 0)}}), {{"t1_r0", 0}}, NO, {3, 3, 3}});
  all.push_back({"cas-elects-one", threads({{Cas(x, 0, 0, 1)}, {Cas(x, 0, 0, 2)}}), {{"t1_r0", 0}, {"t2_r0", 0}}, NO, {2, 2, 2}});
}

void forwarding(Tests& all) {
  const std::map<std::string, int> rfis{{"t1_r0", 1}, {"t1_r1", 0}, {"t2_r0", 1}, {"t2_r1", 0}};
  all.push_back({"iwp2.4/SB+rfis", threads({{W(x, 1), R(x, 0), R(y, 1)}, {W(y, 1), R(y, 0), R(x, 1)}}), rfis, TSO, {3, 4, 4}});
  all.push_back(
      {"amd10/SB+rfis+mfences", threads({{W(x, 1), F(), R(x, 0), R(y, 1)}, {W(y, 1), F(), R(y, 0), R(x, 1)}}), rfis, NO, {3, 3, 3}});
  all.push_back({"SB+rfi+po",
                 threads({{W(x, 1), R(x, 0), R(y, 1)}, {W(y, 1), R(x, 0)}}),
                 {{"t1_r0", 1}, {"t1_r1", 0}, {"t2_r0", 0}},
                 TSO,
                 {3, 4, 4}});
  all.push_back(
      {"amd3", threads({{W(x, 1), W(x, 2), R(y, 0)}, {W(y, 1), W(y, 2), R(x, 0)}}), {{"t1_r0", 1}, {"t2_r0", 1}}, TSO, {5, 9, 9}});
  all.push_back(
      {"n6", threads({{W(x, 1), R(x, 0), R(y, 1)}, {W(y, 2), W(x, 2)}}), {{"t1_r0", 1}, {"t1_r1", 0}, {"x0", 1}}, TSO, {4, 5, 6}});
  // The own store is read early, then overtaken: the second load must not see the older value in memory.
  all.push_back({"MP+rfi", threads({{W(x, 1), R(x, 0), W(y, 1)}, {R(y, 0), R(x, 1)}}), {{"t2_r0", 1}, {"t2_r1", 0}}, PSO, {3, 3, 4}});
}

}  // namespace

const std::vector<Litmus>& litmus_tests() {
  static const std::vector<Litmus> all = [] {
    Tests tests;
    two_threads(tests);
    three_threads(tests);
    four_threads(tests);
    one_location(tests);
    forwarding(tests);
    return tests;
  }();
  return all;
}

const Litmus* find_litmus(const std::string& name) {
  const auto& all = litmus_tests();
  const auto found = std::find_if(all.begin(), all.end(), [&name](const Litmus& test) { return test.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace oracle
