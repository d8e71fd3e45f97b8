#include "earshot/threat/view.hpp"

#include <algorithm>
#include <map>

#include "earshot/core/error.hpp"

namespace earshot {

Recorder::Recorder(std::size_t nodes, std::span<const Adversary> adversaries, PublicKnowledge told,
                   const RoundWindow& window)
    : told_(std::move(told)),
      window_(window),
      chosen_(adversaries.size()),
      members_(nodes),
      taps_(nodes),
      wires_(nodes),
      listens_(adversaries.size(), 0) {
  for (std::size_t i = 0; i < adversaries.size(); ++i) {
    views_.emplace_back(adversaries[i], told_);
    for (const NodeId node : adversaries[i].colluding) members_[node].push_back(i);
    for (const NodeId node : adversaries[i].tapped) taps_[node].push_back(i);
    for (const auto& [a, b] : adversaries[i].wires) {
      wires_[a].emplace_back(b, i);
      wires_[b].emplace_back(a, i);
    }
  }
}

void Recorder::add_listeners(const Views& views) {
  for (const std::size_t view : views) {
    if (listens_[view] != 0) continue;
    listens_[view] = 1;
    listeners_.push_back(view);
  }
}

void Recorder::add_wire(NodeId from, NodeId to) {
  for (const auto& [end, view] : wires_[from]) {
    if (end == to) add_listeners({view});
  }
}

void Recorder::on_broadcast(Round round, NodeId from, const Audience& audience,
                            std::span<const double> message) {
  add_listeners(members_[from]);
  add_listeners(taps_[from]);
  for (const NodeId node : audience.heard_by) add_listeners(members_[node]);
  for (const NodeId node : audience.sent_to) add_wire(from, node);
  record({round, from, std::nullopt, message, round});
}

void Recorder::on_message(Round round, NodeId from, NodeId to, std::span<const double> message) {
  add_listeners(members_[to]);
  on_missed(round, from, to, message);
}

void Recorder::on_missed(Round round, NodeId from, NodeId to, std::span<const double> message) {
  add_listeners(members_[from]);
  add_listeners(taps_[from]);
  add_wire(from, to);
  record({round, from, to, message, round});
}

void Recorder::on_late(Round round, NodeId from, NodeId to, Round said, std::span<const double> message) {
  add_listeners(members_[to]);
  record({round, from, to, message, said});
}

void Recorder::on_encrypted(NodeId from, NodeId to, std::span<const double> message) {
  add_listeners(members_[from]);
  add_listeners(members_[to]);
  if (!listeners_.empty()) payloads_.emplace_back(message.begin(), message.end());
  for (const std::size_t i : listeners_) {
    views_[i].encrypted_.push_back({0, from, to, payloads_.back(), 0});
    listens_[i] = 0;
  }
  listeners_.clear();
}

void Recorder::record(const Overheard& heard) {
  if (window_.contains(heard.round)) {
    const auto wants = [&](std::size_t view) { return keeps(view, heard); };
    const auto kept = std::ranges::any_of(listeners_, wants) ? keep(heard) : std::span<const double>();
    for (const std::size_t i : listeners_) {
      if (wants(i))
        views_[i].messages_.push_back({heard.round, heard.from, heard.to, kept, heard.said});
      else
        views_[i].unkept_.push_back({heard.round, heard.from, heard.to, heard.message.size()});
      views_[i].rounds_ = heard.round + 1;
    }
  }
  for (const std::size_t i : listeners_) listens_[i] = 0;
  listeners_.clear();
}

bool Recorder::keeps(std::size_t view, const Overheard& heard) const {
  return !chosen_[view] || chosen_[view]->contains(heard);
}

/// What a sender says in one round lies still, so the same memory is the same message to another receiver.
std::span<const double> Recorder::keep(const Overheard& heard) {
  const bool again = last_.round == heard.round && last_.from == heard.from &&
                     last_.message.data() == heard.message.data() &&
                     last_.message.size() == heard.message.size();
  if (!again) payloads_.emplace_back(heard.message.begin(), heard.message.end());
  last_ = heard;
  return payloads_.back();
}

std::size_t Recorder::kept_numbers() const {
  std::size_t numbers = 0;
  for (const std::vector<double>& payload : payloads_) numbers += payload.size();
  return numbers;
}

namespace {

void save_header(StateWriter& out, const Unkept& heard) {
  out.number(heard.round);
  out.number(heard.from);
  out.number(heard.to ? *heard.to + std::uint64_t{1} : 0);
  out.number(heard.numbers);
}

void save_messages(StateWriter& out, std::span<const Overheard> messages,
                   const std::map<const double*, std::size_t>& payloads) {
  out.number(messages.size());
  for (const Overheard& heard : messages) {
    out.number(heard.said);
    save_header(out, {heard.round, heard.from, heard.to, heard.message.size()});
    out.number(payloads.at(heard.message.data()));
  }
}

void save_unkept(StateWriter& out, std::span<const Unkept> unkept) {
  out.number(unkept.size());
  for (const Unkept& heard : unkept) save_header(out, heard);
}

}  // namespace

void Recorder::save(StateWriter& out) const {
  std::map<const double*, std::size_t> index;
  out.number(payloads_.size());
  for (const std::vector<double>& payload : payloads_) {
    index.emplace(payload.data(), index.size());
    out.reals(payload);
  }
  for (const View& view : views_) {
    save_messages(out, view.encrypted_, index);
    save_messages(out, view.messages_, index);
    save_unkept(out, view.unkept_);
  }
}

/// A message may be to everybody; nodes outside the network are refused.
Unkept Recorder::load_header(StateReader& in) const {
  Unkept heard;
  heard.round = static_cast<Round>(in.number());
  heard.from = static_cast<NodeId>(in.number());
  const std::uint64_t to = in.number();
  if (to > 0) heard.to = static_cast<NodeId>(to - 1);
  if (heard.from >= members_.size() || to > members_.size())
    fail(Fault::kData, "a recording names a node that it does not have");
  heard.numbers = in.number();
  return heard;
}

Overheard Recorder::load_message(StateReader& in) const {
  const auto said = static_cast<Round>(in.number());
  const Unkept header = load_header(in);
  const std::uint64_t payload = in.number();
  if (payload >= payloads_.size() || payloads_[payload].size() != header.numbers)
    fail(Fault::kData, "a recording names a message that it does not have");
  return {header.round, header.from, header.to, payloads_[payload], said};
}

void Recorder::load(StateReader& in) {
  payloads_.clear();
  last_ = {};
  for (std::uint64_t left = in.number(); left > 0; --left) payloads_.push_back(in.reals());
  for (View& view : views_) {
    view.encrypted_.clear();
    view.messages_.clear();
    view.unkept_.clear();
    view.rounds_ = 0;
    for (std::uint64_t left = in.number(); left > 0; --left) view.encrypted_.push_back(load_message(in));
    for (std::uint64_t left = in.number(); left > 0; --left) {
      view.messages_.push_back(load_message(in));
      view.rounds_ = view.messages_.back().round + 1;
    }
    for (std::uint64_t left = in.number(); left > 0; --left) {
      view.unkept_.push_back(load_header(in));
      view.rounds_ = std::max(view.rounds_, view.unkept_.back().round + 1);
    }
  }
}

}  // namespace earshot
