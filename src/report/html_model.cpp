// SPDX-License-Identifier: Apache-2.0
#include "report/html_model.h"

#include <nlohmann/json.hpp>

#include "report/html_run.h"
#include "report/json_parts.h"
#include "report/readable.h"
#include "report/result.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

/// A program may name things with any bytes; JSON is UTF-8.
std::string on_one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

int HtmlModel::file_number(const SourceFrame& frame) {
  if (frame.file.empty() || frame.line == 0 || !is_user_code(frame)) return -1;
  const auto [entry, is_new] = file_numbers_.try_emplace(frame.file, static_cast<int>(files_.size()));
  if (is_new) {
    const SourceText source = read_source_(frame.file);
    files_.push_back(
        on_one_line({{"path", frame.file}, {"text", source.text ? Json(*source.text) : Json(nullptr)}, {"newer", source.newer}}));
  }
  return entry->second;
}

void HtmlModel::add(const Finding& finding, const Trace& trace, const std::string& replay_command) {
  const auto number_of = [this](const SourceFrame& frame) { return file_number(frame); };
  const auto json_of = [&](const SourceFrame& frame) {
    return Json{{"function", readable(frame.function)}, {"file", number_of(frame)}, {"line", frame.line}, {"text", text_of(frame)}};
  };
  const HtmlRun run = html_run(finding, trace, symbols_, number_of);
  Json parts = Json::array();
  for (std::size_t i = 0; i < finding.parts.size(); ++i) {
    const Part& part = finding.parts[i];
    Json stack = Json::array();
    for (const SourceFrame& frame : part.where.frames) stack.push_back(json_of(frame));
    parts.push_back({{"thread", part.thread}, {"does", part.does}, {"also", part.also}, {"stack", stack}, {"event", run.part_events[i]}});
  }
  findings_.push_back(on_one_line({{"kind", text_of(finding.kind)},
                                   {"message", finding.message},
                                   {"location", json_of(finding.location)},
                                   {"parts", parts},
                                   {"witness", finding.witness_file},
                                   {"replay", replay_command},
                                   {"confirmed", finding.confirmed},
                                   {"execution", finding.execution},
                                   {"model", text_of(finding.witness.schedule.model)},
                                   {"inputs", json_part(finding.inputs)},
                                   {"events", trace.events.size()}}));
  runs_.push_back(on_one_line(run.json));
}

HtmlDocument HtmlModel::finish(const std::string& result) {
  const auto list = [](const std::vector<std::string>& elements) {
    std::string text = "[";
    for (const std::string& element : elements) text += (text.size() > 1 ? "," : "") + element;
    return text + "]";
  };
  HtmlDocument document;
  document.title = program_.substr(program_.rfind('/') + 1);
  document.model = "{\"version\":" + std::to_string(html_model_version) + ",\"program\":" + on_one_line(Json(program_)) +
                   ",\"result\":" + (result.empty() ? "null" : result) + ",\"findings\":" + list(findings_) + ",\"files\":" + list(files_) +
                   "}";
  document.runs = std::move(runs_);
  return document;
}

}  // namespace treadle
