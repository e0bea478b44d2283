// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <string_view>

#include "report/html_front_end.h"

namespace treadle {
namespace {

/// Inside a script element only "<" could end it; JSON has another way to write that.
std::string in_script(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

std::string data_element(const std::string& id, std::string_view json) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + in_script(json) + "</script>\n";
}

}  // namespace

Result<Done> html_is_built_in() {
  if (!html_script().empty()) return Done{};
  return Problem{"this Treadle was built without the HTML report", "build it with npm at hand and -DTREADLE_HTML=ON"};
}

std::string html_page(const HtmlDocument& document) {
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  // Nothing is fetched, whatever the data says.
  page +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
      "img-src data:\">\n";
  page += "<title>" + escaped(document.title) + " · Treadle</title>\n<style>\n";
  page += html_style();
  page += "</style>\n</head>\n<body>\n<noscript>This report needs JavaScript, which is part of this file.</noscript>\n";
  page += "<div id=\"app\"></div>\n";
  page += data_element("model", document.model);
  for (std::size_t i = 0; i < document.runs.size(); ++i) page += data_element("run-" + std::to_string(i), document.runs[i]);
  page += "<script>\n";
  page += html_script();
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace treadle
