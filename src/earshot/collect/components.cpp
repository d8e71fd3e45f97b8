#include "earshot/collect/components.hpp"

#include <algorithm>

namespace earshot {
namespace {

Parameter share_parameter() {
  return above_minimum(real_parameter("train_share", 0.7, 0, 0.999,
                                      "share of the rows, in file order, that is trained on; the others are "
                                      "released"));
}

Schema table(std::string name, std::string summary, std::string reference, std::vector<Parameter> more) {
  Schema schema{"data", std::move(name), std::move(summary), std::move(reference), {share_parameter()}};
  for (Parameter& parameter : more) schema.parameters.push_back(std::move(parameter));
  return schema;
}

Parameter draws_parameter(std::int64_t fallback) {
  return integer_parameter("draws", fallback, 1, 100000,
                           "noisy releases of the test records to average over");
}

Parameter latent_parameter(std::string help) {
  return integer_parameter("latent", 3, 1, 1000, std::move(help));
}

std::vector<Schema> tables() {
  return {
      table("household_power", "days of one household, 24 hourly means of power; the task is the day itself",
            "Hebrail & Berard 2012 (UCI)",
            {integer_parameter("first_hour", 9, 1, 24, "first hour that counts more, from 1"),
             integer_parameter("last_hour", 20, 1, 24, "last hour that counts more"),
             above_minimum(real_parameter("emphasis", 2.0, 0, 1e6,
                                          "weight of an error in those hours; 1 in the others"))}),
      table("real_estate", "dwellings with 6 attributes; the task is their price", "Yeh & Hsu 2018 (UCI)",
            {}),
      table("wdbc", "biopsies with 30 attributes; the task is benign or malignant",
            "Wolberg, Street & Mangasarian 1995 (UCI)", {})};
}

Schema closed_form() {
  return {"protocol",
          "closed_form_ldp",
          "records are released through the best linear encoder for a linear task, and by both baselines",
          "Cheng, Tang & Chinchali 2022",
          {latent_parameter("axes of the privacy-unaware baseline"), draws_parameter(100)}};
}

Schema task_adaptive() {
  return {
      "protocol",
      "task_adaptive_ldp",
      "records are released through an encoder trained with noise for a task network, and by both baselines",
      "Cheng, Tang & Chinchali 2022; Sui 2026, chapter 4",
      {choice_parameter("codec", "linear", {"linear", "neural"},
                        "encoder and decoder: linear, or with one hidden sigmoid layer"),
       latent_parameter("numbers released per record"),
       integer_parameter("epochs", 2000, 1, 1000000, "noise and sensitivity are renewed every epoch"),
       integer_parameter("inner_steps", 15, 1, 10000, "steps of encoder and decoder in an epoch"),
       above_minimum(real_parameter("learning_rate", 1e-3, 0, 10, "Adam step size")),
       real_parameter("weight_decay", 0.1, 0, 1e6, "eta: the encoder's gradient gets 2 eta theta"),
       boolean_parameter("amsgrad", true, "AMSGrad variant of Adam for encoder and decoder"),
       integer_parameter("task_epochs", 5000, 1, 10000000, "epochs the task network is trained for first"),
       choice_parameter("task_outputs", "linear", {"linear", "rectified"},
                        "outputs of the task network; rectified, as published, dies for some seeds and is "
                        "started again"),
       boolean_parameter("baselines", true, "also train the task-unaware and privacy-unaware baselines"),
       draws_parameter(20)}};
}

Schema latent_laplace() {
  return {"mechanism",
          "latent_laplace",
          "local DP: Laplace noise on encoded records, scaled to their L1 sensitivity",
          "Dwork, McSherry, Nissim & Smith 2006",
          {above_minimum(real_parameter("epsilon", {}, 0, 1e9, "of one release of one record")),
           choice_parameter("sensitivity", "measured", {"measured", "box", "l1_ball"},
                            "measured on the records (no worst-case guarantee), or of a domain fixed on "
                            "training records that every record is clipped to"),
           above_minimum(real_parameter("coverage", 1.0, 0, 1,
                                        "share of training records the domain holds; unused when measured")),
           boolean_parameter("as_published", false,
                             "noise variance as in the published code, half of what epsilon needs")}};
}

}  // namespace

std::span<const Schema> collect_schemas() {
  static const std::vector<Schema> schemas = [] {
    std::vector<Schema> all = tables();
    all.push_back(closed_form());
    all.push_back(task_adaptive());
    all.push_back(latent_laplace());
    return all;
  }();
  return schemas;
}

bool is_table(std::string_view name) {
  return std::ranges::any_of(
      collect_schemas(), [&](const Schema& schema) { return schema.role == "data" && schema.name == name; });
}

}  // namespace earshot
