// SPDX-License-Identifier: Apache-2.0
// Recordings: the parts of the folder, the tables of paths (their hash is mended, since no fuzzer guesses it), and streams along them.
#include "record/recording.h"

#include <cstring>
#include <string>
#include <string_view>

#include "abi/repeats.h"
#include "record/decode.h"
#include "record/made_up.h"

using namespace treadle;

namespace {

std::string mended(std::string_view bytes) {
  TreadlePathsHeader header{TREADLE_PATHS_MAGIC, TREADLE_PATHS_VERSION, sizeof header + bytes.size(),
                            treadle_bytes_hash(bytes.data(), bytes.size())};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header).append(bytes);
}

/// A foreign count of iterations is not unfolded here either.
struct Watcher : PathVisitor {
  void blocks(std::uint32_t, std::span<const std::uint32_t> list, std::uint64_t) override {
    for (std::uint32_t block : list) sum += block;
  }
  std::uint64_t sum = 0;
};

void decode(std::string_view tables, std::string_view stream, bool has_ended) {
  const auto read = PathTables::read(tables);
  if (!read) return;
  Watcher watcher;
  (void)decode_stream(*read, stream, has_ended, watcher);
  // The same as a stream that begins in the middle.
  const std::uint64_t hash = tables.size() < sizeof(TreadlePathsHeader) ? 0 : hash_of_piece(std::string(tables));
  const StreamResume resumes[] = {{0, treadle_resume_mark(hash, 0, 0, 0)},
                                  {stream.size() / 3, treadle_resume_mark(hash, 0, 1, TREADLE_RESUME_LOOP)},
                                  {stream.size() / 2, treadle_resume_mark(hash, 0, 1, 1)}};
  (void)decode_stream(*read, stream, has_ended, watcher, resumes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t cut = bytes.size() * data[1] / 256;
  switch (data[0] % 8) {
    case 0:
      (void)decode_begin(bytes, "begin");
      break;
    case 1:
      (void)decode_end(bytes, "end");
      break;
    case 2: {  // streams are long: a header, a block and what the fuzzer makes of them
      std::string thread = made_up_thread({0, 0, 0}, {{"", false}, {"", false}});
      thread.replace(0, std::min(cut, thread.size()), bytes.substr(0, std::min(cut, thread.size())));
      const std::string_view rest = bytes.substr(cut).substr(0, TREADLE_PAGE);
      thread.replace(TREADLE_PAGE, rest.size(), rest);
      (void)decode_thread(thread, "thread-0");
      (void)decode_thread(bytes, "thread-0");
      break;
    }
    case 3:
      (void)PathTables::read(bytes);
      break;
    case 4:
      decode(mended(bytes.substr(0, cut)), bytes.substr(cut), (data[0] & 16) != 0);
      break;
    case 5: {  // entered for certain
      const std::string tables = mended(bytes.substr(0, cut));
      decode(tables, mark_bytes(treadle_mark(hash_of_piece(tables), 0, 0)).append(bytes.substr(cut)), (data[0] & 16) != 0);
      break;
    }
    case 6: {  // a copy that was made short
      const TreadleBlockHeader copy{
          TREADLE_BLOCK_MAGIC, 0, static_cast<std::uint32_t>(sizeof copy + bytes.size()), static_cast<std::uint32_t>(cut * 8), 0, 0, 0};
      std::string thread = made_up_thread({0, 0, 0}, {{"\x01", true}}, 1);
      thread.append(reinterpret_cast<const char*>(&copy), sizeof copy).append(bytes);
      (void)decode_thread(thread, "thread-0");
      break;
    }
    case 7: {  // what is made short comes back
      std::string less(bytes.size(), '\0'), again(bytes.size(), '\0');
      auto* to = reinterpret_cast<std::uint8_t*>(less.data());
      const std::size_t size = treadle_shorten(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), to, cut);
      if (size > cut) __builtin_trap();
      if (size > 0 && (!treadle_lengthen(to, size, reinterpret_cast<std::uint8_t*>(again.data()), again.size()) || again != bytes))
        __builtin_trap();
      break;
    }
  }
  return 0;
}
