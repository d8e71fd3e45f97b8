#include "earshot/attack/inversion/decoder.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/attack/inversion/exponential.hpp"
#include "earshot/attack/inversion/inversion.hpp"
#include "earshot/core/error.hpp"
#include "earshot/model/native/native_model.hpp"

namespace earshot {
namespace {

/// A category of three, a number within bounds, two bits, a free number.
const Decoder kMixed{{DecoderKind::kSoftmax, 0, 3},
                     {DecoderKind::kSigmoid, 3, 1, {{-2.0, 5.0}}},
                     {DecoderKind::kSigmoid, 4, 2},
                     {DecoderKind::kIdentity, 6, 1}};
/// The same with every share scaled for itself, and a known number in the end.
const Decoder kScaled{{DecoderKind::kSoftmax, 0, 3, {{-1.0, 1.0}, {-0.5, 4.0}, {-2.0, 0.5}}},
                      {DecoderKind::kSigmoid, 3, 1, {{-2.0, 5.0}}},
                      {DecoderKind::kSigmoid, 4, 2, {{-3.0, -1.0}, {0.0, 10.0}}},
                      {DecoderKind::kFixed, 6, 1, {{2.5, 2.5}}}};
constexpr std::size_t kWidth = 7;
constexpr std::size_t kRecords = 2;

std::vector<double> normal(std::size_t count, std::uint64_t seed, double deviation = 1) {
  std::vector<double> out(count);
  Stream({seed, Purpose::kTest}).fill_normal(out, deviation);
  return out;
}

std::vector<double> decoded(std::span<const double> variables, const Decoder& decoder = kMixed) {
  std::vector<double> out(variables.size());
  decode(decoder, kWidth, variables, out);
  return out;
}

TEST(Decoder, KeepsEveryBlockWithinItsSet) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    const auto variables = normal(kRecords * kWidth, seed, seed < 25 ? 1 : 40);
    const auto records = decoded(variables);
    for (std::size_t first = 0; first < records.size(); first += kWidth) {
      const auto row = std::span(records).subspan(first, kWidth);
      EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-15);
      for (const std::size_t i : {0, 1, 2, 4, 5}) EXPECT_TRUE(row[i] >= 0 && row[i] <= 1);
      EXPECT_TRUE(row[3] >= -2 && row[3] <= 5);
      EXPECT_EQ(row[6], variables[first + 6]);
    }
  }
}

TEST(Decoder, HasTheValuesOfTheFormulas) {
  const std::vector<double> variables{
      std::log(1.0), std::log(2.0), std::log(5.0), 0, std::log(3.0), -1e9, -4, 1000, 1000, -1, 1e9, 0, 0, 4};
  const auto records = decoded(variables);
  const std::vector<double> expected{1 / 8.0, 2 / 8.0, 5 / 8.0, 1.5, 0.75, 0,   -4,
                                     0.5,     0.5,     0,       5,   0.5,  0.5, 4};
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_NEAR(records[i], expected[i], 1e-14) << i;
}

TEST(Decoder, ScalesEveryShareByItsOwnRange) {
  const auto variables = normal(kRecords * kWidth, 6);
  const auto plain = decoded(variables), scaled = decoded(variables, kScaled);
  const std::vector<double> low{-1, -0.5, -2, 0, -3, 0}, high{1, 4, 0.5, 1, -1, 10};
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::size_t column = i % kWidth;
    const double expected = column == 6   ? 2.5
                            : column == 3 ? plain[i]
                                          : low[column] + plain[i] * (high[column] - low[column]);
    EXPECT_NEAR(scaled[i], expected, 1e-14) << i;
  }
}

TEST(Decoder, PullsSlopesBackAsFiniteDifferencesSay) {
  const auto variables = normal(kRecords * kWidth, 3);
  const auto direction = normal(kRecords * kWidth, 4);
  for (const Decoder& decoder : {kMixed, kScaled}) {
    const auto along = [&](std::span<const double> at) {
      const auto records = decoded(at, decoder);
      return std::inner_product(records.begin(), records.end(), direction.begin(), 0.0);
    };
    auto slopes = direction;
    std::vector<double> shares(variables.size()), records(variables.size());
    const RecordDecoder<double> ready(decoder, kWidth);
    ready.decode(variables, shares, records);
    ready.pull_back(shares, slopes);
    for (std::size_t i = 0; i < variables.size(); ++i) {
      auto ahead = variables, behind = variables;
      ahead[i] += 1e-5;
      behind[i] -= 1e-5;
      EXPECT_NEAR(slopes[i], (along(ahead) - along(behind)) / 2e-5, 1e-9) << i;
    }
  }
}

/// Records are decoded a few at a time: to the bit what each would be alone.
template <class Real>
void expect_same_alone(const Decoder& decoder, std::size_t records) {
  const auto wide = normal(records * kWidth, 11, 3), direction = normal(records * kWidth, 12);
  const std::vector<Real> variables(wide.begin(), wide.end());
  std::vector<Real> slopes(direction.begin(), direction.end()), shares(slopes.size()), numbers(slopes.size());
  std::vector<Real> single_slopes(slopes), single_shares(slopes.size()), single_numbers(slopes.size());
  const RecordDecoder<Real> ready(decoder, kWidth);
  ready.decode(variables, shares, numbers);
  ready.pull_back(shares, slopes);
  for (std::size_t first = 0; first < slopes.size(); first += kWidth) {
    const auto row = [&](auto& all) { return std::span(all).subspan(first, kWidth); };
    ready.decode(row(variables), row(single_shares), row(single_numbers));
    ready.pull_back(row(single_shares), row(single_slopes));
  }
  EXPECT_EQ(numbers, single_numbers) << records;
  EXPECT_EQ(shares, single_shares) << records;
  EXPECT_EQ(slopes, single_slopes) << records;
}

TEST(Decoder, DecodesEveryRecordAsIfItWereAlone) {
  for (const Decoder& decoder : {kMixed, kScaled, Decoder{}}) {
    for (const std::size_t records : {1, 7, 8, 19}) {
      expect_same_alone<float>(decoder, records);
      expect_same_alone<double>(decoder, records);
    }
  }
}

// In single precision the slope of a share far below its range's rounding still has its sign.
TEST(Decoder, SinglePrecisionFollowsDoubleDownToTheSmallestShares) {
  for (const double deviation : {1.0, 10.0}) {
    const auto variables = normal(kRecords * kWidth, 9, deviation);
    const auto direction = normal(kRecords * kWidth, 10);
    const std::vector<float> narrow(variables.begin(), variables.end());
    std::vector<float> slopes(direction.begin(), direction.end()), shares(slopes.size()),
        records(slopes.size());
    const std::vector<double> same(narrow.begin(), narrow.end());
    std::vector<double> exact_slopes(slopes.begin(), slopes.end()), exact_shares(slopes.size()),
        exact(slopes.size());
    RecordDecoder<float>(kScaled, kWidth).decode(narrow, shares, records);
    RecordDecoder<float>(kScaled, kWidth).pull_back(shares, slopes);
    RecordDecoder<double>(kScaled, kWidth).decode(same, exact_shares, exact);
    RecordDecoder<double>(kScaled, kWidth).pull_back(exact_shares, exact_slopes);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(records[i], exact[i], 2e-6) << i;
      EXPECT_NEAR(shares[i], exact_shares[i], 2e-6 * std::abs(exact_shares[i])) << i;
      if (i % kWidth < 3 && exact_shares[i] < 0.5) {  // the slope of the largest share cancels
        EXPECT_NEAR(slopes[i], exact_slopes[i], 1e-4 * std::abs(exact_slopes[i])) << i;
      }
    }
  }
}

TEST(Decoder, ExponentialsAreWithinTwoTenMillionths) {
  std::vector<float> numbers;
  for (int i = -870000; i <= 880000; i += 7) numbers.push_back(static_cast<float>(i) * 1e-4F);
  std::vector<float> found = numbers;
  exponentials(found);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double expected = std::exp(static_cast<double>(numbers[i]));
    ASSERT_NEAR(found[i], expected, 2e-7 * expected) << numbers[i];
  }
  std::vector<float> beyond{-1e9F, 1e9F, NAN, 0};
  exponentials(beyond);
  EXPECT_TRUE(beyond[0] > 0 && beyond[0] < 1e-37F && beyond[1] > 1e38F && std::isfinite(beyond[1]));
  EXPECT_TRUE(std::isnan(beyond[2]));
  EXPECT_EQ(beyond[3], 1);
}

TEST(Decoder, IsUndoneUpToItsBounds) {
  for (const Decoder& decoder : {kMixed, kScaled}) {
    const auto records = decoded(normal(kRecords * kWidth, 5), decoder);
    const auto again = decoded(undecode(decoder, kWidth, records), decoder);
    for (std::size_t i = 0; i < records.size(); ++i) EXPECT_NEAR(again[i], records[i], 1e-13) << i;
  }
  const std::vector<double> hard{1, 0, 0, 5, 1, 0, 9};
  const auto near = decoded(undecode(kMixed, kWidth, hard));
  for (std::size_t i = 0; i < hard.size(); ++i) EXPECT_NEAR(near[i], hard[i], 8e-4) << i;
}

TEST(Decoder, RefusesBlocksThatDoNotCoverARecord) {
  EXPECT_NO_THROW(require_valid(Decoder{}, 3));
  EXPECT_NO_THROW(require_valid(kMixed, kWidth));
  EXPECT_THROW(require_valid(kMixed, kWidth + 1), Error);
  EXPECT_THROW(require_valid({{DecoderKind::kSoftmax, 1, 2}}, 3), Error);
  EXPECT_THROW(require_valid({{DecoderKind::kSoftmax, 0, 2}, {DecoderKind::kSigmoid, 1, 2}}, 3), Error);
  EXPECT_THROW(require_valid({{DecoderKind::kSoftmax, 0, 3}, {DecoderKind::kSoftmax, 3, 0}}, 3), Error);
  EXPECT_THROW(require_valid({{DecoderKind::kSigmoid, 0, 3, {{1.0, 1.0}}}}, 3), Error);
  EXPECT_THROW(require_valid({{DecoderKind::kSigmoid, 0, 3, {{0.0, INFINITY}}}}, 3), Error);
  EXPECT_THROW(require_valid({{DecoderKind::kSoftmax, 0, 3, {{1.0, 1.0}}}}, 3), Error);
  EXPECT_THROW(require_valid({{DecoderKind::kFixed, 0, 3, {{INFINITY, INFINITY}}}}, 3), Error);
  EXPECT_THROW(require_valid({{DecoderKind::kSigmoid, 0, 3, {{0, 1}, {0, 1}}}}, 3), Error);
  EXPECT_NO_THROW(require_valid({{DecoderKind::kFixed, 0, 3, {{1.0, 1.0}}}}, 3));
}

/// A network on records of kMixed, and what a batch of them makes it say.
struct Network {
  Architecture architecture;
  std::unique_ptr<Model> model;
  std::vector<double> parameters, records, targets;

  Network() {
    architecture.input = Shape{kWidth};
    architecture.layers = {Dense{16}, Activate{ActivationKind::kTanh}, Dense{3}};
    model = make_native_model(architecture);
    parameters.resize(model->parameter_count());
    Stream stream({8, Purpose::kTest});
    model->initialise(stream, parameters);
    records = {1, 0, 0, 3, 1, 0, 0.5, 0, 0, 1, -1, 1, 1, -0.7};
    targets = {1, 0, 0, 0, 0, 1};
  }
  Observation observation() const {
    std::vector<double> gradient(parameters.size());
    model->gradient(parameters, {kRecords, records, targets}, gradient);
    return observe_gradient(parameters, gradient, kRecords);
  }
  InversionOptions options(MatchingKind kind) const {
    InversionOptions out;
    out.matching.kind = kind;
    out.decoder = kMixed;
    out.targets = targets;
    return out;
  }
  Inversion run(const InversionOptions& options) const {
    return invert(*model, architecture.input, observation(), options);
  }
};

/// The objective at variables, from the records they decode to, without the search.
double objective(const Network& network, const InversionOptions& options, std::span<const double> variables) {
  const auto records = decoded(variables);
  std::vector<double> gradient(network.parameters.size()), unused(gradient.size());
  network.model->gradient(network.parameters, {kRecords, records, options.targets}, gradient);
  double value = compare<double>(options.matching, network.observation().values, gradient, unused);
  for (std::size_t r = 0; r < kRecords; ++r) {
    std::vector<double> slope(kWidth);
    value += add_prior(options.prior, network.architecture.input,
                       std::span(records).subspan(r * kWidth, kWidth), slope);
  }
  return value;
}

/// One gradient step of the search tells the derivative it used: variables move by -rate x derivative.
TEST(Decoder, TheSearchDescendsAlongTheDerivativeOfTheWholeObjective) {
  const Network network;
  for (const MatchingKind kind : {MatchingKind::kSquared, MatchingKind::kCosine}) {
    InversionOptions options = network.options(kind);
    options.prior.moments = KnownMoments{0.3, 0.8, 0.2};
    options.start = Start::kGiven;
    options.given = decoded(normal(kRecords * kWidth, 12, 0.5));
    const double rate = 1e-3;
    options.descent = FirstOrderOptions{StepRule::kGradient, 1, rate, false, false};
    const auto start = undecode(kMixed, kWidth, options.given);
    const Inversion found = network.run(options);
    ASSERT_LT(found.value, found.restarts[0].start_value);
    EXPECT_NEAR(found.restarts[0].start_value, objective(network, options, start), 1e-12);
    const auto end = undecode(kMixed, kWidth, found.inputs);
    EXPECT_NEAR(found.value, objective(network, options, end), 1e-12);
    // A softmax does not change when its variables move together, and undecode fixes them differently:
    // compare records.
    auto expected = start;
    for (std::size_t i = 0; i < start.size(); ++i) {
      auto ahead = start, behind = start;
      ahead[i] += 1e-5;
      behind[i] -= 1e-5;
      expected[i] -= rate * (objective(network, options, ahead) - objective(network, options, behind)) / 2e-5;
    }
    const auto records = decoded(expected);
    for (std::size_t i = 0; i < records.size(); ++i) EXPECT_NEAR(found.inputs[i], records[i], 1e-11) << i;
  }
}

TEST(Decoder, TheSearchFindsRecordsAndReportsThemDecoded) {
  const Network network;
  InversionOptions options = network.options(MatchingKind::kCosine);
  options.descent = FirstOrderOptions{StepRule::kAdam, 600, 0.06, true, true};
  options.restarts = 3;
  for (const Start start : {Start::kNormal, Start::kUniform, Start::kMiddle}) {
    options.start = start;
    const Inversion found = network.run(options);
    EXPECT_LT(found.value, 1e-3);
    for (std::size_t i = 0; i < found.inputs.size(); ++i)
      EXPECT_NEAR(found.inputs[i], network.records[i], 0.2) << i;
    EXPECT_EQ(found.inputs, found.restarts[found.chosen].inputs);
    for (const auto& records : {found.inputs, found.start})
      for (std::size_t first = 0; first < records.size(); first += kWidth)
        EXPECT_NEAR(records[first] + records[first + 1] + records[first + 2], 1, 1e-14);
  }
}

TEST(Decoder, ABoxOnTopOfItIsRefused) {
  const Network network;
  InversionOptions options = network.options(MatchingKind::kSquared);
  options.descent = FirstOrderOptions{};
  options.box = Box{};
  EXPECT_THROW(network.run(options), Error);
  options.box.reset();
  options.decoder.pop_back();
  EXPECT_THROW(network.run(options), Error);
}

}  // namespace
}  // namespace earshot
