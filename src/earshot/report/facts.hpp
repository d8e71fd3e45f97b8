// What the numbers of a cell say about each attacker, each victim and each pair: computed once for every
// renderer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "earshot/report/results.hpp"
#include "earshot/report/table_facts.hpp"

namespace earshot {

/// One attacker, or one set of colluding attackers, in one cell; scores are means over trials and victims.
struct AttackerFacts {
  std::string label;                 // names joined by "+"
  std::vector<std::size_t> members;  // into CellFacts::nodes; empty when the name is no node
  std::optional<double> degree, eigenvector, betweenness;
  std::optional<double> determined;  // share of the others whose values the messages determine exactly
  std::optional<double> success;     // share of the others reconstructed above the success line
  std::optional<double> psnr, zero_psnr, mean_psnr;  // attack, all-zero guess, mean guess
  const ExposureFacts* exposure = nullptr;

  /// What counts as leaking: what was reconstructed when an attack ran, else what could be.
  std::optional<double> leak() const { return success ? success : determined; }
};

struct PairFacts {
  std::size_t attacker = 0, victim = 0;
  bool determined = false;
  bool beyond_precision = false;  // determined, but noise of float64 already hides it
  bool reconstructed = false;     // by the attack in most trials; when none ran, determined
  std::optional<double> first_round, amplification, distance, success;
  std::optional<double> psnr, zero_psnr, mean_psnr, ssim, relative_error;
};

struct CellFacts {
  std::string label;      // the swept settings, or "this run"
  std::string guarantee;  // "no privacy", "ε = 8", or empty when the cell makes no statement
  std::vector<std::string> nodes;
  std::vector<AttackerFacts> attackers;
  std::vector<PairFacts> pairs;         // by attacker, then victim
  std::vector<std::size_t> exposed_to;  // per node: how many attackers reconstruct it
  std::optional<double> accuracy, loss, consensus_error;
  std::optional<double> baseline;  // accuracy of always saying the most frequent class
  std::optional<double> mean_leak, mean_determined, mean_success, psnr, zero_psnr, mean_psnr;
  std::size_t reconstruct_most = 0;       // attackers whose leak exceeds one half
  std::optional<TableAttackFacts> table;  // an attack on the rows of a table, and its means:
  std::optional<double> cells_right, cells_random, cells_likeliest;
};

/// `cell` must outlive the facts, which point into it.
CellFacts cell_facts(const CellResults& cell);

}  // namespace earshot
