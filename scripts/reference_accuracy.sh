#!/usr/bin/env bash
# Trains the reference models of docs/reproduction.md and prints their scores; a built program (make build) and the datasets in
# EARSHOT_DATA are needed. APTOS takes about a quarter of an hour of one core, MNIST some minutes, the others seconds.
#
#   scripts/reference_accuracy.sh [OUTPUT-DIRECTORY]        # default: runs/reference; checkpoints are written there
set -euo pipefail
cd "$(dirname "$0")/.."
readonly out="${1:-runs/reference}"
mkdir -p "$out"
train() {
  echo "earshot model train $*"
  build/earshot model train "$@"
}
train --model mlp --data adult --epochs 10 --batch 128 --out "$out/adult.ckpt"
train --model gcn --data cora --batch 0 --epochs 200 --rate 0.01 --weight-decay 5e-4 --set model.dropout=0.5 \
  --out "$out/cora.ckpt"
train --model gcn --data proteins --set model.level=graph --set model.hidden=32 --set model.layers=3 --rate 0.005 \
  --epochs 30 --batch 32 --folds 10
train --model small_cnn --data mnist --epochs 2 --single --batch 64 --out "$out/mnist.ckpt"
train --model squeezenet11 --data aptos2019 --imagenet --set data.resize=112 --set data.crop=112 \
  --set data.normalisation=imagenet --flip --single --rate 0.0002 --batch 32 --epochs 8 --out "$out/aptos.ckpt"
