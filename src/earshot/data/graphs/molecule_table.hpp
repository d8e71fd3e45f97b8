// Tables of molecules: SMILES and yes-or-no answers about them, as MoleculeNet publishes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/data/formats/text_lines.hpp"
#include "earshot/data/graphs/graph_dataset.hpp"
#include "earshot/data/graphs/molecule.hpp"

namespace earshot {

/// A row whose SMILES does not describe a possible molecule.
struct RefusedMolecule {
  std::size_t line = 0;
  std::string smiles;
  std::string why;
};

struct MoleculeTable {
  std::string name;
  std::vector<std::string> tasks;
  std::vector<Molecule> molecules;
  std::vector<std::string> smiles;       // as written, one per molecule
  std::vector<int> labels;               // molecules x tasks: 0, 1 or kNoLabel
  std::vector<RefusedMolecule> refused;  // never dropped silently: shown to whoever loads the table
};

/// A CSV file with the columns `tasks` (0, 1 or blank), `smiles`, and those of `ignored`, in any order. A
/// SMILES that cannot be read is listed in `refused`; anything else wrong with the file is an error.
MoleculeTable read_molecule_table(const TextFile& file, const std::string& name,
                                  const std::vector<std::string>& tasks,
                                  const std::vector<std::string>& ignored);

/// One graph per molecule that has an answer for the task: atoms are nodes, bonds are edges labelled by their
/// order (0: aromatic). The classes are "no" and "yes".
GraphsDataset molecule_graphs(const MoleculeTable& table, std::string_view task);

/// What molecule_graphs says of an atom: its element as one of eleven or another, its bonds and hydrogens as
/// one of k, charge, whether it is aromatic and whether it is on a ring.
std::vector<std::string> atom_feature_names();
/// atoms x atom_feature_names().size(), row-major.
std::vector<double> atom_features(const Molecule& molecule);

}  // namespace earshot
