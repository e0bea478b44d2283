// SPDX-License-Identifier: Apache-2.0
// Which values a read can have. A read has value v exactly if some unit wrote v there before it and whoever wrote anything else there did
// so before that unit, or after the read. Only values matter: which of several equal ones it was makes no difference.
//
// With store buffers a load has the value of its own thread's newest store as long as that is on its way.
#pragma once

#include <map>
#include <unordered_map>

#include "solve/causal_formula.h"
#include "solve/kept_reads.h"

namespace treadle {

class CausalMemory final : public ModelPart {
 public:
  CausalMemory(CausalFormula& formula, const Trace& trace, const Dependence* dependence);

  void encode() override;
  void close(Past& past) const override;

  /// Read number `read` of the unit has this value. Encoded when first asked for.
  Truth reads(UnitId unit, std::uint32_t read, ValueId value);
  /// Its own value, that of the trace.
  Truth keeps(const ReadOf& read) { return reads(read.unit, read.read, formula_.unit(read.unit).reads[read.read].value); }
  const KeptReads& kept() const { return kept_; }

  /// The values that it might have besides that of the trace.
  std::vector<ValueId> other_values(UnitId unit, std::uint32_t read) const;

  std::uint64_t reads_encoded() const { return reads_encoded_; }

 private:
  struct Source {
    UnitId writer;  // nothing: nobody, it is what was there from the start
    ValueId value;
  };
  struct Writer {
    UnitId unit;
    ValueId value;
  };
  std::vector<Source> sources(UnitId unit, const UnitRead& read) const;
  void encode_read(Truth has_it, UnitId unit, const UnitRead& read, ValueId value, const std::vector<Source>& all);
  void encode_source(Truth chosen, UnitId unit, const UnitRead& read, const Source& source);
  /// The unit happens, and leaves the values that it left.
  Truth wrote(UnitId unit);
  bool kept_its_value(UnitId unit, std::uint32_t read, const Past& past) const;
  Truth settled(const UnitRead& read, ValueId value, const std::vector<Source>& all);
  /// Whenever it happens, it leaves the values that it left.
  bool is_certain(UnitId writer);

  CausalFormula& formula_;
  KeptReads kept_;
  std::vector<std::vector<Writer>> writers_;  // by cell
  std::map<std::pair<std::uint64_t, ValueId>, Truth> asked_;
  std::unordered_map<UnitId, Truth> wrote_;
  std::unordered_map<UnitId, bool> certain_;
  std::uint64_t reads_encoded_ = 0;
};

}  // namespace treadle
