// SPDX-License-Identifier: Apache-2.0
// An ordered index of names: a crit-bit tree (Morrison's PATRICIA, 1968). Looking up, adding and
// removing follow one path and move nothing; names come back in byte order, from any prefix. A tree
// is a root number; its nodes, 12 bytes a name, live in a pool that many trees share. Not
// thread-safe. `NameOf` gives the name of an item: `std::string_view operator()(uint32_t item)
// const`.
#pragma once

#include <string_view>

#include "core/containers/slab.h"

namespace pawl::core {

class NameTree {
 public:
  using Root = std::uint32_t;  // kNone: the empty tree

  // The item with this name, or kNone. `nearest` becomes the item whose name add() must tell it
  // from.
  template <class NameOf>
  std::uint32_t find(Root root, std::string_view name, NameOf name_of,
                     std::uint32_t* nearest = nullptr) const {
    if (root == kNone) return kNone;
    while (!is_leaf(root)) {
      const Node& node = nodes_[root];
      root = node.child[bit_at(name, node.bit)];
    }
    const std::uint32_t item = root & ~kLeaf;
    if (nearest != nullptr) *nearest = item;
    return name_of(item) == name ? item : kNone;
  }

  // `name` must not be there; `nearest_name` is the name of the nearest item that find() gave.
  void add(Root& root, std::string_view name, std::uint32_t item, std::string_view nearest_name) {
    PAWL_ASSERT(item < kLeaf);
    if (root == kNone) {
      root = item | kLeaf;
      return;
    }
    const std::uint32_t bit = first_difference(name, nearest_name);
    Root* link = &root;
    while (!is_leaf(*link) && nodes_[*link].bit < bit) {
      Node& node = nodes_[*link];
      link = &node.child[bit_at(name, node.bit)];
    }
    const Root below = *link;
    const std::uint32_t fresh = nodes_.add();
    // The pool never moves its items, so `link` still stands.
    nodes_[fresh].bit = bit;
    nodes_[fresh].child[bit_at(name, bit)] = item | kLeaf;
    nodes_[fresh].child[1 - bit_at(name, bit)] = below;
    *link = fresh;
  }

  // `name` must be there.
  void remove(Root& root, std::string_view name) {
    Root* link = &root;
    Root* above = nullptr;
    while (!is_leaf(*link)) {
      above = link;
      Node& node = nodes_[*link];
      link = &node.child[bit_at(name, node.bit)];
    }
    if (above == nullptr) {
      root = kNone;
      return;
    }
    const std::uint32_t gone = *above;
    const Root other = nodes_[gone].child[link == &nodes_[gone].child[0] ? 1 : 0];
    *above = other;
    nodes_.remove(gone);
  }

  // Calls visit(item) for the names that begin with `prefix` and come after `after` (all, if it is
  // empty), in order, until it returns false. Returns false if it was stopped.
  template <class NameOf, class Visit>
  bool visit(Root root, std::string_view prefix, std::string_view after, NameOf name_of,
             Visit visit) const {
    if (root == kNone) return true;
    Root below = root;
    while (!is_leaf(below) && nodes_[below].bit / kStep < prefix.size()) {
      below = nodes_[below].child[bit_at(prefix, nodes_[below].bit)];
    }
    Root any = below;
    while (!is_leaf(any)) any = nodes_[any].child[0];
    if (!name_of(any & ~kLeaf).starts_with(prefix)) return true;
    return walk(below, after, name_of, visit);
  }

 private:
  // A name is a row of 9-bit characters: a one and the byte, and zeros after its end. So no name is
  // a prefix of another, and a shorter one comes first. Bits are numbered 16 to a character.
  struct Node {
    std::uint32_t bit = 0;
    Root child[2] = {kNone, kNone};
  };
  static constexpr std::uint32_t kStep = 16;
  static constexpr std::uint32_t kLeaf = 0x80000000;
  static bool is_leaf(Root root) { return (root & kLeaf) != 0; }

  static std::uint32_t bit_at(std::string_view name, std::uint32_t bit) {
    const std::size_t byte = bit / kStep;
    if (byte >= name.size()) return 0;
    const std::uint32_t in_byte = bit % kStep;
    if (in_byte == 0) return 1;
    return (static_cast<unsigned char>(name[byte]) >> (8 - in_byte)) & 1U;
  }

  static std::uint32_t first_difference(std::string_view a, std::string_view b) {
    std::size_t byte = 0;
    while (byte < a.size() && byte < b.size() && a[byte] == b[byte]) ++byte;
    std::uint32_t bit = static_cast<std::uint32_t>(byte) * kStep;
    PAWL_ASSERT(byte < a.size() || byte < b.size());
    while (bit_at(a, bit) == bit_at(b, bit)) ++bit;
    return bit;
  }

  template <class NameOf, class Visit>
  bool walk(Root root, std::string_view after, NameOf name_of, Visit& visit) const {
    if (is_leaf(root)) {
      const std::uint32_t item = root & ~kLeaf;
      return (!after.empty() && name_of(item) <= after) || visit(item);
    }
    const Node& node = nodes_[root];
    // Where the last name of the lower half is not after `after`, none of that half is.
    if (after.empty() || last_name(node.child[0], name_of) > after) {
      if (!walk(node.child[0], after, name_of, visit)) return false;
    }
    return walk(node.child[1], after, name_of, visit);
  }

  template <class NameOf>
  std::string_view last_name(Root root, NameOf name_of) const {
    while (!is_leaf(root)) root = nodes_[root].child[1];
    return name_of(root & ~kLeaf);
  }

  Slab<Node> nodes_;
};

}  // namespace pawl::core
