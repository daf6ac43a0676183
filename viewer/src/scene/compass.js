// What says where and how large: a triad of the world's axes in the corner of the scene, and a bar of a round length.
import { el } from '../text.js';
import { round } from './ground.js';

const COLOURS = ['#c8493a', '#3f9142', '#3566c0'];
const HALF = 30; // px
const MOST = 90; // px of the bar, at most about

export function length(x) {
  const units = [
    [1e3, 'km'],
    [1, 'm'],
    [1e-2, 'cm'],
    [1e-3, 'mm'],
    [1e-6, 'µm'],
  ];
  const [unit, name] = units.find(([u]) => x >= u * 0.999) ?? units.at(-1);
  return `${Number((x / unit).toPrecision(3))} ${name}`;
}

export class Compass {
  constructor() {
    const make = (name, attributes) => {
      const node = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      return node;
    };
    this.axes = COLOURS.map((colour, k) => {
      const line = make('line', { stroke: colour, 'stroke-width': 2.2, 'stroke-linecap': 'round' });
      const text = make('text', { fill: colour, 'text-anchor': 'middle', 'dominant-baseline': 'central' });
      text.textContent = 'xyz'[k];
      return { line, text };
    });
    const svg = make('svg', { width: 2 * HALF, height: 2 * HALF, viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}` });
    this.group = make('g', {});
    svg.append(this.group);
    this.bar = el('span', { class: 'bar-length' });
    this.text = el('span');
    this.node = el('div', { class: 'compass', 'aria-hidden': 'true' }, svg, el('div', { class: 'scale' }, this.bar, this.text));
  }

  // orbit: right, upward, back of the camera; height: of the canvas, px. The bar is true at the depth that is looked at.
  update(orbit, height) {
    const order = this.axes.map((axis, k) => ({ axis, depth: orbit.back.getComponent(k), k })).sort((a, b) => a.depth - b.depth);
    for (const { axis, k } of order) {
      const x = orbit.right.getComponent(k);
      const y = -orbit.upward.getComponent(k);
      axis.line.setAttribute('x2', (17 * x).toFixed(1));
      axis.line.setAttribute('y2', (17 * y).toFixed(1));
      axis.text.setAttribute('x', (24 * x).toFixed(1));
      axis.text.setAttribute('y', (24 * y).toFixed(1));
      // One that points away or at the eye has no room for its letter.
      axis.text.setAttribute('opacity', Math.hypot(x, y) > 0.25 ? 1 : 0);
    }
    const key = order.map(({ k }) => k).join('');
    if (key !== this.order) {
      this.group.replaceChildren(...order.flatMap(({ axis }) => [axis.line, axis.text]));
      this.order = key;
    }
    const metres = (2 * orbit.distance * Math.tan((orbit.camera.fov * Math.PI) / 360)) / Math.max(1, height); // of a pixel
    const shown = round(metres * MOST * 0.75);
    const width = Math.round(shown / metres);
    if (width === this.width && shown === this.shown) return;
    Object.assign(this, { width, shown });
    this.bar.style.width = `${width}px`;
    this.text.textContent = length(shown);
  }
}
