#include "earshot/model/components.hpp"
