// Which plots a page begins with: what the model asks for, else joints, friction, contacts and places; then energy.
import { Channel } from '../data.js';

const FEW = 6; // lines that one plot has room for
const MOST = 24; // channels of the model's own list
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

// What the model lists under `outputs`; false where it lists nothing that is there.
function outputs(plots) {
  const { page } = plots;
  const asked = (page.first.meta.model?.outputs ?? []).filter((n) => page.results.some((r) => r.channel(n)));
  for (const [unit, names] of byUnit(page, asked.slice(0, MOST)))
    for (let i = 0; i < names.length; i += FEW) {
      const part = names.slice(i, i + FEW);
      plots.open(part.length > 1 ? (QUANTITIES[unit] ?? 'Outputs') : part[0], part);
    }
  return asked.length > 0;
}

function mechanism(plots) {
  const { first } = plots.page;
  const names = [...first.byName.keys()];
  const joints = (first.scene?.joints ?? []).filter((j) => !j.loop && j.kind !== 'free').map((j) => j.name);
  const there = (what) => joints.map((j) => `${j}.${what}`).filter((n) => first.channel(n));
  const few = (title, list) => list.length > 0 && list.length <= FEW && openByUnit(plots, title, list);
  few('Joint positions', there('position'));
  few('Joint velocities', there('velocity'));
  few(
    'Friction',
    names.filter((n) => /\.friction\.(force|torque)$/.test(n) || /\.force\.friction$/.test(n)),
  );
  few(
    'Normal forces',
    names.filter((n) => /\.force\.normal$/.test(n)),
  );
  if (!there('position').length || there('position').length > FEW) place(plots, names);
}

function place(plots, names) {
  const body =
    plots.page.first.scene?.bodies.find((b) => b.beam < 0)?.name ??
    names.find((n) => n.endsWith('.position.x'))?.slice(0, -'.position.x'.length);
  if (body)
    plots.open(
      `Position of ${body}`,
      ['x', 'y', 'z'].map((k) => `${body}.position.${k}`),
    );
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
  plots.open(
    'Where energy went',
    flows.filter((n) => results.some((r) => r.channel(n) && !r.channel(n).isZero)),
  );
  if (!plots.panels.length) openByUnit(plots, 'Channels', [...page.first.byName.keys()].slice(0, FEW));
}
