#include "earshot/model/architecture.hpp"
