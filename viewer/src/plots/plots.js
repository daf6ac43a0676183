// All plots of a page: their common zoom and time, the marks of events, and which channels are shown to begin with.
import { EVENTS, EVENT_WORDS } from '../palette.js';
import { el } from '../text.js';
import { defaults } from './defaults.js';
import { resultDot } from './dot.js';
import { DASHES, Panel } from './panel.js';
import { Picker } from './picker.js';

const ASKED = 60; // channels of a unit that are asked for its largest value

// A short line as a result's lines are drawn.
function lineSample(index) {
  const canvas = el('canvas', { width: 60, height: 16, class: 'line-sample', 'aria-hidden': 'true' });
  const ctx = canvas.getContext('2d');
  ctx.strokeStyle = '#7b8794';
  ctx.lineWidth = 3;
  ctx.setLineDash(DASHES[index % DASHES.length].map((x) => 2 * x));
  ctx.beginPath();
  ctx.moveTo(0, 8);
  ctx.lineTo(60, 8);
  ctx.stroke();
  return canvas;
}

export class Plots extends EventTarget {
  constructor(page, clock) {
    super();
    this.page = page;
    this.results = page.results;
    this.clock = clock;
    this.panels = [];
    this.extra = []; // panels of other sections, which share zoom and time
    this.zoom = null;
    this.kinds = new Set();
    this.list = el('div', { class: 'plots' });
    this.picker = new Picker(this);
    this.node = el(
      'div',
      {},
      this.tools(),
      this.list,
      el('p', { class: 'axis-name muted' }, 'time, s'),
      this.picker.node,
    );
    clock.addEventListener('time', () => this.timeChanged());
    clock.addEventListener('play', () => this.showValues());
    this.lastValues = 0;
  }

  tools() {
    const events = this.page.first.events;
    const kinds = [...new Set(events.map((e) => e[1]))];
    // Very many marks say nothing: those kinds begin switched off.
    for (const kind of kinds) if (events.filter((e) => e[1] === kind).length <= 400) this.kinds.add(kind);
    const boxes = kinds.map((kind) => {
      const box = el('input', { type: 'checkbox' });
      box.checked = this.kinds.has(kind);
      box.addEventListener('change', () => {
        if (box.checked) this.kinds.add(kind);
        else this.kinds.delete(kind);
        this.cached = null;
        for (const p of this.every()) p.plot?.redraw(false);
        this.dispatchEvent(new Event('marks'));
      });
      return el(
        'label',
        { class: 'check' },
        box,
        el('span', { class: 'mark', style: `background:${EVENTS[kind] ?? '#888'}` }),
        EVENT_WORDS[kind] ?? kind,
      );
    });
    this.resetButton = el('button', { type: 'button', disabled: true, onclick: () => this.setZoom(null) }, 'Whole time');
    const add = el('button', { type: 'button', class: 'add-plot', onclick: () => this.pick(null) }, 'Add a plot …');
    const styles =
      this.results.length > 1
        ? this.results.map((r, i) => el('span', { class: 'style' }, lineSample(i), resultDot(r), r.label))
        : [];
    return el(
      'div',
      { class: 'tools' },
      add,
      this.resetButton,
      styles,
      boxes.length ? el('span', { class: 'muted' }, 'Marks:') : null,
      boxes,
    );
  }

  every() {
    return [...this.panels, ...this.extra];
  }

  line(name) {
    const channels = this.results.map((r) => r.channel(name));
    const first = channels.find((c) => c);
    return first ? { name, unit: first.unit, channels } : null;
  }

  open(title, names) {
    return this.show(
      title,
      names.map((n) => this.line(n)).filter((l) => l),
    );
  }

  show(title, lines) {
    if (!lines.length) return null;
    const panel = new Panel(this, title, lines);
    this.panels.push(panel);
    this.list.append(panel.node);
    return panel;
  }

  remove(panel) {
    this.panels = this.panels.filter((p) => p !== panel);
    panel.destroy();
  }

  pick(panel) {
    this.picker.open(panel);
  }

  defaults() {
    defaults(this);
  }

  // The largest value of a unit in all results: what a value is small or large beside. Of very many channels some are asked.
  scaleOf(unit) {
    this.scales ??= new Map();
    if (!this.scales.has(unit)) {
      const all = this.results.flatMap((r) => [...r.byName.values()].filter((c) => c.unit === unit));
      const stride = Math.ceil(all.length / ASKED);
      this.scales.set(unit, Math.max(0, ...all.filter((_, i) => i % stride === 0).map((c) => c.largest)));
    }
    return this.scales.get(unit);
  }

  // ------------------------------------------------------------ time and zoom

  range() {
    return this.zoom ? { min: this.zoom[0], max: this.zoom[1] } : { min: this.page.from, max: this.page.to };
  }

  zoomed(panel, min, max) {
    if (this.busy || min === null || !(max > min)) return;
    const all = min <= this.page.from && max >= this.page.to;
    this.setZoom(all ? null : [min, max], panel);
  }

  setZoom(zoom, from = null) {
    if (String(zoom) === String(this.zoom)) return;
    this.zoom = zoom;
    this.busy = true;
    for (const p of this.every()) if (p !== from) p.plot?.setScale('x', this.range());
    this.busy = false;
    this.resetButton.disabled = !zoom;
    this.clock.setWindow(zoom && [Math.max(zoom[0], this.page.from), Math.min(zoom[1], this.page.to)]);
    for (const p of this.every()) p.showTime();
  }

  marks() {
    this.cached ??= this.page.first.events.filter((e) => this.kinds.has(e[1]));
    return this.cached;
  }

  timeChanged() {
    const panels = this.every();
    for (let i = 0; i < panels.length; i++) panels[i].showTime();
    // While it plays, numbers change ten times a second: they are to be read.
    const now = performance.now();
    if (!this.clock.playing || now - this.lastValues > 100) this.showValues(now);
  }

  showValues(now = performance.now()) {
    this.lastValues = now;
    for (const p of this.every()) if (p.visible) p.showValues();
  }

  rebuild() {
    for (const p of this.every()) p.rebuild();
  }
}
