// Images, and weights trained on them.
#include <array>

#include "earshot/data/catalogue/catalogue_entries.hpp"

namespace earshot {
namespace {

constexpr std::array kMnistFiles{
    DatasetFile{"mnist/t10k-images-idx3-ubyte", 7840016,
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-images-idx3-ubyte.gz"},
    DatasetFile{"mnist/t10k-labels-idx1-ubyte", 10008,
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
                "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-labels-idx1-ubyte.gz"},
    DatasetFile{"mnist/train-images-idx3-ubyte", 47040016,
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
                "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz"},
    DatasetFile{"mnist/train-labels-idx1-ubyte", 60008,
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
                "https://ossci-datasets.s3.amazonaws.com/mnist/train-labels-idx1-ubyte.gz"},
};

constexpr std::array kCifar10Files{
    DatasetFile{"cifar10/test_batch.bin", 30730000,
                "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
                "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
                "cifar-10-batches-bin/test_batch.bin"},
    DatasetFile{"cifar10/data_batch_1.bin", 30730000,
                "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
                "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
                "cifar-10-batches-bin/data_batch_1.bin"},
};

constexpr std::array kFashionMnistFiles{
    DatasetFile{"fashion-mnist/t10k-images-idx3-ubyte", 7840016,
                "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
                "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"
                "t10k-images-idx3-ubyte.gz"},
    DatasetFile{"fashion-mnist/t10k-labels-idx1-ubyte", 10008,
                "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
                "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"
                "t10k-labels-idx1-ubyte.gz"},
};

constexpr std::array kQmnistWritersFiles{
    DatasetFile{
        "qmnist-writers/qmnist-train-labels-idx2-int", 1920012,
        "bb1b6e1ec7b04fd5696f1ed50b5f58f8ef195118edd5c93c81783df9740b8ac5",
        "https://raw.githubusercontent.com/facebookresearch/qmnist/master/qmnist-train-labels-idx2-int.gz"},
    DatasetFile{
        "qmnist-writers/qmnist-test-labels-idx2-int", 1920012,
        "92d0ccb8c25f9c6534270fb4be7e1d24a1c6d315edfc8a638bfbd31c70f362dd",
        "https://raw.githubusercontent.com/facebookresearch/qmnist/master/qmnist-test-labels-idx2-int.gz"},
};

constexpr std::array kFemnistFiles{
    DatasetFile{"femnist/femnist_subset_12clients_png.tar", 6225920,
                "734218bedc3fc79c465489a1e08af8060947a4f9f0c374bb8ab7f7fed086915b"},
};

constexpr std::array kDigitsFiles{
    DatasetFile{"digits/digits.csv", 264712,
                "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
                "https://raw.githubusercontent.com/scikit-learn/scikit-learn/1.2.1/sklearn/datasets/data/"
                "digits.csv.gz"},
};

constexpr std::array kRetinamnistFiles{
    DatasetFile{"retinamnist/retinamnist.npz", 3291041,
                "254915f5f0a2074665c4676356824cf4ef4a3bcab233894b4bafcaf48962bd69",
                "https://zenodo.org/records/10519652/files/retinamnist.npz?download=1"},
};

constexpr std::array kAptos2019Files{
    DatasetFile{"aptos2019/train.csv", 54948,
                "b2a3479695922e62c83c94a1a9ef669b4b6d68cc26a1d7090ebedecdd7dd79a5"},
    DatasetFile{"aptos2019/train_images_224_jpeg.tar", 39761920,
                "77cf4e2759a7dccb4685422ba3ce8c4bb2cf689687f0b568e12c0864731d21c6"},
};

constexpr std::array kSqueezenetFiles{
    DatasetFile{"squeezenet/squeezenet_v1.1.ncnn.bin", 2478984,
                "3de9f2f9dbbbc4468fe452d9033300633b60748073a9509a7ea882caec57e544",
                "https://raw.githubusercontent.com/zchrissirhcz/squeezenet-ncnn-pnnx-opencv-cpp/"
                "fc56736098dd40b834912d7409d4ab4931b30802/squeezenet_v1.1.ncnn.bin"},
    DatasetFile{"squeezenet/squeezenet_v1.1.ncnn.param", 4629,
                "7dfb3045edf49f199ccc03dfc262956c6b9f38089b14d32a273aa8463c49c46b",
                "https://raw.githubusercontent.com/zchrissirhcz/squeezenet-ncnn-pnnx-opencv-cpp/"
                "fc56736098dd40b834912d7409d4ab4931b30802/squeezenet_v1.1.ncnn.param"},
    DatasetFile{"squeezenet/synset_words.txt", 31671,
                "ae3fba5fcc74d2c0b6db492b24c55c211358613c02bebc7a3ceab574a153231f"},
};

constexpr std::array kEntries{
    DatasetEntry{
        "mnist", "70,000 grey 28x28 images of handwritten digits, 10 classes (idx format)", "CC BY-SA 3.0",
        "LeCun, Bottou, Bengio & Haffner 1998, Gradient-based learning applied to document recognition",
        "make data", kMnistFiles},
    DatasetEntry{"cifar10",
                 "colour 32x32 images of 10 kinds of object; the test part and the first training batch",
                 "none stated; free to use with citation",
                 "Krizhevsky 2009, Learning multiple layers of features from tiny images",
                 "unpack the binary version of CIFAR-10 and put its .bin files into cifar10/", kCifar10Files},
    DatasetEntry{"fashion-mnist",
                 "10,000 grey 28x28 images of clothing, 10 classes: the test part (idx format)", "MIT",
                 "Xiao, Rasul & Vollgraf 2017, Fashion-MNIST: a novel image dataset for benchmarking machine "
                 "learning algorithms",
                 "take t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz of "
                 "zalandoresearch/fashion-mnist on GitHub and put them into fashion-mnist/",
                 kFashionMnistFiles},
    DatasetEntry{"qmnist-writers",
                 "who wrote each MNIST digit: the NIST writer of every image (QMNIST extended labels)",
                 "BSD-style, as QMNIST states", "Yadav & Bottou 2019, Cold case: the lost MNIST digits",
                 "take the two qmnist-*-labels-idx2-int.gz of facebookresearch/qmnist on GitHub (commit "
                 "9406136) and put them into qmnist-writers/",
                 kQmnistWritersFiles},
    DatasetEntry{
        "femnist", "5,997 handwritten digits as 28x28 grey PNG held by 12 clients: a small FEMNIST subset",
        "NIST Special Database 19 is in the public domain; LEAF is BSD-2-Clause",
        "Caldas et al. 2018, LEAF: a benchmark for federated settings",
        "pack femnist_subset/ of glin20/FEMNIST_Federated_Learning on GitHub (commit 7d318f4) as one tar "
        "file and put it into femnist/; a tar of the same pictures made elsewhere may have another checksum",
        kFemnistFiles},
    DatasetEntry{
        "digits",
        "1,797 handwritten digits as 8x8 images of 17 grey levels, 10 classes (csv without a header)",
        "CC BY 4.0",
        "Alpaydin & Kaynak 1998, Optical recognition of handwritten digits, UCI Machine Learning Repository",
        "take digits.csv.gz of scikit-learn (sklearn/datasets/data) and put it into digits/", kDigitsFiles},
    DatasetEntry{
        "retinamnist", "1,600 colour 28x28 images of the retina, diabetic retinopathy grade 0 to 4 (npz)",
        "CC BY 4.0",
        "Yang et al. 2023, MedMNIST v2: a large-scale lightweight benchmark for 2D and 3D biomedical image "
        "classification",
        "take retinamnist.npz of MedMNIST v2 from Zenodo and put it into retinamnist/", kRetinamnistFiles},
    DatasetEntry{
        "aptos2019",
        "3,662 colour images of the retina at 224x224, diabetic retinopathy grade 0 to 4 (JPEG in tar)",
        "Kaggle competition rules: research and education; do not pass on",
        "Asia Pacific Tele-Ophthalmology Society 2019, APTOS 2019 blindness detection, Kaggle",
        "take train.csv of the Kaggle competition aptos2019-blindness-detection; crop its training images to "
        "the eye disc, resize them to 224x224 and pack them as train_images/ID.jpg into one tar file; a tar "
        "made elsewhere has another checksum",
        kAptos2019Files},
    DatasetEntry{
        "squeezenet",
        "SqueezeNet 1.1 trained on ImageNet, 1,235,496 parameters (ncnn format), and the class names",
        "BSD-3-Clause (torchvision); the weights were trained on ImageNet, for research",
        "Iandola et al. 2016, SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model "
        "size",
        "take squeezenet_v1.1.ncnn.bin, squeezenet_v1.1.ncnn.param and synset_words.txt of "
        "zchrissirhcz/squeezenet-ncnn-pnnx-opencv-cpp on GitHub (commit 0392c1c) and put them into "
        "squeezenet/",
        kSqueezenetFiles},
};

}  // namespace

std::span<const DatasetEntry> catalogued_images() {
  return kEntries;
}

}  // namespace earshot
