// Reckoning for C++17: reckoning.h with owners that clean up after themselves and errors as exceptions.
//
// A World owns everything that is made in it. Publisher and Ghost destroy themselves; they may be moved and
// not copied, and must not be used from two threads at once, nor may two of the same world.
#ifndef RECKONING_HPP
#define RECKONING_HPP

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reckoning.h"

namespace reckoning {

/// What a refused call says.
class Error : public std::runtime_error {
public:
  explicit Error(ReckResult result) : std::runtime_error(words(result)), result(result) {}

  /// The status, the field that is to blame and the value that it had.
  const ReckResult result;

private:
  static std::string words(ReckResult result) {
    std::string text(200, '\0');
    const std::size_t length = reck_result_message(static_cast<std::int32_t>(result.status),
                                                   static_cast<std::int32_t>(result.field), result.value,
                                                   text.data(), text.size());
    text.resize(length < text.size() ? length : text.size() - 1);
    return text;
  }
};

/// Throws unless the call was done.
inline void check(ReckResult result) {
  if (result.status != RECK_STATUS_OK) throw Error(result);
}

namespace detail {

/// An id with one owner.
template <typename Id, ReckResult (*Destroy)(Id)> class Owned {
public:
  Owned() = default;
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  Owned(Owned &&other) noexcept : id_(std::exchange(other.id_, Id{})) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  // What its world has taken along already is refused, which is right.
  ~Owned() { Destroy(id_); }

  /// For the calls of reckoning.h.
  Id id() const { return id_; }

protected:
  Id id_{};
};

} // namespace detail

/// Everything there is. When it goes, all that was made in it goes.
class World : public detail::Owned<ReckWorldId, reck_world_destroy> {
public:
  World() { check(reck_world_create(&id_)); }

  /// Declares a kind; it lives as long as the world.
  ReckKindId kind(const ReckKindDef &def = reck_kind_def_default()) {
    ReckKindId kind{};
    check(reck_kind_create(id_, &def, &kind));
    return kind;
  }

  /// Where and how to draw many ghosts now, in the order of their ids.
  void poses(const std::vector<ReckGhostId> &ghosts, std::int64_t now_us, std::vector<ReckPose> &poses) const {
    poses.resize(ghosts.size());
    check(reck_ghosts_poses(id_, ghosts.data(), ghosts.size(), now_us, poses.data()));
  }
};

/// The owner's side of a body.
class Publisher : public detail::Owned<ReckPublisherId, reck_publisher_destroy> {
public:
  /// Starts to publish; `first` is the update that everyone gets.
  Publisher(ReckKindId kind, const ReckKinematics &truth, ReckUpdate &first) {
    check(reck_publisher_create(kind, &truth, &first, &id_));
  }

  /// Takes the truth of this tick; an update when listeners need one.
  std::optional<ReckUpdate> observe(const ReckKinematics &truth) {
    ReckUpdate update;
    bool due = false;
    check(reck_publisher_observe(id_, &truth, &update, &due));
    return due ? std::optional<ReckUpdate>(update) : std::nullopt;
  }

  /// The body is somewhere else at once.
  ReckUpdate teleport(const ReckKinematics &truth) {
    ReckUpdate update;
    check(reck_publisher_teleport(id_, &truth, &update));
    return update;
  }

  /// Whether listeners need this state of a joint: then send it.
  bool aim(std::uint32_t joint, const ReckJoint &truth) {
    bool due = false;
    check(reck_publisher_aim(id_, joint, &truth, &due));
    return due;
  }
};

/// A body that lives elsewhere, as it is shown here.
class Ghost : public detail::Owned<ReckGhostId, reck_ghost_destroy> {
public:
  Ghost(ReckKindId kind, const ReckUpdate &first, std::int64_t now_us) {
    check(reck_ghost_create(kind, &first, now_us, &id_));
  }

  /// Takes an update that arrives now.
  ReckAccepted accept(const ReckUpdate &update, std::int64_t now_us) {
    ReckAccepted accepted{};
    check(reck_ghost_accept(id_, &update, now_us, &accepted));
    return accepted;
  }

  /// Where and how to draw it now.
  ReckPose pose(std::int64_t now_us) const {
    ReckPose pose;
    check(reck_ghost_pose(id_, now_us, &pose));
    return pose;
  }

  /// Takes an update of a joint that arrives now.
  void accept(std::uint32_t joint, const ReckJoint &update, std::int64_t now_us) {
    check(reck_ghost_accept_joint(id_, joint, &update, now_us));
  }

  /// The angle at which to draw a joint now.
  double joint_angle(std::uint32_t joint, std::int64_t now_us) const {
    double angle_rad = 0.0;
    check(reck_ghost_joint_angle(id_, joint, now_us, &angle_rad));
    return angle_rad;
  }
};

} // namespace reckoning

#endif
