// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/greeting.h"

#include "cli/text.h"

namespace pawl::cli {

std::string url_of(std::string_view http) {
  std::string url = "http://";
  if (http.starts_with("0.0.0.0:")) {
    return url + "127.0.0.1" + std::string(http.substr(7));
  }
  if (http.starts_with("[::]:")) return url + "[::1]" + std::string(http.substr(4));
  return url + std::string(http);
}

std::string to_text(const Greeting& greeting) {
  const std::string url = url_of(greeting.http);
  // Shells take [::1] for a pattern.
  const std::string quote = url.find('[') == std::string::npos ? "" : "'";
  std::string text = "\n  Pawl " + std::string(greeting.version) + " serves locks.\n\n";
  text += "  HTTP   " + url + "\n";
  text += "  Data   " + printable(greeting.data_dir) + "\n\n";
  text += "  Take a lock for 30 seconds:\n\n";
  text += "    curl " + quote + url + "/v1/locks/acquire" + quote;
  text += R"( -d '{"resource":"hello","ownerId":"me","ttlSeconds":30}')";
  text += "\n\n  Press Ctrl-C to stop; a second time to stop at once.\n";
  return text;
}

}  // namespace pawl::cli
