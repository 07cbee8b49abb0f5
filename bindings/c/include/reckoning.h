// Reckoning: dead reckoning for games and simulations, in C. Made from the library's source by `generate`.
//
// Everything lives in worlds and is named by ids, which are values. An id that is all zero names nothing;
// ids of what was destroyed are refused, for ever. Take defs from their reck_*_def_default(). Every function
// checks what it is given and answers with a ReckResult: its status, the field that is to blame, and the
// value that had. It never ends the program and keeps no pointer of yours.
//
// Threads: use a world from one thread at a time. A call while another one is within the same world is
// refused as RECK_STATUS_BUSY. Different worlds are independent of each other.
//
// Units: metres, seconds, radians; moments are microseconds of a timeline of yours. Up is z.
#ifndef RECKONING_H
#define RECKONING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What became of a call.
typedef enum ReckStatus {
  // It was done.
  RECK_STATUS_OK = 0,
  // A pointer is null that must not be.
  RECK_STATUS_NULL = 1,
  // An id is all zero, or names something that was destroyed or never was.
  RECK_STATUS_NO_SUCH_ID = 2,
  // A struct_size is not that of this version: take the def from its reck_*_def_default().
  RECK_STATUS_STRUCT_SIZE = 3,
  // A number is NaN or infinite.
  RECK_STATUS_NOT_FINITE = 4,
  // A number, a choice or a count is out of its range.
  RECK_STATUS_OUT_OF_RANGE = 5,
  // An orientation has not the length 1.
  RECK_STATUS_NOT_UNIT = 6,
  // Two settings contradict each other; the field is one of them.
  RECK_STATUS_CONTRADICTION = 7,
  // Bytes are not what they should be; the value is the offset of the first that is not.
  RECK_STATUS_BAD_BYTES = 8,
  // Another thread is within this world: use a world from one thread at a time.
  RECK_STATUS_BUSY = 9,
  // There is no room for more; the value is how many there may be.
  RECK_STATUS_FULL = 10,
  // A moment is not later than the one before it.
  RECK_STATUS_NOT_LATER = 11,
  // A crowd does not know the model of this update: take a ghost.
  RECK_STATUS_MODEL_UNKNOWN = 12,
  // An array is too short; the value is how many it must hold.
  RECK_STATUS_TOO_SHORT = 13,
  // A text is not UTF-8; the value is the offset of the first byte that is not.
  RECK_STATUS_NOT_UTF8 = 14,
  // A server could not be asked: its address cannot be used, or the system gave no thread.
  RECK_STATUS_CONNECT = 15,
  // The client has not joined, the entity is not its own, or the clock of the server is not known yet.
  RECK_STATUS_NOT_JOINED = 16,
  // A mistake within Reckoning; the world can only be destroyed.
  RECK_STATUS_BROKEN = 17,
} ReckStatus;

// Which argument or field a result is about.
typedef enum ReckField {
  // None.
  RECK_FIELD_NONE = 0,
  // Of a ReckWorldId.
  RECK_FIELD_WORLD = 1,
  // Of a ReckKindId.
  RECK_FIELD_KIND = 2,
  // Of a ReckPublisherId.
  RECK_FIELD_PUBLISHER = 3,
  // Of a ReckGhostId.
  RECK_FIELD_GHOST = 4,
  // Of a ReckCrowdId.
  RECK_FIELD_CROWD = 5,
  // Of a ReckClockId.
  RECK_FIELD_CLOCK = 6,
  // Of a ReckLearnedId.
  RECK_FIELD_LEARNED = 7,
  // Of a ReckClientId.
  RECK_FIELD_CLIENT = 8,
  // A pointer to what a function gives back.
  RECK_FIELD_OUTPUT = 9,
  // A pointer to a def, or its struct_size.
  RECK_FIELD_DEF = 10,
  // A pointer to a truth.
  RECK_FIELD_TRUTH = 11,
  // An update.
  RECK_FIELD_UPDATE = 12,
  // A list, its length, or the value's place in it.
  RECK_FIELD_LIST = 13,
  // at_us or now_us.
  RECK_FIELD_AT = 14,
  // A position.
  RECK_FIELD_POSITION = 15,
  // A velocity.
  RECK_FIELD_VELOCITY = 16,
  // An acceleration.
  RECK_FIELD_ACCELERATION = 17,
  // An orientation.
  RECK_FIELD_ORIENTATION = 18,
  // An angular velocity.
  RECK_FIELD_ANGULAR_VELOCITY = 19,
  // threshold_m.
  RECK_FIELD_THRESHOLD = 20,
  // angle_threshold_rad.
  RECK_FIELD_ANGLE_THRESHOLD = 21,
  // heartbeat_s.
  RECK_FIELD_HEARTBEAT = 22,
  // full_interval_s.
  RECK_FIELD_FULL_INTERVAL = 23,
  // heartbeat_spread.
  RECK_FIELD_HEARTBEAT_SPREAD = 24,
  // min_interval_s.
  RECK_FIELD_MIN_INTERVAL = 25,
  // angle_min_interval_s.
  RECK_FIELD_ANGLE_MIN_INTERVAL = 26,
  // model.
  RECK_FIELD_MODEL = 27,
  // model_s.
  RECK_FIELD_MODEL_SPAN = 28,
  // gravity_mps2.
  RECK_FIELD_GRAVITY = 29,
  // floor_m.
  RECK_FIELD_FLOOR = 30,
  // stop_repeat_s.
  RECK_FIELD_STOP_REPEAT = 31,
  // judge_ahead_s.
  RECK_FIELD_JUDGE_AHEAD = 32,
  // blend.
  RECK_FIELD_BLEND = 33,
  // span.
  RECK_FIELD_SPAN = 34,
  // span_s.
  RECK_FIELD_SPAN_LENGTH = 35,
  // min_span_s or max_span_s.
  RECK_FIELD_SPAN_BOUNDS = 36,
  // max_extrapolation_s.
  RECK_FIELD_MAX_EXTRAPOLATION = 37,
  // delay_s, min_delay_s or max_delay_s.
  RECK_FIELD_DELAY = 38,
  // min_heading_speed_mps.
  RECK_FIELD_MIN_HEADING_SPEED = 39,
  // max_speed_mps.
  RECK_FIELD_MAX_SPEED = 40,
  // show.
  RECK_FIELD_SHOW = 41,
  // joint_count.
  RECK_FIELD_JOINT_COUNT = 42,
  // The index of a joint.
  RECK_FIELD_JOINT = 43,
  // angle_rad.
  RECK_FIELD_ANGLE = 44,
  // rate_radps.
  RECK_FIELD_RATE = 45,
  // threshold_rad.
  RECK_FIELD_JOINT_THRESHOLD = 46,
  // blend_s.
  RECK_FIELD_JOINT_BLEND = 47,
  // width_m.
  RECK_FIELD_WIDTH = 48,
  // A setting of a clock.
  RECK_FIELD_CLOCK_SETTING = 49,
  // server.
  RECK_FIELD_SERVER = 50,
  // token.
  RECK_FIELD_TOKEN = 51,
  // A message.
  RECK_FIELD_MESSAGE = 52,
  // delivery.
  RECK_FIELD_DELIVERY = 53,
  // An entity.
  RECK_FIELD_ENTITY = 54,
  // origin.
  RECK_FIELD_ORIGIN = 55,
  // trust.
  RECK_FIELD_TRUST = 56,
  // bound_m.
  RECK_FIELD_BOUND = 57,
  // Another setting.
  RECK_FIELD_SETTING = 58,
} ReckField;

// What became of a call: the status, and if it is not RECK_STATUS_OK, which field is to blame and the
// value it had. reck_result_message() says it in words.
typedef struct ReckResult {
  // What became of it.
  ReckStatus status;
  // What it is about.
  ReckField field;
  // The value of that.
  double value;
} ReckResult;

// A vector: x, y and z, up by z.
typedef struct ReckVec3 {
  // Along x.
  double x;
  // Along y.
  double y;
  // Along z, which is up.
  double z;
} ReckVec3;

// A rotation as a quaternion of length 1.
typedef struct ReckQuat {
  // The i part.
  double x;
  // The j part.
  double y;
  // The k part.
  double z;
  // The real part; 1 for no rotation.
  double w;
} ReckQuat;

// How a body moves at one moment. Take it from reck_kinematics_default(), which is a body at rest.
typedef struct ReckKinematics {
  // The moment, in microseconds of a timeline of yours.
  int64_t at_us;
  // Where it is.
  ReckVec3 position;
  // How fast it moves, per second.
  ReckVec3 velocity;
  // How that changes, per second.
  ReckVec3 acceleration;
  // How it is turned.
  ReckQuat orientation;
  // How fast it turns, in radians per second about the axes of the world.
  ReckVec3 angular_velocity;
} ReckKinematics;

// Where and how to draw a body.
typedef struct ReckPose {
  // Where it is.
  ReckVec3 position;
  // How it is turned.
  ReckQuat orientation;
} ReckPose;

// A turret, a gun or a head at one moment; also what is sent of it.
typedef struct ReckJoint {
  // The moment, in microseconds.
  int64_t at_us;
  // The angle in radians; full turns do not matter.
  double angle_rad;
  // Its change per second.
  double rate_radps;
} ReckJoint;

// The longest update in bytes.
#define RECK_MAX_UPDATE_BYTES 272

// What a publisher sends and a ghost takes: send the first length of bytes in any way you like.
typedef struct ReckUpdate {
  // How many bytes count.
  uint32_t length;
  // The bytes, the same on every machine.
  uint8_t bytes[RECK_MAX_UPDATE_BYTES];
} ReckUpdate;

// Names a world. All zero is none.
typedef struct ReckWorldId {
  // Place and generation.
  uint32_t world;
} ReckWorldId;

// How many worlds there can be at a time.
#define RECK_MAX_WORLDS 128

// How a body is carried on between updates.
typedef enum ReckModel {
  // Stays where it was last seen.
  RECK_MODEL_HOLD = 0,
  // Keeps its velocity.
  RECK_MODEL_LINEAR = 1,
  // Keeps its acceleration for model_s, then its velocity.
  RECK_MODEL_ACCELERATING = 2,
  // Loses its velocity, to a third within model_s: right for players.
  RECK_MODEL_DAMPED = 3,
  // Loses its acceleration, to a third within model_s: right for vehicles.
  RECK_MODEL_DECAYING = 4,
  // Keeps its speed and its turning.
  RECK_MODEL_ARC = 5,
  // Falls with gravity_mps2 and stays where it meets floor_m.
  RECK_MODEL_BALLISTIC_STOP = 6,
  // Falls with gravity_mps2 and runs on along floor_m.
  RECK_MODEL_BALLISTIC_RUN = 7,
} ReckModel;

// How a ghost sheds its error when an update arrives.
typedef enum ReckBlend {
  // Jumps to the believed path at once.
  RECK_BLEND_SNAP = 0,
  // Straight to where the body will be at the end of the span.
  RECK_BLEND_LINEAR = 1,
  // Lays the error over the believed path and lets it fade.
  RECK_BLEND_FADE = 2,
  // Projective velocity blending without its jumps in velocity; the best for most.
  RECK_BLEND_PROJECTIVE_VELOCITY = 3,
  // Projective velocity blending as Murphy prints it.
  RECK_BLEND_PROJECTIVE_VELOCITY_PRINTED = 4,
  // A cubic Bezier curve.
  RECK_BLEND_BEZIER = 5,
  // A quintic Hermite curve over the believed path.
  RECK_BLEND_HERMITE = 6,
  // A Catmull-Rom curve.
  RECK_BLEND_CATMULL_ROM = 7,
} ReckBlend;

// How long a blend takes.
typedef enum ReckSpan {
  // Always span_s.
  RECK_SPAN_FIXED = 0,
  // The running average of the time between arrivals, from min_span_s to max_span_s.
  RECK_SPAN_FROM_ARRIVALS = 1,
  // The longer the further off the picture is: the closest to the truth. By width_m.
  RECK_SPAN_CLOSE = 2,
} ReckSpan;

// How bodies of a kind are shown.
typedef enum ReckShow {
  // As they must be now, by the ghost def.
  RECK_SHOW_RECKONED = 0,
  // As they were a moment ago, by the delayed def.
  RECK_SHOW_DELAYED = 1,
} ReckShow;

// When the owner of a body sends an update. Take it from reck_publisher_def_default().
typedef struct ReckPublisherDef {
  // Set by reck_publisher_def_default().
  uint32_t struct_size;
  // 1: the threshold holds for each axis, as in DIS. Default: 0, for the distance.
  uint8_t threshold_per_axis;
  // 1: sends an update at once when the body came to rest and listeners see it move. Default: 1.
  uint8_t export_stops;
  // 1: sends less acceleration the less it agrees with the one sent last. Default: 0.
  uint8_t damp_acceleration;
  // Nothing yet: 0.
  uint8_t reserved;
  // Sends an update once the listeners' guess is off by more than this. Default: 0.25. Above 0.
  double threshold_m;
  // And once it is turned by more than this; 0 leaves orientation alone. Default: 5 degrees.
  double angle_threshold_rad;
  // Sends an update at least this often. Default: 0.5. At least min_interval_s.
  double heartbeat_s;
  // Sends a full update at least this often; 0 makes every update full. Default: 10.
  double full_interval_s;
  // Varies heartbeats by up to this share, so that bodies do not send together. Default: 0. To 0.5.
  double heartbeat_spread;
  // Seeds that; give each body its own. Default: 0.
  uint64_t seed;
  // Never sends more often than this, except for stops and teleports. Default: 0.
  double min_interval_s;
  // Never sends for the sake of orientation more often than this. Default: 0.
  double angle_min_interval_s;
  // Repeats a stop once after this long; 0 does not. Default: 0.1.
  double stop_repeat_s;
  // Judges positions this far ahead; 0 judges the error of now. Default: 0.
  double judge_ahead_s;
  // How listeners carry the body on. Default: RECK_MODEL_LINEAR.
  ReckModel model;
  // Nothing yet: 0.
  uint32_t reserved2;
  // The time constant of the model, where it has one. Default: 1.
  double model_s;
  // The fall of a ballistic model. Default: 9.81.
  double gravity_mps2;
  // The height at which that ends. Default: 0.
  double floor_m;
} ReckPublisherDef;

// How a ghost is shown as it must be now. Take it from reck_ghost_def_default().
typedef struct ReckGhostDef {
  // Set by reck_ghost_def_default().
  uint32_t struct_size;
  // 1: updates count from when they arrive, less delay_s, for want of a common clock. Default: 0.
  uint8_t on_arrival;
  // 1: chooses between carrying on, damping and holding by what each would have shown. Default: 0.
  uint8_t hedged;
  // Nothing yet: 0.
  uint16_t reserved;
  // How to get from what is shown to what is believed. Default: RECK_BLEND_PROJECTIVE_VELOCITY.
  ReckBlend blend;
  // How long that takes. Default: RECK_SPAN_FIXED.
  ReckSpan span;
  // The length of a fixed span. Default: 0.333. Above 0.
  double span_s;
  // The shortest span from arrivals. Default: 0.05. Above 0.
  double min_span_s;
  // The longest span from arrivals, or for the sake of max_speed_mps. Default: 0.333.
  double max_span_s;
  // How wide bodies are, for a close span. Default: 1. Above 0.
  double width_m;
  // How far past an update its model is followed before the ghost rests. Default: 4. Above 0.
  double max_extrapolation_s;
  // The estimated time on the way, for on_arrival. Default: 0.
  double delay_s;
  // Slower than this a body keeps its heading. Default: 0.5. At least 0.
  double min_heading_speed_mps;
  // Lengthens blends, to max_span_s at most, so that none is shown faster; 0 does not. Default: 0.
  double max_speed_mps;
} ReckGhostDef;

// How a ghost is shown as it was a moment ago. Take it from reck_delayed_def_default().
typedef struct ReckDelayedDef {
  // Set by reck_delayed_def_default().
  uint32_t struct_size;
  // Nothing yet: 0.
  uint32_t reserved;
  // The delay to start with and never go below. Default: 0.1.
  double min_delay_s;
  // The delay never to exceed. Default: 0.5. At least min_delay_s.
  double max_delay_s;
  // How far past the newest update its model is followed. Default: 0.25. Above 0.
  double max_extrapolation_s;
  // How long it takes to shed the error of that. Default: 0.2. Above 0.
  double span_s;
  // Slower than this a body keeps its heading. Default: 0.5. At least 0.
  double min_heading_speed_mps;
} ReckDelayedDef;

// A part that turns on a body. Take it from reck_joint_def_default().
typedef struct ReckJointDef {
  // Set by reck_joint_def_default().
  uint32_t struct_size;
  // Nothing yet: 0.
  uint32_t reserved;
  // Sends an update once the listeners' guess is off by more than this. Default: 3 degrees. Above 0.
  double threshold_rad;
  // Sends an update at least this often. Default: 5. At least min_interval_s.
  double heartbeat_s;
  // Never sends more often than this. Default: 0.05.
  double min_interval_s;
  // How long listeners take to fade an error away; 0 jumps. Default: 0.2.
  double blend_s;
} ReckJointDef;

// How many joints a kind can have.
#define RECK_MAX_JOINTS 8

// How bodies of one kind are published and shown: said once for all ends. Take it from
// reck_kind_def_default().
typedef struct ReckKindDef {
  // Set by reck_kind_def_default().
  uint32_t struct_size;
  // How they are shown. Default: RECK_SHOW_RECKONED.
  ReckShow show;
  // When their owners send.
  ReckPublisherDef publisher;
  // How they are shown, reckoned.
  ReckGhostDef ghost;
  // How they are shown, delayed.
  ReckDelayedDef delayed;
  // How many of the joints count. Default: 0.
  uint32_t joint_count;
  // Nothing yet: 0.
  uint32_t reserved;
  // Parts that turn on them.
  ReckJointDef joints[RECK_MAX_JOINTS];
} ReckKindDef;

// Names a kind. All zero is none.
typedef struct ReckKindId {
  // Its world.
  uint32_t world;
  // Its place, from 1.
  uint32_t index1;
  // How often the place was used.
  uint32_t generation;
} ReckKindId;

// Names a trained model. All zero is none.
typedef struct ReckLearnedId {
  // Its world.
  uint32_t world;
  // Its place, from 1.
  uint32_t index1;
  // How often the place was used.
  uint32_t generation;
} ReckLearnedId;

// Names a publisher. All zero is none.
typedef struct ReckPublisherId {
  // Its world.
  uint32_t world;
  // Its place, from 1.
  uint32_t index1;
  // How often the place was used.
  uint32_t generation;
} ReckPublisherId;

// Counters of a publisher.
typedef struct ReckPublisherStats {
  // Truths that were observed.
  uint64_t observed;
  // Those that were refused: not finite, or not later than the last update.
  uint64_t refused;
  // Updates that were sent.
  uint64_t exported;
  // Those of them that were full.
  uint64_t full;
} ReckPublisherStats;

// Names a ghost. All zero is none.
typedef struct ReckGhostId {
  // Its world.
  uint32_t world;
  // Its place, from 1.
  uint32_t index1;
  // How often the place was used.
  uint32_t generation;
} ReckGhostId;

// What became of an update.
typedef enum ReckAccepted {
  // It is the newest and leads from now on.
  RECK_ACCEPTED_NEWEST = 0,
  // It is not the newest, but fills a gap ahead of what is shown late.
  RECK_ACCEPTED_FILLED = 1,
  // It is not newer than what was there; nothing changed.
  RECK_ACCEPTED_STALE = 2,
} ReckAccepted;

// Names a crowd. All zero is none.
typedef struct ReckCrowdId {
  // Its world.
  uint32_t world;
  // Its place, from 1.
  uint32_t index1;
  // How often the place was used.
  uint32_t generation;
} ReckCrowdId;

// Names a ghost of a crowd. All zero is none.
typedef struct ReckCrowdGhostId {
  // Its place, from 1.
  uint32_t index1;
  // How often the place was used.
  uint32_t generation;
} ReckCrowdGhostId;

// How the ghosts of a crowd are shown. Take it from reck_crowd_def_default().
typedef struct ReckCrowdDef {
  // Set by reck_crowd_def_default().
  uint32_t struct_size;
  // Nothing yet: 0.
  uint32_t reserved;
  // How long a ghost takes to shed its error; 0 jumps. Default: 0.333. At most 300.
  double span_s;
  // How far past an update its model is followed. Default: 4. Above 0, at most 300.
  double max_extrapolation_s;
  // What positions are shown relative to. Default: zero.
  ReckVec3 origin;
  // About when it begins, in microseconds. Default: 0.
  int64_t at_us;
} ReckCrowdDef;

// Names a clock. All zero is none.
typedef struct ReckClockId {
  // Its world.
  uint32_t world;
  // Its place, from 1.
  uint32_t index1;
  // How often the place was used.
  uint32_t generation;
} ReckClockId;

// A question and its answer, each moment in microseconds.
typedef struct ReckExchange {
  // When the question left, by the local clock.
  int64_t sent_us;
  // When it came in, by the remote clock.
  int64_t received_us;
  // When the answer left, by the remote clock.
  int64_t answered_us;
  // When the answer came in, by the local clock.
  int64_t returned_us;
} ReckExchange;

// What became of an exchange.
typedef enum ReckExchanged {
  // It agrees with the others, or is the first.
  RECK_EXCHANGED_USED = 0,
  // It contradicts the others and waits for more that agree with it.
  RECK_EXCHANGED_DOUBTED = 1,
  // It was the last proof that a clock was set; the estimate starts anew.
  RECK_EXCHANGED_RESTARTED = 2,
  // Its moments contradict each other or it took too long; nothing changed.
  RECK_EXCHANGED_REFUSED = 3,
} ReckExchanged;

// Names a client. All zero is none.
typedef struct ReckClientId {
  // Its world.
  uint32_t world;
  // Its place, from 1.
  uint32_t index1;
  // How often the place was used.
  uint32_t generation;
} ReckClientId;

// Which servers a client trusts.
typedef enum ReckTrust {
  // Those whose certificate the system trusts, and on this machine those of the same user.
  RECK_TRUST_SYSTEM_ROOTS = 0,
  // The one whose certificate has this SHA-256.
  RECK_TRUST_PINNED = 1,
} ReckTrust;

// How a message is delivered.
typedef enum ReckDelivery {
  // Once and in order.
  RECK_DELIVERY_RELIABLE = 0,
  // By the next few datagrams; lost if all are.
  RECK_DELIVERY_REPEATED = 1,
} ReckDelivery;

// Settings of a client. Take it from reck_client_def_default().
typedef struct ReckClientDef {
  // Set by reck_client_def_default().
  uint32_t struct_size;
  // Which servers to trust. Default: RECK_TRUST_SYSTEM_ROOTS.
  ReckTrust trust;
  // The server, as host:port. Must be set.
  const char *server;
  // The token to join with. Default: null, a random one.
  const uint8_t *token;
  // Its length.
  size_t token_length;
  // The SHA-256 of the certificate, for RECK_TRUST_PINNED.
  uint8_t certificate[32];
} ReckClientDef;

// State of a client's connection.
typedef enum ReckClientStatus {
  // Connecting to the server, or asking to join.
  RECK_CLIENT_STATUS_CONNECTING = 0,
  // Joined: bodies are exchanged.
  RECK_CLIENT_STATUS_JOINED = 1,
  // The connection was lost and is tried again after a while.
  RECK_CLIENT_STATUS_RECONNECTING = 2,
  // Over for good.
  RECK_CLIENT_STATUS_OVER = 3,
} ReckClientStatus;

// What happened.
typedef enum ReckEventKind {
  // Something this interface does not tell more of.
  RECK_EVENT_KIND_OTHER = 0,
  // The server admitted us; the bytes are its welcome.
  RECK_EVENT_KIND_JOINED = 1,
  // The session is over; the client comes back by itself, unless its status is over.
  RECK_EVENT_KIND_LOST = 2,
  // We own the entity from now on.
  RECK_EVENT_KIND_GRANTED = 3,
  // We no longer own the entity.
  RECK_EVENT_KIND_REVOKED = 4,
  // The entity came into sight; the bytes are the game's own about it, number its kind.
  RECK_EVENT_KIND_ENTERED = 5,
  // The entity left our sight, or was despawned.
  RECK_EVENT_KIND_EXITED = 6,
  // The server corrects an entity of ours: go on from the state.
  RECK_EVENT_KIND_CORRECTED = 7,
  // A message of the game; the bytes are it.
  RECK_EVENT_KIND_MESSAGE = 8,
  // A command of the game; the bytes are it.
  RECK_EVENT_KIND_COMMAND = 9,
  // The server refused us or put us out; the bytes say why.
  RECK_EVENT_KIND_DISCONNECTED = 10,
} ReckEventKind;

// The most bytes that come with an event.
#define RECK_MAX_EVENT_BYTES 1200

// Something that happened.
typedef struct ReckEvent {
  // What.
  ReckEventKind kind;
  // To which entity, where it is about one.
  uint32_t entity;
  // A number that goes with it.
  uint32_t number;
  // How many bytes go with it; more than RECK_MAX_EVENT_BYTES are cut off.
  uint32_t length;
  // A state that goes with it.
  ReckKinematics state;
  // The bytes.
  uint8_t bytes[RECK_MAX_EVENT_BYTES];
} ReckEvent;

// Says a result in words: "heartbeat_s: 0.01 contradicts another setting". Writes as much as fits with
// a zero at its end, and returns how many bytes all has without that zero. The buffer may be null.
size_t reck_result_message(int32_t status, int32_t field, double value, char *buffer, size_t capacity);

// A body at rest at the origin at the moment 0.
ReckKinematics reck_kinematics_default(void);

// Makes an empty world. One is enough for a game; two threads want one each.
ReckResult reck_world_create(ReckWorldId *world);

// Destroys a world and everything in it. Their ids are refused from then on.
ReckResult reck_world_destroy(ReckWorldId world);

// Whether the world is there.
bool reck_world_is_valid(ReckWorldId world);

// The default: a person or a car in a game at 60 Hz, in metres.
ReckPublisherDef reck_publisher_def_default(void);

// The default: three updates a second and a common clock.
ReckGhostDef reck_ghost_def_default(void);

// The default: a tenth of a second late, and up to half a second on a bad link.
ReckDelayedDef reck_delayed_def_default(void);

// The default: the turret of a tank.
ReckJointDef reck_joint_def_default(void);

// The default: published and shown by the defaults, without joints.
ReckKindDef reck_kind_def_default(void);

// Declares a kind: how its bodies are published and shown. Whatever does not fit together is refused
// here, and nowhere later. A kind lives as long as its world.
ReckResult reck_kind_create(ReckWorldId world, const ReckKindDef *def, ReckKindId *kind);

// Destroys a kind. Publishers and ghosts that were made of it go on.
ReckResult reck_kind_destroy(ReckKindId kind);

// Reads a trained model from the bytes of its file, which reckon train wrote.
ReckResult reck_learned_create(ReckWorldId world, const uint8_t *bytes, size_t count, ReckLearnedId *learned);

// Forgets a trained model. Publishers that use it go on.
ReckResult reck_learned_destroy(ReckLearnedId learned);

// Starts to publish a body of that kind. first is the update that everyone gets.
ReckResult reck_publisher_create(
    ReckKindId kind,
    const ReckKinematics *truth,
    ReckUpdate *first,
    ReckPublisherId *publisher);

// Takes the truth of this tick. due says whether listeners need update: then send it. A truth that
// is not finite, or not later than the last update, is refused.
ReckResult reck_publisher_observe(
    ReckPublisherId publisher,
    const ReckKinematics *truth,
    ReckUpdate *update,
    bool *due);

// Takes the truth of a body that is somewhere else now without having moved there; update says so.
ReckResult reck_publisher_teleport(
    ReckPublisherId publisher,
    const ReckKinematics *truth,
    ReckUpdate *update);

// Takes notice that the update about the moment at_us was lost: unless a newer one was sent since, the
// next truth is sent again.
ReckResult reck_publisher_handle_lost(ReckPublisherId publisher, int64_t at_us);

// Changes the threshold from the next truth on.
ReckResult reck_publisher_set_threshold(ReckPublisherId publisher, double threshold_m);

// Has a trained model plan the updates of this body from the next one on. bound_m is the threshold it
// is to keep, seed the body's own number.
ReckResult reck_publisher_set_learned(
    ReckPublisherId publisher,
    ReckLearnedId learned,
    double bound_m,
    uint64_t seed);

// Its counters.
ReckResult reck_publisher_stats(ReckPublisherId publisher, ReckPublisherStats *stats);

// Ends the publishing of a body.
ReckResult reck_publisher_destroy(ReckPublisherId publisher);

// Makes the ghost of a body of that kind, from the first update of it, which arrives now.
ReckResult reck_ghost_create(ReckKindId kind, const ReckUpdate *first, int64_t now_us, ReckGhostId *ghost);

// Takes an update that arrives now. Late, repeated and reordered ones may be passed in. accepted may
// be null.
ReckResult reck_ghost_accept(
    ReckGhostId ghost,
    const ReckUpdate *update,
    int64_t now_us,
    ReckAccepted *accepted);

// Where and how to draw a body now. Any frame rate, any order, same answer.
ReckResult reck_ghost_pose(ReckGhostId ghost, int64_t now_us, ReckPose *pose);

// As reck_ghost_pose(), with velocities as well.
ReckResult reck_ghost_kinematics(ReckGhostId ghost, int64_t now_us, ReckKinematics *shown);

// Where and how to draw many bodies now, in the order of their ids: one call for all. An id that names
// nothing is refused with its place in the list, and the poses before it are written.
ReckResult reck_ghosts_poses(
    ReckWorldId world,
    const ReckGhostId *ghosts,
    size_t count,
    int64_t now_us,
    ReckPose *poses);

// Removes a ghost.
ReckResult reck_ghost_destroy(ReckGhostId ghost);

// Takes how a joint of this body stands and turns. due says whether listeners need it: then send this
// very truth. The first one is always due.
ReckResult reck_publisher_aim(ReckPublisherId publisher, uint32_t joint, const ReckJoint *truth, bool *due);

// Takes an update of a joint that arrives now. Late and repeated ones change nothing.
ReckResult reck_ghost_accept_joint(
    ReckGhostId ghost,
    uint32_t joint,
    const ReckJoint *update,
    int64_t now_us);

// The angle at which to draw a joint, from minus pi to pi; 0 as long as nothing is known of it.
ReckResult reck_ghost_joint_angle(ReckGhostId ghost, uint32_t joint, int64_t now_us, double *angle_rad);

// The default: three updates a second, relative to zero.
ReckCrowdDef reck_crowd_def_default(void);

// Makes an empty crowd.
ReckResult reck_crowd_create(ReckWorldId world, const ReckCrowdDef *def, ReckCrowdId *crowd);

// Adds a ghost, from the first update of a body, which arrives now. Crowds know the models hold, linear
// and accelerating.
ReckResult reck_crowd_insert(
    ReckCrowdId crowd,
    const ReckUpdate *first,
    int64_t now_us,
    ReckCrowdGhostId *ghost);

// Takes an update of a ghost, which arrives now. accepted may be null.
ReckResult reck_crowd_accept(
    ReckCrowdId crowd,
    ReckCrowdGhostId ghost,
    const ReckUpdate *update,
    int64_t now_us,
    ReckAccepted *accepted);

// Removes a ghost; the last one in the crowd takes its place.
ReckResult reck_crowd_remove(ReckCrowdId crowd, ReckCrowdGhostId ghost);

// How many ghosts there are.
ReckResult reck_crowd_len(ReckCrowdId crowd, size_t *count);

// Where to draw all ghosts: x, y and z of each relative to the origin, and if ghosts is not null, which
// they are. Both have room for capacity ghosts; count is how many there are.
ReckResult reck_crowd_show(
    ReckCrowdId crowd,
    int64_t now_us,
    float *xyz,
    ReckCrowdGhostId *ghosts,
    size_t capacity,
    size_t *count);

// Shows positions relative to another origin from now on.
ReckResult reck_crowd_recentre(ReckCrowdId crowd, ReckVec3 at);

// Removes a crowd with all its ghosts.
ReckResult reck_crowd_destroy(ReckCrowdId crowd);

// Makes an estimate of another machine's clock, by the defaults: a game over the Internet.
ReckResult reck_clock_create(ReckWorldId world, ReckClockId *clock);

// Takes an exchange. became may be null.
ReckResult reck_clock_exchange(ReckClockId clock, const ReckExchange *exchange, ReckExchanged *became);

// The time of the other clock when ours shows local_us. Refused until an exchange was used.
ReckResult reck_clock_remote_at(ReckClockId clock, int64_t local_us, int64_t *remote_us);

// When to ask again, if the last question left at last_sent_us.
ReckResult reck_clock_next_exchange(ReckClockId clock, int64_t last_sent_us, int64_t *next_us);

// Forgets a clock.
ReckResult reck_clock_destroy(ReckClockId clock);

#ifdef RECKONING_CLIENT
// In libraries that were built with the feature `client`.

// The default: any server that the system trusts, and a random token.
ReckClientDef reck_client_def_default(void);

// Begins to connect; an event tells when it is in.
ReckResult reck_client_connect(ReckWorldId world, const ReckClientDef *def, ReckClientId *client);

// Takes in what came and sends what is due; call it once a frame. now_us is the moment it looked at,
// on the client's own timeline: what at_us means in its calls.
ReckResult reck_client_drive(ReckClientId client, int64_t *now_us);

// The state of the connection.
ReckResult reck_client_status(ReckClientId client, ReckClientStatus *status);

// The next event; has_event says whether there was one. Poll until there is none.
ReckResult reck_client_poll_event(ReckClientId client, ReckEvent *event, bool *has_event);

// Says where an entity of ours is; updates are sent when others need them. Refused while it is not
// ours, or the server's clock is not known yet.
ReckResult reck_client_observe(ReckClientId client, uint32_t entity, const ReckKinematics *truth);

// Says that an entity of ours is elsewhere at once, without moving there.
ReckResult reck_client_teleport(ReckClientId client, uint32_t entity, const ReckKinematics *truth);

// Aims a joint of an entity of ours, each frame; joints count from 0 in the order of its kind.
ReckResult reck_client_aim(
    ReckClientId client,
    uint32_t entity,
    uint32_t joint,
    double angle_rad,
    double rate_radps);

// The angle at which to draw a joint of an entity of others.
ReckResult reck_client_joint_angle(
    ReckClientId client,
    uint32_t entity,
    uint32_t joint,
    int64_t now_us,
    double *angle_rad);

// Where and how to draw all entities of others now, in order of their numbers. Both lists have room for
// capacity; count is how many there are.
ReckResult reck_client_poses(
    ReckClientId client,
    int64_t now_us,
    uint32_t *entities,
    ReckPose *poses,
    size_t capacity,
    size_t *count);

// Sends a message of the game to the server.
ReckResult reck_client_send(ReckClientId client, const uint8_t *bytes, size_t count, ReckDelivery delivery);

// Leaves the game and forgets the client.
ReckResult reck_client_destroy(ReckClientId client);

#endif

#ifdef __cplusplus
}
#endif

#endif
