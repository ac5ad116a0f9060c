// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/pages.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/value.hpp>
#include <ostream>

#include "cli/json_text.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

constexpr std::uint64_t kLargestPage = 1'000;  // that the service gives

// The place after a page: text for locks, a number for the audit trail.
std::string next_of(const Json& page) {
  const std::string text = text_at(page, "next");
  return text.empty() ? number_text(page, "next") : text;
}

class Listing {
 public:
  Listing(const Where& where, const Pages& pages)
      : remote_(where), pages_(pages), after_(pages.after) {}

  // Gets the next page; false: trouble().
  bool fetch() {
    const std::uint64_t left = pages_.all ? kLargestPage : pages_.limit - taken_;
    Target target(pages_.path);
    target.query("prefix", pages_.prefix)
        .query("limit", std::to_string(std::min(left, kLargestPage)))
        .query("after", after_);
    Remote::Reply reply = remote_.get(target);
    if (!reply) {
      trouble_ = reply.fault();
      return false;
    }
    answer_ = std::move(reply).value();
    const std::string next = next_of(answer_.json);
    // A page that leads back to itself would never end.
    more_ = !next.empty() && next != after_;
    after_ = next;
    taken_ += list_at(answer_.json, pages_.items).size();
    return true;
  }

  bool wants_more() const { return more_ && (pages_.all || taken_ < pages_.limit); }
  bool has_more() const { return more_; }
  std::uint64_t taken() const { return taken_; }
  const std::string& after() const { return after_; }
  const Answer& answer() const { return answer_; }
  const Trouble& trouble() const { return trouble_; }

 private:
  Remote remote_;
  const Pages& pages_;
  std::string after_;
  std::uint64_t taken_ = 0;
  bool more_ = false;
  Answer answer_;
  Trouble trouble_;
};

int print_json(const Console& console, const Where& where, const Pages& pages, Listing& listing) {
  if (!listing.fetch()) return report(console, where, listing.trouble());
  if (!listing.wants_more()) {
    console.out << listing.answer().text << '\n';
    return kOk;
  }
  console.out << "{\"" << pages.items << "\":[";
  bool first = true;
  for (;;) {
    for (const auto& item : list_at(listing.answer().json, pages.items)) {
      console.out << (first ? "" : ",") << json_text(item);
      first = false;
    }
    if (!listing.wants_more()) break;
    if (!listing.fetch()) {
      console.out << std::endl;  // cut short, so that nobody takes it for the whole
      return report(console, Where{}, listing.trouble());
    }
  }
  const auto* next = listing.answer().json.if_contains("next");
  console.out << "],\"next\":" << (next == nullptr ? "null" : json_text(*next)) << "}\n";
  return kOk;
}

}  // namespace

void add_page_flags(CLI::App& command, Pages& pages, const std::string& prefix_help) {
  command.add_option("PREFIX", pages.prefix, prefix_help);
  CLI::Option* all = command.add_flag("--all", pages.all, "Everything there is");
  add_count(command, "--limit", pages.limit, "At most so many (default 100)");
  all->excludes(command.get_option("--limit"));
  command.add_option("--after", pages.after, "Go on where an earlier listing ended")
      ->type_name("PLACE");
}

int print_pages(const Console& console, const Where& where, const Pages& pages, Table table,
                const RowOf& row_of, std::string_view none) {
  Listing listing(where, pages);
  if (where.json) return print_json(console, where, pages, listing);
  do {
    if (!listing.fetch()) return report(console, where, listing.trouble());
    const Answer& answer = listing.answer();
    for (const auto& item : list_at(answer.json, pages.items))
      table.add(row_of(as_object(item), answer.now));
    table.print(console.out);
  } while (listing.wants_more());
  if (listing.taken() == 0) console.err << none << '\n';
  if (listing.has_more())
    console.err << "There are more: use --all, or --after '" << printable(listing.after()) << "'\n";
  return kOk;
}

}  // namespace pawl::cli
