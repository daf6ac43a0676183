"""Pick and place: a hundred times a second a program reads the forces on the cube by a pattern of names and sets the targets of four drives.

    python3 pick_and_place.py [mu]

It closes the fingers until both press, lifts, carries the cube by 0.3 m, puts it down and lets go. Between two calls the targets hold, as those
of a real controller do. The same run has the same bits each time.
"""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "python"))
import bristle  # noqa: E402

SCENE = FOLDER.parent / "scenes" / "gallery" / "pick_and_place.yaml"
PERIOD = 0.01  # s
GRIP, OPEN = 6.0, -2.0  # N
UP, FAR = 0.1, 0.3  # m


def ramp(t, begin, length):
    """0 to 1 with a smooth start and end: at most 10/sqrt(3)/length^2 of acceleration."""
    x = min(max((t - begin) / length, 0.0), 1.0)
    return x * x * x * (10.0 - x * (15.0 - 6.0 * x))


def run(tell=lambda line: None, **parameters):
    """The whole task. Returns the simulation at its end and a row for each period: t, height of the cube, forces of the fingers."""
    sim = bristle.load(SCENE, **parameters).sim()
    rows, phase, since = [], "close", 0.0
    for k in range(1, 601):
        t = sim.time
        fingers = sim.read("cube~finger_*.force.normal")
        on_table = sim.read("cube~table.force.normal")["cube~table.force.normal"]
        rows.append((t, sim.channel("cube.position.z"), *fingers.values()))
        done = {"close": min(fingers.values()) > 0.9 * GRIP, "lift": t > since + 1.0, "carry": t > since + 1.5,
                "lower": t > since + 1.2, "open": False}[phase]
        if done:
            phase, since = {"close": "lift", "lift": "carry", "carry": "lower", "lower": "open"}[phase], t
            tell(f"t = {t:4.2f} s  {phase:6}  fingers {min(fingers.values()):5.2f} N   table {on_table:5.2f} N   "
                 f"cube at {sim.channel('cube.position.x'):5.3f}, {sim.channel('cube.position.z'):5.3f} m")
        sim.control["grip_l"] = sim.control["grip_r"] = OPEN if phase == "open" else GRIP
        if phase in ("lift", "lower"):
            sim.control["raise"] = UP * (ramp(t, since, 0.8) if phase == "lift" else 1.0 - ramp(t, since, 0.8))
        if phase == "carry":
            sim.control["travel"] = FAR * ramp(t, since, 1.2)
        sim.advance(PERIOD * k)
    return sim, rows


if __name__ == "__main__":
    sim, rows = run(print, **({"mu": float(sys.argv[1])} if len(sys.argv) > 1 else {}))
    top = max(row[1] for row in rows)
    print(f"the cube was {'lifted' if top > 0.1 else 'not lifted'}: up to {top:.3f} m; it stands at "
          f"{sim.channel('cube.position.x'):.4f} m")
