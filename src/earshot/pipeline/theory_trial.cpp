#include "earshot/pipeline/theory_trial.hpp"

#include "earshot/attack/inversion/clone_checks.hpp"
#include "earshot/attack/inversion/theory_checks.hpp"
#include "earshot/model/native/native_model.hpp"
#include "earshot/pipeline/rows.hpp"

namespace earshot {
namespace {

constexpr const char* kTheory = "gradient_theory";

/// What each stream of a trial is for: the table it fills.
enum Table : std::uint64_t { kClones, kRightInverses, kArrangements, kBatches, kPeeling };

Stream stream_of(const TrialAddress& address, Table table, std::uint64_t row) {
  return Stream({address.seed, Purpose::kAttack, address.trial, table, row});
}

RowTable table_of(const char* name) {
  return RowTable(theory_columns().at(name));
}

Json clone_row(const CloneCheck& c, std::size_t classes) {
  return {c.check, classes,      c.instances,       c.with_clones, c.predicted,
          c.most,  c.agreements, c.disagreements(), c.worst_error};
}

Json clones_table(const Settings& settings, const TrialAddress& address) {
  const std::size_t instances = settings.size("instances");
  const std::size_t dimension = settings.size("dimension");
  RowTable table = table_of("clones");
  Stream two = stream_of(address, kClones, 2);
  for (const CloneCheck& check : check_two_class_clones(instances, dimension, two))
    table.add(clone_row(check, 2));
  for (std::size_t m = 3; m <= settings.size("classes"); ++m) {
    Stream stream = stream_of(address, kClones, m);
    table.add(clone_row(check_several_class_clones(instances, dimension, m, stream), m));
  }
  return table.json();
}

/// Calls use(classes, records, stream) for every batch of distinct labels.
template <class Use>
void each_batch(const Settings& settings, const TrialAddress& address, Table table, Use use) {
  const std::size_t most = settings.size("classes");
  for (std::size_t m = 2; m <= most; ++m) {
    for (std::size_t k = 1; k <= m; ++k) {
      Stream stream = stream_of(address, table, m * (most + 1) + k);
      use(m, k, stream);
    }
  }
}

Json right_inverses_table(const Settings& settings, const TrialAddress& address) {
  RowTable table = table_of("right_inverses");
  each_batch(settings, address, kRightInverses, [&](std::size_t m, std::size_t k, Stream& stream) {
    const RankCheck c = check_right_inverses(m, k, settings.size("batches"), stream);
    table.add({m, k, m - k, c.instances, c.full_rank, c.dominant, c.agreements, c.instances - c.agreements,
               c.least_singular, c.full_rank > 0 ? Json(c.worst_error) : Json(nullptr)});
  });
  return table.json();
}

Json arrangements_table(const Settings& settings, const TrialAddress& address) {
  RowTable table = table_of("arrangements");
  each_batch(settings, address, kArrangements, [&](std::size_t m, std::size_t k, Stream& stream) {
    const ArrangementCheck c = check_even_batches(m, k, settings.size("batches"), stream);
    table.add({m, k, m - k, c.instances, c.unique, c.same_arrangement});
  });
  return table.json();
}

/// Dense layers with ReLU between them: `depth` of them, the hidden ones of equal width.
Architecture dense_network(const Settings& settings, std::size_t depth, std::size_t classes, bool bias) {
  Architecture network;
  network.input = Shape{settings.size("dimension")};
  network.loss = LossKind::kSoftmaxCrossEntropy;
  for (std::size_t layer = 1; layer < depth; ++layer) {
    network.layers.push_back(Dense{settings.size("width"), bias});
    network.layers.push_back(Activate{ActivationKind::kRelu});
  }
  network.layers.push_back(Dense{classes, bias});
  return network;
}

Json batches_table(const Settings& settings, const TrialAddress& address) {
  RowTable table = table_of("batches");
  each_batch(settings, address, kBatches, [&](std::size_t m, std::size_t k, Stream& stream) {
    if (k == m) return;  // no right inverse
    const Architecture layer = dense_network(settings, 1, m, true);
    const BatchGradientCheck c =
        check_batch_gradients(layer, *make_native_model(layer), k, settings.size("batches"), stream);
    table.add({m, k, c.instances, c.gradient_error, c.record_error});
  });
  return table.json();
}

Json peeling_table(const Settings& settings, const TrialAddress& address) {
  const std::pair<const char*, RecordRoute> routes[] = {
      {"first_layer", RecordRoute::kFirstLayer},
      {"bias_and_peeling", RecordRoute::kBiasAndPeeling},
      {"weights_and_peeling", RecordRoute::kWeightsAndPeeling}};
  RowTable table = table_of("peeling");
  for (const auto& [name, route] : routes) {
    const bool bias = route != RecordRoute::kWeightsAndPeeling;
    for (std::size_t depth = 1; depth <= settings.size("depth"); ++depth) {
      const Architecture network = dense_network(settings, depth, settings.size("classes"), bias);
      Stream stream = stream_of(address, kPeeling, 3 * depth + static_cast<std::size_t>(route));
      const RecordCheck c =
          check_records(network, *make_native_model(network), route, settings.size("networks"), stream);
      table.add({name, depth, bias, c.instances, c.recovered, c.silent, c.failed(),
                 static_cast<double>(c.recovered) / static_cast<double>(c.instances),
                 c.recovered > 0 ? Json(c.worst_error) : Json(nullptr)});
    }
  }
  return table.json();
}

}  // namespace

Schema theory_schema() {
  return {"protocol",
          kTheory,
          "no protocol: checks theorems on leakage from gradients on random instances",
          "Biswas 2024, chapter 6",
          {integer_parameter("instances", 10000, 1, 10000000, "random inputs whose clones are counted"),
           integer_parameter("batches", 1000, 1, 1000000, "random batches for each number of records"),
           integer_parameter("networks", 200, 1, 1000000, "random networks of each depth and route"),
           integer_parameter("dimension", 8, 1, 10000, "numbers in a record"),
           integer_parameter("classes", 6, 3, 50, "largest number of classes; that of deep networks"),
           integer_parameter("depth", 6, 1, 50, "largest number of dense layers"),
           integer_parameter("width", 16, 1, 1000, "units of a hidden layer")}};
}

bool checks_theory(const Cell& cell) {
  const Choice* protocol = cell.find("protocol");
  return protocol != nullptr && protocol->kind == kTheory;
}

Json run_theory_trial(const Cell& cell, const TrialAddress& address) {
  const Settings& settings = cell.at("protocol").settings;
  return {{"tables",
           {{"clones", clones_table(settings, address)},
            {"right_inverses", right_inverses_table(settings, address)},
            {"arrangements", arrangements_table(settings, address)},
            {"batches", batches_table(settings, address)},
            {"peeling", peeling_table(settings, address)}}}};
}

TableColumns theory_columns() {
  return {
      {"clones",
       {"check", "classes", "instances", "with_clones", "predicted", "most", "agreements", "disagreements",
        "worst_error"}},
      {"right_inverses",
       {"classes", "records", "absent_classes", "instances", "full_rank", "dominant", "agreements",
        "disagreements", "least_singular", "worst_error"}},
      {"arrangements", {"classes", "records", "absent_classes", "instances", "unique", "same_arrangement"}},
      {"batches", {"classes", "records", "instances", "gradient_error", "record_error"}},
      {"peeling",
       {"route", "depth", "bias", "instances", "recovered", "silent", "failed", "success", "worst_error"}}};
}

}  // namespace earshot
