// Who wrote each MNIST digit (QMNIST, Yadav & Bottou 2019): MNIST as a set of real, separate people.
#pragma once

#include "earshot/data/formats/idx.hpp"
#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

/// Sets clients and client_count from QMNIST's extended labels. Row i describes image i: column 0 must be its
/// label, column 2 is the writer's number at NIST. There may be more rows than images (QMNIST restored the
/// lost test digits behind the known ones). Clients are numbered from 0 in the order of the writers' numbers.
void add_writers(ImageDataset& dataset, const IdxTable& extended_labels);

}  // namespace earshot
