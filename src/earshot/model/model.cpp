#include "earshot/model/model.hpp"
