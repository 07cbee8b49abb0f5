// Replays the golden scenes through the C# file and compares every bit: Golden.exe SCRIPT.
using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using Reckoning;

public static unsafe class Golden
{
    sealed class Scene
    {
        public string Name;
        public ReckKindId Kind;
        public ReckPublisherId Publisher;
        public ReckGhostId Ghost;
        public bool HasPublisher, HasGhost;
        public List<ReckUpdate> Updates = new List<ReckUpdate>();
        public List<ReckJoint> Joints = new List<ReckJoint>();
        public long Compared, Different;
    }

    static string[] words;
    static int at;

    static long Moment() { return long.Parse(words[at++]); }

    static double Number() { return BitConverter.Int64BitsToDouble(Convert.ToInt64(words[at++], 16)); }

    static ReckVec3 Vector()
    {
        ReckVec3 v;
        v.x = Number();
        v.y = Number();
        v.z = Number();
        return v;
    }

    static ReckQuat Rotation()
    {
        ReckQuat q;
        q.x = Number();
        q.y = Number();
        q.z = Number();
        q.w = Number();
        return q;
    }

    static void Compare(Scene scene, double got, double wanted)
    {
        scene.Compared++;
        if (BitConverter.DoubleToInt64Bits(got) != BitConverter.DoubleToInt64Bits(wanted)) scene.Different++;
    }

    static ReckKindDef DefOf(string name)
    {
        var def = Reck.reck_kind_def_default();
        if (name == "car")
        {
            def.publisher.threshold_m = 0.25;
            def.ghost.blend = ReckBlend.Snap;
            return def;
        }
        def.publisher.threshold_m = 0.1;
        def.publisher.heartbeat_spread = 0.1;
        def.publisher.seed = 8;
        if (name == "late")
        {
            def.show = ReckShow.Delayed;
            return def;
        }
        def.publisher.seed = 7;
        def.publisher.model = ReckModel.Damped;
        def.publisher.model_s = 0.8;
        def.joint_count = 1;
        def.joints0.threshold_rad = 0.05;
        def.joints0.heartbeat_s = 1.0;
        return def;
    }

    static void Truth(Scene scene)
    {
        var truth = Reck.reck_kinematics_default();
        truth.at_us = Moment();
        truth.position = Vector();
        truth.velocity = Vector();
        truth.acceleration = Vector();
        truth.orientation = Rotation();
        truth.angular_velocity = Vector();
        ReckUpdate update;
        byte due = 1;
        if (scene.HasPublisher)
        {
            bool isDue;
            Reck.Check(Reck.reck_publisher_observe(scene.Publisher, &truth, &update, &isDue));
            due = (byte)(isDue ? 1 : 0);
        }
        else
        {
            ReckPublisherId publisher;
            Reck.Check(Reck.reck_publisher_create(scene.Kind, &truth, &update, &publisher));
            scene.Publisher = publisher;
            scene.HasPublisher = true;
        }
        var got = new StringBuilder(due == 1 ? "" : "-");
        for (uint i = 0; due == 1 && i < update.length; i++) got.Append(update.bytes[i].ToString("x2"));
        scene.Compared++;
        if (got.ToString() != words[at++]) scene.Different++;
        if (due == 1) scene.Updates.Add(update);
    }

    static void Line(Scene scene, string word)
    {
        if (word == "truth") { Truth(scene); return; }
        var now = Moment();
        if (word == "arrive")
        {
            var update = scene.Updates[(int)Moment()];
            if (scene.HasGhost)
            {
                Reck.Check(Reck.reck_ghost_accept(scene.Ghost, &update, now, null));
            }
            else
            {
                ReckGhostId ghost;
                Reck.Check(Reck.reck_ghost_create(scene.Kind, &update, now, &ghost));
                scene.Ghost = ghost;
                scene.HasGhost = true;
            }
        }
        else if (word == "shown")
        {
            ReckPose pose;
            Reck.Check(Reck.reck_ghost_pose(scene.Ghost, now, &pose));
            var got = (double*)&pose;
            for (var i = 0; i < 7; i++) Compare(scene, got[i], Number());
        }
        else if (word == "aim")
        {
            ReckJoint joint;
            joint.at_us = now;
            joint.angle_rad = Number();
            joint.rate_radps = Number();
            bool due;
            Reck.Check(Reck.reck_publisher_aim(scene.Publisher, 0, &joint, &due));
            scene.Compared++;
            if (due != (Moment() == 1)) scene.Different++;
            if (due) scene.Joints.Add(joint);
        }
        else if (word == "aimed")
        {
            var update = scene.Joints[(int)Moment()];
            Reck.Check(Reck.reck_ghost_accept_joint(scene.Ghost, 0, &update, now));
        }
        else if (word == "angle")
        {
            double angle;
            Reck.Check(Reck.reck_ghost_joint_angle(scene.Ghost, 0, now, &angle));
            Compare(scene, angle, Number());
        }
    }

    static bool RefusalsAreExceptions(ReckWorldId world)
    {
        var def = Reck.reck_kind_def_default();
        def.publisher.threshold_m = double.NaN;
        ReckKindId kind;
        try
        {
            Reck.Check(Reck.reck_kind_create(world, &def, &kind));
        }
        catch (ReckException refused)
        {
            return refused.Message == "threshold_m: NaN is not finite";
        }
        return false;
    }

    public static int Main(string[] arguments)
    {
        ReckWorldId world;
        Reck.Check(Reck.reck_world_create(&world));
        var scenes = new List<Scene>();
        foreach (var text in File.ReadAllLines(arguments[0]))
        {
            words = text.Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);
            if (words.Length == 0 || words[0][0] == '#') continue;
            at = 1;
            if (words[0] == "scene")
            {
                var def = DefOf(words[1]);
                ReckKindId kind;
                Reck.Check(Reck.reck_kind_create(world, &def, &kind));
                scenes.Add(new Scene { Name = words[1], Kind = kind });
            }
            else
            {
                Line(scenes[scenes.Count - 1], words[0]);
            }
        }
        var all = scenes.Count == 3 && RefusalsAreExceptions(world);
        foreach (var it in scenes)
        {
            Console.WriteLine("golden c# {0}: {1} updates, {2} results, {3} differ",
                              it.Name, it.Updates.Count, it.Compared, it.Different);
            all = all && it.Different == 0 && it.Compared > 1000;
        }
        Reck.Check(Reck.reck_world_destroy(world));
        return all ? 0 : 1;
    }
}
