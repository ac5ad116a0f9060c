// SPDX-License-Identifier: Apache-2.0
// For tests: openapi.json as a tree, and whether an answer is as it says. A property that it does
// not list is as wrong as one that is missing. Knows the part of JSON Schema that it uses.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "doors/http/openapi.h"

namespace pawl::doors::http {

namespace json = boost::json;

inline const json::value& openapi_tree() {
  static const json::value tree = json::parse(openapi_document());
  return tree;
}

inline std::string text_of(const json::value& value) {
  return std::string(value.as_string().data(), value.as_string().size());
}

// What a "$ref" leads to, or the value itself. Throws if it leads nowhere.
inline const json::value& resolved(const json::value& value) {
  if (!value.is_object() || !value.as_object().contains("$ref")) return value;
  const std::string target = text_of(value.as_object().at("$ref"));
  if (!target.starts_with("#/")) throw std::out_of_range(target);
  return resolved(openapi_tree().at_pointer(target.substr(1)));
}

class SchemaCheck {
 public:
  // What is wrong with the value; empty: nothing.
  static std::string mismatch(const json::value& schema, const json::value& value,
                              const std::string& where = "") {
    const json::object& rules = resolved(schema).as_object();
    if (const json::value* choices = rules.if_contains("oneOf"))
      return one_of(choices->as_array(), value, where);
    if (const json::value* fixed = rules.if_contains("const"); fixed && *fixed != value)
      return where + " is not " + json::serialize(*fixed);
    if (const json::value* type = rules.if_contains("type"); type && !has_type(*type, value))
      return where + " is not " + json::serialize(*type) + ": " + json::serialize(value);
    if (const json::value* choices = rules.if_contains("enum")) {
      const json::array& all = choices->as_array();
      if (std::find(all.begin(), all.end(), value) == all.end())
        return where + " is none of the values: " + json::serialize(value);
    }
    if (const json::value* least = rules.if_contains("minimum"); least && value.is_number()) {
      if (value.to_number<double>() < least->to_number<double>()) return where + " is too small";
    }
    if (value.is_object() && rules.contains("properties")) return object(rules, value, where);
    if (const json::value* items = rules.if_contains("items"); items && value.is_array()) {
      for (const json::value& item : value.as_array())
        if (std::string bad = mismatch(*items, item, where + "[]"); !bad.empty()) return bad;
    }
    return {};
  }

 private:
  static std::string one_of(const json::array& choices, const json::value& value,
                            const std::string& where) {
    std::string all;
    int fits = 0;
    for (const json::value& choice : choices) {
      const std::string bad = mismatch(choice, value, where);
      if (bad.empty()) ++fits;
      all += (all.empty() ? "" : "; ") + bad;
    }
    return fits == 1 ? "" : where + " fits " + std::to_string(fits) + " forms: " + all;
  }

  static std::string object(const json::object& rules, const json::value& value,
                            const std::string& where) {
    const json::object& properties = rules.at("properties").as_object();
    if (const json::value* required = rules.if_contains("required")) {
      for (const json::value& name : required->as_array()) {
        if (!value.as_object().contains(text_of(name)))
          return where + "." + text_of(name) + " is missing";
      }
    }
    for (const auto& member : value.as_object()) {
      const std::string path = where + "." + std::string(member.key().data(), member.key().size());
      const json::value* schema = properties.if_contains(member.key());
      if (schema == nullptr) return path + " is not in the document";
      if (std::string bad = mismatch(*schema, member.value(), path); !bad.empty()) return bad;
    }
    return {};
  }

  static bool has_type(const json::value& type, const json::value& value) {
    if (type.is_array()) {
      const json::array& types = type.as_array();
      return std::any_of(types.begin(), types.end(),
                         [&](const json::value& one) { return has_type(one, value); });
    }
    const std::string name = text_of(type);
    return (name == "string" && value.is_string()) || (name == "object" && value.is_object()) ||
           (name == "array" && value.is_array()) || (name == "boolean" && value.is_bool()) ||
           (name == "null" && value.is_null()) || (name == "number" && value.is_number()) ||
           (name == "integer" && (value.is_int64() || value.is_uint64()));
  }
};

}  // namespace pawl::doors::http
