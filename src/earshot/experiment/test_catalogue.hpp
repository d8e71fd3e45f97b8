// A small catalogue for the tests and the fuzz target, so that they do not depend on which components exist.
#pragma once

#include "earshot/experiment/component_catalogue.hpp"

namespace earshot {

inline Catalogue test_catalogue() {
  Catalogue catalogue;
  const Parameter nodes = integer_parameter("nodes", std::nullopt, 2, 1000, "number of nodes");
  catalogue.add({"graph", "ring", "a cycle", "", {nodes}});
  catalogue.add({"graph",
                 "erdos_renyi",
                 "independent edges",
                 "Erdős & Rényi 1959",
                 {nodes, real_parameter("p", 0.5, 0, 1, "edge probability"),
                  boolean_parameter("connected", true, "draw until connected")}});
  catalogue.add({"weights", "metropolis", "Metropolis-Hastings", "", {}});
  catalogue.add(
      {"data", "file", "values from a file", "", {optional(text_parameter("path", std::nullopt, "file"))}});
  catalogue.add(
      {"protocol", "gossip", "averaging", "", {integer_parameter("rounds", 10, 1, 100000, "rounds")}});
  catalogue.add({"mechanism", "none", "no privacy", "", {}});
  catalogue.add({"mechanism",
                 "gaussian",
                 "Gaussian noise",
                 "",
                 {above_minimum(real_parameter("epsilon", std::nullopt, 0, 1e6, "privacy loss")),
                  choice_parameter("unit", "record", {"record", "node"}, "what is protected")}});
  catalogue.add(
      {"adversary", "first", "the first nodes", "", {integer_parameter("size", 1, 1, 100, "how many")}});
  catalogue.add(
      {"adversary", "named", "chosen nodes", "", {texts_parameter("nodes", std::nullopt, "their names")}});
  catalogue.add({"metric", "psnr", "peak signal-to-noise ratio", "", {}});
  return catalogue;
}

}  // namespace earshot
