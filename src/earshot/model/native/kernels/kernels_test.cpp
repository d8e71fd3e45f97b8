#include "earshot/model/native/kernels/kernels.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "earshot/core/random.hpp"
#include "earshot/model/native/gemm.hpp"
#include "earshot/model/native/kernels/usable_kernels.hpp"

namespace earshot {
namespace {

enum class Form { kPlain, kFirstTransposed, kSecondTransposed };

/// A product with rows longer than needed in memory, whose gaps must stay as they are, against the sum it is.
template <class Real>
struct Trial {
  std::size_t m, n, k;
  Form form;
  bool add;
  std::size_t lda, ldb, ldc;
  std::vector<Real> a, b, c;

  Trial(std::size_t rows, std::size_t columns, std::size_t inner, Form f, bool adds, std::uint64_t seed)
      : m(rows),
        n(columns),
        k(inner),
        form(f),
        add(adds),
        lda((f == Form::kFirstTransposed ? m : k) + 2),
        ldb((f == Form::kSecondTransposed ? k : n) + 1),
        ldc(n + 3),
        a((f == Form::kFirstTransposed ? k : m) * lda),
        b((f == Form::kSecondTransposed ? n : k) * ldb),
        c(m * ldc) {
    Stream stream({seed, Purpose::kTest});
    for (auto* matrix : {&a, &b, &c}) {
      for (Real& x : *matrix) x = static_cast<Real>(stream.normal());
    }
  }
  Product<Real> product() {
    const bool t = form == Form::kFirstTransposed;
    return {m, n, k, a.data(), t ? 1 : lda, t ? lda : 1, b.data(), ldb, c.data(), ldc, add};
  }
  std::vector<double> expected() const {
    std::vector<double> out(c.begin(), c.end());
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = add ? c[i * ldc + j] : 0;
        for (std::size_t l = 0; l < k; ++l) {
          const double x = form == Form::kFirstTransposed ? a[l * lda + i] : a[i * lda + l];
          sum += x * (form == Form::kSecondTransposed ? b[j * ldb + l] : b[l * ldb + j]);
        }
        out[i * ldc + j] = sum;
      }
    }
    return out;
  }
  void expect(const std::vector<double>& expected) const {
    const double tolerance = 4 * std::numeric_limits<Real>::epsilon() * (1 + static_cast<double>(k));
    for (std::size_t i = 0; i < c.size(); ++i) {
      ASSERT_NEAR(c[i], expected[i], tolerance)
          << m << " x " << n << " x " << k << " form " << static_cast<int>(form) << " at " << i;
    }
  }
};

template <class Real>
void check_products() {
  Stream stream({3, Purpose::kTest});
  for (int trial = 0; trial < 400; ++trial) {
    const auto size = [&](std::size_t most) { return static_cast<std::size_t>(stream.below(most)); };
    const std::size_t m = size(trial % 4 == 0 ? 70 : 20), n = size(trial % 5 == 0 ? 110 : 30),
                      k = size(trial % 7 == 0 ? 600 : 40);
    for (const Form form : {Form::kPlain, Form::kFirstTransposed, Form::kSecondTransposed}) {
      const Trial<Real> start(m, n, k, form, trial % 2 == 0, static_cast<std::uint64_t>(trial));
      const std::vector<double> expected = start.expected();
      for (const Kernels<Real>* set : usable_kernels<Real>()) {
        Trial<Real> own = start;
        (form == Form::kSecondTransposed ? set->product_transposed : set->product)(own.product());
        own.expect(expected);
      }
    }
  }
}

TEST(Kernels, ProductsEqualTheSumsTheyAre) {
  check_products<float>();
  check_products<double>();
}

/// Against the matrix written down; the observed one is close to the outer product, as at the end of an
/// attack.
template <class Real>
void check_residual(std::size_t rows, std::size_t columns) {
  Stream stream({rows + 100 * columns, Purpose::kTest});
  std::vector<Real> d(rows), x(columns), observed(rows * columns), before(columns);
  for (auto* numbers : {&d, &x, &observed, &before})
    for (Real& number : *numbers) number = static_cast<Real>(stream.normal());
  for (std::size_t i = 0; i < observed.size(); ++i) observed[i] += d[i / columns] * x[i % columns];
  std::vector<double> row_sums(rows), column_sums(before.begin(), before.end());
  double square = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double r = static_cast<double>(d[i / columns]) * x[i % columns] - observed[i];
    square += r * r;
    row_sums[i / columns] += r * x[i % columns];
    column_sums[i % columns] += r * d[i / columns];
  }
  const double tolerance =
      20 * std::numeric_limits<Real>::epsilon() * static_cast<double>(1 + rows + columns);
  for (const Kernels<Real>* set : usable_kernels<Real>()) {
    std::vector<Real> own_rows(rows), own_columns = before;
    const double own = set->residual(
        {rows, columns, observed.data(), d.data(), x.data(), own_rows.data(), own_columns.data()});
    EXPECT_NEAR(own, square, tolerance * (1 + square));
    for (std::size_t i = 0; i < rows; ++i)
      ASSERT_NEAR(own_rows[i], row_sums[i], tolerance) << rows << columns;
    for (std::size_t j = 0; j < columns; ++j) ASSERT_NEAR(own_columns[j], column_sums[j], tolerance);
  }
}

template <class Real>
void check_difference(std::size_t count) {
  Stream stream({count, Purpose::kTest});
  std::vector<Real> observed(count), numbers(count);
  for (auto* all : {&observed, &numbers})
    for (Real& number : *all) number = static_cast<Real>(stream.normal());
  double square = 0;
  for (std::size_t i = 0; i < count; ++i)
    square += std::pow(static_cast<double>(numbers[i]) - observed[i], 2);
  for (const Kernels<Real>* set : usable_kernels<Real>()) {
    std::vector<Real> own = numbers;
    EXPECT_NEAR(set->difference(count, observed.data(), own.data()), square,
                20 * std::numeric_limits<Real>::epsilon() * (1 + square));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(own[i], 2 * (numbers[i] - observed[i]));
  }
}

TEST(Kernels, ResidualsEqualTheSumsTheyAre) {
  for (std::size_t rows = 0; rows < 10; ++rows) {
    for (std::size_t columns = 0; columns < 40; ++columns) {
      check_residual<float>(rows, columns);
      check_residual<double>(rows, columns);
    }
  }
  for (std::size_t count = 0; count < 80; ++count) {
    check_difference<float>(count);
    check_difference<double>(count);
  }
}

TEST(Gemm, SmallAndLargeProductsEqualTheSumsTheyAre) {
  for (const std::size_t size : {3, 40, 131}) {
    for (const Form form : {Form::kPlain, Form::kFirstTransposed, Form::kSecondTransposed}) {
      Trial<double> trial(size, size + 1, size + 2, form, true, size);
      const std::vector<double> expected = trial.expected();
      gemm(form == Form::kFirstTransposed, form == Form::kSecondTransposed, trial.m, trial.n, trial.k, 1.0,
           trial.a.data(), trial.lda, trial.b.data(), trial.ldb, 1.0, trial.c.data(), trial.ldc);
      trial.expect(expected);
    }
  }
}

/// Against the C library, relative to the size of the number: three rounding units.
template <class Real>
void check_functions() {
  const double tolerance = 3 * std::numeric_limits<Real>::epsilon();
  std::vector<Real> x;
  for (double z = -80; z < 80; z += 0.0137) x.push_back(static_cast<Real>(z));
  for (double z = 1e-30; z < 1; z *= 3.3) x.push_back(static_cast<Real>(-z));
  std::vector<Real> sigmoid(x.size()), tanh(x.size());
  for (const Kernels<Real>* set : usable_kernels<Real>()) {
    set->sigmoid(x.size(), x.data(), sigmoid.data());
    set->tanh(x.size(), x.data(), tanh.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double z = x[i];
      const double s = 1 / (1 + std::exp(-z));
      ASSERT_NEAR(sigmoid[i], s, tolerance * s) << z;
      ASSERT_NEAR(tanh[i], std::tanh(z), tolerance * std::abs(std::tanh(z))) << z;
    }
    Real alone = 0;
    set->sigmoid(1, x.data() + 5, &alone);
    EXPECT_EQ(alone, sigmoid[5]);  // no matter where it stands
  }
}

TEST(Kernels, SigmoidAndTanhAreAccurate) {
  check_functions<float>();
  check_functions<double>();
}

}  // namespace
}  // namespace earshot
