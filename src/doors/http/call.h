// SPDX-License-Identifier: Apache-2.0
// One request on its way through the API: what it asks with, and where its answer goes. Owned by
// the loop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "doors/http/api.h"
#include "doors/http/problems.h"
#include "doors/http/target.h"
#include "service/service.h"

namespace pawl::doors::http {

// Outlives the call, where that has to wait. Tells once.
class Responder {
 public:
  Responder(std::string_view call, Api::OnReply done) : call_(call), done_(std::move(done)) {}

  void json(std::string body, std::optional<service::Receipt> receipt = {}) const {
    Answer answer;
    answer.body = std::move(body);
    answer.receipt = std::move(receipt);
    tell(std::move(answer));
  }
  void problem(const service::Problem& problem) const { tell(answer_of(problem)); }
  void tell(Answer answer) const {
    answer.call = call_;
    done_(std::move(answer));
  }
  void stream(Stream stream) const { done_(std::move(stream)); }

 private:
  std::string_view call_;
  Api::OnReply done_;
};

// Valid while it is being served: what is needed later must be copied.
struct Call {
  service::Service& service;
  const ApiOptions& options;
  const Request& request;
  const Target& target;
  std::string_view argument;  // the part of the path that is not fixed, decoded
  Responder reply;

  // For a call that is refused at once.
  service::CallId refuse(const service::Problem& problem) const {
    reply.problem(problem);
    return 0;
  }
};

}  // namespace pawl::doors::http
