#include "earshot/experiment/plan.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "earshot/core/files.hpp"
#include "earshot/core/text.hpp"
#include "earshot/experiment/document.hpp"
#include "earshot/version.hpp"

namespace earshot {

const Choice* Cell::find(std::string_view role) const {
  const auto found = choices.find(role);
  return found == choices.end() ? nullptr : found->second.get();
}

const Choice& Cell::at(std::string_view role) const {
  const Choice* choice = find(role);
  if (choice == nullptr) fail(Fault::kInternal, fmt::format("the plan has no section [{}]", role));
  return *choice;
}

Json Cell::setting(std::string_view name) const {
  const std::string_view role = role_of(name);
  const Choice* choice = role.empty() ? nullptr : find(role);
  if (choice == nullptr) return nullptr;
  const std::string_view key = name.substr(role.size() + 1);
  if (key == "kind") return choice->kind;
  return choice->settings.has(key) ? choice->settings.values().at(key) : Json(nullptr);
}

namespace {

std::string hash(const std::string& text) {
  return sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace

std::string plan_digest(const Plan& plan) {
  std::map<const Choice*, std::string> known;  // cells share their choices
  Json common{{"version", kVersion}, {"seed", plan.seed}};
  if (!plan.files.empty()) common["files"] = plan.files;
  std::string digest = hash(common.dump());
  for (const Cell& cell : plan.cells) {
    std::string sections = digest;
    for (const auto& [role, choice] : cell.choices) {
      std::string& one = known[choice.get()];
      if (one.empty()) one = hash(Json{role, choice->kind, choice->settings.values()}.dump());
      sections += one;
    }
    digest = hash(sections);
  }
  return digest;
}

namespace {

struct Question {
  std::string path;  // of the entry, as in "curve[0]"
  std::string table;
  std::vector<std::pair<std::string, std::string>> fields;  // key of the entry, field it names
};

std::vector<Question> questions_of(const Plan& plan) {
  std::vector<Question> questions;
  for (std::size_t i = 0; i < plan.curves.size(); ++i) {
    const Curve& curve = plan.curves[i];
    Question question{fmt::format("curve[{}]", i), curve.table, {{"x", curve.x}}};
    for (const std::string& y : curve.y) question.fields.emplace_back("y", y);
    if (!curve.split.empty()) question.fields.emplace_back("split", curve.split);
    for (const auto& [field, value] : curve.where.items()) question.fields.emplace_back("where", field);
    questions.push_back(std::move(question));
  }
  for (std::size_t i = 0; i < plan.expectations.size(); ++i) {
    const Expectation& expectation = plan.expectations[i];
    Question question{fmt::format("expect[{}]", i), expectation.table, {}};
    for (const std::string& column : columns_of(expectation.measure))
      question.fields.emplace_back("measure", column);
    for (const auto& [field, value] : expectation.where.items()) question.fields.emplace_back("where", field);
    for (const auto& [field, value] : expectation.than.items()) question.fields.emplace_back("than", field);
    questions.push_back(std::move(question));
  }
  return questions;
}

}  // namespace

std::vector<Problem> check_tables(const Plan& plan, const TableColumns& tables) {
  std::vector<std::string> names;
  for (const auto& [name, columns] : tables) names.push_back(name);
  std::vector<Problem> problems;
  for (const Question& question : questions_of(plan)) {
    const auto table = tables.find(question.table);
    if (table == tables.end()) {
      problems.push_back({plan.locate(question.path + ".table"),
                          fmt::format("this experiment makes no table \"{}\"", question.table),
                          suggest(question.table, names)});
      continue;
    }
    std::vector<std::string> columns{"trial"};
    columns.insert(columns.end(), table->second.begin(), table->second.end());
    for (const auto& [key, field] : question.fields) {
      if (!role_of(field).empty() || std::ranges::find(columns, field) != columns.end()) continue;
      problems.push_back({plan.locate(question.path + "." + key),
                          fmt::format("table \"{}\" has no column \"{}\"", question.table, field),
                          suggest(field, columns)});
    }
  }
  return problems;
}

}  // namespace earshot
