// Reckoning: dead reckoning for games and simulations, in C#, for Unity, Godot and mono. Made from the
// library's source by `generate`. Put this file and the library `reckoning` into your project, and allow
// unsafe code. `Reck.Check` turns a result that is not Ok into a `ReckException`.

using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Reckoning
{
    /// <summary>Why a call was refused: the field that is to blame and the value that it had.</summary>
    public sealed class ReckException : Exception
    {
        /// <summary>What the call answered.</summary>
        public ReckResult Result { get; }

        public ReckException(ReckResult result) : base(Reck.Message(result)) { Result = result; }
    }

    /// <summary>What became of a call.</summary>
    public enum ReckStatus : int
    {
        /// <summary>It was done.</summary>
        Ok = 0,
        /// <summary>A pointer is null that must not be.</summary>
        Null = 1,
        /// <summary>An id is all zero, or names something that was destroyed or never was.</summary>
        NoSuchId = 2,
        /// <summary>A struct_size is not that of this version: take the def from its reck_*_def_default().</summary>
        StructSize = 3,
        /// <summary>A number is NaN or infinite.</summary>
        NotFinite = 4,
        /// <summary>A number, a choice or a count is out of its range.</summary>
        OutOfRange = 5,
        /// <summary>An orientation has not the length 1.</summary>
        NotUnit = 6,
        /// <summary>Two settings contradict each other; the field is one of them.</summary>
        Contradiction = 7,
        /// <summary>Bytes are not what they should be; the value is the offset of the first that is not.</summary>
        BadBytes = 8,
        /// <summary>Another thread is within this world: use a world from one thread at a time.</summary>
        Busy = 9,
        /// <summary>There is no room for more; the value is how many there may be.</summary>
        Full = 10,
        /// <summary>A moment is not later than the one before it.</summary>
        NotLater = 11,
        /// <summary>A crowd does not know the model of this update: take a ghost.</summary>
        ModelUnknown = 12,
        /// <summary>An array is too short; the value is how many it must hold.</summary>
        TooShort = 13,
        /// <summary>A text is not UTF-8; the value is the offset of the first byte that is not.</summary>
        NotUtf8 = 14,
        /// <summary>A server could not be asked: its address cannot be used, or the system gave no thread.</summary>
        Connect = 15,
        /// <summary>The client has not joined, the entity is not its own, or the clock of the server is not known yet.</summary>
        NotJoined = 16,
        /// <summary>A mistake within Reckoning; the world can only be destroyed.</summary>
        Broken = 17,
    }

    /// <summary>Which argument or field a result is about.</summary>
    public enum ReckField : int
    {
        /// <summary>None.</summary>
        None = 0,
        /// <summary>Of a ReckWorldId.</summary>
        World = 1,
        /// <summary>Of a ReckKindId.</summary>
        Kind = 2,
        /// <summary>Of a ReckPublisherId.</summary>
        Publisher = 3,
        /// <summary>Of a ReckGhostId.</summary>
        Ghost = 4,
        /// <summary>Of a ReckCrowdId.</summary>
        Crowd = 5,
        /// <summary>Of a ReckClockId.</summary>
        Clock = 6,
        /// <summary>Of a ReckLearnedId.</summary>
        Learned = 7,
        /// <summary>Of a ReckClientId.</summary>
        Client = 8,
        /// <summary>A pointer to what a function gives back.</summary>
        Output = 9,
        /// <summary>A pointer to a def, or its struct_size.</summary>
        Def = 10,
        /// <summary>A pointer to a truth.</summary>
        Truth = 11,
        /// <summary>An update.</summary>
        Update = 12,
        /// <summary>A list, its length, or the value's place in it.</summary>
        List = 13,
        /// <summary>at_us or now_us.</summary>
        At = 14,
        /// <summary>A position.</summary>
        Position = 15,
        /// <summary>A velocity.</summary>
        Velocity = 16,
        /// <summary>An acceleration.</summary>
        Acceleration = 17,
        /// <summary>An orientation.</summary>
        Orientation = 18,
        /// <summary>An angular velocity.</summary>
        AngularVelocity = 19,
        /// <summary>threshold_m.</summary>
        Threshold = 20,
        /// <summary>angle_threshold_rad.</summary>
        AngleThreshold = 21,
        /// <summary>heartbeat_s.</summary>
        Heartbeat = 22,
        /// <summary>full_interval_s.</summary>
        FullInterval = 23,
        /// <summary>heartbeat_spread.</summary>
        HeartbeatSpread = 24,
        /// <summary>min_interval_s.</summary>
        MinInterval = 25,
        /// <summary>angle_min_interval_s.</summary>
        AngleMinInterval = 26,
        /// <summary>model.</summary>
        Model = 27,
        /// <summary>model_s.</summary>
        ModelSpan = 28,
        /// <summary>gravity_mps2.</summary>
        Gravity = 29,
        /// <summary>floor_m.</summary>
        Floor = 30,
        /// <summary>stop_repeat_s.</summary>
        StopRepeat = 31,
        /// <summary>judge_ahead_s.</summary>
        JudgeAhead = 32,
        /// <summary>blend.</summary>
        Blend = 33,
        /// <summary>span.</summary>
        Span = 34,
        /// <summary>span_s.</summary>
        SpanLength = 35,
        /// <summary>min_span_s or max_span_s.</summary>
        SpanBounds = 36,
        /// <summary>max_extrapolation_s.</summary>
        MaxExtrapolation = 37,
        /// <summary>delay_s, min_delay_s or max_delay_s.</summary>
        Delay = 38,
        /// <summary>min_heading_speed_mps.</summary>
        MinHeadingSpeed = 39,
        /// <summary>max_speed_mps.</summary>
        MaxSpeed = 40,
        /// <summary>show.</summary>
        Show = 41,
        /// <summary>joint_count.</summary>
        JointCount = 42,
        /// <summary>The index of a joint.</summary>
        Joint = 43,
        /// <summary>angle_rad.</summary>
        Angle = 44,
        /// <summary>rate_radps.</summary>
        Rate = 45,
        /// <summary>threshold_rad.</summary>
        JointThreshold = 46,
        /// <summary>blend_s.</summary>
        JointBlend = 47,
        /// <summary>width_m.</summary>
        Width = 48,
        /// <summary>A setting of a clock.</summary>
        ClockSetting = 49,
        /// <summary>server.</summary>
        Server = 50,
        /// <summary>token.</summary>
        Token = 51,
        /// <summary>A message.</summary>
        Message = 52,
        /// <summary>delivery.</summary>
        Delivery = 53,
        /// <summary>An entity.</summary>
        Entity = 54,
        /// <summary>origin.</summary>
        Origin = 55,
        /// <summary>trust.</summary>
        Trust = 56,
        /// <summary>bound_m.</summary>
        Bound = 57,
        /// <summary>Another setting.</summary>
        Setting = 58,
    }

    /// <summary>What became of a call: the status, and if it is not RECK_STATUS_OK, which field is to blame and the value it had. reck_result_message() says it in words.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckResult
    {
        /// <summary>What became of it.</summary>
        public ReckStatus status;
        /// <summary>What it is about.</summary>
        public ReckField field;
        /// <summary>The value of that.</summary>
        public double value;
    }

    /// <summary>A vector: x, y and z, up by z.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckVec3
    {
        /// <summary>Along x.</summary>
        public double x;
        /// <summary>Along y.</summary>
        public double y;
        /// <summary>Along z, which is up.</summary>
        public double z;
    }

    /// <summary>A rotation as a quaternion of length 1.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckQuat
    {
        /// <summary>The i part.</summary>
        public double x;
        /// <summary>The j part.</summary>
        public double y;
        /// <summary>The k part.</summary>
        public double z;
        /// <summary>The real part; 1 for no rotation.</summary>
        public double w;
    }

    /// <summary>How a body moves at one moment. Take it from reck_kinematics_default(), which is a body at rest.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckKinematics
    {
        /// <summary>The moment, in microseconds of a timeline of yours.</summary>
        public long at_us;
        /// <summary>Where it is.</summary>
        public ReckVec3 position;
        /// <summary>How fast it moves, per second.</summary>
        public ReckVec3 velocity;
        /// <summary>How that changes, per second.</summary>
        public ReckVec3 acceleration;
        /// <summary>How it is turned.</summary>
        public ReckQuat orientation;
        /// <summary>How fast it turns, in radians per second about the axes of the world.</summary>
        public ReckVec3 angular_velocity;
    }

    /// <summary>Where and how to draw a body.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckPose
    {
        /// <summary>Where it is.</summary>
        public ReckVec3 position;
        /// <summary>How it is turned.</summary>
        public ReckQuat orientation;
    }

    /// <summary>A turret, a gun or a head at one moment; also what is sent of it.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckJoint
    {
        /// <summary>The moment, in microseconds.</summary>
        public long at_us;
        /// <summary>The angle in radians; full turns do not matter.</summary>
        public double angle_rad;
        /// <summary>Its change per second.</summary>
        public double rate_radps;
    }

    /// <summary>What a publisher sends and a ghost takes: send the first length of bytes in any way you like.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckUpdate
    {
        /// <summary>How many bytes count.</summary>
        public uint length;
        /// <summary>The bytes, the same on every machine.</summary>
        public fixed byte bytes[272];
    }

    /// <summary>Names a world. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckWorldId
    {
        /// <summary>Place and generation.</summary>
        public uint world;
    }

    /// <summary>How a body is carried on between updates.</summary>
    public enum ReckModel : int
    {
        /// <summary>Stays where it was last seen.</summary>
        Hold = 0,
        /// <summary>Keeps its velocity.</summary>
        Linear = 1,
        /// <summary>Keeps its acceleration for model_s, then its velocity.</summary>
        Accelerating = 2,
        /// <summary>Loses its velocity, to a third within model_s: right for players.</summary>
        Damped = 3,
        /// <summary>Loses its acceleration, to a third within model_s: right for vehicles.</summary>
        Decaying = 4,
        /// <summary>Keeps its speed and its turning.</summary>
        Arc = 5,
        /// <summary>Falls with gravity_mps2 and stays where it meets floor_m.</summary>
        BallisticStop = 6,
        /// <summary>Falls with gravity_mps2 and runs on along floor_m.</summary>
        BallisticRun = 7,
    }

    /// <summary>How a ghost sheds its error when an update arrives.</summary>
    public enum ReckBlend : int
    {
        /// <summary>Jumps to the believed path at once.</summary>
        Snap = 0,
        /// <summary>Straight to where the body will be at the end of the span.</summary>
        Linear = 1,
        /// <summary>Lays the error over the believed path and lets it fade.</summary>
        Fade = 2,
        /// <summary>Projective velocity blending without its jumps in velocity; the best for most.</summary>
        ProjectiveVelocity = 3,
        /// <summary>Projective velocity blending as Murphy prints it.</summary>
        ProjectiveVelocityPrinted = 4,
        /// <summary>A cubic Bezier curve.</summary>
        Bezier = 5,
        /// <summary>A quintic Hermite curve over the believed path.</summary>
        Hermite = 6,
        /// <summary>A Catmull-Rom curve.</summary>
        CatmullRom = 7,
    }

    /// <summary>How long a blend takes.</summary>
    public enum ReckSpan : int
    {
        /// <summary>Always span_s.</summary>
        Fixed = 0,
        /// <summary>The running average of the time between arrivals, from min_span_s to max_span_s.</summary>
        FromArrivals = 1,
        /// <summary>The longer the further off the picture is: the closest to the truth. By width_m.</summary>
        Close = 2,
    }

    /// <summary>How bodies of a kind are shown.</summary>
    public enum ReckShow : int
    {
        /// <summary>As they must be now, by the ghost def.</summary>
        Reckoned = 0,
        /// <summary>As they were a moment ago, by the delayed def.</summary>
        Delayed = 1,
    }

    /// <summary>When the owner of a body sends an update. Take it from reck_publisher_def_default().</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckPublisherDef
    {
        /// <summary>Set by reck_publisher_def_default().</summary>
        public uint struct_size;
        /// <summary>1: the threshold holds for each axis, as in DIS. Default: 0, for the distance.</summary>
        public byte threshold_per_axis;
        /// <summary>1: sends an update at once when the body came to rest and listeners see it move. Default: 1.</summary>
        public byte export_stops;
        /// <summary>1: sends less acceleration the less it agrees with the one sent last. Default: 0.</summary>
        public byte damp_acceleration;
        /// <summary>Nothing yet: 0.</summary>
        public byte reserved;
        /// <summary>Sends an update once the listeners' guess is off by more than this. Default: 0.25. Above 0.</summary>
        public double threshold_m;
        /// <summary>And once it is turned by more than this; 0 leaves orientation alone. Default: 5 degrees.</summary>
        public double angle_threshold_rad;
        /// <summary>Sends an update at least this often. Default: 0.5. At least min_interval_s.</summary>
        public double heartbeat_s;
        /// <summary>Sends a full update at least this often; 0 makes every update full. Default: 10.</summary>
        public double full_interval_s;
        /// <summary>Varies heartbeats by up to this share, so that bodies do not send together. Default: 0. To 0.5.</summary>
        public double heartbeat_spread;
        /// <summary>Seeds that; give each body its own. Default: 0.</summary>
        public ulong seed;
        /// <summary>Never sends more often than this, except for stops and teleports. Default: 0.</summary>
        public double min_interval_s;
        /// <summary>Never sends for the sake of orientation more often than this. Default: 0.</summary>
        public double angle_min_interval_s;
        /// <summary>Repeats a stop once after this long; 0 does not. Default: 0.1.</summary>
        public double stop_repeat_s;
        /// <summary>Judges positions this far ahead; 0 judges the error of now. Default: 0.</summary>
        public double judge_ahead_s;
        /// <summary>How listeners carry the body on. Default: RECK_MODEL_LINEAR.</summary>
        public ReckModel model;
        /// <summary>Nothing yet: 0.</summary>
        public uint reserved2;
        /// <summary>The time constant of the model, where it has one. Default: 1.</summary>
        public double model_s;
        /// <summary>The fall of a ballistic model. Default: 9.81.</summary>
        public double gravity_mps2;
        /// <summary>The height at which that ends. Default: 0.</summary>
        public double floor_m;
    }

    /// <summary>How a ghost is shown as it must be now. Take it from reck_ghost_def_default().</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckGhostDef
    {
        /// <summary>Set by reck_ghost_def_default().</summary>
        public uint struct_size;
        /// <summary>1: updates count from when they arrive, less delay_s, for want of a common clock. Default: 0.</summary>
        public byte on_arrival;
        /// <summary>1: chooses between carrying on, damping and holding by what each would have shown. Default: 0.</summary>
        public byte hedged;
        /// <summary>Nothing yet: 0.</summary>
        public ushort reserved;
        /// <summary>How to get from what is shown to what is believed. Default: RECK_BLEND_PROJECTIVE_VELOCITY.</summary>
        public ReckBlend blend;
        /// <summary>How long that takes. Default: RECK_SPAN_FIXED.</summary>
        public ReckSpan span;
        /// <summary>The length of a fixed span. Default: 0.333. Above 0.</summary>
        public double span_s;
        /// <summary>The shortest span from arrivals. Default: 0.05. Above 0.</summary>
        public double min_span_s;
        /// <summary>The longest span from arrivals, or for the sake of max_speed_mps. Default: 0.333.</summary>
        public double max_span_s;
        /// <summary>How wide bodies are, for a close span. Default: 1. Above 0.</summary>
        public double width_m;
        /// <summary>How far past an update its model is followed before the ghost rests. Default: 4. Above 0.</summary>
        public double max_extrapolation_s;
        /// <summary>The estimated time on the way, for on_arrival. Default: 0.</summary>
        public double delay_s;
        /// <summary>Slower than this a body keeps its heading. Default: 0.5. At least 0.</summary>
        public double min_heading_speed_mps;
        /// <summary>Lengthens blends, to max_span_s at most, so that none is shown faster; 0 does not. Default: 0.</summary>
        public double max_speed_mps;
    }

    /// <summary>How a ghost is shown as it was a moment ago. Take it from reck_delayed_def_default().</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckDelayedDef
    {
        /// <summary>Set by reck_delayed_def_default().</summary>
        public uint struct_size;
        /// <summary>Nothing yet: 0.</summary>
        public uint reserved;
        /// <summary>The delay to start with and never go below. Default: 0.1.</summary>
        public double min_delay_s;
        /// <summary>The delay never to exceed. Default: 0.5. At least min_delay_s.</summary>
        public double max_delay_s;
        /// <summary>How far past the newest update its model is followed. Default: 0.25. Above 0.</summary>
        public double max_extrapolation_s;
        /// <summary>How long it takes to shed the error of that. Default: 0.2. Above 0.</summary>
        public double span_s;
        /// <summary>Slower than this a body keeps its heading. Default: 0.5. At least 0.</summary>
        public double min_heading_speed_mps;
    }

    /// <summary>A part that turns on a body. Take it from reck_joint_def_default().</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckJointDef
    {
        /// <summary>Set by reck_joint_def_default().</summary>
        public uint struct_size;
        /// <summary>Nothing yet: 0.</summary>
        public uint reserved;
        /// <summary>Sends an update once the listeners' guess is off by more than this. Default: 3 degrees. Above 0.</summary>
        public double threshold_rad;
        /// <summary>Sends an update at least this often. Default: 5. At least min_interval_s.</summary>
        public double heartbeat_s;
        /// <summary>Never sends more often than this. Default: 0.05.</summary>
        public double min_interval_s;
        /// <summary>How long listeners take to fade an error away; 0 jumps. Default: 0.2.</summary>
        public double blend_s;
    }

    /// <summary>How bodies of one kind are published and shown: said once for all ends. Take it from reck_kind_def_default().</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckKindDef
    {
        /// <summary>Set by reck_kind_def_default().</summary>
        public uint struct_size;
        /// <summary>How they are shown. Default: RECK_SHOW_RECKONED.</summary>
        public ReckShow show;
        /// <summary>When their owners send.</summary>
        public ReckPublisherDef publisher;
        /// <summary>How they are shown, reckoned.</summary>
        public ReckGhostDef ghost;
        /// <summary>How they are shown, delayed.</summary>
        public ReckDelayedDef delayed;
        /// <summary>How many of the joints count. Default: 0.</summary>
        public uint joint_count;
        /// <summary>Nothing yet: 0.</summary>
        public uint reserved;
        /// <summary>Parts that turn on them.</summary>
        public ReckJointDef joints0;
        public ReckJointDef joints1;
        public ReckJointDef joints2;
        public ReckJointDef joints3;
        public ReckJointDef joints4;
        public ReckJointDef joints5;
        public ReckJointDef joints6;
        public ReckJointDef joints7;
    }

    /// <summary>Names a kind. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckKindId
    {
        /// <summary>Its world.</summary>
        public uint world;
        /// <summary>Its place, from 1.</summary>
        public uint index1;
        /// <summary>How often the place was used.</summary>
        public uint generation;
    }

    /// <summary>Names a trained model. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckLearnedId
    {
        /// <summary>Its world.</summary>
        public uint world;
        /// <summary>Its place, from 1.</summary>
        public uint index1;
        /// <summary>How often the place was used.</summary>
        public uint generation;
    }

    /// <summary>Names a publisher. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckPublisherId
    {
        /// <summary>Its world.</summary>
        public uint world;
        /// <summary>Its place, from 1.</summary>
        public uint index1;
        /// <summary>How often the place was used.</summary>
        public uint generation;
    }

    /// <summary>Counters of a publisher.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckPublisherStats
    {
        /// <summary>Truths that were observed.</summary>
        public ulong observed;
        /// <summary>Those that were refused: not finite, or not later than the last update.</summary>
        public ulong refused;
        /// <summary>Updates that were sent.</summary>
        public ulong exported;
        /// <summary>Those of them that were full.</summary>
        public ulong full;
    }

    /// <summary>Names a ghost. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckGhostId
    {
        /// <summary>Its world.</summary>
        public uint world;
        /// <summary>Its place, from 1.</summary>
        public uint index1;
        /// <summary>How often the place was used.</summary>
        public uint generation;
    }

    /// <summary>What became of an update.</summary>
    public enum ReckAccepted : int
    {
        /// <summary>It is the newest and leads from now on.</summary>
        Newest = 0,
        /// <summary>It is not the newest, but fills a gap ahead of what is shown late.</summary>
        Filled = 1,
        /// <summary>It is not newer than what was there; nothing changed.</summary>
        Stale = 2,
    }

    /// <summary>Names a crowd. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckCrowdId
    {
        /// <summary>Its world.</summary>
        public uint world;
        /// <summary>Its place, from 1.</summary>
        public uint index1;
        /// <summary>How often the place was used.</summary>
        public uint generation;
    }

    /// <summary>Names a ghost of a crowd. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckCrowdGhostId
    {
        /// <summary>Its place, from 1.</summary>
        public uint index1;
        /// <summary>How often the place was used.</summary>
        public uint generation;
    }

    /// <summary>How the ghosts of a crowd are shown. Take it from reck_crowd_def_default().</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckCrowdDef
    {
        /// <summary>Set by reck_crowd_def_default().</summary>
        public uint struct_size;
        /// <summary>Nothing yet: 0.</summary>
        public uint reserved;
        /// <summary>How long a ghost takes to shed its error; 0 jumps. Default: 0.333. At most 300.</summary>
        public double span_s;
        /// <summary>How far past an update its model is followed. Default: 4. Above 0, at most 300.</summary>
        public double max_extrapolation_s;
        /// <summary>What positions are shown relative to. Default: zero.</summary>
        public ReckVec3 origin;
        /// <summary>About when it begins, in microseconds. Default: 0.</summary>
        public long at_us;
    }

    /// <summary>Names a clock. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckClockId
    {
        /// <summary>Its world.</summary>
        public uint world;
        /// <summary>Its place, from 1.</summary>
        public uint index1;
        /// <summary>How often the place was used.</summary>
        public uint generation;
    }

    /// <summary>A question and its answer, each moment in microseconds.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckExchange
    {
        /// <summary>When the question left, by the local clock.</summary>
        public long sent_us;
        /// <summary>When it came in, by the remote clock.</summary>
        public long received_us;
        /// <summary>When the answer left, by the remote clock.</summary>
        public long answered_us;
        /// <summary>When the answer came in, by the local clock.</summary>
        public long returned_us;
    }

    /// <summary>What became of an exchange.</summary>
    public enum ReckExchanged : int
    {
        /// <summary>It agrees with the others, or is the first.</summary>
        Used = 0,
        /// <summary>It contradicts the others and waits for more that agree with it.</summary>
        Doubted = 1,
        /// <summary>It was the last proof that a clock was set; the estimate starts anew.</summary>
        Restarted = 2,
        /// <summary>Its moments contradict each other or it took too long; nothing changed.</summary>
        Refused = 3,
    }

    /// <summary>Names a client. All zero is none.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckClientId
    {
        /// <summary>Its world.</summary>
        public uint world;
        /// <summary>Its place, from 1.</summary>
        public uint index1;
        /// <summary>How often the place was used.</summary>
        public uint generation;
    }

    /// <summary>Which servers a client trusts.</summary>
    public enum ReckTrust : int
    {
        /// <summary>Those whose certificate the system trusts, and on this machine those of the same user.</summary>
        SystemRoots = 0,
        /// <summary>The one whose certificate has this SHA-256.</summary>
        Pinned = 1,
    }

    /// <summary>How a message is delivered.</summary>
    public enum ReckDelivery : int
    {
        /// <summary>Once and in order.</summary>
        Reliable = 0,
        /// <summary>By the next few datagrams; lost if all are.</summary>
        Repeated = 1,
    }

    /// <summary>Settings of a client. Take it from reck_client_def_default().</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckClientDef
    {
        /// <summary>Set by reck_client_def_default().</summary>
        public uint struct_size;
        /// <summary>Which servers to trust. Default: RECK_TRUST_SYSTEM_ROOTS.</summary>
        public ReckTrust trust;
        /// <summary>The server, as host:port. Must be set.</summary>
        public byte* server;
        /// <summary>The token to join with. Default: null, a random one.</summary>
        public byte* token;
        /// <summary>Its length.</summary>
        public UIntPtr token_length;
        /// <summary>The SHA-256 of the certificate, for RECK_TRUST_PINNED.</summary>
        public fixed byte certificate[32];
    }

    /// <summary>State of a client's connection.</summary>
    public enum ReckClientStatus : int
    {
        /// <summary>Connecting to the server, or asking to join.</summary>
        Connecting = 0,
        /// <summary>Joined: bodies are exchanged.</summary>
        Joined = 1,
        /// <summary>The connection was lost and is tried again after a while.</summary>
        Reconnecting = 2,
        /// <summary>Over for good.</summary>
        Over = 3,
    }

    /// <summary>What happened.</summary>
    public enum ReckEventKind : int
    {
        /// <summary>Something this interface does not tell more of.</summary>
        Other = 0,
        /// <summary>The server admitted us; the bytes are its welcome.</summary>
        Joined = 1,
        /// <summary>The session is over; the client comes back by itself, unless its status is over.</summary>
        Lost = 2,
        /// <summary>We own the entity from now on.</summary>
        Granted = 3,
        /// <summary>We no longer own the entity.</summary>
        Revoked = 4,
        /// <summary>The entity came into sight; the bytes are the game's own about it, number its kind.</summary>
        Entered = 5,
        /// <summary>The entity left our sight, or was despawned.</summary>
        Exited = 6,
        /// <summary>The server corrects an entity of ours: go on from the state.</summary>
        Corrected = 7,
        /// <summary>A message of the game; the bytes are it.</summary>
        Message = 8,
        /// <summary>A command of the game; the bytes are it.</summary>
        Command = 9,
        /// <summary>The server refused us or put us out; the bytes say why.</summary>
        Disconnected = 10,
    }

    /// <summary>Something that happened.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct ReckEvent
    {
        /// <summary>What.</summary>
        public ReckEventKind kind;
        /// <summary>To which entity, where it is about one.</summary>
        public uint entity;
        /// <summary>A number that goes with it.</summary>
        public uint number;
        /// <summary>How many bytes go with it; more than RECK_MAX_EVENT_BYTES are cut off.</summary>
        public uint length;
        /// <summary>A state that goes with it.</summary>
        public ReckKinematics state;
        /// <summary>The bytes.</summary>
        public fixed byte bytes[1200];
    }

    /// <summary>The calls.</summary>
    public static unsafe class Reck
    {
        private const string Library = "reckoning";

        /// <summary>The longest update in bytes.</summary>
        public const int RECK_MAX_UPDATE_BYTES = 272;

        /// <summary>How many worlds there can be at a time.</summary>
        public const int RECK_MAX_WORLDS = 128;

        /// <summary>How many joints a kind can have.</summary>
        public const int RECK_MAX_JOINTS = 8;

        /// <summary>The most bytes that come with an event.</summary>
        public const int RECK_MAX_EVENT_BYTES = 1200;

        /// <summary>Throws a ReckException unless the result is Ok.</summary>
        public static void Check(ReckResult result)
        {
            if (result.status != ReckStatus.Ok) throw new ReckException(result);
        }

        /// <summary>A result in words.</summary>
        public static string Message(ReckResult result)
        {
            var bytes = new byte[256];
            fixed (byte* start = bytes)
            {
                var all = reck_result_message(
                    (int)result.status, (int)result.field, result.value, start, (UIntPtr)bytes.Length);
                return Encoding.UTF8.GetString(bytes, 0, Math.Min((int)all, bytes.Length - 1));
            }
        }

        /// <summary>Says a result in words: "heartbeat_s: 0.01 contradicts another setting". Writes as much as fits with a zero at its end, and returns how many bytes all has without that zero. The buffer may be null.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern UIntPtr reck_result_message(int status, int field, double value, byte* buffer, UIntPtr capacity);

        /// <summary>A body at rest at the origin at the moment 0.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckKinematics reck_kinematics_default();

        /// <summary>Makes an empty world. One is enough for a game; two threads want one each.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_world_create(ReckWorldId* world);

        /// <summary>Destroys a world and everything in it. Their ids are refused from then on.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_world_destroy(ReckWorldId world);

        /// <summary>Whether the world is there.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        [return: MarshalAs(UnmanagedType.I1)]
        public static extern bool reck_world_is_valid(ReckWorldId world);

        /// <summary>The default: a person or a car in a game at 60 Hz, in metres.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckPublisherDef reck_publisher_def_default();

        /// <summary>The default: three updates a second and a common clock.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckGhostDef reck_ghost_def_default();

        /// <summary>The default: a tenth of a second late, and up to half a second on a bad link.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckDelayedDef reck_delayed_def_default();

        /// <summary>The default: the turret of a tank.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckJointDef reck_joint_def_default();

        /// <summary>The default: published and shown by the defaults, without joints.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckKindDef reck_kind_def_default();

        /// <summary>Declares a kind: how its bodies are published and shown. Whatever does not fit together is refused here, and nowhere later. A kind lives as long as its world.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_kind_create(ReckWorldId world, ReckKindDef* def, ReckKindId* kind);

        /// <summary>Destroys a kind. Publishers and ghosts that were made of it go on.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_kind_destroy(ReckKindId kind);

        /// <summary>Reads a trained model from the bytes of its file, which reckon train wrote.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_learned_create(ReckWorldId world, byte* bytes, UIntPtr count, ReckLearnedId* learned);

        /// <summary>Forgets a trained model. Publishers that use it go on.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_learned_destroy(ReckLearnedId learned);

        /// <summary>Starts to publish a body of that kind. first is the update that everyone gets.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_create(ReckKindId kind, ReckKinematics* truth, ReckUpdate* first, ReckPublisherId* publisher);

        /// <summary>Takes the truth of this tick. due says whether listeners need update: then send it. A truth that is not finite, or not later than the last update, is refused.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_observe(ReckPublisherId publisher, ReckKinematics* truth, ReckUpdate* update, bool* due);

        /// <summary>Takes the truth of a body that is somewhere else now without having moved there; update says so.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_teleport(ReckPublisherId publisher, ReckKinematics* truth, ReckUpdate* update);

        /// <summary>Takes notice that the update about the moment at_us was lost: unless a newer one was sent since, the next truth is sent again.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_handle_lost(ReckPublisherId publisher, long at_us);

        /// <summary>Changes the threshold from the next truth on.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_set_threshold(ReckPublisherId publisher, double threshold_m);

        /// <summary>Has a trained model plan the updates of this body from the next one on. bound_m is the threshold it is to keep, seed the body's own number.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_set_learned(ReckPublisherId publisher, ReckLearnedId learned, double bound_m, ulong seed);

        /// <summary>Its counters.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_stats(ReckPublisherId publisher, ReckPublisherStats* stats);

        /// <summary>Ends the publishing of a body.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_destroy(ReckPublisherId publisher);

        /// <summary>Makes the ghost of a body of that kind, from the first update of it, which arrives now.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_ghost_create(ReckKindId kind, ReckUpdate* first, long now_us, ReckGhostId* ghost);

        /// <summary>Takes an update that arrives now. Late, repeated and reordered ones may be passed in. accepted may be null.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_ghost_accept(ReckGhostId ghost, ReckUpdate* update, long now_us, ReckAccepted* accepted);

        /// <summary>Where and how to draw a body now. Any frame rate, any order, same answer.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_ghost_pose(ReckGhostId ghost, long now_us, ReckPose* pose);

        /// <summary>As reck_ghost_pose(), with velocities as well.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_ghost_kinematics(ReckGhostId ghost, long now_us, ReckKinematics* shown);

        /// <summary>Where and how to draw many bodies now, in the order of their ids: one call for all. An id that names nothing is refused with its place in the list, and the poses before it are written.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_ghosts_poses(ReckWorldId world, ReckGhostId* ghosts, UIntPtr count, long now_us, ReckPose* poses);

        /// <summary>Removes a ghost.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_ghost_destroy(ReckGhostId ghost);

        /// <summary>Takes how a joint of this body stands and turns. due says whether listeners need it: then send this very truth. The first one is always due.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_publisher_aim(ReckPublisherId publisher, uint joint, ReckJoint* truth, bool* due);

        /// <summary>Takes an update of a joint that arrives now. Late and repeated ones change nothing.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_ghost_accept_joint(ReckGhostId ghost, uint joint, ReckJoint* update, long now_us);

        /// <summary>The angle at which to draw a joint, from minus pi to pi; 0 as long as nothing is known of it.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_ghost_joint_angle(ReckGhostId ghost, uint joint, long now_us, double* angle_rad);

        /// <summary>The default: three updates a second, relative to zero.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckCrowdDef reck_crowd_def_default();

        /// <summary>Makes an empty crowd.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_crowd_create(ReckWorldId world, ReckCrowdDef* def, ReckCrowdId* crowd);

        /// <summary>Adds a ghost, from the first update of a body, which arrives now. Crowds know the models hold, linear and accelerating.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_crowd_insert(ReckCrowdId crowd, ReckUpdate* first, long now_us, ReckCrowdGhostId* ghost);

        /// <summary>Takes an update of a ghost, which arrives now. accepted may be null.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_crowd_accept(ReckCrowdId crowd, ReckCrowdGhostId ghost, ReckUpdate* update, long now_us, ReckAccepted* accepted);

        /// <summary>Removes a ghost; the last one in the crowd takes its place.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_crowd_remove(ReckCrowdId crowd, ReckCrowdGhostId ghost);

        /// <summary>How many ghosts there are.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_crowd_len(ReckCrowdId crowd, UIntPtr* count);

        /// <summary>Where to draw all ghosts: x, y and z of each relative to the origin, and if ghosts is not null, which they are. Both have room for capacity ghosts; count is how many there are.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_crowd_show(ReckCrowdId crowd, long now_us, float* xyz, ReckCrowdGhostId* ghosts, UIntPtr capacity, UIntPtr* count);

        /// <summary>Shows positions relative to another origin from now on.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_crowd_recentre(ReckCrowdId crowd, ReckVec3 at);

        /// <summary>Removes a crowd with all its ghosts.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_crowd_destroy(ReckCrowdId crowd);

        /// <summary>Makes an estimate of another machine's clock, by the defaults: a game over the Internet.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_clock_create(ReckWorldId world, ReckClockId* clock);

        /// <summary>Takes an exchange. became may be null.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_clock_exchange(ReckClockId clock, ReckExchange* exchange, ReckExchanged* became);

        /// <summary>The time of the other clock when ours shows local_us. Refused until an exchange was used.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_clock_remote_at(ReckClockId clock, long local_us, long* remote_us);

        /// <summary>When to ask again, if the last question left at last_sent_us.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_clock_next_exchange(ReckClockId clock, long last_sent_us, long* next_us);

        /// <summary>Forgets a clock.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_clock_destroy(ReckClockId clock);

        /// <summary>The default: any server that the system trusts, and a random token.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckClientDef reck_client_def_default();

        /// <summary>Begins to connect; an event tells when it is in.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_connect(ReckWorldId world, ReckClientDef* def, ReckClientId* client);

        /// <summary>Takes in what came and sends what is due; call it once a frame. now_us is the moment it looked at, on the client's own timeline: what at_us means in its calls.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_drive(ReckClientId client, long* now_us);

        /// <summary>The state of the connection.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_status(ReckClientId client, ReckClientStatus* status);

        /// <summary>The next event; has_event says whether there was one. Poll until there is none.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_poll_event(ReckClientId client, ReckEvent* @event, bool* has_event);

        /// <summary>Says where an entity of ours is; updates are sent when others need them. Refused while it is not ours, or the server's clock is not known yet.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_observe(ReckClientId client, uint entity, ReckKinematics* truth);

        /// <summary>Says that an entity of ours is elsewhere at once, without moving there.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_teleport(ReckClientId client, uint entity, ReckKinematics* truth);

        /// <summary>Aims a joint of an entity of ours, each frame; joints count from 0 in the order of its kind.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_aim(ReckClientId client, uint entity, uint joint, double angle_rad, double rate_radps);

        /// <summary>The angle at which to draw a joint of an entity of others.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_joint_angle(ReckClientId client, uint entity, uint joint, long now_us, double* angle_rad);

        /// <summary>Where and how to draw all entities of others now, in order of their numbers. Both lists have room for capacity; count is how many there are.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_poses(ReckClientId client, long now_us, uint* entities, ReckPose* poses, UIntPtr capacity, UIntPtr* count);

        /// <summary>Sends a message of the game to the server.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_send(ReckClientId client, byte* bytes, UIntPtr count, ReckDelivery delivery);

        /// <summary>Leaves the game and forgets the client.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern ReckResult reck_client_destroy(ReckClientId client);
    }
}
