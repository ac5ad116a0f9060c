// SPDX-License-Identifier: Apache-2.0
// Each container beside the plainest one of the standard library, over random operations.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/containers/deadlines.h"
#include "core/containers/hash_index.h"
#include "core/containers/hashing.h"
#include "core/containers/name_tree.h"
#include "core/containers/text_pool.h"

namespace pawl::core {
namespace {

TEST(Chunked, GrowsWithoutMovingAndShrinks) {
  Chunked<int, 4> items;
  int* first = &items.push_back(0);
  for (int i = 1; i < 100; ++i) items.push_back(i);
  EXPECT_EQ(first, &items[0]);
  for (int i = 99; i >= 0; --i) {
    ASSERT_EQ(items[static_cast<std::size_t>(i)], i);
    items.pop_back();
  }
  EXPECT_TRUE(items.empty());
}

TEST(Slab, UsesFreedPlacesAgain) {
  Slab<std::string> items;
  const std::uint32_t a = items.add();
  items[a] = "a";
  const std::uint32_t b = items.add();
  items.remove(a);
  EXPECT_EQ(items[a], "");
  EXPECT_EQ(items.add(), a);
  EXPECT_EQ(items.used(), 2U);
  EXPECT_EQ(items.end(), b + 1);
}

TEST(TextPool, KeepsTextsApartThroughRandomUse) {
  std::mt19937 random(1);
  TextPool pool;
  std::vector<std::pair<TextPool::Ref, std::string>> live;
  for (int i = 0; i < 20'000; ++i) {
    if (live.size() > 500 || (!live.empty() && random() % 3 == 0)) {
      const std::size_t at = random() % live.size();
      ASSERT_EQ(pool.at(live[at].first, live[at].second.size()), live[at].second);
      pool.remove(live[at].first, live[at].second.size());
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const std::string text(random() % 300, static_cast<char>('a' + random() % 26));
      const std::size_t cut = text.empty() ? 0 : random() % text.size();
      live.emplace_back(pool.add(text.substr(0, cut), text.substr(cut)), text);
    }
  }
  for (const auto& [ref, text] : live) EXPECT_EQ(pool.at(ref, text.size()), text);
}

struct Entry {
  std::uint32_t hash = 0;
  std::uint32_t chain = kNone;
  int key = 0;
};

TEST(HashIndex, FindsWhatIsThereThroughGrowthAndShrinking) {
  std::mt19937 random(1);
  Slab<Entry> items;
  HashIndex<Entry> index(items);
  std::map<int, std::uint32_t> live;
  const auto hash_of = [](int key) { return static_cast<std::uint32_t>(key % 97) * 2654435761U; };
  for (int i = 0; i < 60'000; ++i) {
    const int key = static_cast<int>(random() % 3000);
    const auto found = live.find(key);
    const std::uint32_t ref =
        index.find(hash_of(key), [&](const Entry& entry) { return entry.key == key; });
    ASSERT_EQ(ref, found == live.end() ? kNone : found->second);
    const bool growing = (i / 10'000) % 2 == 0;
    if (ref == kNone && (growing || random() % 8 == 0)) {
      const std::uint32_t fresh = items.add();
      items[fresh] = {hash_of(key), kNone, key};
      index.add(fresh);
      live[key] = fresh;
    } else if (ref != kNone && (!growing || random() % 8 == 0)) {
      index.remove(ref);
      items.remove(ref);
      live.erase(key);
    }
    ASSERT_EQ(index.size(), live.size());
  }
}

std::string random_name(std::mt19937& random) {
  std::string name;
  const std::size_t length = random() % 5;
  for (std::size_t i = 0; i < length; ++i) name += "ab\xff\x01"[random() % 4];
  return name;
}

TEST(NameTree, HoldsNamesInOrderAndFindsPrefixes) {
  std::mt19937 random(1);
  NameTree tree;
  NameTree::Root root = kNone;
  std::vector<std::string> names;  // by item
  std::map<std::string, std::uint32_t> live;
  const auto name_of = [&](std::uint32_t item) { return std::string_view(names[item]); };
  for (int i = 0; i < 4000; ++i) {
    const std::string name = random_name(random);
    std::uint32_t nearest = kNone;
    const std::uint32_t found = tree.find(root, name, name_of, &nearest);
    ASSERT_EQ(found != kNone, live.contains(name));
    if (found == kNone) {
      names.push_back(name);
      const auto item = static_cast<std::uint32_t>(names.size() - 1);
      tree.add(root, name, item, nearest == kNone ? "" : name_of(nearest));
      live[name] = item;
    } else {
      ASSERT_EQ(found, live[name]);
      tree.remove(root, name);
      live.erase(name);
    }
    const std::string prefix = random_name(random).substr(0, 2);
    const std::string after = random() % 2 == 0 ? "" : random_name(random);
    std::vector<std::string> expected;
    for (const auto& [key, item] : live) {
      if (key.starts_with(prefix) && (after.empty() || key > after)) expected.push_back(key);
    }
    std::vector<std::string> seen;
    tree.visit(root, prefix, after, name_of, [&](std::uint32_t item) {
      seen.push_back(names[item]);
      return true;
    });
    ASSERT_EQ(seen, expected);
  }
}

TEST(NameTree, AVisitCanBeStopped) {
  NameTree tree;
  NameTree::Root root = kNone;
  const std::vector<std::string> names = {"a", "b", "c"};
  const auto name_of = [&](std::uint32_t item) { return std::string_view(names[item]); };
  for (std::uint32_t i = 0; i < 3; ++i) {
    std::uint32_t nearest = kNone;
    tree.find(root, names[i], name_of, &nearest);
    tree.add(root, names[i], i, nearest == kNone ? "" : name_of(nearest));
  }
  int seen = 0;
  EXPECT_FALSE(tree.visit(root, "", "", name_of, [&](std::uint32_t) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

struct Places {
  std::vector<std::uint32_t>* positions;
  bool before(std::uint32_t a, std::uint32_t b) const { return a < b; }
  std::uint32_t& position(std::uint32_t item) const { return (*positions)[item]; }
};

TEST(Deadlines, GiveTheEarliestAndThenTheFirstInOrder) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> positions(200, kNone);
  Deadlines<std::uint32_t, Places> due;
  std::set<std::pair<Time, std::uint32_t>> expected;
  std::map<std::uint32_t, Time> at;
  for (int i = 0; i < 50'000; ++i) {
    const auto item = static_cast<std::uint32_t>(random() % 200);
    const Time time = random() % 3 == 0 ? kNever : Time(Duration(random() % 50));
    if (at.contains(item)) expected.erase({at[item], item});
    at.erase(item);
    if (time != kNever) {
      at[item] = time;
      expected.emplace(time, item);
    }
    due.set({&positions}, item, time);
    ASSERT_EQ(due.size(), expected.size());
    if (expected.empty()) continue;
    ASSERT_EQ(due.first().due, expected.begin()->first);
    ASSERT_EQ(due.first().item, expected.begin()->second);
  }
}

std::string counting(std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(Hashing, SipHashAgreesWithThePublishedVectors) {
  // Key 00..0f, message 00..: from the authors' own vectors for SipHash-2-4-128.
  const SipKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(sip24_128(key, ""), (Hash128{0xe6a825ba047f81a3, 0x930255c71472f66d}));
  EXPECT_EQ(sip24_128(key, counting(1)), (Hash128{0x44af996bd8c187da, 0x45fc229b11597634}));
}

TEST(Hashing, EveryByteAndTheLengthCount) {
  const SipKey key{1, 2};
  std::set<std::uint64_t> seen;
  for (std::size_t length = 0; length < 40; ++length) {
    std::string bytes(length, 'x');
    EXPECT_TRUE(seen.insert(sip13(key, bytes)).second);
    EXPECT_TRUE(seen.insert(Digest(1).add(bytes).value()).second);
    for (std::size_t i = 0; i < length; ++i) {
      bytes[i] = 'y';
      EXPECT_TRUE(seen.insert(sip13(key, bytes)).second);
      EXPECT_TRUE(seen.insert(Digest(1).add(bytes).value()).second);
      bytes[i] = 'x';
    }
  }
  EXPECT_NE(sip13({1, 2}, "a"), sip13({1, 3}, "a"));
}

}  // namespace
}  // namespace pawl::core
