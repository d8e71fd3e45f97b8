#include "earshot/model/native/layer.hpp"
