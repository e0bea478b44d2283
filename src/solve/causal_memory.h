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

/// Who writes where, of all units that can happen; of the prefix only the last one, which hides the others. By cell.
class CellWriters {
 public:
  struct Writer {
    UnitId unit;
    ValueId value;
  };

  explicit CellWriters(const CausalFormula& formula);
  const std::vector<Writer>& of(CellId cell) const { return writers_[cell]; }

 private:
  std::vector<std::vector<Writer>> writers_;
};

class CausalMemory final : public ModelPart {
 public:
  /// Null: for the whole trace.
  CausalMemory(CausalFormula& formula, const KeptReads& kept, const CellWriters& writers, const Scope* scope = nullptr);

  void encode() override;
  void close(Past& past) const override;

  /// Read number `read` of the unit has this value. Encoded when first asked for.
  Truth reads(UnitId unit, std::uint32_t read, ValueId value);
  /// It has to have it, in every answer.
  void require(UnitId unit, std::uint32_t read, ValueId value);
  void require_kept(const ReadOf& read) { require(read.unit, read.read, formula_.unit(read.unit).reads[read.read].value); }
  /// Its own value, that of the trace.
  Truth keeps(const ReadOf& read) { return reads(read.unit, read.read, formula_.unit(read.unit).reads[read.read].value); }

  /// The values that it might have besides that of the trace.
  std::vector<ValueId> other_values(UnitId unit, std::uint32_t read) const;

  std::uint64_t reads_encoded() const { return reads_encoded_; }

  struct Source {
    UnitId writer;  // nothing: nobody, it is what was there from the start
    ValueId value;
  };
  /// Whose values it can see.
  std::vector<Source> sources(UnitId unit, const UnitRead& read) const;

 private:
  using Writer = CellWriters::Writer;
  Truth has(UnitId unit, std::uint32_t read, ValueId value, bool required);
  void encode_read(Truth has_it, UnitId unit, const UnitRead& read, ValueId value, const std::vector<Source>& all);
  void encode_source(Truth chosen, UnitId unit, const UnitRead& read, const Source& source);
  /// The unit happens, and leaves the values that it left.
  Truth wrote(UnitId unit);
  bool kept_its_value(UnitId unit, std::uint32_t read, const Past& past) const;
  /// Whenever it happens, it leaves the values that it left.
  bool is_certain(UnitId writer) const { return kept_.is_certain(writer) || (scope_ != nullptr && scope_->sure[writer] != 0); }
  Truth settled(const UnitRead& read, ValueId value, const std::vector<Source>& all);

  CausalFormula& formula_;
  const KeptReads& kept_;
  const CellWriters& writers_;
  const Scope* scope_;
  std::map<std::pair<std::uint64_t, ValueId>, Truth> asked_;
  std::unordered_map<UnitId, Truth> wrote_;
  std::uint64_t reads_encoded_ = 0;
};

}  // namespace treadle
