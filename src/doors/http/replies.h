// SPDX-License-Identifier: Apache-2.0
// What the log answered, as JSON. One function a call; each gives nothing for an effect that is no
// answer to that call. Names and order of the fields are those of openapi.json. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/effect.h"
#include "doors/http/pieces.h"
#include "service/json.h"

namespace pawl::doors::http {

// The body of an answer.
using Body = std::optional<std::string>;

// `first`: of the resources that were asked for. A repeat that finds its id over knows no better.
Body acquire_reply(const core::Effect& effect, Moment moment, std::string_view first);
Body renew_reply(const core::Effect& effect, Moment moment);
Body upgrade_reply(const core::Effect& effect, Moment moment);
Body downgrade_reply(const core::Effect& effect, Moment moment);
Body release_reply(const core::Effect& effect, Moment moment);
Body force_release_reply(const core::Effect& effect, Moment moment);

}  // namespace pawl::doors::http
