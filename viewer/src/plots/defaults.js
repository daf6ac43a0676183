// Which plots a page begins with: what the model asks for, else what moves and what rubs: joints, friction, contacts, bodies that are
// free; then energy.
import { Channel } from '../data.js';

const FEW = 6; // lines that one plot has room for
const MOST = 24; // channels of the model's own list
const SMALL = 0.02; // of the largest in a plot: what is smaller would be a line at zero
const NOTHING = 1e-9; // in any unit
const FLAT = 0.1; // what swings less than this part of its size is shown as the change of it
const SINGLE = 3e-7; // plotted numbers have 24 bits: a change below that is none
const QUANTITIES = {
  m: 'Positions',
  'm/s': 'Velocities',
  rad: 'Angles',
  'rad/s': 'Angular velocities',
  N: 'Forces',
  'N m': 'Torques',
  J: 'Energies',
  W: 'Powers',
};

// [[unit, names], ...] in the order in which units come.
function byUnit(page, names) {
  const units = new Map();
  for (const n of names) {
    const unit = page.results.map((r) => r.channel(n)).find(Boolean)?.unit ?? '';
    units.set(unit, [...(units.get(unit) ?? []), n]);
  }
  return [...units];
}

function openByUnit(plots, title, names) {
  for (const [, list] of byUnit(plots.page, names)) plots.open(title, list);
}

// A channel, or all that a pattern with * names; "cube~*.force.normal" is a channel of its own.
export function named(results, name) {
  if (results.some((r) => r.channel(name))) return [name];
  if (!name.includes('*')) return [];
  const escaped = name.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const alone = /~\*\./.test(name); // all partners together, not each of them
  const pattern = new RegExp(`^${escaped.join('.*')}$`);
  return [...results[0].byName.keys()].filter((n) => pattern.test(n) && (!alone || /~\*\./.test(n)));
}

// What the model lists under `outputs`; false where it lists nothing that is there.
function outputs(plots) {
  const { page } = plots;
  const asked = [...new Set((page.first.meta.model?.outputs ?? []).flatMap((n) => named(page.results, n)))];
  for (const [unit, names] of byUnit(page, asked.slice(0, MOST)))
    for (let i = 0; i < names.length; i += FEW) {
      const part = names.slice(i, i + FEW);
      plots.open(part.length > 1 ? (QUANTITIES[unit] ?? 'Outputs') : part[0], part);
    }
  return asked.length > 0;
}

// Of some names the few that there is most to see of: by how much they change, or how large they are. Not those of another size, which
// would be a line at zero; nothing at all where nothing happens.
function liveliest(plots, names, size) {
  const { results } = plots;
  const most = (n) => Math.max(0, ...results.map((r) => r.channel(n)).map((c) => (c ? size(c) : 0)));
  const ranked = names.map((n, order) => ({ n, order, x: most(n) })).sort((a, b) => b.x - a.x || a.order - b.order);
  const top = ranked[0]?.x ?? 0;
  return ranked
    .filter(({ x }) => x > NOTHING && x > SMALL * top)
    .slice(0, FEW)
    .sort((a, b) => a.order - b.order)
    .map(({ n }) => n);
}

const moves = (c) => (c.swing > SINGLE * c.largest ? c.swing : 0);
const acts = (c) => c.largest;

// A plot for each unit, with the liveliest of it.
function lively(plots, title, names, size) {
  let opened = 0;
  for (const [unit, list] of byUnit(plots.page, names)) {
    const shown = liveliest(plots, list, size);
    const word = typeof title === 'string' ? title : (title[unit] ?? title.else);
    if (shown.length) plots.open(shown.length < list.length ? `${word}, ${shown.length} of ${list.length}` : word, shown);
    opened += shown.length;
  }
  return opened;
}

const FORCES = { N: 'Friction forces', 'N m': 'Friction torques', else: 'Friction' };
const PLACES = { m: 'Joint positions', rad: 'Joint angles', else: 'Joint positions' };
const RATES = { 'm/s': 'Joint velocities', 'rad/s': 'Joint angular velocities', else: 'Joint velocities' };

function mechanism(plots) {
  const { first } = plots.page;
  const names = [...first.byName.keys()];
  const joints = (first.scene?.joints ?? []).filter((j) => !j.loop && j.kind !== 'free').map((j) => j.name);
  const members = (what) =>
    joints.flatMap((j) => [`${j}.${what}`, ...[0, 1, 2, 3].map((k) => `${j}.${what}.${k}`)]).filter((n) => {
      const channel = first.channel(n);
      return channel && channel.unit !== '1'; // not the parts of a quaternion
    });
  const moving = lively(plots, PLACES, members('position'), moves);
  // What presses on bodies; on single points where results of older versions have no more.
  const bodies = names.filter((n) => /~\*\.force\.normal$/.test(n));
  const points = names.filter((n) => /\.force\.normal$/.test(n) && !/~[^#]*$/.test(n));
  lively(plots, bodies.length ? 'Contact forces on bodies' : 'Normal forces', bodies.length ? bodies : points, acts);
  lively(
    plots,
    FORCES,
    names.filter((n) => /\.friction\.(force|torque)(\.\d)?$/.test(n) || /[^~]\.force\.friction$/.test(n)),
    acts,
  );
  lively(plots, RATES, members('velocity'), moves);
  place(plots, names, moving > 0);
}

// Where a body is that moves by itself; where nothing else moves, any body that does.
function place(plots, names, joined) {
  const { first } = plots.page;
  const free = (first.scene?.joints ?? []).filter((j) => j.kind === 'free').map((j) => first.scene.bodies[j.second]?.name);
  const all = (first.scene?.bodies ?? []).filter((b) => b.beam < 0).map((b) => b.name);
  const loose = names.filter((n) => n.endsWith('.position.x')).map((n) => n.slice(0, -'.position.x'.length));
  const candidates = free.length ? free : joined ? [] : all.length ? all : loose;
  const parts = (body) => ['x', 'y', 'z'].map((k) => `${body}.position.${k}`).filter((n) => first.channel(n));
  const way = (body) => Math.max(0, ...parts(body).map((n) => moves(first.channel(n))));
  const body = candidates.reduce((best, b) => (b && (!best || way(b) > way(best)) ? b : best), null);
  const shown = body ? liveliest(plots, parts(body), moves) : [];
  if (shown.length) plots.open(`Position of ${body}`, shown);
}

// A channel less its first value.
function change(channel) {
  if (!channel) return null;
  const compute = () => {
    const v = channel.values;
    return Float32Array.from(v, (x) => (Math.abs(x - v[0]) <= SINGLE * Math.abs(v[0]) ? 0 : x - v[0]));
  };
  return new Channel(channel.result, `change of ${channel.name}`, channel.unit, null, compute);
}

// Where potential energy hardly changes beside its size (its zero is anywhere), the change is what there is to see.
function energy(plots) {
  const { results } = plots;
  const lines = ['kinetic', 'potential', 'elastic', 'total'].map((k) => plots.line(`energy.${k}`)).filter(Boolean);
  const most = (line) => Math.max(0, ...line.channels.map((c) => c?.largest ?? 0));
  const top = Math.max(0, ...lines.map(most));
  const alive = lines.filter((line) => most(line) > 1e-9 * top);
  const flat = results.every((r) => {
    const c = r.channel('energy.potential');
    return c && c.largest > 0 && c.swing < FLAT * c.largest;
  });
  if (!flat) return plots.show('Energy', alive);
  const changed = (line) => ({ ...line, name: `change of ${line.name}`, channels: line.channels.map(change) });
  const shown = alive.map((line) => (/potential|total/.test(line.name) ? changed(line) : line));
  plots.show(
    'Energy (change of potential and total)',
    shown.filter((line) => most(line) > 0),
  );
}

export function defaults(plots) {
  const { page, results } = plots;
  if (!outputs(plots)) mechanism(plots);
  energy(plots);
  const flows = ['input', 'friction', 'impact', 'damping', 'scheme', 'unaccounted'].map((k) => `ledger.${k}`);
  const size = Math.max(0, ...results.map((r) => Math.max(0, ...['kinetic', 'total'].map((k) => r.channel(`energy.${k}`)?.swing ?? 0))));
  const flow = (n) => Math.max(0, ...results.map((r) => r.channel(n)?.largest ?? 0));
  const top = Math.max(size, ...flows.map(flow));
  const shown = flows.filter((n) => flow(n) > 1e-9 * top); // the rest is rounding
  if (shown.length) plots.open('Where energy went', shown);
  if (!plots.panels.length) openByUnit(plots, 'Channels', [...page.first.byName.keys()].slice(0, FEW));
}
