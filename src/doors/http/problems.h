// SPDX-License-Identifier: Apache-2.0
// Problems as HTTP tells them: problem+json (RFC 9457) with our code in it. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "doors/http/api.h"
#include "service/json.h"
#include "service/problem.h"

namespace pawl::doors::http {

// What is wrong with something that was read; nothing, if it is fine.
using Verdict = std::optional<service::Problem>;

service::Problem malformed(std::string detail);
// `why` goes on from the field's name: "must not be negative". It is put together when it is told.
service::Problem invalid(std::string field, std::string_view why);

int status_of(service::ProblemCode code);

// From `detail` on: what a problem and an entry of a batch have in common.
void write_members(service::JsonWriter& json, const service::Problem& problem);

Answer answer_of(const service::Problem& problem);

}  // namespace pawl::doors::http
