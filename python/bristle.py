"""bristle from Python: models, simulations and results as NumPy arrays.

    import bristle

    model = bristle.load("door.yaml", mu=0.3)
    sim = model.sim()
    sim.advance(1.0)
    print(sim.time, sim.q, sim.channel("hinge.position"), sim.ledger.friction)

One file over the C library, by ctypes: nothing to build. SI units, angles in radians. The library is looked for in
$BRISTLE_LIBRARY, beside this file, in the folders it is built and installed to, then where the system has its libraries.
Errors of the library are raised as bristle.Error. Arrays that are returned are copies: what was read stays as it was.
docs/guide/python.md has the whole; the words of the C headers hold for everything of the same name here.
"""

import collections.abc
import ctypes
import ctypes.util
import json
import numbers
import os
import pathlib
import sysconfig
import time
import types
import weakref

try:
    import numpy as np
except ImportError:  # a traceback of two files would hide the one sentence that helps
    raise ImportError("bristle needs NumPy, which this Python does not have; install it (Debian: apt install "
                      "python3-numpy)") from None

__version__ = "0.1.0"
__all__ = ["Error", "Model", "Result", "Sim", "batch", "explain", "load", "parse", "result"]

# --- the structs of the headers --------------------------------------------------------------------------------------
# tests/python/test_bristle.py compiles a program that holds each size and offset against the headers.

_int, _long, _double, _text = ctypes.c_int, ctypes.c_long, ctypes.c_double, ctypes.c_char_p
_size, _void = ctypes.c_size_t, ctypes.c_void_p
_MAX_NAME = 64
_MAX_EVENT_NAME = 2 * _MAX_NAME + 48
_MAX_ERROR_TEXT = 512


def _struct(name, *rows):
    """A ctypes struct. A row is a type and the names of its fields, with blanks between."""
    fields = [(field, kind) for kind, names in rows for field in names.split()]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


_error = _struct("br_error", (_int, "status"), (_text, "code"), (ctypes.c_char * _MAX_ERROR_TEXT, "message"),
                 (ctypes.c_char * 256, "file"), (_int, "line column"), (ctypes.c_char * 256, "path"))
_vec3 = _struct("br_vec3", (_double, "x y z"))
_quat = _struct("br_quat", (_double, "w x y z"))
_pose = _struct("br_pose", (_quat, "rotation"), (_vec3, "position"))
_twist = _struct("br_twist", (_vec3, "angular linear"))
_wrench = _struct("br_wrench", (_vec3, "torque force"))
_override = _struct("br_override", (_text, "name value"))
_adaptive = _struct("br_adaptive_settings", (_int, "on"), (_double, "smallest tolerance"), (_int, "contact"),
                    (_double, "epsilon_p q_min alpha"), (_int, "friction"), (_double, "dtau_min v_min friction_alpha"))
_solver_settings = _struct("br_solver_settings", (_int, "stepper"), (_double, "step theta"),
                           (_int, "position_old rotation_euler"), (_double, "tol"), (_int, "max_iterations method max_work split_events"), (_double, "lcp_epsilon"), (_int, "lcp_scale friction_fixed_point"), (_double, "restart"),
                           (_double, "rho_infinity"), (_int, "energy_decaying"), (_adaptive, "adaptive"),
                           (_text, "redundancy"))
_settings = _struct("br_settings", (_text, "name"), (_vec3, "gravity"), (_int, "planar coordinates"),
                    (_solver_settings, "solver"), (_text, "contact_law contact_bounds"), (_int, "contact_paper"),
                    (_void, "contact_exclude"), (_int, "contact_exclude_count"), (ctypes.POINTER(_text), "outputs"),
                    (_int, "output_count"), (_double, "until output"), (_int, "start_penetration"),
                    (_double, "start_speed"), (_int, "contact_joined"), (_double, "check_error"))
_energy = _struct("br_energy", (_double, "kinetic potential elastic total"))
_ledger = _struct("br_ledger", (_energy, "start now"),
                  (_double, "input friction impact damping scheme unaccounted loop_error loop_velocity_error residual "
                            "penetration cone_violation creep"),
                  (_long, "contacts steps iterations evaluations"))
_contact = _struct("br_contact", (_int, "shape_a shape_b body_a body_b state"), (_vec3, "point normal"),
                   (_double, "gap normal_force"), (_vec3, "friction moment slip"), (_double, "friction_coefficient start_depth"))
_contact_sum = _struct("br_contact_sum", (_int, "points"), (_double, "normal_force"), (_vec3, "force torque center"))
_channel = _struct("br_channel", (_int, "kind index component"), (ctypes.c_char * 12, "unit"))
_event = _struct("br_event", (_double, "t"), (_int, "kind"), (ctypes.c_char * _MAX_EVENT_NAME, "name"), (_double, "value"))
_mobility = _struct("br_mobility", (_int, "degrees_of_freedom rows redundant degrees_of_freedom_here redundant_here too_large"),
                    (_double, "grip contradiction contradiction_limit"), (ctypes.c_char * _MAX_NAME, "contradicts"),
                    (_int, "idle"), (ctypes.c_char * 1024, "idle_of"), (_int, "turned"))
_force_view = _struct("br_force_view", (_double, "t"), (ctypes.POINTER(_double), "q v"), (ctypes.POINTER(_pose), "pose"),
                      (ctypes.POINTER(_twist), "twist"))
_trust_force = _struct("br_trust_force", (ctypes.c_char * _MAX_EVENT_NAME, "name"), (_int, "is_contact state verdict unique normal_unique"),
                       (_double, "force normal friction_min friction_max coherent_min coherent_max velocity_ratio slope"))
_trust_sensitivity = _struct("br_trust_sensitivity", (ctypes.c_char * _MAX_EVENT_NAME, "parameter quantity"),
                             (_double, "value flips_at"), (_int, "flips_undecided"))
_trust_interval = _struct("br_trust_interval", (_double, "from to at"), (_int, "verdict nullity permanent_nullity freedom"),
                          (_int, "exhaustive onset_static onset_kinetic"), (_double, "c_star c_star_coherent"),
                          (_int, "forces"), (ctypes.POINTER(_trust_force), "force"), (_int, "sensitivities"),
                          (ctypes.POINTER(_trust_sensitivity), "sensitivity"), (ctypes.c_char * 400, "settle not_unique"),
                          (ctypes.c_char * 200, "of by_name"))
_trust_reason = _struct("br_trust_reason", (ctypes.c_char * 24, "what"), (_double, "t to"),
                        (ctypes.c_char * _MAX_EVENT_NAME, "element"), (_double, "value limit"), (ctypes.c_char * 400, "text"),
                        (_int, "interval"))
_trust_report = _struct("br_trust_report", (_int, "intervals"), (ctypes.POINTER(_trust_interval), "interval"),
                        (_int, "credible not_judged reasons"), (ctypes.POINTER(_trust_reason), "reason"), (_double, "work"),
                        (_void, "memory"))
_trust_options = _struct("br_trust_options", (_int, "at_rest"), (_double, "sample"), (_int, "quick sensitivities"),
                         (_double, "budget"), (_void, "progress progress_context allocator"))
_reason = _struct("br_reason", (_int, "what fails"), (_double, "t"), (ctypes.c_char * _MAX_EVENT_NAME, "element"),
                  (_double, "value limit"), (ctypes.c_char * 512, "text"))
_lower_order = _struct("br_lower_order", (_int, "order"), (_long, "steps"), (_double, "first last"),
                       (ctypes.c_char * 80, "why"))
_judgement = _struct("br_judgement", (_int, "credible reasons"), (_reason * 16, "reason"),
                     (_double, "size gain loss_size loss limit least"), (_int, "order"), (_long, "steps"),
                     (_int, "lower_orders"), (_lower_order * 6, "lower_order"))
_result_channel = _struct("br_result_channel", (_text, "name unit"))
_result_header = _struct("br_result_header", (_text, "program_version model_name model_path"), (_void, "model_text"),
                         (_size, "model_size"), (ctypes.c_uint64, "model_hash"), (ctypes.POINTER(_override), "overrides"),
                         (_int, "override_count"), (_text, "stepper notes"), (_double, "until output step"),
                         (ctypes.POINTER(_result_channel), "channels"), (_int, "channel_count"),
                         (_text, "scene model_native trust"))
_result_contact = _struct("br_result_contact", (_void, "name"), (_int, "state"), (_vec3, "point normal"), (_double, "gap normal_force"),
                          (_vec3, "friction slip"), (_double, "friction_coefficient"))
_result_end = _struct("br_result_end", (_int, "outcome"), (_double, "t seconds"), (_ledger, "ledger"),
                      (ctypes.c_char * _MAX_ERROR_TEXT, "message"), (_text, "judgement"))
_result_item = _struct("br_result_item", (_int, "kind"), (ctypes.POINTER(_double), "row"), (_void, "contacts"),
                       (_int, "contact_count"), (_event, "event"), (_result_end, "end"))
_record_options = _struct("br_record_options", (_text, "model_path"), (_void, "model_text"), (_size, "model_size"),
                          (ctypes.POINTER(_override), "overrides"), (_int, "override_count"), (_text, "notes"),
                          (_void, "builder channels"), (_double, "until interval"))
_explanation = _struct("br_explanation", (_text, "code meaning example remedy"))
_batch_def = _struct("br_batch_def", (_void, "model"), (_text, "path"), (_void, "text"), (_text, "text_name"), (_size, "size"),
                     (ctypes.POINTER(_text), "columns"), (_int, "column_count"), (_double, "until after"))
_batch_case = _struct("br_batch_case", (ctypes.POINTER(_double), "q v"), (ctypes.POINTER(_override), "overrides"),
                      (_int, "override_count"))

_STRUCTS = [kind for kind in list(globals().values())
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure)]
_EVENT_CALLBACK = ctypes.CFUNCTYPE(None, _void, ctypes.POINTER(_event))
_FORCE_CALLBACK = ctypes.CFUNCTYPE(None, _void, ctypes.POINTER(_force_view), ctypes.POINTER(_wrench), ctypes.POINTER(_double))
_CONTACT_STATES = ("open", "sticks", "slips")
_COMPLETE, _FAILED, _INTERRUPTED = range(3)  # br_result_outcome
_ROW, _CONTACTS, _EVENT, _END, _CUT = range(5)  # br_result_kind

# --- the library ---------------------------------------------------------------------------------------------------


def _candidates():
    if os.environ.get("BRISTLE_LIBRARY"):
        yield os.environ["BRISTLE_LIBRARY"]  # asked for: nothing else is tried before it
    here = pathlib.Path(__file__).resolve().parent
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    folders = [here, here.parent / "build" / "release"]  # beside this file; the source tree
    for up in here.parents:  # installed: PREFIX/share/bristle/python and PREFIX/lib
        folders += [up / "lib", up / "lib64", up / "lib" / multiarch]
    for folder in folders:
        for name in ("libbristle.so.0.1", "libbristle.so"):
            if (folder / name).exists():
                yield str(folder / name)
    yield "libbristle.so.0.1"


def _open():
    tried = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as problem:
            tried.append(str(problem))
            if path == os.environ.get("BRISTLE_LIBRARY"):
                break
    raise ImportError("libbristle.so.0.1 could not be loaded: " + "; ".join(tried) +
                      ". Build it (make) or name it: BRISTLE_LIBRARY=/path/to/libbristle.so")


_library = _open()
_library.br_version.restype = _text
if _library.br_version().decode() != __version__:
    raise ImportError(f"{_library._name} is bristle {_library.br_version().decode()}, this file is for {__version__}: "
                      "take both from one version")

_ERROR = ctypes.POINTER(_error)
_DOUBLES = ctypes.POINTER(_double)


def _declare(returns, *rows):
    for name, *arguments in rows:
        function = getattr(_library, "br_" + name)
        function.restype = returns
        function.argtypes = arguments


_declare(_int,
         ("model_read", _text, ctypes.POINTER(_override), _int, _void, ctypes.POINTER(_void), _void, _ERROR),
         ("model_read_text", _text, _size, _text, ctypes.POINTER(_override), _int, _void, ctypes.POINTER(_void), _void, _ERROR),
         ("model_nq", _void), ("model_nv", _void), ("model_body_count", _void), ("model_joint_count", _void),
         ("model_shape_count", _void), ("model_body_find", _void, _text), ("model_joint_find", _void, _text),
         ("sim_create", _void, _void, ctypes.POINTER(_void), _ERROR),
         ("sim_set_state", _void, _double, _DOUBLES, _DOUBLES, _ERROR), ("sim_assemble", _void, _ERROR),
         ("sim_set_control", _void, _text, _double, _ERROR), ("sim_release_control", _void, _text, _ERROR),
         ("sim_control", _void, _text, _DOUBLES, _ERROR),
         ("sim_load", _void, _text, _size, _ERROR), ("sim_step", _void, _ERROR), ("sim_advance", _void, _double, _ERROR),
         ("sim_joint_reaction", _void, _int, ctypes.POINTER(_wrench), ctypes.POINTER(_wrench), _ERROR),
         ("sim_channel_find", _void, _text, ctypes.POINTER(_channel), _ERROR),
         ("sim_channel_read", _void, ctypes.POINTER(_channel), _DOUBLES, _ERROR),
         ("sim_channel_count", _void), ("sim_acceleration", _void, _DOUBLES, _ERROR),
         ("sim_body_acceleration", _void, _int, ctypes.POINTER(_twist), _ERROR),
         ("sim_mobility", _void, ctypes.POINTER(_mobility), _void, _size, _ERROR),
         ("sim_linearize", _void, _DOUBLES, _DOUBLES, _int, ctypes.POINTER(_int), _ERROR),
         ("sim_contact_count", _void), ("sim_contact_sum", _void, _text, _text, ctypes.POINTER(_contact_sum), _ERROR), ("judgement_text", ctypes.POINTER(_judgement), ctypes.POINTER(_void), _ERROR),
         ("trust_instant", _void, ctypes.POINTER(_trust_options), ctypes.POINTER(_trust_report), _ERROR),
         ("trust_run", _void, _double, ctypes.POINTER(_trust_options), ctypes.POINTER(_trust_report), _ERROR),
         ("channels_named", _void, ctypes.POINTER(_text), _int, _void, ctypes.POINTER(_void), _ERROR),
         ("channels_count", _void), ("channels_read", _void, _void, _DOUBLES, _ERROR),
         ("recorder_create", _void, _text, ctypes.POINTER(_record_options), _void, ctypes.POINTER(_void), _ERROR),
         ("recorder_read", _void, _ERROR), ("recorder_write", _void, _ERROR),
         ("recorder_finish", _void, _int, _double, _text, _ERROR),
         ("result_open", _text, _void, ctypes.POINTER(_void), _ERROR),
         ("result_next", _void, ctypes.POINTER(_result_item), _ERROR),
         ("batch_column_count", _void), ("batch_create", ctypes.POINTER(_batch_def), ctypes.POINTER(_batch_case), _void, ctypes.POINTER(_void), _ERROR),
         ("batch_run", _void, ctypes.POINTER(_batch_case), _int, _int, _DOUBLES, ctypes.POINTER(ctypes.c_uint64), _ERROR, _ERROR))
_declare(None,
         ("batch_destroy", _void), ("batch_column_text", _void, _int, _double, _text),
         ("model_destroy", _void), ("builder_destroy", _void), ("channels_destroy", _void), ("sim_destroy", _void),
         ("recorder_event", _void, ctypes.POINTER(_event)), ("recorder_abandon", _void), ("sim_save", _void, _void),
         ("sim_mass_matrix", _void, _DOUBLES), ("sim_bias", _void, _DOUBLES),
         ("sim_inverse_dynamics", _void, _DOUBLES, _DOUBLES),
         ("sim_jacobian", _void, _int, _vec3, _DOUBLES, _DOUBLES),
         ("sim_channel_name", _void, _int, _text, _size), ("sim_contact", _void, _int, ctypes.POINTER(_contact)),
         ("sim_contact_name", _void, _int, _text, _size), ("sim_set_event", _void, _EVENT_CALLBACK, _void),
         ("sim_set_force", _void, _FORCE_CALLBACK, _void), ("trust_report_free", ctypes.POINTER(_trust_report)),
         ("result_close", _void), ("sim_judge", _void, ctypes.POINTER(_judgement)), ("text_free", _void))
_declare(_text,
         ("status_name", _int), ("model_name", _void), ("model_notes", _void), ("model_body_name", _void, _int),
         ("model_joint_name", _void, _int), ("model_shape_name", _void, _int), ("batch_column_name", _void, _int), ("event_kind_name", _int),
         ("verdict_name", _int), ("result_outcome_name", _int), ("stepper_name", _int))
_declare(_double, ("sim_time", _void), ("row_time", _double, _double, _double))
_declare(_DOUBLES, ("sim_q", _void), ("sim_v", _void))
_declare(_size, ("sim_snapshot_size", _void))
_declare(ctypes.c_uint64, ("model_hash", _void))
_declare(_pose, ("sim_body_pose", _void, _int))
_declare(_twist, ("sim_body_twist", _void, _int))
_declare(_ledger, ("sim_ledger", _void))
_declare(_energy, ("sim_energy", _void))
_declare(_trust_options, ("default_trust_options",))
_declare(_batch_def, ("default_batch_def",))
_declare(ctypes.POINTER(_settings), ("model_settings", _void))
_declare(ctypes.POINTER(_result_header), ("result_about", _void))
_declare(ctypes.POINTER(_text), ("channels_names", _void))
_declare(ctypes.POINTER(_explanation), ("explain", _text))

# --- errors and conversions ----------------------------------------------------------------------------------------


class Error(Exception):
    """What the library refused: `message` without the place, `code` for `bristle explain`, `status` (invalid, parse, io,
    no_memory, too_large, numerical), and where known `file`, `line`, `column` and `path`, the field of the model."""

    def __init__(self, message, code="", status="", file="", line=0, column=0, path=""):
        self.message, self.code, self.status = message, code, status
        self.file, self.line, self.column, self.path = file, line, column, path
        place = ":".join([file] + [str(n) for n in (line, column) if n]) if file else ""
        super().__init__((place + ": " if place else "") + message + (f" ({code})" if code else ""))


def _str(text):
    return "" if text is None else text.decode("utf-8", "replace")


def _error_of(e):
    return Error(_str(e.message), _str(e.code), _str(_library.br_status_name(e.status)), _str(e.file), e.line, e.column,
                 _str(e.path))


def _call(function, *arguments):
    """Calls what takes a br_error as its last argument, and raises that."""
    e = _error()
    if function(*arguments, ctypes.byref(e)) != 0:
        raise _error_of(e)


def _array(values, count, what):
    """Numbers of the caller's as a contiguous array of its own."""
    array = np.array(values, dtype=np.float64).reshape(-1)
    if array.size != count:
        raise ValueError(f"{what} has {array.size} numbers, expected {count}")
    return array


def _pointer(array):
    return array.ctypes.data_as(_DOUBLES)


def _plain(value):
    """A struct as an object with its own memory: texts as str, vectors as arrays."""
    if isinstance(value, (_vec3, _quat)):
        return np.array([getattr(value, name) for name, _ in value._fields_])
    if isinstance(value, ctypes.Structure):
        return types.SimpleNamespace(**{name: _plain(getattr(value, name)) for name, _ in value._fields_})
    return _str(value) if isinstance(value, bytes) else value


def _value(value):
    """A value as the model file writes it: "2 mm" stays, 0.3 gets all its digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return "[" + ", ".join(_value(v) for v in value) + "]"


def _bytes(text, what):
    data = os.fsencode(text)
    if b"\0" in data:
        raise ValueError(f"{what} holds a zero byte")
    return data


def _overrides(keys, parameters):
    rows = [(_bytes(name, "a name"), _bytes(_value(value), name)) for name, value in {**(keys or {}), **parameters}.items()]
    return (_override * max(len(rows), 1))(*rows), len(rows)


def explain(code):
    """What an error code means: meaning, example, remedy. None for what is no code."""
    found = _library.br_explain(_bytes(code, "the code"))
    return _plain(found.contents) if found else None


# --- models --------------------------------------------------------------------------------------------------------


def load(path, /, set=None, **parameters):
    """Reads a model file (YAML, or MuJoCo's MJCF). Parameters of the model are given by name, any key of the file by its
    dotted path: load("door.yaml", mu=0.3, set={"solver.step": "2 ms"})."""
    rows, count = _overrides(set, parameters)
    handle, builder, name = _void(), _void(), _bytes(path, "the path")
    _call(_library.br_model_read, name, rows, count, None, ctypes.byref(handle), ctypes.byref(builder))
    return Model(handle, builder, {"model_path": name, "overrides": rows, "override_count": count})


def parse(text, /, name="model", set=None, **parameters):
    """As load, of a text in YAML. `name` stands in messages, and is the model's where it gives none itself."""
    rows, count = _overrides(set, parameters)
    data, handle, builder = text.encode(), _void(), _void()
    _call(_library.br_model_read_text, data, len(data), _bytes(name, "the name"), rows, count, None, ctypes.byref(handle),
          ctypes.byref(builder))
    return Model(handle, builder, {"model_text": data, "overrides": rows, "override_count": count})


class Model:
    """A model: validated and never changed. Made by load or parse. Simulations of it may outlive this object."""

    def __init__(self, handle, builder, origin):
        self._handle, self._builder, self._origin = handle, builder, origin
        self._channels = None

    def __del__(self):
        if getattr(self, "_handle", None) and _library:
            _library.br_model_destroy(self._handle)
            _library.br_builder_destroy(self._builder)
            self._handle = self._builder = None

    def __repr__(self):
        return f"<bristle model {self.name}: {len(self.bodies)} bodies, nq = {self.nq}, nv = {self.nv}>"

    def _names(self, what):
        count = getattr(_library, f"br_model_{what}_count")(self._handle)
        name = getattr(_library, f"br_model_{what}_name")
        return [_str(name(self._handle, k)) for k in range(count)]

    def _index(self, what, name):
        k = getattr(_library, f"br_model_{what}_find")(self._handle, _bytes(name, "the name"))
        if k < 0:
            raise KeyError(f"model '{self.name}' has no {what} '{name}'")
        return k

    name = property(lambda self: _str(_library.br_model_name(self._handle)))
    hash = property(lambda self: _library.br_model_hash(self._handle), doc="Of everything that decides a result.")
    nq = property(lambda self: _library.br_model_nq(self._handle), doc="Position coordinates.")
    nv = property(lambda self: _library.br_model_nv(self._handle), doc="Velocity coordinates.")
    bodies = property(lambda self: self._names("body"), doc="Names, in the order of Sim.poses.")
    joints = property(lambda self: self._names("joint"))
    shapes = property(lambda self: self._names("shape"))
    notes = property(lambda self: _str(_library.br_model_notes(self._handle)).splitlines(),
                     doc="What creating the model had to say, a line each.")
    _settings = property(lambda self: _library.br_model_settings(self._handle).contents)
    until = property(lambda self: self._settings.until, doc="`run: until`, s.")
    output = property(lambda self: self._settings.output, doc="`run: output`, s; 0: every step.")
    step = property(lambda self: self._settings.solver.step, doc="`solver: step`, s.")
    stepper = property(lambda self: _str(_library.br_stepper_name(self._settings.solver.stepper)))
    gravity = property(lambda self: _plain(self._settings.gravity), doc="m/s^2")
    outputs = property(lambda self: [_str(self._settings.outputs[k]) for k in range(self._settings.output_count)],
                       doc="The channels that the model names for its tables.")

    @property
    def channels(self):
        """The name of every quantity that Sim.channel reads, in a fixed order."""
        if self._channels is None:
            self._channels = self.sim().channels
        return list(self._channels)

    def sim(self):
        """A simulation at the model's start: loops assembled, velocities consistent."""
        return Sim(self)


# --- simulations ---------------------------------------------------------------------------------------------------


class _Controls:
    """Targets of drives by name: sim.control["elbow"] = 0.4; None gives it back to the model."""

    def __init__(self, sim):
        self._sim = sim

    def __getitem__(self, drive):
        value = _double()
        self._sim._run(_library.br_sim_control, _bytes(drive, "the drive"), ctypes.byref(value))
        return value.value

    def __setitem__(self, drive, value):
        if value is None:
            self._sim._run(_library.br_sim_release_control, _bytes(drive, "the drive"))
        else:
            self._sim._run(_library.br_sim_set_control, _bytes(drive, "the drive"), float(value))


class Sim:
    """One state of a model, and what it takes to move it. Not to be shared between threads; use one for each."""

    def __init__(self, model):
        self._handle = None
        self.model = model
        self._nq, self._nv, self._bodies = model.nq, model.nv, len(model.bodies)
        self._found, self._lists = {}, {}
        self._callbacks = {}
        self._raised, self._busy = None, False
        handle = _void()
        _call(_library.br_sim_create, model._handle, None, ctypes.byref(handle))
        self._handle = handle

    def __del__(self):
        if getattr(self, "_handle", None) and _library:
            _library.br_sim_destroy(self._handle)
            self._handle = None

    def __repr__(self):
        return f"<bristle simulation of {self.model.name} at t = {self.time:g} s>"

    # The library cannot pass on what a callback raises: it is kept, and raised once the library is back. A callback, or
    # another thread, must not move what is being moved.
    def _run(self, function, *arguments):
        if self._busy:
            raise RuntimeError("this simulation is being moved already: by the caller of a callback, or by another thread")
        self._busy, self._raised = True, None
        try:
            _call(function, self._handle, *arguments)
        finally:
            self._busy = False
            raised, self._raised = self._raised, None
            if raised is not None:
                raise raised

    # --- state

    time = property(lambda self: _library.br_sim_time(self._handle), doc="s")

    @property
    def q(self):
        """Positions [nq], a copy. Setting them starts the ledger anew and does not close loops: see assemble."""
        return _view(_library.br_sim_q(self._handle), (self._nq,)).copy()

    @q.setter
    def q(self, values):
        self.set_state(q=values)

    @property
    def v(self):
        """Velocities [nv], a copy."""
        return _view(_library.br_sim_v(self._handle), (self._nv,)).copy()

    @v.setter
    def v(self, values):
        self.set_state(v=values)

    def set_state(self, q=None, v=None, time=None):
        """Sets what is given and keeps the rest. Quaternions are normalized."""
        q = self.q if q is None else _array(q, self._nq, "q")
        v = self.v if v is None else _array(v, self._nv, "v")
        self._run(_library.br_sim_set_state, self.time if time is None else float(time), _pointer(q), _pointer(v))

    control = property(_Controls, doc=_Controls.__doc__)

    def assemble(self):
        """Closes loops and makes velocities consistent about the present state."""
        self._run(_library.br_sim_assemble)

    def save(self):
        """The whole state as bytes; load continues from it with the same bits."""
        data = ctypes.create_string_buffer(_library.br_sim_snapshot_size(self._handle))
        _library.br_sim_save(self._handle, data)
        return data.raw

    def load(self, data):
        """Of save, by a simulation of the same model. What was cut off or changed is refused."""
        data = bytes(data)
        try:
            self._run(_library.br_sim_load, data, len(data))
        except Error as error:
            if error.code == "snapshot-damaged":
                raise ValueError(error.message) from None
            raise

    # --- moving

    def step(self, count=1):
        """`count` steps of the model's stepper."""
        for _ in range(count):
            self._run(_library.br_sim_step)

    def advance(self, time):
        """To a time, exactly."""
        self._run(_library.br_sim_advance, float(time))

    def record(self, names=None, until=None, every=None, result=None):
        """Moves to `until` (default: the model's) and returns a dict of arrays: t and the channels named (default: the
        model's `outputs`; * stands for any part of a name, "cube~finger_*.force.normal"), at the same times as the rows of `bristle run`. With `result`, the name of a file, that holds every
        channel, contacts, events and the ledger, as `bristle run` writes it, also of a run that fails."""
        names = list(self.model.outputs if names is None else names)
        until = self.model.until if until is None else float(until)
        every = every or self.model.output or self.model.step
        rows, k, columns = [], np.floor(self.time / every + 1e-9), _Columns(self, names)
        recorder = None if result is None else _Recorder(self, result, until, every)
        try:
            while True:
                rows.append(columns.read())
                if recorder:
                    recorder.row()
                if self.time >= until:
                    break
                k += 1
                self.advance(_library.br_row_time(k, every, until))
        except BaseException as raised:
            if recorder:
                recorder.finish(_FAILED if isinstance(raised, Error) else _INTERRUPTED, raised)
            raise
        if recorder:
            recorder.finish(_COMPLETE)
        return dict(zip(columns.names, np.array(rows).T.copy()))

    # --- reading

    def _channel(self, name):
        if name not in self._found:
            found = _channel()
            _call(_library.br_sim_channel_find, self._handle, _bytes(name, "the name"), ctypes.byref(found))
            self._found[name] = found
        return self._found[name]

    def channel(self, name):
        """Any quantity by its name: "hinge.position", "door.velocity.x", "energy.total"."""
        value = _double()
        self._run(_library.br_sim_channel_read, ctypes.byref(self._channel(name)), ctypes.byref(value))
        return value.value

    def read(self, *names):
        """Several at once, a dict of name: number. * stands for any part of a name: sim.read("cube~finger_*.force.normal")."""
        if names not in self._lists:
            self._lists[names] = _Columns(weakref.proxy(self), names)
        columns = self._lists[names]
        first = 0 if "t" in names else 1  # t comes first in every list
        return dict(zip(columns.names[first:], columns.read()[first:].tolist()))

    def unit(self, name):
        return _str(self._channel(name).unit)

    @property
    def channels(self):
        """The names of all channels, in a fixed order."""
        buffer = ctypes.create_string_buffer(4 * _MAX_EVENT_NAME)
        names = []
        for k in range(_library.br_sim_channel_count(self._handle)):
            _library.br_sim_channel_name(self._handle, k, buffer, len(buffer))
            names.append(_str(buffer.value))
        return names

    @property
    def poses(self):
        """[bodies, 7]: position x y z (m) and quaternion w x y z of each body in the world."""
        poses = (_library.br_sim_body_pose(self._handle, k) for k in range(self._bodies))
        return np.array([(p.position.x, p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z)
                         for p in poses]).reshape(-1, 7)

    @property
    def twists(self):
        """[bodies, 6]: velocity of the body frame's origin (m/s), angular velocity (rad/s), world axes."""
        twists = (_library.br_sim_body_twist(self._handle, k) for k in range(self._bodies))
        return np.array([(t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z)
                         for t in twists]).reshape(-1, 6)

    @property
    def accelerations(self):
        """[bodies, 6]: acceleration of the body frame's origin (m/s^2), angular acceleration (rad/s^2), world axes."""
        a, rows = _twist(), []
        for k in range(self._bodies):
            self._run(_library.br_sim_body_acceleration, k, ctypes.byref(a))
            rows.append((a.linear.x, a.linear.y, a.linear.z, a.angular.x, a.angular.y, a.angular.z))
        return np.array(rows).reshape(-1, 6)

    def pose(self, body):
        """Position [3] and quaternion [4] of a body."""
        p = _library.br_sim_body_pose(self._handle, self.model._index("body", body))
        return _plain(p.position), _plain(p.rotation)

    def reaction(self, joint, world=False):
        """Force and torque [3] that a joint exerts on its second body, in the joint's frame there or in world axes."""
        own, outer = _wrench(), _wrench()
        self._run(_library.br_sim_joint_reaction, self.model._index("joint", joint), ctypes.byref(own), ctypes.byref(outer))
        chosen = outer if world else own
        return _plain(chosen.force), _plain(chosen.torque)

    ledger = property(lambda self: _plain(_library.br_sim_ledger(self._handle)),
                      doc="Where the energy went since the start (J), largest errors, counts: fields as br_ledger.")
    energy = property(lambda self: _plain(_library.br_sim_energy(self._handle)), doc="kinetic, potential, elastic, total: J")

    @property
    def judgement(self):
        """What the ledger says of the run so far, a dict as run --json has it: credible (True, False, None), reasons, order,
        order_lower, energy. Stiction is not judged in it: see trust."""
        judged, text = _judgement(), _void()
        _library.br_sim_judge(self._handle, ctypes.byref(judged))
        _call(_library.br_judgement_text, ctypes.byref(judged), ctypes.byref(text))
        try:
            return json.loads(ctypes.string_at(text.value))
        finally:
            _library.br_text_free(text)

    @property
    def contacts(self):
        """What touches or nearly does: objects with `name`, `state` (open, sticks, slips) and the fields of br_contact."""
        found, buffer = [], ctypes.create_string_buffer(_MAX_EVENT_NAME)
        for k in range(_library.br_sim_contact_count(self._handle)):
            raw = _contact()
            _library.br_sim_contact(self._handle, k, ctypes.byref(raw))
            _library.br_sim_contact_name(self._handle, k, buffer, len(buffer))
            contact = _plain(raw)
            contact.name, contact.state = _str(buffer.value), _CONTACT_STATES[raw.state]
            found.append(contact)
        return found

    def contact(self, a, b="*"):
        """What touches between two bodies or shapes, summed over its points: `force` [3] on a, N; `torque` [3] about `center` [3];
        `normal_force`, `points`. b "*": everything that a touches; "world": the ground."""
        out = _contact_sum()
        self._run(_library.br_sim_contact_sum, _bytes(a, "the name"), _bytes(b, "the name"), ctypes.byref(out))
        return _plain(out)

    # --- the model's own mathematics at the present state

    def mass_matrix(self):
        """M [nv, nv] of M vdot + bias = tau."""
        M = np.empty((self._nv, self._nv))
        _library.br_sim_mass_matrix(self._handle, _pointer(M))
        return M

    def bias(self):
        """Gravity and velocity products [nv]."""
        bias = np.empty(self._nv)
        _library.br_sim_bias(self._handle, _pointer(bias))
        return bias

    def inverse_dynamics(self, vdot):
        """M vdot + bias [nv]."""
        vdot, tau = _array(vdot, self._nv, "vdot"), np.empty(self._nv)
        _library.br_sim_inverse_dynamics(self._handle, _pointer(vdot), _pointer(tau))
        return tau

    def jacobian(self, body, point=(0, 0, 0)):
        """[3, nv] each: linear and angular velocity of a body's point (body frame) per unit of v, world axes."""
        linear, angular = np.empty((3, self._nv)), np.empty((3, self._nv))
        _library.br_sim_jacobian(self._handle, self.model._index("body", body), _vec3(*_array(point, 3, "point")),
                                 _pointer(linear), _pointer(angular))
        return linear, angular

    def acceleration(self):
        """vdot [nv] with loads, springs, drives, loops and limits."""
        vdot = np.empty(self._nv)
        self._run(_library.br_sim_acceleration, _pointer(vdot))
        return vdot

    def mobility(self):
        """degrees_of_freedom, rows and redundant rows of the mechanism, and of the present position (..._here)."""
        out = _mobility()
        self._run(_library.br_sim_mobility, ctypes.byref(out), None, 0)
        return _plain(out)

    def eigenvalues(self):
        """Of the motion linearized about the present state."""
        room = max(2 * self._nv, 1)
        real, imaginary, count = np.empty(room), np.empty(room), _int()
        self._run(_library.br_sim_linearize, _pointer(real), _pointer(imaginary), room, ctypes.byref(count))
        return real[:count.value] + 1j * imaginary[:count.value]

    def trust(self, until=None, at_rest=False, sample=0.0, quick=False, sensitivities=True, budget=0.0):
        """How far what friction holds can be trusted: at the present state, or, with `until`, of every interval on the way
        there (the simulation moves). Objects with `credible` (None: not judged), `reasons` and `intervals`; fields as
        br_trust_reason and br_trust_interval. `budget`: counted operations, 0: the library's."""
        options = _library.br_default_trust_options()
        options.at_rest, options.sample, options.quick, options.sensitivities = at_rest, sample, quick, sensitivities
        options.budget = budget
        report = _trust_report()
        try:
            if until is None:
                self._run(_library.br_trust_instant, ctypes.byref(options), ctypes.byref(report))
            else:
                self._run(_library.br_trust_run, float(until), ctypes.byref(options), ctypes.byref(report))
            return types.SimpleNamespace(credible=None if report.not_judged else bool(report.credible),
                                         reasons=[_plain(report.reason[k]) for k in range(report.reasons)],
                                         intervals=[_interval(report.interval[k]) for k in range(report.intervals)])
        finally:
            _library.br_trust_report_free(ctypes.byref(report))

    # --- callbacks

    def _guarded(self, function):
        def guarded(*arguments):
            if self._raised is None:
                try:
                    function(*arguments)
                except BaseException as raised:  # KeyboardInterrupt too
                    self._raised = raised
        return guarded

    def on_event(self, function):
        """function(event) is called for what happens within a step: event.t, kind (stick, slip, contact_on, ...), name,
        value. None: no longer."""
        callback = _EVENT_CALLBACK(self._guarded(lambda _, event: function(_event_of(event.contents)))) if function \
            else _EVENT_CALLBACK()
        _library.br_sim_set_event(self._handle, callback, None)
        self._callbacks["event"] = callback  # alive as long as the library may call it

    def on_force(self, function):
        """function(t, q, v, effort, wrench) is called at every evaluation and adds forces: to effort [nv], along v, and to
        wrench [bodies, 6] (torque, force; about the body frame's origin, world axes). The arrays are only good during
        the call. None: no longer."""
        def fill(_, view, wrench, effort):
            view = view.contents
            function(view.t, _view(view.q, (self._nq,)), _view(view.v, (self._nv,)), _view(effort, (self._nv,)),
                     _view(ctypes.cast(wrench, _DOUBLES), (self._bodies, 6)))
        callback = _FORCE_CALLBACK(self._guarded(fill)) if function else _FORCE_CALLBACK()
        _library.br_sim_set_force(self._handle, callback, None)
        self._callbacks["force"] = callback


class _Columns:
    """Channels that are read together: t, then the names."""

    def __init__(self, sim, names):
        self._sim, self._handle = sim, _void()
        asked = ["t"] + [name for name in names if name != "t"]
        texts = (_text * len(asked))(*(_bytes(name, "the name") for name in asked))
        _call(_library.br_channels_named, sim._handle, texts, len(asked), None, ctypes.byref(self._handle))
        count = _library.br_channels_count(self._handle)
        self.names = [_str(name) for name in _library.br_channels_names(self._handle)[:count]]

    def __del__(self):
        if _library:
            _library.br_channels_destroy(self._handle)

    def read(self):
        values = np.empty(len(self.names))
        self._sim._run(lambda sim, out, error: _library.br_channels_read(self._handle, sim, out, error), _pointer(values))
        return values


class _Recorder:
    """A result that is being written. Events go to it and to what on_event named."""

    def __init__(self, sim, path, until, every):
        origin = dict(sim.model._origin)
        if "model_text" in origin:
            origin["model_size"] = len(origin["model_text"])
            origin["model_text"] = ctypes.cast(ctypes.c_char_p(origin["model_text"]), _void)
        notes = "\n".join(sim.model.notes).encode()
        options = _record_options(builder=sim.model._builder, notes=notes or None, until=until, interval=every, **origin)
        self._sim, self._handle, self._start = sim, _void(), time.perf_counter()
        _call(_library.br_recorder_create, sim._handle, _bytes(path, "the path"), ctypes.byref(options), None,
              ctypes.byref(self._handle))
        self._own = sim._callbacks.get("event", _EVENT_CALLBACK())
        self._both = _EVENT_CALLBACK(self._tell)
        _library.br_sim_set_event(sim._handle, self._both, None)

    def _tell(self, context, event):
        _library.br_recorder_event(self._handle, event)
        if self._own:
            self._own(context, event)

    def row(self):
        self._sim._run(lambda sim, error: _library.br_recorder_read(self._handle, error)
                       or _library.br_recorder_write(self._handle, error))

    def finish(self, outcome, why=None):
        _library.br_sim_set_event(self._sim._handle, self._own, None)
        message = why.message.encode() if isinstance(why, Error) else None
        seconds = time.perf_counter() - self._start
        handle, self._handle = self._handle, None
        if why is None:
            _call(_library.br_recorder_finish, handle, outcome, seconds, message)
        else:  # what was raised is what is told
            _library.br_recorder_finish(handle, outcome, seconds, message, None)


def _view(pointer, shape):
    return np.ctypeslib.as_array(pointer, shape) if all(shape) else np.empty(shape)


def _event_of(raw):
    event = _plain(raw)
    event.kind = _str(_library.br_event_kind_name(raw.kind))
    return event


def _interval(raw):
    fields = {name: _plain(getattr(raw, name)) for name, _ in raw._fields_ if name not in ("force", "sensitivity")}
    fields["verdict"] = _str(_library.br_verdict_name(raw.verdict))
    fields["start"] = fields.pop("from")  # a word of Python's own
    fields["end"] = fields.pop("to")
    fields["forces"] = [_plain(raw.force[k]) for k in range(raw.forces)]
    fields["sensitivities"] = [_plain(raw.sensitivity[k]) for k in range(raw.sensitivities)]
    return types.SimpleNamespace(**fields)


# --- many runs -----------------------------------------------------------------------------------------------------

_WORDS = ("verdict", "verdict.start", "credible")


def _batch_model(model):
    """The definition of a batch of a model file or a Model."""
    definition = _library.br_default_batch_def()
    if isinstance(model, Model):
        definition.model = model._handle
    else:
        definition.path = _bytes(model, "the path")
    return definition


def _batch_cases(model, cases, q, v):
    """An array of br_batch_case, and what must live as long as it."""
    counts = {len(x) for x in (cases, q, v) if x is not None}
    if len(counts) != 1:
        raise ValueError("cases, q and v give " + (f"{sorted(counts)} runs, expected as many of each" if counts else
                                                   "no run: give one of them"))
    count = counts.pop()
    if (q is not None or v is not None) and not isinstance(model, Model):
        raise ValueError("states are those of one model: give bristle.load(...) with q and v")
    rows, kept = (_batch_case * max(count, 1))(), []
    for name, states, size in (("q", q, "nq"), ("v", v, "nv")):
        if states is None:
            continue
        array = np.ascontiguousarray(states, dtype=np.float64)
        if array.shape != (count, getattr(model, size)):
            raise ValueError(f"{name} has the shape {array.shape}, expected {(count, getattr(model, size))}")
        kept.append(array)
        for k in range(count):
            setattr(rows[k], name, _pointer(array[k]))
    for k in range(count if cases is not None else 0):
        overrides, rows[k].override_count = _overrides(cases[k], {})
        rows[k].overrides = overrides
        kept.append(overrides)
    return rows, count, kept


def batch(model, columns, cases=None, q=None, v=None, until=None, after=0.0, threads=None, errors="raise"):
    """Many runs at once, the numbers of a plain loop to the bit. model: the path of a model file with `cases`, a list of
    {parameter: value}, each read and run by itself; or a Model with `q` and `v`, a state in each row. columns: what a run is
    asked for, "hinge.position.end" (* in CHANNEL: a column for each that matches), .min, .max, .mean, .period, "event(stick, hinge, 1).t", "verdict", "credible". Returns
    a dict of arrays, one number for each run; verdicts and credible are words; nan or "" is what never happened. threads None:
    one for each processor. errors "raise": the first run that fails is raised; "keep": its row is nan, and the entry "error" has
    what it said, None of those that went well."""
    if errors not in ("raise", "keep"):
        raise ValueError(f"errors is {errors!r}, expected 'raise' or 'keep'")
    definition, names = _batch_model(model), [_bytes(name, "a column") for name in columns]
    rows, count, kept = _batch_cases(model, cases, q, v)
    definition.columns, definition.column_count = (_text * max(len(names), 1))(*names), len(names)
    definition.until, definition.after = float("nan") if until is None else until, after
    handle = _void()
    _call(_library.br_batch_create, ctypes.byref(definition), None, None, ctypes.byref(handle))
    names = [_library.br_batch_column_name(handle, k) for k in range(_library.br_batch_column_count(handle))]
    values = np.empty((count, len(names)))
    told = (_error * max(count, 1))() if errors == "keep" else None
    try:
        workers = min(max(threads or os.cpu_count() or 1, 1), 64)
        _call(_library.br_batch_run, handle, rows, count, workers, _pointer(values), None, told)
        out = {_str(name): _batch_column(handle, k, _str(name), values[:, k]) for k, name in enumerate(names)}
    finally:
        _library.br_batch_destroy(handle)
    if errors == "keep":
        out["error"] = [_error_of(e) if e.status else None for e in told[:count]]
    return out


def _batch_column(handle, k, name, values):
    if name not in _WORDS:
        return values.copy()
    text, words = ctypes.create_string_buffer(40), []
    for value in values:
        _library.br_batch_column_text(handle, k, value, text)
        words.append(_str(text.value))
    return np.array(words, dtype=object)


# --- results -------------------------------------------------------------------------------------------------------


def result(path):
    """Reads the result of a run: a mapping of channel names to arrays, a number for each row."""
    return Result(path)


def _contact_table(width):
    return np.dtype([("name", f"U{width}"), ("state", "U6"), ("point", "f8", 3), ("normal", "f8", 3), ("gap", "f8"),
                     ("normal_force", "f8"), ("friction", "f8", 3), ("slip", "f8", 3), ("friction_coefficient", "f8")])


def _contact_rows(item, names):
    """The contacts of a row. names: those that were read, by their address, which lasts as long as the reader."""
    raw = (_result_contact * item.contact_count).from_address(item.contacts)
    for contact in raw:
        if contact.name not in names:
            names[contact.name] = _str(ctypes.string_at(contact.name))
    numbers = np.frombuffer(bytes(raw), np.dtype(_result_contact))
    out = np.empty(len(numbers), _contact_table(max(len(names[contact.name]) for contact in raw)))
    out["name"] = [names[contact.name] for contact in raw]
    out["state"] = np.array(_CONTACT_STATES)[numbers["state"]]
    for field in ("point", "normal", "friction", "slip"):
        out[field] = np.ascontiguousarray(numbers[field]).view("f8").reshape(-1, 3)
    for field in ("gap", "normal_force", "friction_coefficient"):
        out[field] = numbers[field]
    return out


class Result(collections.abc.Mapping):
    """Channels as arrays: r["hinge.position"], r["t"], dict(r). Besides: `units`, `events`, `outcome` (complete, failed,
    interrupted; cut or damaged where the file stops early, and `missing` then says why), `message`, `seconds`, `ledger`
    (None where the file stops early), `model_name`, `model_path`, `model_text`, `parameters`, `stepper`, `version`."""

    def __init__(self, path):
        handle, self._path, self._contacts = _void(), path, None
        _call(_library.br_result_open, _bytes(path, "the path"), None, ctypes.byref(handle))
        try:
            self._read_header(_library.br_result_about(handle).contents)
            self._read_rows(handle)
        finally:
            _library.br_result_close(handle)

    def _read_header(self, about):
        self.version, self.stepper = _str(about.program_version), _str(about.stepper)
        self.model_name, self.model_path = _str(about.model_name), _str(about.model_path)
        self.model_text = _str(ctypes.string_at(about.model_text, about.model_size) if about.model_size else b"")
        self.parameters = {_str(about.overrides[k].name): _str(about.overrides[k].value)
                           for k in range(about.override_count)}
        self.notes = _str(about.notes).splitlines()
        self.until, self.output, self.step = about.until, about.output, about.step
        self.units = {_str(about.channels[k].name): _str(about.channels[k].unit) for k in range(about.channel_count)}
        self._width = about.channel_count

    def _read_rows(self, handle):
        rows, item, error = bytearray(), _result_item(), _error()
        self.events, self.ledger, self.missing, self.message, self.seconds = [], None, None, None, None
        self.judgement = None
        while True:
            if _library.br_result_next(handle, ctypes.byref(item), ctypes.byref(error)) != 0:
                self.outcome, self.missing = "damaged", str(_error_of(error))
                break
            if item.kind == _ROW:
                rows += ctypes.string_at(item.row, 8 * self._width)
            elif item.kind == _EVENT:
                self.events.append(_event_of(item.event))
            elif item.kind == _CUT:
                self.outcome, self.missing = "cut", "the run was killed, or is still going"
                break
            elif item.kind == _END:
                self.outcome = _str(_library.br_result_outcome_name(item.end.outcome))
                self.ledger, self.seconds = _plain(item.end.ledger), item.end.seconds
                self.message = _str(item.end.message) or None
                self.judgement = json.loads(_str(item.end.judgement)) if item.end.judgement else None
                break
        table = np.frombuffer(bytes(rows)).reshape(-1, self._width) if self._width else np.empty((0, 0))
        self._columns = dict(zip(self.units, np.ascontiguousarray(table.T)))

    def contacts(self, t):
        """What touches at the row nearest to the time t: a structured array with a row for each point, of `name` ("A~B#K", A and B
        shapes), `state` (open, sticks, slips), `point` [3], `normal` [3] (from B to A), `gap`, `normal_force`, `friction` [3] (on A),
        `slip` [3], `friction_coefficient`. Results keep the points that are near; the first call reads them all."""
        times = self["t"]
        if not len(times) or not times[0] - 1e-9 <= t <= times[-1] * (1 + 1e-12) + 1e-9:
            raise ValueError(f"t = {t:g} s is outside of the result" +
                             (f", which goes from {times[0]:g} s to {times[-1]:g} s" if len(times) else ": it has no rows"))
        if self._contacts is None:
            self._contacts = self._read_contacts()
        row = self._contacts.get(int(np.abs(times - t).argmin()))
        return np.empty(0, _contact_table(1)) if row is None else row.copy()

    def _read_contacts(self):
        handle, item, row, found, names = _void(), _result_item(), -1, {}, {}
        _call(_library.br_result_open, _bytes(self._path, "the path"), None, ctypes.byref(handle))
        try:
            while _library.br_result_next(handle, ctypes.byref(item), None) == 0 and item.kind not in (_END, _CUT):
                row += item.kind == _ROW
                if item.kind == _CONTACTS and item.contact_count:
                    found[row] = _contact_rows(item, names)
        finally:
            _library.br_result_close(handle)
        return found

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def __repr__(self):
        rows = len(next(iter(self._columns.values()), ()))
        return f"<bristle result of {self.model_name}: {rows} rows of {len(self)} channels, {self.outcome}>"
