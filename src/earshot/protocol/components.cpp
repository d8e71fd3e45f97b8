#include "earshot/protocol/components.hpp"

#include <vector>

namespace earshot {
namespace {
Parameter precision_parameter() {
  return choice_parameter("message_precision", "float64", {"float64", "float32"}, "what the wire carries");
}
}  // namespace

std::span<const Schema> protocol_schemas() {
  static const std::vector<Schema> schemas = {
      {"protocol",
       "gossip",
       "averaging by repeated weighted means; plain or Chebyshev-accelerated",
       "Xiao & Boyd 2004; Golub & Varga 1961 (acceleration)",
       {integer_parameter("rounds", 0, 0, 1000000, "gossip rounds; 0 means until nothing new can be learnt"),
        choice_parameter("acceleration", "none", {"none", "chebyshev"}, "second-order gossip"),
        precision_parameter()}},
      {"protocol",
       "dgd",
       "decentralised gradient descent: local gradient step, then gossip on the parameters",
       "Nedic & Ozdaglar 2009; El Mrini, Cyffers & Bellet 2024",
       {integer_parameter("rounds", {}, 1, 1000000, "training rounds"),
        above_minimum(real_parameter("learning_rate", 1e-5, 0, 1e6, "step size eta")),
        precision_parameter()}}};
  return schemas;
}

}  // namespace earshot
