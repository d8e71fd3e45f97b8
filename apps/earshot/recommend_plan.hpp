// The experiment behind `earshot recommend`: every combination of protections, trained and attacked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace earshot::cli {

struct RecommendPlan {
  std::string data;    // a dataset's name, or a CSV file
  std::string schema;  // of a CSV file
  std::string model = "mlp";
  std::string hidden = "100,100";  // of an mlp
  std::vector<std::string> topologies = {"fedsgd", "skip_ring", "muffliato_random"};
  std::vector<std::string> encodings = {"one_hot", "random_binary"};
  std::vector<double> sigmas = {0.01, 0.1, 1};
  std::vector<std::uint64_t> batches = {4, 16};
  std::size_t nodes = 20;
  std::size_t rounds = 40;
  std::size_t victims = 5;
  std::size_t members = 8;
  std::size_t iterations = 500;
  std::size_t trials = 1;
  std::uint64_t seed = 1;
};

/// As TOML; what makes no sense is refused when it is read as any other plan.
std::string recommend_text(const RecommendPlan& plan);

}  // namespace earshot::cli
