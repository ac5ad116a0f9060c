// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutate_message.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace pawl::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A field of a message somewhere in the tree, or one element of it.
struct Place {
  Message* message;
  const FieldDescriptor* field;
  int index = -1;  // of a repeated field
};

class Mutator {
 public:
  Mutator(Message& root, std::mt19937_64& random) : random_(random) { collect(root); }

  void run() {
    if (places_.empty()) return;
    const Place& place = places_[below(places_.size())];
    if (place.field->is_repeated() && below(3) == 0) return rearrange(place);
    switch (place.field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return toggle(place);
      case FieldDescriptor::CPPTYPE_STRING:
        return change_text(place);
      default:
        return change_number(place);
    }
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  void collect(Message& message) {
    const Reflection& access = *message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* field = message.GetDescriptor()->field(i);
      const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      if (!field->is_repeated()) {
        places_.push_back({&message, field});
        if (is_message && access.HasField(message, field))
          collect(*access.MutableMessage(&message, field));
        if (!is_message && access.HasField(message, field)) keep({&message, field});
        continue;
      }
      for (int at = 0; at < access.FieldSize(message, field); ++at) {
        places_.push_back({&message, field, at});
        if (is_message)
          collect(*access.MutableRepeatedMessage(&message, field, at));
        else
          keep({&message, field, at});
      }
    }
  }

  // What stands here may be used elsewhere.
  void keep(const Place& place) {
    if (place.field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      texts_.push_back(text(place));
    else
      numbers_.push_back(number(place));
  }

  static std::string text(const Place& at) {
    const Reflection& access = *at.message->GetReflection();
    return at.index < 0 ? access.GetString(*at.message, at.field)
                        : access.GetRepeatedString(*at.message, at.field, at.index);
  }

  static std::uint64_t number(const Place& at) {
    const Reflection& access = *at.message->GetReflection();
    const bool one = at.index < 0;
    switch (at.field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64:
        return static_cast<std::uint64_t>(
            one ? access.GetInt64(*at.message, at.field)
                : access.GetRepeatedInt64(*at.message, at.field, at.index));
      case FieldDescriptor::CPPTYPE_UINT64:
        return one ? access.GetUInt64(*at.message, at.field)
                   : access.GetRepeatedUInt64(*at.message, at.field, at.index);
      default:
        return 0;
    }
  }

  std::uint64_t another_number() {
    const std::uint64_t base = numbers_.empty() ? 0 : numbers_[below(numbers_.size())];
    constexpr std::uint64_t kSecond = 1'000'000;
    switch (below(10)) {
      case 0:
        return below(4);
      case 1:
        return base + 1;
      case 2:
        return base - 1;
      case 3:
        return base + (1 + below(6)) * kSecond;
      case 4:
        return base - (1 + below(6)) * kSecond;
      case 5:
        return random_() >> below(64);
      default:
        return base;
    }
  }

  void change_number(const Place& at) {
    const Reflection& access = *at.message->GetReflection();
    const std::uint64_t value = another_number();
    const bool one = at.index < 0;
    switch (at.field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64: {
        const auto number = static_cast<std::int64_t>(value);
        if (one)
          access.SetInt64(at.message, at.field, number);
        else
          access.SetRepeatedInt64(at.message, at.field, at.index, number);
        break;
      }
      case FieldDescriptor::CPPTYPE_UINT64:
        if (one)
          access.SetUInt64(at.message, at.field, value);
        else
          access.SetRepeatedUInt64(at.message, at.field, at.index, value);
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        access.SetBool(at.message, at.field, !access.GetBool(*at.message, at.field));
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        access.SetEnumValue(at.message, at.field, static_cast<int>(below(5)));
        break;
      default:
        break;
    }
  }

  void change_text(const Place& at) {
    const Reflection& access = *at.message->GetReflection();
    std::string value = texts_.empty() ? "" : texts_[below(texts_.size())];
    if (below(5) == 0) value.push_back(static_cast<char>('a' + below(4)));
    if (at.index < 0)
      access.SetString(at.message, at.field, value);
    else
      access.SetRepeatedString(at.message, at.field, at.index, value);
  }

  static void toggle(const Place& at) {
    const Reflection& access = *at.message->GetReflection();
    if (at.index >= 0) return;
    if (access.HasField(*at.message, at.field))
      access.ClearField(at.message, at.field);
    else
      access.MutableMessage(at.message, at.field);
  }

  void rearrange(const Place& at) {
    const Reflection& access = *at.message->GetReflection();
    const int size = access.FieldSize(*at.message, at.field);
    const int other = static_cast<int>(below(static_cast<std::size_t>(size)));
    switch (below(3)) {
      case 0:
        access.SwapElements(at.message, at.field, at.index, other);
        break;
      case 1:
        access.SwapElements(at.message, at.field, at.index, size - 1);
        access.RemoveLast(at.message, at.field);
        break;
      default:
        if (at.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) break;
        access.AddMessage(at.message, at.field)
            ->CopyFrom(access.GetRepeatedMessage(*at.message, at.field, other));
        break;
    }
  }

  std::mt19937_64& random_;
  std::vector<Place> places_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace

void mutate_message(Message& message, std::mt19937_64& random) { Mutator(message, random).run(); }

}  // namespace pawl::fuzz
