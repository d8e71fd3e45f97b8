#include "earshot/collect/adaptive_training.hpp"

#include <cmath>

#include <fmt/format.h>

#include "earshot/collect/sensitivity.hpp"
#include "earshot/core/error.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/training/optimiser.hpp"

namespace earshot {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Who draws from the training streams of a trial; part of the reproducibility contract.
enum class Trainee : std::uint64_t {
  kTask = 0,
  kAdaptive = 1000,
  kTaskUnaware = 1001,
  kPrivacyUnaware = 1002
};

StreamName named(const StreamName& where, Purpose purpose, Trainee trainee, std::uint64_t round) {
  return {where.seed, purpose, where.trial, static_cast<std::uint64_t>(trainee), round};
}

void check_finite(double loss) {
  if (!std::isfinite(loss)) fail(Fault::kNumeric, "training diverged; lower the learning rate");
}

Adam make_adam(Index size, double rate, bool amsgrad) {
  return {static_cast<std::size_t>(size), {.rate = rate, .amsgrad = amsgrad}};
}

void step(Adam& adam, VectorXd& parameters, const VectorXd& gradient) {
  const auto size = static_cast<std::size_t>(gradient.size());
  adam.step({parameters.data(), size}, {gradient.data(), size});
}

double fit(DenseNet& net, const Records& records, Loss loss, const TaskOptions& options) {
  Pass pass(net, records.inputs.cols());
  MatrixXd output_gradient(records.targets.rows(), records.targets.cols());
  VectorXd gradient(net.parameters().size());
  Adam adam = make_adam(gradient.size(), options.learning_rate, false);
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    stop_if_interrupted();
    loss_and_gradient(loss, pass.forward(net, records.inputs), records.targets, output_gradient);
    pass.backward(net, records.inputs, output_gradient, &gradient, nullptr);
    step(adam, net.parameters(), gradient);
  }
  return loss_and_gradient(loss, pass.forward(net, records.inputs), records.targets, output_gradient);
}

/// Encoder, decoder and task on one set of records, with all memory their training needs.
class Trainer {
 public:
  Trainer(const Task& task, const Records& records, const TrainingOptions& options, Collector& collector,
          const StreamName& where, Trainee trainee)
      : task_(task),
        records_(records),
        options_(options),
        collector_(collector),
        where_(where),
        trainee_(trainee),
        decoder_pass_(collector.decoder, records.inputs.cols()),
        task_pass_(task.net, records.inputs.cols()),
        noise_(MatrixXd::Zero(collector.decoder.input_size(), records.inputs.cols())),
        latent_(noise_),
        latent_gradient_(noise_),
        decoded_gradient_(records.inputs),
        answer_gradient_(records.targets),
        decoder_gradient_(collector.decoder.parameters().size()),
        decoder_adam_(make_adam(decoder_gradient_.size(), options.learning_rate, options.amsgrad)) {}

  /// Encoder and decoder alternate; without noise the encoder is blind to privacy.
  void train_both(bool with_noise) {
    Pass encoder_pass(*collector_.encoder, records_.inputs.cols());
    VectorXd gradient(collector_.encoder->parameters().size());
    Adam adam = make_adam(gradient.size(), options_.learning_rate, options_.amsgrad);
    collector_.epoch_loss.clear();
    latent_ = encoder_pass.forward(*collector_.encoder, records_.inputs);
    for (std::size_t epoch = 0; epoch < options_.epochs; ++epoch) {
      stop_if_interrupted();
      for (std::size_t step = 0; step < options_.inner_steps; ++step) {
        const double loss = encoder_step(encoder_pass, gradient, adam, with_noise);
        if (step == 0) collector_.epoch_loss.push_back(loss);
        latent_ = encoder_pass.forward(*collector_.encoder, records_.inputs) + noise_;
        decoder_step();
      }
      if (!with_noise) continue;
      latent_ -= noise_;
      draw_noise(l1_diameter(latent_), epoch + 1);
      latent_ += noise_;
    }
  }

  /// The decoder alone, on encoded records that stay as they are.
  void train_decoder(double sensitivity, std::uint64_t first_round) {
    const MatrixXd encoded = collector_.encode(records_.inputs);
    for (std::size_t epoch = 0; epoch < options_.epochs; ++epoch) {
      stop_if_interrupted();
      draw_noise(sensitivity, first_round + epoch);
      latent_ = encoded + noise_;
      for (std::size_t step = 0; step < options_.inner_steps; ++step) decoder_step();
    }
  }

 private:
  /// Loss of what is in latent_; leaves its gradient with respect to the decoded records.
  double evaluate() {
    const MatrixXd& decoded = decoder_pass_.forward(collector_.decoder, latent_);
    const MatrixXd& answers = task_pass_.forward(task_.net, decoded);
    const double loss = loss_and_gradient(task_.loss, answers, records_.targets, answer_gradient_);
    check_finite(loss);
    task_pass_.backward(task_.net, decoded, answer_gradient_, nullptr, &decoded_gradient_);
    return loss;
  }

  double encoder_step(Pass& pass, VectorXd& gradient, Adam& adam, bool with_noise) {
    const double loss = evaluate();
    decoder_pass_.backward(collector_.decoder, latent_, decoded_gradient_, nullptr, &latent_gradient_);
    pass.backward(*collector_.encoder, records_.inputs, latent_gradient_, &gradient, nullptr);
    // Decay only keeps an encoder from outgrowing noise that is frozen within an epoch; without noise there
    // is no need.
    if (with_noise) gradient += 2 * options_.weight_decay * collector_.encoder->parameters();
    step(adam, collector_.encoder->parameters(), gradient);
    return loss;
  }

  void decoder_step() {
    evaluate();
    decoder_pass_.backward(collector_.decoder, latent_, decoded_gradient_, &decoder_gradient_, nullptr);
    step(decoder_adam_, collector_.decoder.parameters(), decoder_gradient_);
  }

  void draw_noise(double sensitivity, std::uint64_t round) {
    Stream stream(named(where_, Purpose::kTraining, trainee_, round));
    noise_.setZero();
    add_laplace(noise_, laplace_scale(sensitivity, options_.noise), stream);
  }

  const Task& task_;
  const Records& records_;
  const TrainingOptions& options_;
  Collector& collector_;
  StreamName where_;
  Trainee trainee_;
  Pass decoder_pass_;
  Pass task_pass_;
  MatrixXd noise_;
  MatrixXd latent_;  // encoded records and noise
  MatrixXd latent_gradient_;
  MatrixXd decoded_gradient_;
  MatrixXd answer_gradient_;
  VectorXd decoder_gradient_;
  Adam decoder_adam_;
};

std::vector<std::size_t> codec_widths(std::size_t from, std::size_t hidden, std::size_t to) {
  return hidden == 0 ? std::vector{from, to} : std::vector{from, hidden, to};
}

/// Untrained. Every method starts from numbers of the same streams.
Collector make_collector(const Records& records, const TrainingOptions& options, bool encoded,
                         const StreamName& where) {
  const auto attributes = static_cast<std::size_t>(records.inputs.rows());
  if (options.latent == 0 || options.latent > attributes)
    fail(Fault::kConfig,
         fmt::format("the latent dimension must be between 1 and the {} attributes of a record", attributes));
  const std::size_t hidden = options.hidden_layer ? attributes : 0;
  const std::size_t latent = encoded ? options.latent : attributes;
  Collector collector{
      std::nullopt,
      DenseNet(codec_widths(latent, hidden, attributes), DenseActivation::kSigmoid, DenseActivation::kLinear),
      std::nullopt,
      0,
      {}};
  Stream decoder_stream(named(where, Purpose::kModelInit, Trainee::kAdaptive, 1));
  collector.decoder.initialise(decoder_stream);
  if (encoded) {
    collector.encoder.emplace(codec_widths(attributes, hidden, latent), DenseActivation::kSigmoid,
                              DenseActivation::kLinear);
    Stream encoder_stream(named(where, Purpose::kModelInit, Trainee::kAdaptive, 0));
    collector.encoder->initialise(encoder_stream);
  }
  return collector;
}

/// Fixes the domain, if one is asked for, and the sensitivity.
void settle_sensitivity(Collector& collector, const Records& records, const TrainingOptions& options) {
  collector.domain = fix_domain(options.domain, collector.encode(records.inputs));
  collector.sensitivity = release_sensitivity(collector, records.inputs);
}

}  // namespace

TrainedTask train_task(const Records& records, Loss loss, const TaskOptions& options,
                       const StreamName& where) {
  constexpr std::size_t kMostAttempts = 20;
  const auto attributes = static_cast<std::size_t>(records.inputs.rows());
  const auto answers = static_cast<std::size_t>(records.targets.rows());
  const DenseActivation output = options.as_published ? DenseActivation::kRelu : DenseActivation::kLinear;
  TrainedTask trained{
      {DenseNet({attributes, attributes * 3 / 2, answers}, DenseActivation::kRelu, output), loss}};
  for (; trained.attempts <= kMostAttempts; ++trained.attempts) {
    Stream stream(named(where, Purpose::kModelInit, Trainee::kTask, trained.attempts));
    trained.task.net.initialise(stream);
    trained.train_loss = fit(trained.task.net, records, loss, options);
    check_finite(trained.train_loss);
    if (trained.train_loss < kDeadShare * constant_loss(loss, records.targets)) return trained;
  }
  fail(Fault::kNumeric,
       fmt::format("no task network learnt anything in {} starts; train longer or check the data",
                   kMostAttempts));
}

MatrixXd Collector::encode(const MatrixXd& records) const {
  MatrixXd encoded = encoder ? (*encoder)(records) : records;
  if (domain) domain->clip(encoded);
  return encoded;
}

Collector train_adaptive(const Task& task, const Records& records, const TrainingOptions& options,
                         const StreamName& where) {
  Collector collector = make_collector(records, options, true, where);
  Trainer trainer(task, records, options, collector, where, Trainee::kAdaptive);
  trainer.train_both(true);
  settle_sensitivity(collector, records, options);
  if (collector.domain) trainer.train_decoder(collector.sensitivity, options.epochs + 1);
  return collector;
}

Collector train_task_unaware(const Task& task, const Records& records, const TrainingOptions& options,
                             const StreamName& where) {
  Collector collector = make_collector(records, options, false, where);
  settle_sensitivity(collector, records, options);
  Trainer trainer(task, records, options, collector, where, Trainee::kTaskUnaware);
  trainer.train_decoder(collector.sensitivity, 1);
  return collector;
}

Collector train_privacy_unaware(const Task& task, const Records& records, const TrainingOptions& options,
                                const StreamName& where) {
  Collector collector = make_collector(records, options, true, where);
  Trainer trainer(task, records, options, collector, where, Trainee::kPrivacyUnaware);
  trainer.train_both(false);
  settle_sensitivity(collector, records, options);
  trainer.train_decoder(collector.sensitivity, 1);
  return collector;
}

double release_sensitivity(const Collector& collector, const MatrixXd& records) {
  return collector.domain ? collector.domain->diameter() : l1_diameter(collector.encode(records));
}

ReleaseScore release(const Collector& collector, const Task& task, const Records& records, double sensitivity,
                     const NoiseRule& noise, Stream& stream) {
  MatrixXd latent = collector.encode(records.inputs);
  add_laplace(latent, laplace_scale(sensitivity, noise), stream);
  const MatrixXd decoded = collector.decoder(latent);
  const MatrixXd answers = task.net(decoded);
  MatrixXd unused(answers.rows(), answers.cols());
  ReleaseScore score;
  score.loss = loss_and_gradient(task.loss, answers, records.targets, unused);
  if (task.loss == Loss::kCrossEntropy) score.accuracy = accuracy(answers, records.targets);
  score.squared_error = (decoded - records.inputs).array().square().rowwise().mean();
  return score;
}

}  // namespace earshot
