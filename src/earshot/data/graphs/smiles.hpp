// SMILES, the line notation of molecules, read strictly by the OpenSMILES specification (1.0).
#pragma once

#include <string_view>

#include "earshot/data/graphs/molecule.hpp"

namespace earshot {

/// Longer ones are refused: no molecule of the datasets comes near.
inline constexpr std::size_t kLongestSmiles = 4096;

/// The molecule written. Hydrogens left out are filled in; a bond left out between aromatic atoms is aromatic
/// if it lies on a ring, single otherwise; / and \ are read as single bonds, because a graph has no place for
/// the geometry of a double bond. Refuses with `character 7: …` what is no SMILES; whether the molecule can
/// exist is check_chemistry's question.
Molecule parse_smiles(std::string_view text);

}  // namespace earshot
