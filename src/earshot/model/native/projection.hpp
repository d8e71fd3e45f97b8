// y = x W^T for the rows of many problems, and its adjoints: what every layer with a weight matrix does.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

#include "earshot/model/native/gemm.hpp"
#include "earshot/model/native/layer.hpp"
#include "earshot/model/native/line.hpp"

namespace earshot {

template <class Real>
using RowMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Real>
using MatrixView = Eigen::Map<RowMatrix<Real>>;
template <class Real>
using ConstMatrixView = Eigen::Map<const RowMatrix<Real>>;
template <class Real>
using RowView = Eigen::Map<Eigen::Matrix<Real, 1, Eigen::Dynamic>>;
template <class Real>
using ConstRowView = Eigen::Map<const Eigen::Matrix<Real, 1, Eigen::Dynamic>>;

enum class Write { kOver, kAdd };
/// The share of the old value that stays.
template <class Real>
Real kept(Write write) {
  return write == Write::kAdd ? Real(1) : Real(0);
}

/// Rows of width `inputs` to rows of width `outputs` by W[outputs][inputs]. Problems that share W are one
/// product.
struct Projection {
  std::size_t inputs = 0;
  std::size_t outputs = 0;

  /// y = x W^T (+ y).
  template <class Real>
  void forward(const Call<Real>& call, const Real* x, ParameterBlock<const Real> w, Write write,
               Real* y) const;
  /// x = y W (+ x).
  template <class Real>
  void backward(const Call<Real>& call, const Real* y, ParameterBlock<const Real> w, Write write,
                Real* x) const;
  /// W = y^T x.
  template <class Real>
  void gradient(const Call<Real>& call, const Real* y, const Real* x, ParameterBlock<Real> w) const;
};

/// body(first row, rows, problem) for each maximal run of rows with the same parameters.
template <class Real, class T, class Body>
void for_each_block(const Call<Real>& call, const ParameterBlock<T>& parameters, Body body) {
  if (parameters.stride == 0) return body(0, call.all_rows(), 0);
  for (std::size_t k = 0; k < call.count; ++k) body(k * call.rows, call.rows, k);
}

template <class Real>
void Projection::forward(const Call<Real>& call, const Real* x, ParameterBlock<const Real> w, Write write,
                         Real* y) const {
  for_each_block(call, w, [&](std::size_t first, std::size_t rows, std::size_t k) {
    gemm(false, true, rows, outputs, inputs, Real(1), x + first * inputs, inputs, w.of(k), inputs,
         kept<Real>(write), y + first * outputs, outputs);
  });
}

template <class Real>
void Projection::backward(const Call<Real>& call, const Real* y, ParameterBlock<const Real> w, Write write,
                          Real* x) const {
  for_each_block(call, w, [&](std::size_t first, std::size_t rows, std::size_t k) {
    gemm(false, false, rows, inputs, outputs, Real(1), y + first * outputs, outputs, w.of(k), inputs,
         kept<Real>(write), x + first * inputs, inputs);
  });
}

template <class Real>
void Projection::gradient(const Call<Real>& call, const Real* y, const Real* x,
                          ParameterBlock<Real> w) const {
  for_each_block(call, w, [&](std::size_t first, std::size_t rows, std::size_t k) {
    gemm(true, false, outputs, inputs, rows, Real(1), y + first * outputs, outputs, x + first * inputs,
         inputs, Real(0), w.of(k), inputs);
  });
}

/// Every row of y = b, or zero when `bias` is null.
template <class Real>
void write_bias(const Call<Real>& call, ParameterBlock<const Real> bias, std::size_t width, Real* y) {
  for_each_block(call, bias, [&](std::size_t first, std::size_t rows, std::size_t k) {
    if (bias.data == nullptr) {
      std::fill_n(y + first * width, rows * width, Real(0));
    } else {
      for (std::size_t i = first; i < first + rows; ++i) copy_line(bias.of(k), width, y + i * width);
    }
  });
}

/// b = the sum of the rows of y.
template <class Real>
void bias_gradient(const Call<Real>& call, const Real* y, std::size_t width, ParameterBlock<Real> bias) {
  for_each_block(call, bias, [&](std::size_t first, std::size_t rows, std::size_t k) {
    RowView<Real>(bias.of(k), width) = ConstMatrixView<Real>(y + first * width, rows, width).colwise().sum();
  });
}

/// The part of a layer's parameters that starts at `offset`.
template <class T>
ParameterBlock<T> part(ParameterBlock<T> block, std::size_t offset) {
  return {block.data + offset, block.stride};
}

}  // namespace earshot
