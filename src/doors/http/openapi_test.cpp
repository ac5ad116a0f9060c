// SPDX-License-Identifier: Apache-2.0
// openapi.json and the tables that the API works by say the same.
#include "doors/http/openapi.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "doors/http/openapi_check.h"
#include "doors/http/problems.h"
#include "doors/http/requests.h"
#include "doors/http/routes.h"

namespace pawl::doors::http {
namespace {

using Names = std::set<std::string>;

std::string key_of(const json::key_value_pair& member) {
  return std::string(member.key().data(), member.key().size());
}

void visit_all(const json::value& value, const std::function<void(const json::object&)>& visit) {
  if (value.is_object()) {
    visit(value.as_object());
    for (const auto& member : value.as_object()) visit_all(member.value(), visit);
  } else if (value.is_array()) {
    for (const json::value& item : value.as_array()) visit_all(item, visit);
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

const json::object& operation_of(const Route& route) {
  const json::object& paths = openapi_tree().at("paths").as_object();
  return paths.at(route.path).at(lower(route.method)).as_object();
}

Names parameters(const json::object& operation, std::string_view in) {
  Names names;
  const json::value* all = operation.if_contains("parameters");
  if (all == nullptr) return names;
  for (const json::value& one : all->as_array()) {
    const json::object& parameter = resolved(one).as_object();
    if (text_of(parameter.at("in")) == in) names.insert(text_of(parameter.at("name")));
  }
  return names;
}

void expect_same_fields(const json::value& schema, std::span<const FieldName> fields,
                        std::string_view call) {
  const json::object& rules = resolved(schema).as_object();
  Names listed, required, known, wanted;
  for (const auto& member : rules.at("properties").as_object()) listed.insert(key_of(member));
  if (const json::value* all = rules.if_contains("required"))
    for (const json::value& name : all->as_array()) required.insert(text_of(name));
  for (const FieldName& field : fields) {
    known.emplace(field.name);
    if (field.required) wanted.emplace(field.name);
  }
  EXPECT_EQ(listed, known) << call;
  EXPECT_EQ(required, wanted) << call;
  EXPECT_FALSE(rules.at("additionalProperties").as_bool()) << call;
}

TEST(OpenApi, IsVersion31AndEveryReferenceLeadsSomewhere) {
  EXPECT_TRUE(text_of(openapi_tree().at("openapi")).starts_with("3.1"));
  int references = 0;
  visit_all(openapi_tree(), [&](const json::object& object) {
    if (!object.contains("$ref") || !object.at("$ref").is_string()) return;
    ++references;
    EXPECT_NO_THROW(resolved(json::value(object))) << json::serialize(object);
  });
  EXPECT_GT(references, 100);
}

TEST(OpenApi, HasExactlyTheCallsOfTheTable) {
  Names listed, known;
  for (const auto& path : openapi_tree().at("paths").as_object())
    for (const auto& method : path.value().as_object())
      listed.insert(key_of(method) + " " + key_of(path));
  for (const Route& route : routes())
    known.insert(lower(route.method) + " " + std::string(route.path));
  EXPECT_EQ(listed, known);
}

TEST(OpenApi, NamesTheCallsAsTheTableDoes) {
  Names names;
  for (const Route& route : routes()) {
    EXPECT_EQ(text_of(operation_of(route).at("operationId")), route.call);
    EXPECT_TRUE(names.emplace(route.call).second) << route.call;
  }
}

TEST(OpenApi, HasExactlyTheFieldsThatBodiesAreReadBy) {
  for (const Route& route : routes()) {
    const json::value* body = operation_of(route).if_contains("requestBody");
    EXPECT_EQ(body != nullptr, !route.fields.empty()) << route.call;
    if (body == nullptr) continue;
    expect_same_fields(body->at("content").at("application/json").at("schema"), route.fields,
                       route.call);
    bool one_required = false;
    for (const FieldName& field : route.fields) one_required = one_required || field.required;
    EXPECT_EQ(body->at("required").as_bool(), one_required) << route.call;
  }
  const json::value& schemas = openapi_tree().at("components").at("schemas");
  expect_same_fields(schemas.at("PermitsRequest"), kPermitsNames, "permits");
}

TEST(OpenApi, HasExactlyTheQueryParametersThatAreTaken) {
  for (const Route& route : routes()) {
    Names known;
    for (const std::string_view name : route.queries) known.emplace(name);
    EXPECT_EQ(parameters(operation_of(route), "query"), known) << route.call;
    Names in_path;
    const std::size_t open = route.path.find('{');
    if (open != std::string_view::npos)
      in_path.emplace(route.path.substr(open + 1, route.path.find('}') - open - 1));
    EXPECT_EQ(parameters(operation_of(route), "path"), in_path) << route.call;
  }
}

TEST(OpenApi, HasExactlyTheCodesThatThereAre) {
  Names listed, known;
  const json::value& problem = openapi_tree().at("components").at("schemas").at("Problem");
  for (const json::value& code : problem.at("properties").at("code").at("enum").as_array())
    listed.insert(text_of(code));
  for (int code = 0; code <= static_cast<int>(service::ProblemCode::internal); ++code)
    known.emplace(service::to_text(static_cast<service::ProblemCode>(code)));
  EXPECT_EQ(listed, known);
}

TEST(OpenApi, EveryExampleIsAsItsSchemaSays) {
  int examples = 0;
  const auto check = [&](const json::value& schema, const json::value& example) {
    ++examples;
    EXPECT_EQ(SchemaCheck::mismatch(schema, example), "") << json::serialize(example);
  };
  visit_all(openapi_tree(), [&](const json::object& object) {
    const json::value* schema = object.if_contains("schema");
    if (schema == nullptr || resolved(*schema).as_object().contains("additionalProperties")) return;
    if (const json::value* example = object.if_contains("example")) check(*schema, *example);
    if (const json::value* named = object.if_contains("examples"))
      for (const auto& one : named->as_object()) check(*schema, one.value().at("value"));
  });
  EXPECT_GT(examples, 25);
}

TEST(OpenApi, TheCheckSeesWhatIsWrong) {
  const json::value& schemas = openapi_tree().at("components").at("schemas");
  const auto mismatch = [&](std::string_view schema, const char* text) {
    return SchemaCheck::mismatch(schemas.at(schema), json::parse(text));
  };
  EXPECT_EQ(mismatch("Health", R"({"status":"ok"})"), "");
  EXPECT_EQ(mismatch("Health", R"({"status":"bad"})"), ".status is not \"ok\"");
  EXPECT_EQ(mismatch("Health", R"({})"), ".status is missing");
  EXPECT_EQ(mismatch("Health", R"({"status":"ok","x":1})"), ".x is not in the document");
  EXPECT_NE(mismatch("FenceChecked", R"({"valid":1,"currentToken":1,"stateTimeMs":1})"), "");
  EXPECT_NE(mismatch("FenceChecked", R"({"valid":true,"currentToken":0,"stateTimeMs":1})"), "");
  EXPECT_EQ(mismatch("FenceChecked", R"({"valid":true,"currentToken":null,"stateTimeMs":1})"), "");
  EXPECT_THROW(resolved(json::parse(R"({"$ref":"#/components/schemas/None"})")), std::exception);
}

}  // namespace
}  // namespace pawl::doors::http
