// Pages with made-up data, for work on the page and for its tests: everything that README.md describes, without a run.
//   node dev/fixture.mjs TEMPLATE FOLDER      writes demo.html, crowd.html, bare.html, empty.html
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ARRAYS = { f4: Float32Array, f8: Float64Array, u4: Uint32Array, u1: Uint8Array };

// Collects numbers as README.md says: little-endian, each blob at a multiple of 24 bytes.
export class Bytes {
  constructor() {
    this.parts = [];
    this.size = 0;
  }

  blob(type, values) {
    const array = ARRAYS[type].from(values);
    const at = this.size;
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const padded = Math.ceil(bytes.length / 24) * 24;
    this.parts.push(bytes, Buffer.alloc(padded - bytes.length));
    this.size += padded;
    return { at, count: array.length, type };
  }

  base64() {
    return Buffer.concat(this.parts).toString('base64');
  }
}

const ESCAPES = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

export function fill(template, meta, bytes) {
  const json = JSON.stringify(meta).replace(/[<>&]/g, (c) => ESCAPES[c]);
  const data = `<script type="application/json" id="bristle-meta">${json}</script>\n<script type="text/plain" id="bristle-bytes">${bytes.base64()}</script>`;
  return template.replace('<!--bristle-data-->', () => data);
}

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map((a) => a * Math.sin(angle / 2))];

const LEDGER = {
  start: { kinetic: 18, potential: 4.6, elastic: 0, total: 22.6 },
  now: { kinetic: 9.1, potential: 4.4, elastic: 0.02, total: 13.52 },
  input: 0,
  friction: 9.05,
  impact: 0,
  damping: 0.02,
  scheme: 0.009,
  unaccounted: 1.2e-9,
  loop_error: 2e-12,
  loop_velocity_error: 1e-11,
  residual: 3e-11,
  penetration: 1.2e-6,
  cone_violation: 4e-9,
  creep: 0,
  contacts: 5,
  steps: 3000,
  iterations: 6120,
  evaluations: 3001,
};

const TRUST = [
  {
    from: 0,
    to: 1.2,
    at: 0.6,
    verdict: 'moves',
    nullity: 0,
    exhaustive: true,
    joints: {},
    c_star: null,
    sensitivity: [],
    settle: '',
  },
  {
    from: 1.2,
    to: 2.1,
    at: 1.9,
    verdict: 'undetermined',
    nullity: 1,
    exhaustive: true,
    c_star: 0.87,
    c_star_coherent: 0.91,
    joints: {
      slide_1: {
        unique: false,
        friction_min: -120,
        friction_max: 80,
        coherent_min: -60,
        coherent_max: 40,
        force: -33.2,
        normal: 200,
      },
      'slide<2> & co %s': {
        unique: true,
        friction_min: 12,
        friction_max: 12,
        coherent_min: 12,
        coherent_max: 12,
        force: 12,
        normal: 44,
      },
    },
    sensitivity: [
      { parameter: 'slide_1.friction.sigma_0', quantity: 'break_away', value: 0.31, flips_at: 1.4 },
      { parameter: 'mu', quantity: 'slide_1.friction', value: 12.5, flips_at: null },
    ],
    settle: 'Measure the stiffness of slide_1 against slide_2: it decides whether the mechanism holds.',
  },
  {
    from: 2.1,
    to: 3,
    at: 3,
    verdict: 'sticks_robust',
    nullity: 0,
    exhaustive: true,
    joints: {
      slide_1: { unique: true, friction_min: 3, friction_max: 3, coherent_min: 3, coherent_max: 3, force: 3, normal: 9 },
    },
    c_star: 0.41,
    sensitivity: [],
    settle: 'Nothing to settle.',
  },
];

function demoScene() {
  const beamNodes = range(9, (i) => 4 + i);
  return {
    format: 1,
    gravity: [0, 0, -9.81],
    planar: null,
    bodies: [
      { name: 'wheel', mass: 1, com: [0, 0, 0], beam: -1, box: null },
      { name: '<b>box & co</b> %s', mass: 2.5, com: [0, 0, 0], beam: -1, box: null },
      { name: 'crank', mass: 0.4, com: [0.2, 0, 0], beam: -1, box: { size: [0.4, 0.05, 0.05], rotation: [1, 0, 0, 0] } },
      { name: 'bob', mass: 0.4, com: [0, 0, 0], beam: -1, box: null },
      ...beamNodes.map((_, i) => ({ name: `blade.n${i}`, mass: 0.05, com: [0, 0, 0], beam: 0, box: null })),
    ],
    shapes: [
      {
        name: 'wheel.disk',
        body: 0,
        material: 'rubber',
        position: [0, 0, 0],
        rotation: about([1, 0, 0], Math.PI / 2),
        kind: 'disk',
        radius: 0.5,
      },
      { name: 'box', body: 1, material: null, position: [0, 0, 0], rotation: [1, 0, 0, 0], kind: 'box', size: [0.4, 0.3, 0.3] },
      {
        name: 'cap',
        body: 1,
        material: null,
        position: [0, 0, 0.25],
        rotation: [1, 0, 0, 0],
        kind: 'capsule',
        radius: 0.06,
        length: 0.2,
      },
      {
        name: 'bob',
        body: 3,
        material: null,
        position: [0, 0, 0],
        rotation: [1, 0, 0, 0],
        kind: 'ellipsoid',
        radii: [0.12, 0.08, 0.08],
      },
      {
        name: 'tetra',
        body: 3,
        material: null,
        position: [0, 0.3, 0],
        rotation: [1, 0, 0, 0],
        kind: 'mesh',
        vertices: [0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2],
        triangles: [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2],
      },
      { name: 'floor', body: -1, material: 'floor', position: [0, 0, 0], rotation: [1, 0, 0, 0], kind: 'plane' },
      {
        name: 'post',
        body: -1,
        material: null,
        position: [2, 1.2, 0.6],
        rotation: [1, 0, 0, 0],
        kind: 'cylinder',
        radius: 0.06,
        length: 1.2,
      },
    ],
    joints: [
      {
        name: 'slide_1',
        kind: 'revolute',
        first: -1,
        second: 2,
        position: [0, 0, 0],
        rotation: about([1, 0, 0], Math.PI / 2),
        loop: false,
        friction: true,
      },
      {
        name: 'pin',
        kind: 'revolute',
        first: 2,
        second: 3,
        position: [0, 0, 0],
        rotation: about([1, 0, 0], Math.PI / 2),
        loop: false,
        friction: false,
      },
    ],
    beams: [
      {
        name: 'blade',
        nodes: beamNodes,
        size: [0.06, 0.03],
        round: false,
        rest: beamNodes.flatMap((_, i) => [0.15 * i, 1.5, 1, 1, 0, 0, 0]),
      },
    ],
    clearances: [
      {
        name: 'bush',
        kind: 'planar',
        first: -1,
        second: 2,
        position: [2, 1.2, 1.2],
        rotation: about([1, 0, 0], Math.PI / 2),
        outer: 0.1,
        inner: 0.09,
        length: 0.06,
      },
    ],
    springs: [{ name: 'spring', first: -1, second: 3, a: [3, 1.2, 1.4], b: [0, 0, 0] }],
  };
}

// Poses at a time: a wheel that slides and turns, a box that slides to rest, a crank, a bending beam.
function demoPoses(t, speed) {
  const x = speed * (t - 0.06 * t * t);
  const q = about([0, 1, 0], (x / 0.5) * 0.8);
  const angle = 0.9 * Math.sin(2 * t);
  const [cx, cz] = [2 + 0.4 * Math.cos(angle), 1.2 - 0.4 * Math.sin(angle)];
  const out = [
    x,
    -0.4 * t * t * 0.2,
    0.5,
    ...q,
    0.6 * Math.min(t, 2),
    1,
    0.15,
    ...about([0, 0, 1], 0.3 * Math.min(t, 2)),
    2,
    1.2,
    1.2,
    ...about([0, 1, 0], angle),
    cx,
    1.2,
    cz,
    1,
    0,
    0,
    0,
  ];
  for (let i = 0; i < 9; i++) {
    const s = i / 8;
    const w = 0.15 * Math.sin(5 * t) * s * s;
    out.push(1.2 * s, 1.5, 1 + w, ...about([0, 1, 0], (-0.3 * Math.sin(5 * t) * s) / 1.2));
  }
  return out;
}

function demoContacts(times, speed) {
  const names = ['wheel.disk~floor#0', 'box~floor#0', 'floor~box#1', 'box~floor#2'];
  const start = [0];
  const [name, state, values] = [[], [], []];
  for (const t of times) {
    const x = speed * (t - 0.06 * t * t);
    const slips = t < 2;
    name.push(0, 1, 2, 3);
    state.push(slips ? 2 : 1, slips ? 2 : 1, slips ? 2 : 1, 0);
    const box = 0.6 * Math.min(t, 2);
    values.push(x, -0.08 * t * t, 0, 0, 0, 1, slips ? -2.9 : -1, 0.3, 9.8, 9.8, 0.3, slips ? 2 - t : 0);
    values.push(box - 0.18, 0.85, 0, 0, 0, 1, slips ? -2.4 : 0, 0, 8, 8, 0.3, 0.1);
    values.push(box + 0.18, 1.15, 0, 0, 0, -1, slips ? 2.4 : 0, 0, -8, 8, 0.3, 0.1);
    values.push(box + 0.18, 0.85, 0, 0, 0, 1, 0, 0, 0, 0, 0.3, 0);
    start.push(name.length);
  }
  return { names, start, name, state, values };
}

function demoResult(bytes, label, speed) {
  const rows = range(3001, (i) => i / 1000);
  const times = range(301, (i) => i / 100);
  const channels = {
    'energy.kinetic': ['J', (t) => 18 * Math.exp(-0.4 * t)],
    'energy.potential': ['J', () => 4.6],
    'energy.total': ['J', (t) => 4.6 + 18 * Math.exp(-0.4 * t)],
    'ledger.friction': ['J', (t) => 18 - 18 * Math.exp(-0.4 * t)],
    'ledger.scheme': ['J', (t) => 0.003 * t],
    'ledger.unaccounted': ['J', (t) => 1e-9 * t],
    'ledger.impact': ['J', () => 0],
    'wheel.position.x': ['m', (t) => speed * (t - 0.06 * t * t)],
    'wheel.position.y': ['m', (t) => -0.08 * t * t],
    'wheel.position.z': ['m', () => 0.5],
    'wheel.velocity.x': ['m/s', (t) => speed * (1 - 0.12 * t)],
    '<b>box & co</b> %s.position.x': ['m', (t) => 0.6 * Math.min(t, 2)],
    'slide_1.friction.torque': ['N m', (t) => Math.sign(Math.sin(4 * t)) * 0.4],
    'slide_1.position': ['rad', (t) => 0.9 * Math.sin(2 * t)],
    'solver.step': ['s', () => 0.001],
    'solver.iterations': ['1', (t) => Math.floor(2000 * t + 20 * Math.sin(9 * t))],
    'solver.residual': ['1', (t) => 1e-12 * (1 + 30 * t)],
  };
  const events = [
    [0, 'contact_on', 'wheel.disk~floor#0', 0],
    [0.4, 'slip', 'slide_1', 0.4],
    [0.8, 'stick', 'slide_1', 0.4],
    [1.5, 'contact_off', 'box~floor#2', 0],
    [1.7, 'slip', 'slide_1', 0.4],
    [2, 'stick', 'wheel.disk~floor#0', 0],
    [2, 'stick', '<b>box & co</b> %s', 0],
    [2.4, 'limit', 'slide_1', 12],
  ];
  const c = demoContacts(times, speed);
  return {
    label,
    file: `${label}.result`,
    version: '0.1.0',
    model: {
      name: 'demo',
      path: 'scenes/demo <1>.yaml',
      text: range(60, (i) => (i === 3 ? 'name: "<b>demo</b> & more"' : `key_${i}: ${i} # a line of the model`)).join('\n'),
      hash: '0123456789abcdef',
      stepper: 'contact',
      step: 0.001,
      until: 3,
      output: 0.001,
      overrides: [{ name: 'contact.law', value: label }],
      notes: ['loops were assembled: joint pin was open by 1e-9 m'],
    },
    outcome: 'complete',
    missing: null,
    message: null,
    seconds: 0.42,
    rows: rows.length,
    from: 0,
    to: 3,
    ledger: LEDGER,
    trust: TRUST,
    events: { total: events.length, list: events },
    series: {
      count: rows.length,
      t: bytes.blob('f8', rows),
      rows_per_point: 1,
      channels: Object.entries(channels).map(([name, [unit, f]]) => ({ name, unit, values: bytes.blob('f4', rows.map(f)) })),
    },
    scene: demoScene(),
    frames: {
      count: times.length,
      t: bytes.blob('f8', times),
      pose: bytes.blob(
        'f4',
        times.flatMap((t) => demoPoses(t, speed)),
      ),
      contacts: {
        names: c.names,
        start: bytes.blob('u4', c.start),
        name: bytes.blob('u4', c.name),
        state: bytes.blob('u1', c.state),
        values: bytes.blob('f4', c.values),
      },
    },
  };
}

export function demo(template, change = () => {}) {
  const bytes = new Bytes();
  const meta = {
    format: 1,
    program: 'bristle 0.1.0',
    title: 'demo of <everything> & %s',
    compare: {
      columns: [
        { key: 'force_deviation', label: 'force deviation', unit: '1' },
        { key: 'creep', label: 'creep', unit: 'm/s' },
        { key: 'note', label: 'note', unit: '' },
      ],
      rows: [
        { label: 'cone', values: [1.2e-9, 0, 'exact'] },
        { label: 'box', values: [0.29, null, 'square'] },
      ],
      reference: 'cone at a step of 1e-5 s',
      notes: ['Each law at its own step.'],
    },
    results: [demoResult(bytes, 'cone', 1.4), demoResult(bytes, 'box', 1.1)],
  };
  change(meta);
  return fill(template, meta, bytes);
}

// 60 seconds of many boxes with all their channels and four contacts each, about as the program thins such a result:
// what speed is measured on.
export function crowd(template, count = 100, span = 60) {
  const bytes = new Bytes();
  const points = 1200;
  const frameCount = span * 9 + 1;
  const rows = range(points, (i) => (span * i) / (points - 1));
  const times = range(frameCount, (i) => i / 9);
  const side = Math.ceil(Math.sqrt(count));
  const pose = new Float32Array(frameCount * count * 7);
  const perFrame = 4 * count;
  const entries = frameCount * perFrame;
  const [start, name, state, values] = [
    new Uint32Array(frameCount + 1),
    new Uint32Array(entries),
    new Uint8Array(entries),
    new Float32Array(entries * 12),
  ];
  for (let k = 0; k < frameCount; k++) {
    start[k + 1] = (k + 1) * perFrame;
    for (let b = 0; b < count; b++) {
      const angle = 0.5 * times[k] + b;
      const [x, y] = [(b % side) * 0.6 + 0.2 * Math.cos(angle), Math.floor(b / side) * 0.6 + 0.2 * Math.sin(angle)];
      pose.set([x, y, 0.15, ...about([0, 0, 1], angle)], (k * count + b) * 7);
      for (let c = 0; c < 4; c++) {
        const e = k * perFrame + 4 * b + c;
        name[e] = 4 * b + c;
        state[e] = (b + c + k) % 40 < 20 ? 1 : 2;
        values.set(
          [
            x + (c & 1 ? 0.1 : -0.1),
            y + (c & 2 ? 0.1 : -0.1),
            0,
            0,
            0,
            1,
            0.6 * Math.cos(angle),
            0.6 * Math.sin(angle),
            2.4,
            2.4,
            0.3,
            0.1,
          ],
          12 * e,
        );
      }
    }
  }
  const kinds = [
    ['position', 'm'],
    ['velocity', 'm/s'],
    ['angular_velocity', 'rad/s'],
    ['com', 'm'],
    ['free.velocity', 'm/s'],
  ];
  const channels = [
    {
      name: 'energy.kinetic',
      unit: 'J',
      values: bytes.blob(
        'f4',
        rows.map((t) => 10 + Math.sin(t)),
      ),
    },
  ];
  for (let b = 0; b < count; b++)
    for (const [kind, unit] of kinds)
      for (const axis of 'xyz')
        channels.push({
          name: `box_${b}.${kind}.${axis}`,
          unit,
          values: bytes.blob(
            'f4',
            rows.map((t) => Math.sin(0.5 * t + b)),
          ),
        });
  const meta = {
    format: 1,
    program: 'bristle 0.1.0',
    title: `${count} boxes, ${span} s`,
    compare: null,
    results: [
      {
        label: 'crowd',
        file: 'crowd.result',
        version: '0.1.0',
        model: {
          name: 'crowd',
          path: 'crowd.yaml',
          text: 'format: 1\n',
          hash: '0',
          stepper: 'contact',
          step: 0.001,
          until: span,
          output: 0.001,
          overrides: [],
          notes: [],
        },
        outcome: 'complete',
        missing: null,
        message: null,
        seconds: 10,
        rows: 60001,
        from: 0,
        to: span,
        ledger: LEDGER,
        trust: null,
        events: {
          total: 20000,
          list: range(5000, (i) => [(span * i) / 5000, i % 2 ? 'stick' : 'slip', `box_${i % count}~floor#0`, 0]),
        },
        series: { count: points, t: bytes.blob('f8', rows), rows_per_point: 120, channels },
        scene: {
          format: 1,
          gravity: [0, 0, -9.81],
          planar: null,
          bodies: range(count, (b) => ({ name: `box_${b}`, mass: 1, com: [0, 0, 0], beam: -1, box: null })),
          shapes: [
            ...range(count, (b) => ({
              name: `box_${b}`,
              body: b,
              material: null,
              position: [0, 0, 0],
              rotation: [1, 0, 0, 0],
              kind: ['box', 'cylinder', 'sphere'][b % 3],
              size: [0.3, 0.3, 0.3],
              radius: 0.15,
              length: 0.3,
            })),
            { name: 'floor', body: -1, material: null, position: [0, 0, 0], rotation: [1, 0, 0, 0], kind: 'plane' },
          ],
          joints: [],
          beams: [],
          clearances: [],
          springs: [],
        },
        frames: {
          count: frameCount,
          t: bytes.blob('f8', times),
          pose: bytes.blob('f4', pose),
          contacts: {
            names: range(4 * count, (i) => `box_${i >> 2}~floor#${i & 3}`),
            start: bytes.blob('u4', start),
            name: bytes.blob('u4', name),
            state: bytes.blob('u1', state),
            values: bytes.blob('f4', values),
          },
        },
      },
    ],
  };
  return fill(template, meta, bytes);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , templatePath, folder] = process.argv;
  if (!folder) throw new Error('usage: node dev/fixture.mjs TEMPLATE FOLDER');
  const template = await readFile(templatePath, 'utf8');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'demo.html'), demo(template));
  await writeFile(join(folder, 'crowd.html'), crowd(template));
  const bare = (meta) => {
    meta.compare = null;
    meta.results = meta.results.slice(0, 1);
    Object.assign(meta.results[0], {
      scene: null,
      frames: null,
      ledger: null,
      trust: null,
      outcome: 'cut',
      missing: 'Rows after 1.234 s are missing: the log ends there without an end.',
    });
  };
  await writeFile(join(folder, 'bare.html'), demo(template, bare));
  await writeFile(join(folder, 'empty.html'), template);
}
