#include "earshot/collect/privic/components.hpp"

#include <vector>

namespace earshot {
namespace {

constexpr const char* kReference = "Biswas & Palamidessi 2024, PRIVIC";

Schema gowalla() {
  return {"data",
          "gowalla",
          "check-ins of a city on the published grid of cells",
          "Cho, Myers & Leskovec 2011; Biswas & Palamidessi 2024",
          {choice_parameter("city", "paris", {"paris", "san_francisco"},
                            "11 x 15 or 16 x 24 cells of about half a kilometre"),
           boolean_parameter("as_published", false,
                             "leave out the first check-in, which the published scripts took for a header")}};
}

Schema blahut_arimoto() {
  return {"mechanism",
          "blahut_arimoto",
          "d-privacy: the channel of least mutual information, 2 beta-private in Euclidean distance",
          "Blahut 1972; Oya, Troncoso & Perez-Gonzalez 2017",
          {real_parameter("beta", {}, 0, 20, "per cell; minus the slope of the rate-distortion curve"),
           integer_parameter("iterations", 8, 1, 1000000, "from the uniform marginal")}};
}

Parameter update_iterations(std::int64_t fallback) {
  return integer_parameter("update_iterations", fallback, 1, 1000000,
                           "of the Bayesian update; stopping early regularises");
}

Parameter false_reporters(std::string help) {
  return real_parameter("false_share", 0.0, 0, 0.99, std::move(help));
}

Schema privic() {
  return {
      "protocol",
      "privic",
      "places are collected in cycles, each with the mechanism made from the last estimate",
      kReference,
      {integer_parameter("cycles", 15, 1, 10000, "how often is collected and estimated"),
       update_iterations(10),
       choice_parameter("start", "last_estimate", {"last_estimate", "uniform"},
                        "where the update of a cycle starts"),
       boolean_parameter("combine", true,
                         "average estimates over cycles by numbers of reports; false: the last alone counts"),
       choice_parameter(
           "turnout", "everybody", {"everybody", "random_share", "fresh_share"},
           "who reports in a cycle: all, a share drawn anew, or a share that has not reported before"),
       above_minimum(
           real_parameter("share", 1.0, 0, 1, "of the people who report in a cycle, unless all do")),
       integer_parameter("pooled_iterations", 1000, 0, 1000000,
                         "of the generalised update over all cycles at the end; 0: none"),
       boolean_parameter(
           "as_published", false,
           "Algorithm 1 as printed: one cycle more, and reports estimated with the next cycle's channel"),
       false_reporters("share of all reporters who claim to be at one place"),
       integer_parameter("false_place", 0, 0, 1000000, "the cell they claim"),
       choice_parameter("false_manner", "pretend", {"pretend", "report"},
                        "they obfuscate that cell as theirs, or report it as it is")}};
}

Schema comparison() {
  return {
      "protocol",
      "mechanism_comparison",
      "places are collected once, by Blahut-Arimoto on the true prior and by Laplace kernels that match it",
      "Biswas 2024, section 3.4.2",
      {update_iterations(10),
       integer_parameter("margin", 5, 0, 100,
                         "cells that Laplace reports may lie beyond the map on every side"),
       boolean_parameter("as_published", false,
                         "also score Laplace with the published script's wrong distances")}};
}

Schema island() {
  return {"protocol",
          "island_exposure",
          "no collection: what somebody at an isolated and at a crowded cell of Paris reports",
          "Biswas 2024, sections 3.4.1 and 3.8",
          {choice_parameter(
               "island", "published", {"published", "as_worded"},
               "mass of the isolated cell: 0.01 as in the published scripts, or all of its zone as worded"),
           false_reporters("share of all reporters who claim to be at the isolated cell"),
           integer_parameter("margin", 5, 0, 100,
                             "cells that Laplace reports may lie beyond the map on every side")}};
}

}  // namespace

std::span<const Schema> place_schemas() {
  static const std::vector<Schema> schemas{gowalla(), blahut_arimoto(), privic(), comparison(), island()};
  return schemas;
}

}  // namespace earshot
