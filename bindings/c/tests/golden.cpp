// Replays the golden scenes through the C++ header and compares every bit: golden SCRIPT.
#include "reckoning.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace {

struct Scene {
  std::string name;
  ReckKindId kind{};
  std::optional<reckoning::Publisher> publisher;
  std::optional<reckoning::Ghost> ghost;
  std::vector<ReckUpdate> updates;
  std::vector<ReckJoint> joints;
  long compared = 0, different = 0;
};

double number(std::istream &words) {
  std::string word;
  words >> word;
  const std::uint64_t bits = std::stoull(word, nullptr, 16);
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename V> V numbers(std::istream &words) {
  double all[sizeof(V) / sizeof(double)];
  for (double &it : all) it = number(words);
  V v;
  std::memcpy(&v, all, sizeof v);
  return v;
}

template <typename V> void compare(Scene &scene, const V &got, const V &wanted) {
  const char *a = reinterpret_cast<const char *>(&got), *b = reinterpret_cast<const char *>(&wanted);
  for (std::size_t at = 0; at < sizeof(V); at += sizeof(double)) {
    scene.compared++;
    scene.different += std::memcmp(a + at, b + at, sizeof(double)) != 0;
  }
}

ReckKindDef def_of(const std::string &name) {
  ReckKindDef def = reck_kind_def_default();
  if (name == "car") {
    def.publisher.threshold_m = 0.25;
    def.ghost.blend = RECK_BLEND_SNAP;
    return def;
  }
  def.publisher.threshold_m = 0.1;
  def.publisher.heartbeat_spread = 0.1;
  def.publisher.seed = 8;
  if (name == "late") {
    def.show = RECK_SHOW_DELAYED;
    return def;
  }
  def.publisher.seed = 7;
  def.publisher.model = RECK_MODEL_DAMPED;
  def.publisher.model_s = 0.8;
  def.joint_count = 1;
  def.joints[0].threshold_rad = 0.05;
  def.joints[0].heartbeat_s = 1.0;
  return def;
}

void truth(Scene &scene, std::istream &words) {
  ReckKinematics truth = reck_kinematics_default();
  std::string wanted;
  words >> truth.at_us;
  truth.position = numbers<ReckVec3>(words);
  truth.velocity = numbers<ReckVec3>(words);
  truth.acceleration = numbers<ReckVec3>(words);
  truth.orientation = numbers<ReckQuat>(words);
  truth.angular_velocity = numbers<ReckVec3>(words);
  words >> wanted;
  std::optional<ReckUpdate> update;
  if (scene.publisher) {
    update = scene.publisher->observe(truth);
  } else {
    update.emplace();
    scene.publisher.emplace(scene.kind, truth, *update);
  }
  std::string got = update ? "" : "-";
  for (std::uint32_t i = 0; update && i < update->length; i++) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", update->bytes[i]);
    got += hex;
  }
  scene.compared++;
  scene.different += got != wanted;
  if (update) scene.updates.push_back(*update);
}

void line(Scene &scene, const std::string &word, std::istream &words) {
  std::int64_t now = 0;
  if (word == "truth") return truth(scene, words);
  words >> now;
  if (word == "arrive") {
    std::size_t index;
    words >> index;
    const ReckUpdate &update = scene.updates.at(index);
    if (scene.ghost) {
      scene.ghost->accept(update, now);
    } else {
      scene.ghost.emplace(scene.kind, update, now);
    }
  } else if (word == "shown") {
    compare(scene, scene.ghost->pose(now), numbers<ReckPose>(words));
  } else if (word == "aim") {
    const double angle = number(words), rate = number(words);
    const ReckJoint joint{now, angle, rate};
    int wanted;
    words >> wanted;
    const bool due = scene.publisher->aim(0, joint);
    scene.compared++;
    scene.different += due != (wanted == 1);
    if (due) scene.joints.push_back(joint);
  } else if (word == "aimed") {
    std::size_t index;
    words >> index;
    scene.ghost->accept(0, scene.joints.at(index), now);
  } else if (word == "angle") {
    compare(scene, scene.ghost->joint_angle(0, now), number(words));
  }
}

bool report(const Scene &scene) {
  std::printf("golden c++ %s: %zu updates, %ld results, %ld differ\n", scene.name.c_str(),
              scene.updates.size(), scene.compared, scene.different);
  return scene.different == 0 && scene.compared > 1000;
}

bool refusals_are_exceptions(reckoning::World &world) {
  ReckKindDef def = reck_kind_def_default();
  def.publisher.threshold_m = NAN;
  try {
    world.kind(def);
  } catch (const reckoning::Error &error) {
    return std::string(error.what()) == "threshold_m: NaN is not finite" &&
           error.result.field == RECK_FIELD_THRESHOLD;
  }
  return false;
}

} // namespace

int main(int count, char **words) {
  if (count != 2) return 2;
  std::ifstream script(words[1]);
  reckoning::World world;
  std::vector<Scene> scenes;
  for (std::string text; std::getline(script, text);) {
    std::istringstream line_words(text);
    std::string word;
    line_words >> word;
    if (word.empty() || word[0] == '#') continue;
    if (word == "scene") {
      scenes.emplace_back();
      line_words >> scenes.back().name;
      scenes.back().kind = world.kind(def_of(scenes.back().name));
    } else {
      line(scenes.back(), word, line_words);
    }
  }
  bool all = scenes.size() == 3 && refusals_are_exceptions(world);
  for (const Scene &scene : scenes) all = report(scene) && all;
  return all ? 0 : 1;
}
