// Fuzzes the SMILES reader: what it accepts must be a graph whose parts fit together, whatever the chemistry.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "earshot/data/graphs/molecule_table.hpp"
#include "earshot/data/graphs/smiles.hpp"
#include "fuzz_target.hpp"

namespace {

void check(const earshot::Molecule& molecule) {
  if (molecule.atoms.empty()) std::abort();
  for (const earshot::Bond& bond : molecule.bonds) {
    if (bond.a == bond.b || bond.a >= molecule.atoms.size() || bond.b >= molecule.atoms.size()) std::abort();
  }
  for (const earshot::Atom& atom : molecule.atoms) {
    if (atom.hydrogens < 0 || atom.hydrogens > 9) std::abort();
  }
  if (earshot::molecular_formula(molecule).empty()) std::abort();
  if (earshot::atom_features(molecule).size() != molecule.atoms.size() * earshot::atom_feature_names().size())
    std::abort();
  earshot::check_chemistry(molecule);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  earshot::fuzzing::accept_or_refuse([&] { check(earshot::parse_smiles(text)); });
  return 0;
}
