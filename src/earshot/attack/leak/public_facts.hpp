// Reading what is told of a protocol.
#pragma once

#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/threat/view.hpp"

namespace earshot {

/// The fact of that name; refuses views in which it is not told.
template <class Value>
Value fact(const PublicKnowledge& told, const char* name) {
  const auto found = told.protocol.find(name);
  try {
    if (found != told.protocol.end()) return found->template get<Value>();
  } catch (const Json::exception&) {
  }
  fail(Fault::kData, fmt::format("the view does not tell \"{}\" of its protocol, or not as it should", name));
}

/// The same with an answer for views that do not tell.
template <class Value>
Value fact(const PublicKnowledge& told, const char* name, Value otherwise) {
  return told.protocol.contains(name) ? fact<Value>(told, name) : std::move(otherwise);
}

/// Records whose mean gradient a step of the node is: its batch, or all it has.
std::size_t records_of_step(const PublicKnowledge& told, NodeId node);
/// Of training by gossip: whether nodes take a round's step before they talk, rather than after averaging.
bool moves_before_talking(const PublicKnowledge& told);
/// All records of the node.
std::size_t records_of_node(const PublicKnowledge& told, NodeId node);

}  // namespace earshot
