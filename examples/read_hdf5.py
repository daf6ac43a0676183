#!/usr/bin/env python3
"""Reads a result that `bristle export NAME.result -o NAME.h5` wrote: what was run, channels, events, contacts.

    read_hdf5.py NAME.h5 [CHANNEL...]      the last of each channel, and a figure NAME.png where matplotlib is there

Needs h5py (Debian: python3-h5py). docs/guide/export.md lists everything in the file.
"""
import sys

try:
    import h5py
except ImportError:
    sys.exit("read_hdf5.py needs h5py, which this Python does not have; install it (Debian: apt install python3-h5py)")


def text(value):
    """Texts in the file are bytes of fixed length."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def describe(f):
    model = f["model"].attrs
    print(f"model       {text(model['name'])} ({text(model['path'])}), hash {text(model['hash'])}")
    print(f"run         {text(f.attrs['stepper'])} stepper, step {f.attrs['step']:g} s, bristle {text(f.attrs['program_version'])}")
    for name, value in f["parameters"].attrs.items():
        print(f"parameter   {name} = {text(value)}")
    if "truncated" in f.attrs:
        print(f"truncated   {text(f.attrs['truncated'])}")
    else:
        print(f"outcome     {text(f.attrs['outcome'])}; unaccounted for: {f['ledger'].attrs['unaccounted']:.3g} J")
    t = f["t"]
    print(f"rows        {len(t)}, t = {t[0]:g} to {t[-1]:g} s" if len(t) else "rows        none")


def events(f):
    kinds, names, times = f["events/kind"], f["events/name"], f["events/t"]
    print(f"events      {len(times)}")
    for k in range(min(5, len(times))):
        print(f"            {times[k]:g} s: {text(kinds[k])} of {text(names[k])}")


def contacts(f):
    """Forces of a contact over time: entries of all contacts are one table, `row` says to which time each belongs."""
    group = f["contacts"]
    names = group["names"][:]
    print(f"contacts    {len(names)} by name, {len(group['row'])} entries")
    if len(names) == 0:
        return
    of_first = group["name"][:] == 0
    force = group["normal_force"][of_first]
    when = f["t"][:][group["row"][of_first]]
    print(f"            {text(names[0])}: largest normal force {force.max():g} N at {when[force.argmax()]:g} s")


def plot(f, channels, path):
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(len(channels), 1, sharex=True, squeeze=False)
    for axis, name in zip(axes[:, 0], channels):
        data = f["channels"][name]
        axis.plot(f["t"], data)
        axis.set_ylabel(f"{name}, {text(data.attrs['unit'])}")
    axes[-1, 0].set_xlabel("t, s")
    figure.savefig(path)
    print(f"figure      {path}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with h5py.File(sys.argv[1], "r") as f:
        describe(f)
        channels = sys.argv[2:]
        for name in channels:
            if name not in f["channels"]:
                sys.exit(f"{sys.argv[1]} has no channel {name}; it has {', '.join(list(f['channels'])[:10])}, ...")
            data = f["channels"][name]
            print(f"{name} = {data[-1]:.9g} {text(data.attrs['unit'])} in the last row")
        events(f)
        contacts(f)
        if channels:
            plot(f, channels, sys.argv[1].rsplit(".", 1)[0] + ".png")


if __name__ == "__main__":
    main()
