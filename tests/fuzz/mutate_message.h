// SPDX-License-Identifier: Apache-2.0
// Changes a protobuf message a little, and leaves it a message: a field takes another value, often
// one that stands elsewhere in the message, a part comes twice or goes away. Blind changes of bytes
// seldom get that far. Test code. The same random numbers give the same change.
#pragma once

#include <google/protobuf/message.h>

#include <random>

namespace pawl::fuzz {

void mutate_message(google::protobuf::Message& message, std::mt19937_64& random);

}  // namespace pawl::fuzz
