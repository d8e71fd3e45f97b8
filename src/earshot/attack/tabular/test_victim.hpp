// For tests: a batch of the small table behind a small network.
#pragma once

#include <memory>
#include <vector>

#include "earshot/attack/tabular/cell_accuracy.hpp"
#include "earshot/attack/tabular/table_layout.hpp"
#include "earshot/attack/tabular/tableak.hpp"
#include "earshot/attack/tabular/test_table.hpp"
#include "earshot/model/native/native_model.hpp"

namespace earshot {

/// A network of one hidden layer, fresh, and what it says of a batch.
struct Victim {
  TableEncoder encoder;
  Architecture net;
  std::unique_ptr<Model> model;
  std::vector<double> parameters, truth, targets;
  std::size_t rows;

  Victim(CategoryEncoding encoding, std::size_t first, std::size_t count)
      : encoder(people_encoder(encoding)), truth(people_cells(first, count)), rows(count) {
    net.input = Shape{encoder.width()};
    net.layers = {Dense{24}, Activate{ActivationKind::kRelu}, Dense{2}};
    use(net, first);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t k = 0; k < 2; ++k) targets.push_back(r % 2 == k ? 1 : 0);
  }
  /// This network instead, with fresh parameters.
  void use(const Architecture& architecture, std::uint64_t seed) {
    net = architecture;
    model = make_native_model(net);
    parameters.resize(model->parameter_count());
    Stream stream({seed, Purpose::kTest, 5});
    model->initialise(stream, parameters);
  }
  std::vector<double> gradient_at(std::span<const double> at) const {
    std::vector<double> gradient(parameters.size());
    model->gradient(at, {rows, to_records(encoder, truth), targets}, gradient);
    return gradient;
  }
  Observation observation() const { return observe_gradient(parameters, gradient_at(parameters), rows); }
  TabLeakOptions options() const {
    TabLeakOptions out;
    out.members = 5;
    out.descent.iterations = 300;
    out.targets = targets;
    return out;
  }
  double accuracy(const TabLeak& found) const {
    return cell_accuracy(encoder, truth, found.pooled.cells).accuracy;
  }
};

}  // namespace earshot
