// One plot over time: lines of channels that share a unit, of every result, with the time shown, events as marks, zoom.
import uPlot from 'uplot';
import { EVENTS, EVENT_WORDS } from '../palette.js';
import { download, el, fileName, number, withUnit } from '../text.js';
import { resultDot } from './dot.js';

export const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 2], [12, 4], [8, 2, 2, 2]];
const NOISE = 1e-9; // of the largest value of a unit
const NEAR = 5; // pixels at which a mark answers the pointer

// Of a logarithmic axis only whole powers of ten get a line.
const decades = (u, splits) => splits.map((x) => (Math.abs(Math.log10(x) - Math.round(Math.log10(x))) < 1e-6 ? x : null));

export function lineColours() {
  const style = getComputedStyle(document.documentElement);
  return style.getPropertyValue('--lines').trim().split(/\s+/);
}

export class Panel {
  // lines: [{name, unit, channels: [Channel | null for each result]}]
  constructor(plots, title, lines, options = {}) {
    Object.assign(this, { plots, title, lines, height: 190, log: false, ...options });
    this.hidden = new Set();
    this.plot = null;
    this.body = el('div', { class: 'plot-body' });
    this.tip = el('div', { class: 'tip', hidden: true });
    this.now = el('div', { class: 'now', 'aria-hidden': 'true' });
    this.head = el('div', { class: 'plot-head' });
    this.chips = el('div', { class: 'chips' });
    this.note = el('p', { class: 'note muted', hidden: true });
    this.node = el('figure', { class: 'plot' }, this.head, this.chips, this.note, this.body, this.tip);
    this.fillHead();
    this.watch();
  }

  get unit() {
    return this.lines[0]?.unit ?? null;
  }

  fillHead() {
    const button = (text, label, action, pressed) =>
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          title: label,
          'aria-label': `${label}: ${this.title}`,
          'aria-pressed': pressed,
          onclick: action,
        },
        text,
      );
    const logButton = button(
      'log',
      'Logarithmic scale',
      () => {
        this.log = !this.log;
        logButton.setAttribute('aria-pressed', String(this.log));
        this.rebuild();
      },
      String(this.log),
    );
    const parts = [
      el('figcaption', {}, this.title, this.unit && this.unit !== '1' ? el('span', { class: 'muted' }, `, ${this.unit}`) : null),
      el('span', { class: 'spacer' }),
      this.fixed ? null : button('+', 'Add a channel', () => this.plots.pick(this)),
      logButton,
      button('PNG', 'Save as picture', () => this.savePicture()),
      button('CSV', 'Save as table', () => this.saveTable()),
      this.fixed ? null : button('×', 'Remove this plot', () => this.plots.remove(this)),
    ];
    this.head.append(...parts.filter(Boolean));
  }

  // Plots far from the window are not made until they come near it.
  watch() {
    this.observer = new IntersectionObserver(
      (entries) => {
        this.visible = entries.at(-1).isIntersecting;
        if (this.visible && !this.plot) this.build();
        if (!this.visible) return;
        this.showTime();
        this.showValues();
      },
      { rootMargin: '150px' },
    );
    this.observer.observe(this.body);
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(this.body);
    this.body.style.minHeight = `${this.height}px`;
    this.fillChips();
  }

  fit() {
    const width = Math.floor(this.body.clientWidth);
    if (this.plot && width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.height });
      this.showTime();
    }
  }

  // The lines that have data: one for each channel and result.
  get curves() {
    const out = [];
    const colours = lineColours();
    this.lines.forEach((line, i) => {
      line.channels.forEach((channel, r) => {
        if (channel) out.push({ line, channel, result: r, colour: colours[i % colours.length], dash: DASHES[r % DASHES.length] });
      });
    });
    return out;
  }

  data(curves) {
    const shape = (v) => (this.log ? Array.from(v, (x) => (x === 0 ? null : Math.abs(x))) : v);
    const results = [...new Set(curves.map((c) => c.result))];
    if (results.length <= 1) return [curves[0]?.channel.result.t ?? [], ...curves.map((c) => shape(c.channel.values))];
    const tables = results.map((r) => {
      const own = curves.filter((c) => c.result === r);
      return [own[0].channel.result.t, ...own.map((c) => shape(c.channel.values))];
    });
    return uPlot.join(tables);
  }

  // uPlot joins result by result, so curves are listed that way too.
  ordered() {
    return this.curves.sort((a, b) => a.result - b.result);
  }

  build() {
    const width = Math.floor(this.body.clientWidth);
    if (!width) return;
    this.shown = this.ordered();
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--muted').trim();
    const grid = { stroke: style.getPropertyValue('--grid').trim(), width: 1 };
    const many = this.plots.results.length > 1;
    const quiet = this.quiet();
    const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: '11px system-ui, sans-serif' };
    this.plot = new uPlot(
      {
        width,
        height: this.height,
        legend: { show: false },
        pxAlign: 0, // curves, not stairs
        cursor: {
          sync: { key: 'bristle' },
          drag: { x: true, y: false, setScale: true },
          points: { size: 5 },
          bind: { dblclick: () => () => this.plots.setZoom(null) },
        },
        scales: {
          x: { time: false, ...this.plots.range() },
          y: { distr: this.log ? 3 : 1, ...(quiet ? { range: [-quiet, quiet] } : {}) },
        },
        axes: [
          { ...axis, size: 26, values: (u, ticks) => ticks.map((x) => number(x)) },
          {
            ...axis,
            size: 62,
            ...(this.log ? { grid: { ...grid, filter: decades }, ticks: { ...grid, size: 4, filter: decades } } : {}),
            values: (u, ticks) => ticks.map((x) => (x === null ? '' : number(x, 4))),
          },
        ],
        series: [
          {},
          ...this.shown.map((c) => ({
            label: c.line.name,
            stroke: c.colour,
            width: c.result ? 1.3 : 1.6,
            dash: c.dash,
            points: { show: false },
            spanGaps: many,
            show: !this.hidden.has(c.line.name),
          })),
        ],
        hooks: {
          draw: [(u) => this.drawEvents(u)],
          setScale: [(u, key) => key === 'x' && this.plots.zoomed(this, u.scales.x.min, u.scales.x.max)],
        },
      },
      this.data(this.shown),
      this.body,
    );
    this.plot.over.append(this.now);
    this.plot.over.addEventListener('click', () => this.click());
    this.plot.over.addEventListener('mousemove', (event) => this.hover(event));
    this.plot.over.addEventListener('mouseleave', () => (this.tip.hidden = true));
    this.showTime();
  }

  // Rounding errors are no signal: what stays below a billionth of the largest value of its unit is a line at zero. Gives the
  // scale to show it on, 0 for the usual one.
  quiet() {
    const own = Math.max(0, ...this.shown.map((c) => c.channel.largest));
    const scale = this.log || this.fixed || own > 1e-3 ? 0 : this.plots.scaleOf(this.unit);
    const is = own < NOISE * scale;
    this.note.hidden = !is || own === 0;
    if (is && own > 0) {
      const part = `1e${Math.ceil(Math.log10(own / scale))}`;
      this.note.textContent = `Below ${part} of ${withUnit(scale, this.unit, 3)}, the largest in this report: shown as zero.`;
    }
    return is ? scale : 0;
  }

  rebuild() {
    this.plot?.destroy();
    this.plot = null;
    this.fillChips();
    if (this.visible !== false) this.build();
  }

  click() {
    const { left } = this.plot.cursor;
    if (left >= 0 && !(this.plot.select.width > 2)) this.plots.clock.set(this.plot.posToVal(left, 'x'));
  }

  // ---------------------------------------------------------------- events

  drawEvents(u) {
    const { ctx, bbox } = u;
    const scale = devicePixelRatio;
    ctx.save();
    let last = -1e9;
    for (const event of this.plots.marks()) {
      const [t, kind] = event;
      if (t < u.scales.x.min || t > u.scales.x.max) continue;
      const x = Math.round(u.valToPos(t, 'x', true));
      if (x === last) continue; // one mark for each column of pixels is all that can be seen
      last = x;
      ctx.fillStyle = EVENTS[kind] ?? '#888888';
      ctx.globalAlpha = 0.16;
      ctx.fillRect(x, bbox.top, scale, bbox.height);
      ctx.globalAlpha = 0.9;
      ctx.fillRect(x - scale, bbox.top, 2 * scale, 5 * scale);
    }
    ctx.restore();
  }

  hover(event) {
    const u = this.plot;
    const width = (u.scales.x.max - u.scales.x.min) / u.over.clientWidth;
    const t = u.posToVal(event.offsetX, 'x');
    const near = this.plots.marks().filter((e) => Math.abs(e[0] - t) <= NEAR * width);
    this.tip.hidden = !near.length;
    if (!near.length) return;
    near.sort((a, b) => Math.abs(a[0] - t) - Math.abs(b[0] - t));
    const lines = near
      .slice(0, 5)
      .map(([time, kind, name]) => el('div', {}, `${number(time, 6)} s  ${name} ${EVENT_WORDS[kind] ?? kind}`));
    if (near.length > 5) lines.push(el('div', { class: 'muted' }, `and ${near.length - 5} more`));
    this.tip.replaceChildren(...lines);
    const box = this.node.getBoundingClientRect();
    const left = event.clientX - box.left;
    this.tip.style.left = `${Math.min(left + 12, Math.max(0, box.width - this.tip.offsetWidth - 8))}px`;
    this.tip.style.top = `${event.clientY - box.top + 14}px`;
  }

  // ------------------------------------------------------------- lines and values

  fillChips() {
    const colours = lineColours();
    this.readings = [];
    this.chips.replaceChildren(
      ...this.lines.map((line, i) => {
        const value = el('span', { class: 'value' });
        const texts = line.channels.map(() => document.createTextNode(''));
        const many = texts.length > 1;
        texts.forEach((text, r) => value.append(...(many ? [resultDot(this.plots.results[r])] : []), text));
        this.readings.push({ line, texts });
        const toggle = el(
          'button',
          {
            type: 'button',
            class: 'chip',
            'aria-pressed': String(!this.hidden.has(line.name)),
            title: `Show or hide ${line.name}`,
            onclick: () => this.toggle(line.name),
          },
          el('span', { class: 'swatch', style: `background:${colours[i % colours.length]}` }),
          el('span', { class: 'name' }, line.name),
          value,
        );
        const remove = this.fixed
          ? null
          : el(
              'button',
              { type: 'button', class: 'chip-x', 'aria-label': `Remove ${line.name}`, onclick: () => this.take(line.name) },
              '×',
            );
        return el('span', { class: 'chip-box' }, toggle, remove);
      }),
    );
    this.showValues();
  }

  toggle(name) {
    if (this.hidden.has(name)) this.hidden.delete(name);
    else this.hidden.add(name);
    this.fillChips();
    this.shown?.forEach((c, i) => {
      if (c.line.name === name) this.plot?.setSeries(i + 1, { show: !this.hidden.has(name) });
    });
  }

  add(line) {
    if (this.lines.some((l) => l.name === line.name)) return;
    this.lines.push(line);
    this.rebuild();
  }

  take(name) {
    this.lines = this.lines.filter((l) => l.name !== name);
    if (this.lines.length) this.rebuild();
    else this.plots.remove(this);
  }

  showTime() {
    if (!this.plot || !this.visible) return;
    const x = this.plot.valToPos(this.plots.clock.time, 'x');
    const inside = x >= -1 && x <= this.plot.bbox.width / devicePixelRatio + 1;
    const at = inside ? Math.round(x) : -99;
    if (at === this.at) return; // what moves beside the scene makes the browser put the whole page together anew
    this.at = at;
    this.now.style.transform = `translateX(${at}px)`;
  }

  showValues() {
    const { time } = this.plots.clock;
    for (const { line, texts } of this.readings)
      line.channels.forEach((c, r) => {
        const text = c ? withUnit(c.at(time), line.unit) : '–';
        if (texts[r].data !== text) texts[r].data = text;
      });
  }

  // ------------------------------------------------------------------- files

  savePicture() {
    if (!this.plot) return;
    const from = this.plot.ctx.canvas;
    const scale = devicePixelRatio;
    const top = 22 * scale;
    const canvas = el('canvas', { width: from.width, height: from.height + top });
    const ctx = canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    ctx.fillStyle = style.getPropertyValue('--paper');
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(from, 0, top);
    ctx.font = `${12 * scale}px system-ui, sans-serif`;
    let x = 8 * scale;
    const colours = lineColours();
    this.lines.forEach((line, i) => {
      if (this.hidden.has(line.name)) return;
      ctx.fillStyle = colours[i % colours.length];
      const text = line.unit && line.unit !== '1' ? `${line.name} (${line.unit})` : line.name;
      ctx.fillText(text, x, 15 * scale);
      x += ctx.measureText(text).width + 14 * scale;
    });
    canvas.toBlob((blob) => blob && download(`${fileName(this.title)}.png`, blob));
  }

  saveTable() {
    const curves = this.ordered().filter((c) => !this.hidden.has(c.line.name));
    if (!curves.length) return;
    const { min, max } = this.plots.range();
    const wasLog = this.log;
    this.log = false;
    const data = this.data(curves);
    this.log = wasLog;
    const many = this.plots.results.length > 1;
    const quote = (s) => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
    const rows = [
      ['t', ...curves.map((c) => quote(many ? `${c.line.name} [${c.channel.result.label}]` : c.line.name))].join(','),
    ];
    for (let i = 0; i < data[0].length; i++) {
      if (data[0][i] < min || data[0][i] > max) continue;
      const row = [data[0][i]];
      for (let k = 1; k < data.length; k++)
        row.push(data[k][i] === null || data[k][i] === undefined ? '' : Number(data[k][i].toPrecision(9)));
      rows.push(row.join(','));
    }
    download(`${fileName(this.title)}.csv`, `${rows.join('\n')}\n`, 'text/csv');
  }

  destroy() {
    this.observer.disconnect();
    this.sizes.disconnect();
    this.plot?.destroy();
    this.node.remove();
  }
}
