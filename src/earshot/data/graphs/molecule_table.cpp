#include "earshot/data/graphs/molecule_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"
#include "earshot/data/formats/csv_records.hpp"
#include "earshot/data/formats/plain_text.hpp"
#include "earshot/data/graphs/smiles.hpp"

namespace earshot {
namespace {

constexpr std::string_view kSmilesColumn = "smiles";

/// Elements with a column of their own, in the order of the columns.
constexpr std::array<int, 11> kElements{6, 7, 8, 16, 9, 17, 35, 53, 15, 5, 14};
constexpr std::size_t kMostBonds = 5;      // the last column: so many or more
constexpr std::size_t kMostHydrogens = 4;  // likewise

/// Where each column of interest stands.
struct Columns {
  std::size_t count = 0;
  std::size_t smiles = 0;
  std::vector<std::size_t> tasks;
};

std::size_t find_column(const std::vector<TextCell>& header, std::string_view name,
                        const std::string& origin) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i].text == name) return i;
  }
  fail(Fault::kData, fmt::format("{}:1: the header has no column \"{}\"", origin, name));
}

Columns read_header(CsvRecords& records, const std::string& origin, const std::vector<std::string>& tasks,
                    const std::vector<std::string>& ignored) {
  std::vector<TextCell> header;
  if (!records.next(header)) fail(Fault::kData, fmt::format("{}: is empty, expected a header line", origin));
  Columns columns{header.size(), find_column(header, kSmilesColumn, origin), {}};
  for (const std::string& task : tasks) columns.tasks.push_back(find_column(header, task, origin));
  for (const std::string& name : ignored) find_column(header, name, origin);
  if (header.size() != tasks.size() + ignored.size() + 1)
    fail(Fault::kData, fmt::format("{}:1: {} columns found, expected {}", origin, header.size(),
                                   tasks.size() + ignored.size() + 1));
  return columns;
}

int read_answer(const TextCell& cell, const std::string& task, const std::string& origin) {
  if (cell.text == "0") return 0;
  if (cell.text == "1") return 1;
  if (cell.text.empty() && !cell.quoted) return kNoLabel;
  fail(Fault::kData, fmt::format("{}:{}: {} is {}, allowed: 0, 1 or nothing", origin, cell.line, task,
                                 in_quotes(cell.text)));
}

/// False: the SMILES was refused, and the table says so.
bool add_molecule(const TextCell& cell, MoleculeTable& table) {
  try {
    Molecule molecule = parse_smiles(cell.text);
    check_chemistry(molecule);
    table.molecules.push_back(std::move(molecule));
    table.smiles.push_back(cell.text);
    return true;
  } catch (const Error& error) {
    if (error.fault() != Fault::kData) throw;
    table.refused.push_back({cell.line, cell.text, error.what()});
    return false;
  }
}

/// Writes a one into one of `count` columns from `first` on; too large values share the last.
void set_one(std::vector<double>& row, std::size_t first, std::size_t value, std::size_t last) {
  row[first + std::min(value, last)] = 1;
}

std::string refusal_note(const MoleculeTable& table) {
  if (table.refused.empty()) return "";
  std::vector<std::string> lines;
  for (const RefusedMolecule& row : table.refused) lines.push_back(std::to_string(row.line));
  return fmt::format("{} of {} rows are left out, their SMILES describing no possible molecule: line {}",
                     table.refused.size(), table.refused.size() + table.molecules.size(), join(lines, ", "));
}

}  // namespace

MoleculeTable read_molecule_table(const TextFile& file, const std::string& name,
                                  const std::vector<std::string>& tasks,
                                  const std::vector<std::string>& ignored) {
  CsvRecords records(file.text, file.origin, ',');
  const Columns columns = read_header(records, file.origin, tasks, ignored);
  MoleculeTable table{name, tasks, {}, {}, {}, {}};
  for (std::vector<TextCell> cells; records.next(cells);) {
    if (cells.size() != columns.count)
      fail(Fault::kData, fmt::format("{}:{}: {} fields found, expected {}", file.origin, cells.front().line,
                                     cells.size(), columns.count));
    std::vector<int> answers;
    for (std::size_t t = 0; t < tasks.size(); ++t)
      answers.push_back(read_answer(cells[columns.tasks[t]], tasks[t], file.origin));
    if (add_molecule(cells[columns.smiles], table))
      std::ranges::copy(answers, std::back_inserter(table.labels));
  }
  return table;
}

std::vector<std::string> atom_feature_names() {
  std::vector<std::string> names;
  for (const int element : kElements) names.push_back(fmt::format("is {}", element_symbol(element)));
  names.emplace_back("is another element");
  for (std::size_t i = 0; i <= kMostBonds; ++i)
    names.push_back(fmt::format("{} bonds{}", i, i == kMostBonds ? " or more" : ""));
  for (std::size_t i = 0; i <= kMostHydrogens; ++i)
    names.push_back(fmt::format("{} hydrogens{}", i, i == kMostHydrogens ? " or more" : ""));
  std::ranges::copy(std::array{"charge", "is aromatic", "is on a ring"}, std::back_inserter(names));
  return names;
}

std::vector<double> atom_features(const Molecule& molecule) {
  const std::size_t atoms = molecule.atoms.size();
  std::vector<std::size_t> bonds(atoms, 0);
  std::vector<bool> on_ring(atoms, false);
  const std::vector<bool> ring = ring_bonds(molecule);
  for (std::size_t k = 0; k < molecule.bonds.size(); ++k) {
    for (const std::uint32_t atom : {molecule.bonds[k].a, molecule.bonds[k].b}) {
      ++bonds[atom];
      if (ring[k]) on_ring[atom] = true;
    }
  }
  constexpr std::size_t kBondsFrom = kElements.size() + 1;
  constexpr std::size_t kHydrogensFrom = kBondsFrom + kMostBonds + 1;
  constexpr std::size_t kChargeAt = kHydrogensFrom + kMostHydrogens + 1;
  std::vector<double> features;
  for (std::size_t i = 0; i < atoms; ++i) {
    const Atom& atom = molecule.atoms[i];
    std::vector<double> row(kChargeAt + 3, 0.0);
    const auto element = std::ranges::find(kElements, atom.element) - kElements.begin();
    row[static_cast<std::size_t>(element)] = 1;
    set_one(row, kBondsFrom, bonds[i], kMostBonds);
    set_one(row, kHydrogensFrom, static_cast<std::size_t>(atom.hydrogens), kMostHydrogens);
    row[kChargeAt] = atom.charge;
    row[kChargeAt + 1] = atom.aromatic ? 1 : 0;
    row[kChargeAt + 2] = on_ring[i] ? 1 : 0;
    std::ranges::copy(row, std::back_inserter(features));
  }
  return features;
}

GraphsDataset molecule_graphs(const MoleculeTable& table, std::string_view task) {
  const auto found = std::ranges::find(table.tasks, task);
  if (found == table.tasks.end())
    fail(Fault::kConfig,
         fmt::format("{} has no task \"{}\"; {}", table.name, task, suggest(task, table.tasks)));
  const auto column = static_cast<std::size_t>(found - table.tasks.begin());
  GraphsDataset dataset{table.name, atom_feature_names(), {}, {"no", "yes"}, ""};
  for (std::size_t i = 0; i < table.molecules.size(); ++i) {
    const int label = table.labels[i * table.tasks.size() + column];
    if (label == kNoLabel) continue;
    const Molecule& molecule = table.molecules[i];
    LabelledGraph graph;
    graph.nodes = molecule.atoms.size();
    graph.label = label;
    graph.features = atom_features(molecule);
    for (const Atom& atom : molecule.atoms) graph.node_labels.push_back(atom.element);
    std::vector<std::pair<NodePair, int>> edges;
    for (const Bond& bond : molecule.bonds)
      edges.emplace_back(NodePair{std::min(bond.a, bond.b), std::max(bond.a, bond.b)},
                         static_cast<int>(bond.order));
    std::ranges::sort(edges);
    for (const auto& [ends, order] : edges) {
      graph.edges.push_back(ends);
      graph.edge_labels.push_back(order);
    }
    dataset.graphs.push_back(std::move(graph));
  }
  dataset.note = refusal_note(table);
  check(dataset);
  return dataset;
}

}  // namespace earshot
