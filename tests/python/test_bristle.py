"""python/bristle.py: its structs against the headers, its numbers against the program's, its errors, its guide.

Run by CTest in an empty folder with BRISTLE, BRISTLE_SOURCE, BRISTLE_LIBRARY and CC set. Returns 77 without NumPy."""
import csv
import gc
import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest

try:
    import numpy as np
except ImportError:
    print("SKIPPED: this Python has no NumPy (tools/install-deps test brings it)")
    sys.exit(77)

PROGRAM = os.environ["BRISTLE"]
SOURCE = pathlib.Path(os.environ["BRISTLE_SOURCE"])
sys.path.insert(0, str(SOURCE / "python"))
import bristle  # noqa: E402

TEMPLATES = SOURCE / "scenes" / "templates"
MODELS = ["pendulum", "four_bar", "box_on_incline", "bouncing_ball", "robot_arm"]


def program(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[k]) for row in rows[1:]]) for k, name in enumerate(rows[0])}


class Layout(unittest.TestCase):
    def test_structs_have_the_sizes_and_offsets_of_the_headers(self):
        lines = ["#include <bristle/bristle.h>", "#include <stdio.h>", "int main(void) {"]
        expected = []
        for kind in bristle._STRUCTS:
            name = kind.__name__
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            expected.append(f"{name} {bristle.ctypes.sizeof(kind)}")
            for field, _ in kind._fields_:
                of = getattr(kind, field)
                lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
                expected.append(f"{name}.{field} {of.offset} {of.size}")
        pathlib.Path("layout.c").write_text("\n".join(lines + ["return 0;", "}", ""]))
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", f"-I{SOURCE}/include", "layout.c", "-o", "layout"], check=True)
        self.assertEqual(subprocess.run(["./layout"], check=True, capture_output=True, text=True).stdout.splitlines(), expected)
        self.assertGreater(len(bristle._STRUCTS), 20)

    def test_constants_are_those_of_the_headers(self):
        known = {"BR_RESULT_ROW": bristle._ROW, "BR_RESULT_EVENT": bristle._EVENT, "BR_RESULT_END": bristle._END,
                 "BR_RESULT_CUT": bristle._CUT, "BR_RESULT_COMPLETE": bristle._COMPLETE,
                 "BR_RESULT_FAILED": bristle._FAILED, "BR_RESULT_INTERRUPTED": bristle._INTERRUPTED, "BR_CONTACT_STATES": len(bristle._CONTACT_STATES),
                 **{"BR_CONTACT_" + word.upper(): k for k, word in enumerate(bristle._CONTACT_STATES)}}
        asserts = "".join(f'_Static_assert({name} == {value}, "{name}");\n' for name, value in known.items())
        pathlib.Path("constants.c").write_text("#include <bristle/bristle.h>\n" + asserts)
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", f"-I{SOURCE}/include", "-fsyntax-only", "constants.c"], check=True)
        self.assertIn(f'#define BR_VERSION "{bristle.__version__}"', (SOURCE / "include/bristle/base.h").read_text())


class Numbers(unittest.TestCase):
    def test_record_has_the_bits_of_the_program(self):
        for name in MODELS:
            with self.subTest(name):
                model = bristle.load(TEMPLATES / f"{name}.yaml")
                program("run", TEMPLATES / f"{name}.yaml", "--csv", f"{name}.csv", "-o", f"{name}.result", "--quiet", "--no-trust")
                ours, theirs = model.sim().record(), table(f"{name}.csv")
                self.assertEqual(list(ours), list(theirs))
                for channel in theirs:
                    np.testing.assert_array_equal(ours[channel], theirs[channel], channel)

    def test_overrides_have_the_bits_of_the_program(self):
        path = TEMPLATES / "pendulum.yaml"
        program("run", path, "--set", "L=0.7 m", "--set", "solver.step=3 ms", "--until", "2", "--csv", "set.csv", "--no-result")
        ours = bristle.load(path, L="0.7 m", set={"solver.step": "3 ms"}).sim().record(until=2.0)
        for channel, values in table("set.csv").items():
            np.testing.assert_array_equal(ours[channel], values, channel)
        third = bristle.load(path, L=1 / 3).sim()
        self.assertEqual(third.poses[0, 2], bristle.load(path, L=repr(1 / 3)).sim().poses[0, 2])

    def test_result_has_the_bits_of_the_table(self):
        program("run", TEMPLATES / "box_on_incline.yaml", "--csv", "box.csv", "--events", "events.csv", "-o", "box.result",
                "--set", "mu=0.6", "--no-trust")
        result, theirs = bristle.result("box.result"), table("box.csv")
        for channel, values in theirs.items():
            np.testing.assert_array_equal(result[channel], values, channel)
        self.assertEqual(result.outcome, "complete")
        self.assertIsNone(result.missing)
        self.assertEqual(result.parameters, {"mu": "0.6"})
        self.assertEqual(result.model_text, (TEMPLATES / "box_on_incline.yaml").read_text())
        self.assertEqual(result.units["box.position.x"], "m")
        self.assertGreater(result.ledger.friction, 1.0)
        self.assertIs(result.judgement["credible"], True)  # of the books; stiction is another question
        with open("events.csv", newline="") as file:
            events = list(csv.DictReader(file))
        self.assertEqual([(e.kind, e.name) for e in result.events], [(e["kind"], e["name"]) for e in events])
        self.assertEqual([e.t for e in result.events], [float(e["t"]) for e in events])
        self.assertEqual(set(dict(result)), set(result.units))

    def test_recorded_result_is_the_program_s(self):
        path, told = TEMPLATES / "bouncing_ball.yaml", []
        program("run", path, "--set", "solver.step=2 ms", "--until", "1", "-o", "theirs.result", "--no-trust")
        sim = bristle.load(path, set={"solver.step": "2 ms"}).sim()
        sim.on_event(told.append)
        columns = sim.record(["ball.position.z"], until=1.0, result="ours.result")
        ours, theirs = bristle.result("ours.result"), bristle.result("theirs.result")
        self.assertEqual(ours.units, theirs.units)
        for channel in theirs:
            np.testing.assert_array_equal(ours[channel], theirs[channel], channel)
        np.testing.assert_array_equal(columns["ball.position.z"], ours["ball.position.z"])
        for field in ("parameters", "model_text", "model_path", "stepper", "until", "output", "events", "ledger", "judgement"):
            self.assertEqual(getattr(ours, field), getattr(theirs, field), field)
        self.assertEqual((ours.outcome, ours.message), ("complete", None))
        self.assertEqual(told, ours.events)
        sim.step()  # what was told of the run is told no more
        self.assertEqual(bristle.result("ours.result").events, ours.events)

    def test_recorded_run_that_stops_keeps_its_rows(self):
        text = (TEMPLATES / "pendulum.yaml").read_text()
        sim = bristle.parse(text, name="swing").sim()

        def stop(t, q, v, effort, wrench):
            if t > 0.1:
                raise KeyError("enough")
        sim.on_force(stop)
        with self.assertRaises(KeyError):
            sim.record([], until=1.0, result="stopped.result")
        result = bristle.result("stopped.result")
        self.assertEqual((result.outcome, result.model_text), ("interrupted", text))
        self.assertGreater(len(result["t"]), 2)
        self.assertLess(result["t"][-1], 0.2)
        with self.assertRaises(bristle.Error) as raised:
            bristle.parse(text).sim().record(["pivot.positon"], result="never.result")
        self.assertEqual(raised.exception.code, "channel-unknown")
        self.assertFalse(pathlib.Path("never.result").exists())

    def test_result_that_was_cut_or_altered_keeps_its_rows(self):
        program("run", TEMPLATES / "pendulum.yaml", "-o", "whole.result")
        whole, data = bristle.result("whole.result"), pathlib.Path("whole.result").read_bytes()
        pathlib.Path("cut.result").write_bytes(data[:len(data) // 2])
        cut = bristle.result("cut.result")
        self.assertEqual(cut.outcome, "cut")
        self.assertIsNone(cut.ledger)
        count = len(cut["t"])
        self.assertTrue(100 < count < len(whole["t"]))
        np.testing.assert_array_equal(cut["t"], whole["t"][:count])
        half = len(data) // 2
        pathlib.Path("bad.result").write_bytes(data[:half] + bytes([data[half] ^ 255]) + data[half + 1:])
        bad = bristle.result("bad.result")
        self.assertEqual(bad.outcome, "damaged")
        self.assertIn("bad.result", bad.missing)
        np.testing.assert_array_equal(bad["t"], whole["t"][:len(bad["t"])])

    def test_matrices_are_those_of_dynamics(self):
        import json
        path = TEMPLATES / "robot_arm.yaml"
        sim = bristle.load(path).sim()
        sim.q, sim.v = [0.3, -0.5, 0.7, 0.2], [0.1, 0.2, -0.4, 1.0]
        vdot = [1.0, -2.0, 0.5, 0.25]
        body = sim.model.bodies[-1]
        pathlib.Path("state.json").write_text(json.dumps(
            {"qpos": list(sim.q), "qvel": list(sim.v), "qacc": vdot, "jac_body": body}))
        got = json.loads(program("dynamics", path, "--state", "state.json", "--json"))
        got = got["states"][0] if "states" in got else got
        n = sim.model.nv
        np.testing.assert_array_equal(sim.mass_matrix(), np.reshape(got["M"], (n, n)))
        np.testing.assert_array_equal(sim.bias(), got["bias"])
        np.testing.assert_array_equal(sim.inverse_dynamics(vdot), got["tau_id"])
        self.assertEqual(sim.poses.shape, (len(sim.model.bodies), 7))
        np.testing.assert_array_equal(sim.poses[:, :3].ravel(), np.ravel(got["xpos"])[3:])  # the world comes first there
        # The Jacobian times v is the velocity; to rounding, as it is summed in another order.
        linear, angular = sim.jacobian(body)
        np.testing.assert_allclose(np.concatenate([linear @ sim.v, angular @ sim.v]), sim.twists[-1], rtol=0, atol=1e-14)
        # Both readings of one instant.
        names = [f"{body}.{kind}.{axis}" for kind in ("acceleration", "angular_acceleration") for axis in "xyz"]
        np.testing.assert_array_equal(sim.accelerations[-1], [sim.channel(name) for name in names])


class Contacts(unittest.TestCase):
    def setUp(self):
        self.model = bristle.load(SOURCE / "scenes/gallery/gripper.yaml")

    def test_patterns_name_forces_between_bodies(self):
        recorded = self.model.sim().record(["*~part.force.normal", "part~*.force.z"], until=0.05)
        self.assertEqual(list(recorded), ["t", "left~part.force.normal", "right~part.force.normal", "part~*.force.z"])
        np.testing.assert_allclose(recorded["left~part.force.normal"][1:], 12, atol=1e-9)
        np.testing.assert_allclose(recorded["part~*.force.z"][1:], 9.81, atol=1e-9)
        columns = bristle.batch(self.model, ["*~part.force.normal.max"], q=[self.model.sim().q], until=0.05)
        self.assertEqual(list(columns), ["left~part.force.normal.max", "right~part.force.normal.max"])
        with self.assertRaisesRegex(bristle.Error, "no channel of this model matches 'lift"):
            self.model.sim().record(["lift*"], until=0.05)

    def test_sums_agree_with_the_points(self):
        sim = self.model.sim()
        sim.advance(0.02)
        both = sim.contact("part", "left"), sim.contact("left", "part")
        np.testing.assert_array_equal(both[0].force, -both[1].force)
        mine = [c for c in sim.contacts if c.name.startswith("left.shape0~part")]
        self.assertEqual(both[0].points, len(mine))
        self.assertAlmostEqual(both[1].normal_force, sum(c.normal_force for c in mine), 12)
        np.testing.assert_allclose(both[1].force, sum(c.normal_force * c.normal + c.friction for c in mine), atol=1e-12)
        with self.assertRaisesRegex(bristle.Error, "no body or shape 'lift'"):
            sim.contact("lift")

    def test_results_have_the_points_of_every_row(self):
        sim = self.model.sim()
        sim.record(until=0.05, result="grip.result")
        result = bristle.result("grip.result")
        found, now = result.contacts(0.05), sim.contacts
        self.assertEqual(list(found["name"]), [c.name for c in now])
        self.assertEqual(list(found["state"]), [c.state for c in now])
        np.testing.assert_array_equal(found["normal_force"], [c.normal_force for c in now])
        np.testing.assert_array_equal(found["friction"], [c.friction for c in now])
        self.assertEqual(found["point"].shape, (8, 3))
        np.testing.assert_array_equal(result.contacts(0.0499)["point"], found["point"])  # the nearest row
        self.assertEqual(len(bristle.result("grip.result").contacts(0)), 8)
        for t in (-1, 0.06, float("nan")):
            with self.assertRaisesRegex(ValueError, "outside of the result"):
                result.contacts(t)
        np.testing.assert_array_equal(result["part~*.force.z"][-1:], [sim.channel("part~*.force.z")])


class PickAndPlace(unittest.TestCase):
    """examples/pick_and_place.py: 600 controls at 100 Hz. m = 0.4 kg, each finger presses with 6 N."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(SOURCE / "examples"))
        import pick_and_place
        cls.task = pick_and_place

    def test_the_cube_is_lifted_carried_and_put_down_with_the_same_bits_twice(self):
        (one, rows), (two, again) = self.task.run(), self.task.run()
        self.assertEqual(rows, again)
        np.testing.assert_array_equal(one.q, two.q)
        np.testing.assert_array_equal(one.v, two.v)
        height = np.array(rows)[:, 1]
        self.assertGreater(height.max(), 0.12)  # 30 mm, and 100 mm less what the servo sags under 1.6 kg
        self.assertAlmostEqual(one.channel("cube.position.x"), 0.3, 3)
        self.assertAlmostEqual(one.channel("cube.position.z"), 0.03, 5)
        held = (np.array(rows)[:, 0] > 0.97) & (np.array(rows)[:, 0] < 1.05)  # up, and at rest: what the drives give
        np.testing.assert_allclose(np.array(rows)[held, 2:], 6.0, atol=1e-3)
        self.assertEqual(one.judgement["credible"], True)

    def test_it_slips_below_the_threshold_of_the_gripper(self):
        # It holds at rest down to mu = m g/(2 F), and upwards with an acceleration a down to m (g + a)/(2 F). The quintic ramp over 0.1 m in
        # 0.8 s has a = 10/sqrt(3) 0.1/0.8^2 = 0.90 m/s^2, of which steps of 10 ms and the servo make up to a fifth more.
        rest, moving = 0.4 * 9.81 / 12, 0.4 * (9.81 + 1.2 * 0.902) / 12
        for mu, lifted in ((0.98 * rest, False), (1.02 * moving, True)):
            sim, rows = self.task.run(mu=mu)
            self.assertEqual(max(row[1] for row in rows) > 0.12, lifted, mu)


class State(unittest.TestCase):
    def setUp(self):
        self.model = bristle.load(TEMPLATES / "pendulum.yaml")
        self.sim = self.model.sim()

    def test_arrays_are_copies(self):
        before = self.sim.q
        kept = before.copy()
        self.sim.step(5)
        self.sim.advance(np.float32(0.5))
        np.testing.assert_array_equal(before, kept)
        before[:] = 7
        self.assertFalse(np.any(self.sim.q == 7))
        q = self.sim.q
        del self.sim
        gc.collect()
        self.assertTrue(np.all(np.isfinite(q)))

    def test_state_is_set(self):
        self.sim.q = [0.1, 0.2]
        self.sim.set_state(v=np.array([[3.0, 4.0]]), time=5)
        np.testing.assert_array_equal(self.sim.q, [0.1, 0.2])
        np.testing.assert_array_equal(self.sim.v, [3.0, 4.0])
        self.assertEqual(self.sim.time, 5.0)
        with self.assertRaisesRegex(ValueError, "q has 3 numbers, expected 2"):
            self.sim.q = [1, 2, 3]
        with self.assertRaises(bristle.Error):
            self.sim.q = [float("nan"), 0]
        np.testing.assert_array_equal(self.sim.q, [0.1, 0.2])

    def test_saved_state_goes_on_with_the_same_bits(self):
        self.sim.advance(0.5)
        data = self.sim.save()
        self.sim.advance(1.0)
        once = self.sim.q
        other = self.model.sim()
        other.load(data)
        self.assertEqual(other.time, 0.5)
        other.advance(1.0)
        np.testing.assert_array_equal(once, other.q)
        for bad in (b"", data[:-1], data[:40], data[:-1] + b"\xff\xff", bytes(len(data))):
            with self.assertRaises(ValueError):
                other.load(bad)
        with self.assertRaises(bristle.Error):
            bristle.load(TEMPLATES / "four_bar.yaml").sim().load(data)

    def test_controls_are_targets_of_drives(self):
        model = bristle.load(TEMPLATES / "robot_arm.yaml")
        runs = []
        for _ in range(2):
            sim = model.sim()
            for k in range(50):  # at 100 Hz
                sim.control["base_servo"] = 0.1 + 0.001 * k
                sim.advance(0.01 * (k + 1))
            runs.append(sim.q)
            self.assertEqual(sim.control["base_servo"], 0.1 + 0.001 * 49)
        np.testing.assert_array_equal(runs[0], runs[1])
        sim.control["base_servo"] = None
        self.assertNotEqual(sim.control["base_servo"], 0.1 + 0.001 * 49)
        with self.assertRaisesRegex(bristle.Error, "no drive 'elbwo'"):
            sim.control["elbwo"] = 1
        with self.assertRaisesRegex(bristle.Error, "control-not-finite"):
            sim.control["base_servo"] = float("nan")

    def test_hundred_simulations_come_and_go(self):
        for k in range(100):
            sim = self.model.sim()
            sim.step()
            self.assertEqual(sim.time, 0.001)
        many = [bristle.load(TEMPLATES / "pendulum.yaml", L=1 + k / 100).sim() for k in range(100)]  # models live through them
        gc.collect()
        for sim in many:
            sim.step()
        self.assertEqual(len({sim.q[0] for sim in many}), 100)

    def test_threads_have_simulations_of_their_own(self):
        found = [None] * 4

        def run(k):
            sim = self.model.sim()
            sim.advance(1.0)
            found[k] = sim.q
        threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for q in found:
            np.testing.assert_array_equal(q, found[0])

    def test_channels_and_names(self):
        self.assertEqual(self.model.channels[0], "t")
        self.assertIn("top.position", self.model.channels)
        self.assertEqual(self.sim.unit("top.position"), "rad")
        self.assertEqual(self.sim.channel("top.position"), self.sim.q[0])
        self.assertEqual(self.model.bodies, ["upper", "lower"])
        self.assertEqual(self.model.joints, ["top", "middle"])
        np.testing.assert_array_equal(self.sim.pose("lower")[0], self.sim.poses[1, :3])
        self.assertEqual(self.sim.mobility().degrees_of_freedom, 2)
        self.assertEqual(len(self.sim.eigenvalues()), 4)
        force, _ = self.sim.reaction("top")
        self.assertEqual(force[0], self.sim.channel("top.reaction.force.x"))

    def test_contacts_ledger_and_trust(self):
        sim = bristle.load(TEMPLATES / "box_on_incline.yaml").sim()
        sim.advance(1.0)
        self.assertEqual({c.state for c in sim.contacts}, {"sticks"})
        self.assertEqual(sim.contacts[0].name, "box~incline#0")
        # At rest the normal forces carry the weight across the slope; to the solver's own tolerance.
        total = sum(c.normal_force * c.normal + c.friction for c in sim.contacts)
        np.testing.assert_allclose(total, [0, 0, 3 * 9.81], rtol=0, atol=1e-5)
        self.assertGreater(sim.ledger.friction, 1.0)
        self.assertEqual(sim.ledger.now.total, sim.energy.total)
        self.assertIs(sim.judgement["credible"], True)
        self.assertLess(sim.judgement["energy"]["gain"], 0.02 * sim.judgement["energy"]["gain_size"])
        trust = sim.trust(sensitivities=False)
        self.assertEqual(trust.intervals[0].verdict, "sticks_robust")
        self.assertEqual((trust.intervals[0].start, trust.intervals[0].end), (1.0, 1.0))
        self.assertEqual(len(trust.intervals[0].forces), 8)
        trust = sim.trust(budget=1)
        self.assertEqual(trust.intervals[0].verdict, "not_judged")
        self.assertIsNone(trust.credible)
        self.assertEqual(trust.reasons[0].what, "not_judged")


class Batch(unittest.TestCase):
    DOOR = SOURCE / "scenes" / "friction" / "door.yaml"

    def test_parameter_sets_give_the_bits_of_a_plain_loop(self):
        cases = [{"mu": 0.1 + 0.02 * k, "T": 1.5} for k in range(9)]
        for threads in (1, 2, 5):
            got = bristle.batch(self.DOOR, ["hinge.position.end", "verdict"], cases, threads=threads)
            for k, case in enumerate(cases):
                sim = bristle.load(self.DOOR, **case).sim()
                end = sim.record(["hinge.position"])["hinge.position"][-1]
                self.assertEqual(got["hinge.position.end"][k], end)
                self.assertEqual(got["verdict"][k], "moves" if end > 0 else "sticks_robust")

    def test_states_give_the_bits_of_a_plain_loop(self):
        model = bristle.load(TEMPLATES / "pendulum.yaml", set={"run.until": "0.2 s"})
        q = np.random.default_rng(3).normal(size=(7, model.nq))
        v = np.random.default_rng(4).normal(size=(7, model.nv))
        got = bristle.batch(model, ["energy.kinetic.max"], q=q, v=v, threads=2)["energy.kinetic.max"]
        for k in range(7):
            sim = model.sim()
            sim.set_state(q[k], v[k])
            self.assertEqual(got[k], sim.record(["energy.kinetic"])["energy.kinetic"].max())

    def test_failures_are_raised_or_kept(self):
        cases = [{"mu": 0.1}, {"mu": -1}, {"mu": 0.2}]
        with self.assertRaises(bristle.Error):
            bristle.batch(self.DOOR, ["hinge.position.end"], cases)
        got = bristle.batch(self.DOOR, ["hinge.position.end"], cases, errors="keep")
        self.assertEqual([e is None for e in got["error"]], [True, False, True])
        self.assertTrue(np.isnan(got["hinge.position.end"][1]))
        with self.assertRaises(bristle.Error) as caught:
            bristle.batch(self.DOOR, ["hinge.positon.end"], cases)
        self.assertEqual(caught.exception.code, "channel-unknown")
        for wrong in ({}, {"cases": cases, "q": np.zeros((2, 1))}, {"q": np.zeros((2, 1))}):
            with self.assertRaises(ValueError):
                bristle.batch(self.DOOR, ["hinge.position.end"], **wrong)


class Callbacks(unittest.TestCase):
    def test_forces_act_and_count_as_input(self):
        sim = bristle.load(TEMPLATES / "pendulum.yaml").sim()
        arm = sim.model.bodies.index("upper")

        def hold(t, q, v, effort, wrench):
            effort[0] -= 5.0 * v[0]
            wrench[arm, 5] += 1.0  # N upwards
        sim.on_force(hold)
        sim.advance(0.2)
        self.assertNotEqual(sim.ledger.input, 0.0)
        self.assertLess(abs(sim.ledger.unaccounted), 1e-9)  # J, beside about 20 J: what the callback did is in the books
        sim.on_force(None)
        sim.step()

    def test_what_a_callback_raises_arrives(self):
        sim = bristle.load(TEMPLATES / "pendulum.yaml").sim()
        sim.on_force(lambda *_: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            sim.step()
        sim.on_force(lambda *_: sim.step())
        with self.assertRaisesRegex(RuntimeError, "being moved already"):
            sim.step()
        sim.on_force(None)
        sim.step()

    def test_events_are_those_of_the_program(self):
        program("run", TEMPLATES / "bouncing_ball.yaml", "--events", "ball.csv", "--no-result", "--until", "1")
        model, events = bristle.load(TEMPLATES / "bouncing_ball.yaml"), []
        sim = model.sim()
        sim.on_event(events.append)
        sim.record([], until=1.0)
        with open("ball.csv", newline="") as file:
            self.assertEqual([(e.t, e.kind, e.name) for e in events],
                             [(float(r["t"]), r["kind"], r["name"]) for r in csv.DictReader(file)])
        self.assertTrue(events)


class Errors(unittest.TestCase):
    def test_without_numpy_one_sentence(self):
        script = "import sys; sys.modules['numpy'] = None; sys.path.insert(0, sys.argv[1]); import bristle"
        run = subprocess.run([sys.executable, "-c", script, str(SOURCE / "python")], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("ImportError: bristle needs NumPy", run.stderr.splitlines()[-1])
        self.assertNotIn("During handling", run.stderr)

    def test_errors_have_a_place_and_a_code(self):
        pathlib.Path("arm.yaml").write_text("format: 1\nbodies: {arm: {mass: 1 kg, inertia: {sphere: {radius: 1}}}}\n"
                                            "joints: {hinge: {revolut: [world, arm]}}\n")
        with self.assertRaises(bristle.Error) as caught:
            bristle.load("arm.yaml")
        error = caught.exception
        self.assertEqual((error.code, error.status, error.file, error.line), ("yaml-unknown-key", "invalid", "arm.yaml", 3))
        self.assertIn("did you mean 'revolute'?", error.message)
        self.assertTrue(str(error).startswith("arm.yaml:3:"))
        self.assertIn("key", bristle.explain(error.code).meaning)
        self.assertIsNone(bristle.explain("no-such-code"))

    def test_what_is_not_there_is_named(self):
        with self.assertRaisesRegex(bristle.Error, "nowhere.yaml"):
            bristle.load("nowhere.yaml")
        with self.assertRaisesRegex(bristle.Error, "nowhere.result"):
            bristle.result("nowhere.result")
        with self.assertRaises(bristle.Error):
            bristle.load(TEMPLATES / "pendulum.yaml", nothing=1)
        sim = bristle.load(TEMPLATES / "pendulum.yaml").sim()
        with self.assertRaisesRegex(bristle.Error, "top.positio"):
            sim.channel("top.positio")
        with self.assertRaisesRegex(KeyError, "no body 'arm'"):
            sim.jacobian("arm")
        with self.assertRaises(ValueError):
            bristle.load("a\0b")
        with self.assertRaises(bristle.Error):
            sim.advance(float("nan"))

    def test_texts_are_parsed(self):
        model = bristle.parse("format: 1\nparams: {m: 1 kg}\nbodies: {ball: {mass: $m, inertia: {sphere: {radius: 1}}}}\n",
                              name="ball", m=2)
        self.assertEqual(model.name, "ball")
        self.assertEqual(model.sim().mass_matrix()[0, 0], 2.0)
        with self.assertRaises(bristle.Error) as caught:
            bristle.parse("format: 1\nbodys: {}\n")
        self.assertEqual(caught.exception.line, 2)


class Guide(unittest.TestCase):
    def test_examples_print_what_is_shown(self):
        page = (SOURCE / "docs/guide/python.md").read_text()
        blocks = re.findall(r"^    \$ (cat|python3) (\S+)\n((?:    (?!\$ ).*\n|\n(?=    (?!\$ )))*)", page, re.M)
        shown = 0
        for verb, name, text in blocks:
            text = re.sub(r"^    ", "", text, flags=re.M)
            if verb == "cat":
                pathlib.Path(name).write_text(text)
                continue
            environment = dict(os.environ, PYTHONPATH=str(SOURCE / "python"))
            got = subprocess.run([sys.executable, name], check=True, capture_output=True, text=True, env=environment).stdout
            self.assertEqual(got, text)
            shown += 1
        self.assertGreater(shown, 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
