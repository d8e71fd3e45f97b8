#include "earshot/pipeline/collect_trial.hpp"

#include <optional>

#include "earshot/collect/adaptive_training.hpp"
#include "earshot/collect/linear_collection.hpp"
#include "earshot/metric/statistics.hpp"
#include "earshot/pipeline/rows.hpp"

namespace earshot {
namespace {

constexpr const char* kClosedForm = "closed_form_ldp";
constexpr const char* kTrained = "task_adaptive_ldp";
/// Epochs a training curve keeps: every one at first, then one in ten.
constexpr std::size_t kEveryEpoch = 20;
constexpr std::size_t kEpochStep = 10;

NoiseRule noise_rule(const Cell& cell) {
  const Settings& mechanism = cell.at("mechanism").settings;
  return {mechanism.real("epsilon"), mechanism.boolean("as_published")};
}

std::optional<DomainRule> domain_rule(const Cell& cell) {
  const Settings& mechanism = cell.at("mechanism").settings;
  const std::string sensitivity = mechanism.text("sensitivity");
  if (sensitivity == "measured") return std::nullopt;
  const auto shape = sensitivity == "box" ? LatentDomain::Shape::kBox : LatentDomain::Shape::kL1Ball;
  return DomainRule{shape, mechanism.real("coverage")};
}

/// The linear task of data without a target: each attribute itself, some of them more important.
Eigen::MatrixXd linear_task(const Cell& cell, Eigen::Index attributes) {
  const Choice& data = cell.at("data");
  if (data.kind != "household_power") return Eigen::MatrixXd::Identity(attributes, attributes);
  return hours_task(data.settings.size("first_hour"), data.settings.size("last_hour"),
                    data.settings.real("emphasis"));
}

/// The same records, with the linear task's answers as targets.
Records with_answers(const Records& records, const Eigen::MatrixXd& task) {
  return {records.inputs, task * records.inputs};
}

/// Everything methods have in common, and the tables they fill.
class Comparison {
 public:
  Comparison(const Cell& cell, const TrialAddress& address, const Task& task, const Records& train,
             const Records& test, const std::vector<std::string>& attributes)
      : noise_(noise_rule(cell)),
        draws_(cell.at("protocol").settings.size("draws")),
        address_(address),
        task_(task),
        train_(train),
        test_(test),
        attributes_(attributes),
        losses_(collect_columns(cell).at("losses")),
        dimensions_(collect_columns(cell).at("dimensions")),
        methods_(collect_columns(cell).at("methods")),
        training_(collect_columns(cell).at("training")) {}

  /// Releases the test records `draws` times through the method's collector.
  void add(const std::string& name, const Collector& collector) {
    Result result{name, collector, release_sensitivity(collector, test_.inputs), 0, {}, {}};
    Eigen::VectorXd squared_error = Eigen::VectorXd::Zero(test_.inputs.rows());
    for (std::size_t draw = 0; draw < draws_; ++draw) {
      const ReleaseScore score = one_release(result, test_, result.sensitivity, draw);
      losses_.add({name, draw, score.loss, score.accuracy ? Json(*score.accuracy) : Json(nullptr)});
      result.losses.push_back(score.loss);
      if (score.accuracy) result.accuracies.push_back(*score.accuracy);
      squared_error += score.squared_error / static_cast<double>(draws_);
      result.train_loss += one_release(result, train_, collector.sensitivity, draws_ + draw).loss /
                           static_cast<double>(draws_);
    }
    for (std::size_t i = 0; i < attributes_.size(); ++i)
      dimensions_.add({name, i + 1, attributes_[i], squared_error[static_cast<Eigen::Index>(i)]});
    results_.push_back(std::move(result));
  }

  Json tables() {
    for (const Result& result : results_) {
      const Summary loss = summarise(result.losses);
      const double scale = laplace_scale(result.sensitivity, noise_);
      methods_.add({result.name, result.collector.decoder.input_size(), result.sensitivity, scale,
                    result.train_loss, loss.mean, loss.deviation, accuracy_of(result),
                    reduction(result, "task_unaware"), reduction(result, "privacy_unaware")});
    }
    const Result& first = results_.front();
    training_.add({mean(first.losses), accuracy_of(first)});
    return {{"methods", methods_.json()},
            {"losses", losses_.json()},
            {"dimensions", dimensions_.json()},
            {"training", training_.json()}};
  }

  Json statement() const { return to_json(release_statement(noise_, results_.front().collector.domain)); }

 private:
  struct Result {
    std::string name;
    Collector collector;
    double sensitivity = 0;
    double train_loss = 0;
    std::vector<double> losses;
    std::vector<double> accuracies;
  };

  static Json accuracy_of(const Result& result) {
    return result.accuracies.empty() ? Json(nullptr) : Json(mean(result.accuracies));
  }

  ReleaseScore one_release(const Result& result, const Records& records, double sensitivity,
                           std::size_t draw) const {
    Stream stream({address_.seed, Purpose::kPrivacyNoise, address_.trial, results_.size(), draw});
    return release(result.collector, task_, records, sensitivity, noise_, stream);
  }

  /// By how many percent the method's mean loss is below the baseline's; null for the baselines themselves.
  Json reduction(const Result& result, std::string_view baseline) const {
    if (!result.name.starts_with("adaptive")) return nullptr;
    for (const Result& other : results_) {
      if (other.name == baseline) return finite_or_null(100 * (1 - mean(result.losses) / mean(other.losses)));
    }
    return nullptr;
  }

  NoiseRule noise_;
  std::size_t draws_;
  TrialAddress address_;
  const Task& task_;
  const Records& train_;
  const Records& test_;
  const std::vector<std::string>& attributes_;
  std::vector<Result> results_;
  RowTable losses_;
  RowTable dimensions_;
  RowTable methods_;
  RowTable training_;
};

Json run_closed_form(const Cell& cell, const TrialAddress& address, const CollectionData& data) {
  const Eigen::MatrixXd matrix = linear_task(cell, data.train.inputs.rows());
  const Task task{DenseNet(matrix, Eigen::VectorXd::Zero(matrix.rows())), Loss::kMeanSquared};
  const Records train = with_answers(data.train, matrix);
  const Records test = with_answers(data.test, matrix);
  const LinearOptions options{noise_rule(cell), domain_rule(cell),
                              cell.at("protocol").settings.size("latent")};
  Comparison comparison(cell, address, task, train, test, data.attributes);
  const std::pair<const char*, LinearMethod> methods[] = {{"adaptive", LinearMethod::kAdaptive},
                                                          {"adaptive_ball", LinearMethod::kAdaptiveBall},
                                                          {"task_unaware", LinearMethod::kTaskUnaware},
                                                          {"privacy_unaware", LinearMethod::kPrivacyUnaware}};
  for (const auto& [name, method] : methods)
    comparison.add(name, make_linear_collector(method, matrix, train.inputs, test.inputs, options));
  Json out = {{"tables", comparison.tables()}};
  if (address.trial == 0) out["statement"] = comparison.statement();
  return out;
}

TrainingOptions training_options(const Cell& cell) {
  const Settings& protocol = cell.at("protocol").settings;
  TrainingOptions options;
  options.noise = noise_rule(cell);
  options.domain = domain_rule(cell);
  options.latent = protocol.size("latent");
  options.hidden_layer = protocol.text("codec") == "neural";
  options.epochs = protocol.size("epochs");
  options.inner_steps = protocol.size("inner_steps");
  options.learning_rate = protocol.real("learning_rate");
  options.weight_decay = protocol.real("weight_decay");
  options.amsgrad = protocol.boolean("amsgrad");
  return options;
}

TrainedTask make_task(const Cell& cell, const CollectionData& data, const StreamName& where) {
  const Settings& protocol = cell.at("protocol").settings;
  return train_task(data.train, data.loss,
                    {protocol.size("task_epochs"), protocol.real("learning_rate"),
                     protocol.text("task_outputs") == "rectified"},
                    where);
}

Json task_table(const Cell& cell, const TrainedTask& trained, const CollectionData& data) {
  const Eigen::MatrixXd answers = trained.task.net(data.test.inputs);
  Eigen::MatrixXd unused = answers;
  const bool classes = data.loss == Loss::kCrossEntropy;
  RowTable table(collect_columns(cell).at("task"));
  table.add({trained.attempts, trained.train_loss,
             loss_and_gradient(data.loss, answers, data.test.targets, unused),
             classes ? Json(accuracy(answers, data.test.targets)) : Json(nullptr)});
  return table.json();
}

Json epoch_table(const Cell& cell, const std::vector<double>& losses) {
  RowTable table(collect_columns(cell).at("epochs"));
  for (std::size_t epoch = 1; epoch <= losses.size(); ++epoch) {
    if (epoch <= kEveryEpoch || epoch % kEpochStep == 0) table.add({epoch, losses[epoch - 1]});
  }
  return table.json();
}

Json run_trained(const Cell& cell, const TrialAddress& address, const CollectionData& data) {
  const StreamName where = address.stream(Purpose::kTraining);
  const TrainedTask trained = make_task(cell, data, where);
  const TrainingOptions options = training_options(cell);
  Comparison comparison(cell, address, trained.task, data.train, data.test, data.attributes);
  const Collector adaptive = train_adaptive(trained.task, data.train, options, where);
  comparison.add("adaptive", adaptive);
  if (cell.at("protocol").settings.boolean("baselines")) {
    comparison.add("task_unaware", train_task_unaware(trained.task, data.train, options, where));
    comparison.add("privacy_unaware", train_privacy_unaware(trained.task, data.train, options, where));
  }
  Json out = {{"tables", comparison.tables()}};
  out["tables"]["task"] = task_table(cell, trained, data);
  out["tables"]["epochs"] = epoch_table(cell, adaptive.epoch_loss);
  if (address.trial == 0) out["statement"] = comparison.statement();
  return out;
}

}  // namespace

bool collects(const Cell& cell) {
  const Choice* protocol = cell.find("protocol");
  return protocol != nullptr && (protocol->kind == kClosedForm || protocol->kind == kTrained);
}

CollectionData load_collection(const Choice& data, const std::filesystem::path& directory) {
  // The hours of a day share their unit; the attributes of the other tables do not.
  const Scaling scaling = data.kind == "household_power" ? Scaling::kWholeTable : Scaling::kEachColumn;
  return prepare(load_tabular(data.kind, directory), scaling, data.settings.real("train_share"));
}

Json run_collect_trial(const Cell& cell, const TrialAddress& address, const CollectionData& data) {
  return cell.at("protocol").kind == kClosedForm ? run_closed_form(cell, address, data)
                                                 : run_trained(cell, address, data);
}

TableColumns collect_columns(const Cell& cell) {
  TableColumns columns;
  columns["methods"] = {"method",
                        "latent",
                        "sensitivity",
                        "noise_scale",
                        "train_loss",
                        "loss",
                        "loss_std",
                        "accuracy",
                        "reduction_task_unaware",
                        "reduction_privacy_unaware"};
  columns["training"] = {"loss", "accuracy"};
  columns["losses"] = {"method", "draw", "loss", "accuracy"};
  columns["dimensions"] = {"method", "dimension", "attribute", "mse"};
  if (cell.at("protocol").kind != kTrained) return columns;
  columns["epochs"] = {"epoch", "train_loss"};
  columns["task"] = {"attempts", "train_loss", "loss", "accuracy"};
  return columns;
}

}  // namespace earshot
