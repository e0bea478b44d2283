// SPDX-License-Identifier: Apache-2.0
#include "record/pt_decode.h"

#include <intel-pt.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace treadle {
namespace {

using Image = std::unique_ptr<pt_image, decltype(&pt_image_free)>;
using Decoder = std::unique_ptr<pt_insn_decoder, decltype(&pt_insn_free_decoder)>;

Problem no_decoder() { return {"libipt cannot decode this trace: it has no memory, or does not take the configuration", ""}; }

constexpr std::uint64_t most_silent_instructions = 1 << 24;

class CoreDecoder {
 public:
  CoreDecoder(const PtSideBand& side_band, std::uint32_t core, const BlockMap& map, PtFlow& flow) : core_(core), map_(map), flow_(flow) {
    for (const PtSideBand::Switch& change : side_band.switches)
      if (change.core == core) switches_.push_back(change);
    std::ranges::sort(switches_, {}, &PtSideBand::Switch::time);
  }

  void run(pt_insn_decoder* decoder) {
    for (;;) {
      int status = pt_insn_sync_forward(decoder);
      if (status < 0) break;  // no more places to begin
      status = follow(decoder, status);
      finish();
      if (status == -pte_eos) break;
      lose(decoder, pt_errstr(pt_errcode(status)));
    }
    finish();
  }

 private:
  /// Until something is wrong, or the end.
  int follow(pt_insn_decoder* decoder, int status) {
    std::uint64_t silent = 0, offset = 0;
    for (;;) {
      // Code that jumps in a circle needs no packets: in a damaged trace it would never end.
      if (++silent % most_silent_instructions == 0) {
        const std::uint64_t before = std::exchange(offset, 0);
        if (pt_insn_get_offset(decoder, &offset) < 0 || offset == before) return -pte_bad_query;
      }
      while (status & pts_event_pending) {
        pt_event event;
        status = pt_insn_event(decoder, &event, sizeof event);
        if (status < 0) return status;
        take(event, decoder);
      }
      if (status & pts_eos) return -pte_eos;
      pt_insn instruction;
      status = pt_insn_next(decoder, &instruction, sizeof instruction);
      if (status < 0) return status;
      if (const BlockId* block = map_.find(instruction.ip)) {
        if (!open_) begin(decoder);
        stretch_.blocks.push_back(*block);
      }
    }
  }

  void take(const pt_event& event, pt_insn_decoder* decoder) {
    switch (event.type) {
      case ptev_enabled:
        finish();
        if (!event.status_update) begin(decoder);
        break;
      case ptev_disabled:
      case ptev_async_disabled:
        finish();
        break;
      case ptev_overflow:
        finish();
        lose(decoder, "packets were lost");
        break;
      default:
        break;
    }
  }

  static std::uint64_t time_at(pt_insn_decoder* decoder) {
    std::uint64_t time = 0;
    std::uint32_t lost_mtc = 0, lost_cyc = 0;
    pt_insn_time(decoder, &time, &lost_mtc, &lost_cyc);
    return time;
  }

  void lose(pt_insn_decoder* decoder, const std::string& why) {
    flow_.losses.push_back("core " + std::to_string(core_) + ": " + why);
    flow_.whole_until = std::min(flow_.whole_until, time_at(decoder));
  }

  void begin(pt_insn_decoder* decoder) {
    const std::uint64_t time = time_at(decoder);
    const auto after = std::ranges::upper_bound(switches_, time, {}, &PtSideBand::Switch::time);
    stretch_ = {core_, after == switches_.begin() ? 0 : std::prev(after)->tid, time, {}};
    open_ = true;
  }

  void finish() {
    if (open_ && !stretch_.blocks.empty()) flow_.cores[core_].push_back(std::move(stretch_));
    open_ = false;
    stretch_ = {};
  }

  const std::uint32_t core_;
  const BlockMap& map_;
  PtFlow& flow_;
  std::vector<PtSideBand::Switch> switches_;
  PtStretch stretch_;
  bool open_ = false;
};

}  // namespace

Result<PtFlow> decode_pt(const PtSideBand& side_band, const std::vector<std::string_view>& packets, const BlockMap& map) {
  const Image image(pt_image_alloc(nullptr), &pt_image_free);
  if (!image) return no_decoder();
  for (const PtSideBand::Code& code : side_band.code)
    if (const int failed = pt_image_add_file(image.get(), code.path.c_str(), code.offset, code.size, nullptr, code.address); failed < 0)
      return Problem{"cannot read the code of " + code.path + ": " + pt_errstr(pt_errcode(failed)),
                     "the trace can only be read next to the program that was traced"};

  PtFlow flow;
  flow.cores.resize(packets.size());
  for (std::uint32_t core = 0; core < packets.size(); ++core) {
    pt_config config;
    pt_config_init(&config);
    std::string bytes(packets[core]);  // libipt wants to be able to write, and does not
    if (bytes.empty()) continue;
    config.begin = reinterpret_cast<std::uint8_t*>(bytes.data());
    config.end = config.begin + bytes.size();
    const Decoder decoder(pt_insn_alloc_decoder(&config), &pt_insn_free_decoder);
    if (!decoder || pt_insn_set_image(decoder.get(), image.get()) < 0) return no_decoder();
    CoreDecoder(side_band, core, map, flow).run(decoder.get());
  }
  std::vector<const PtStretch*> stretches;
  for (const auto& core : flow.cores)
    for (const PtStretch& stretch : core) stretches.push_back(&stretch);
  std::ranges::sort(stretches, {}, &PtStretch::time);
  for (const PtStretch* stretch : stretches) {
    if (stretch->time > flow.whole_until) break;
    auto& blocks = flow.threads[stretch->tid];
    blocks.insert(blocks.end(), stretch->blocks.begin(), stretch->blocks.end());
  }
  return flow;
}

}  // namespace treadle
