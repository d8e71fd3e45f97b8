#include "earshot/model/native/native_model.hpp"
