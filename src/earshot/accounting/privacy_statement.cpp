#include "earshot/accounting/privacy_statement.hpp"

namespace earshot {

PrivacyStatement no_privacy() {
  PrivacyStatement statement;
  statement.definition = "none: values are sent as they are";
  statement.unit = "nothing is protected";
  statement.adjacency = "not applicable";
  statement.adversary = "anyone who hears a message";
  return statement;
}

Json to_json(const PrivacyStatement& statement) {
  return {{"private", statement.is_private()},
          {"epsilon", statement.epsilon ? Json(*statement.epsilon) : Json(nullptr)},
          {"delta", statement.delta},
          {"definition", statement.definition},
          {"unit", statement.unit},
          {"adjacency", statement.adjacency},
          {"adversary", statement.adversary},
          {"assumptions", statement.assumptions}};
}

}  // namespace earshot
