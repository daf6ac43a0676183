// The bar under the scene: play, scrub, speed, loop; above the slider a strip with the verdicts and the events over time.
import { EVENTS, EVENT_WORDS, VERDICTS } from './palette.js';
import { el, number, seconds } from './text.js';

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Timeline {
  constructor(page, clock, marks) {
    this.page = page;
    this.clock = clock;
    this.marks = marks;
    this.span = page.to - page.from;
    this.playButton = el('button', { type: 'button', class: 'play', onclick: () => clock.toggle() });
    this.slider = el('input', { type: 'range', class: 'scrub', min: page.from, max: page.to, step: 'any', 'aria-label': 'Time' });
    this.slider.addEventListener('input', () => {
      clock.pause();
      clock.set(Number(this.slider.value));
    });
    this.reading = el('output', { class: 'time', 'aria-label': 'Time shown' });
    this.speed = this.speedList();
    this.loop = el(
      'button',
      {
        type: 'button',
        class: 'icon',
        'aria-pressed': 'false',
        'aria-label': 'Loop',
        title: 'Loop (L)',
        onclick: () => this.setLoop(!clock.loop),
      },
      '⟳',
    );
    this.strip = el('canvas', { class: 'strip', 'aria-hidden': 'true' });
    this.strip.addEventListener('click', (event) => {
      const box = this.strip.getBoundingClientRect();
      clock.set(page.from + ((event.clientX - box.left) / box.width) * this.span);
    });
    this.strip.addEventListener('mousemove', (event) => this.tell(event));
    this.node = el(
      'div',
      { class: 'transport', role: 'group', 'aria-label': 'Playback' },
      this.playButton,
      el('div', { class: 'track' }, this.strip, this.slider),
      el('div', { class: 'readings' }, this.reading, this.speed, this.loop),
      this.key(),
    );
    clock.addEventListener('time', () => this.showTime());
    clock.addEventListener('play', () => this.showPlay());
    clock.addEventListener('speed', () => (this.speed.value = String(clock.speed)));
    clock.addEventListener('window', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.strip);
    this.showPlay();
    this.showTime();
  }

  // What the colours of the strip mean.
  key() {
    const used = [...new Set((this.page.first.meta.trust ?? []).map((x) => x.verdict))].filter((v) => VERDICTS[v]);
    if (!used.length) return null;
    const entry = (v) =>
      el('span', { title: v.text }, el('span', { class: 'swatch', style: `background:${v.colour}` }), v.word);
    return el('div', { class: 'strip-key' }, 'Verdicts:', ...used.map((v) => entry(VERDICTS[v])));
  }

  // Under the pointer: the verdict, and the event that is nearest.
  tell(event) {
    const { page, span } = this;
    const box = this.strip.getBoundingClientRect();
    const t = page.from + ((event.clientX - box.left) / box.width) * span;
    const verdict = (page.first.meta.trust ?? []).find((x) => x.from <= t && t <= x.to);
    let best = null;
    for (const e of this.marks()) if (!best || Math.abs(e[0] - t) < Math.abs(best[0] - t)) best = e;
    const near = best && Math.abs(best[0] - t) <= (4 * span) / box.width;
    this.strip.title = [
      verdict && `${VERDICTS[verdict.verdict]?.word ?? verdict.verdict}, ${number(verdict.from)} to ${number(verdict.to)} s`,
      near && `${best[2]} ${EVENT_WORDS[best[1]] ?? best[1]} at ${number(best[0])} s`,
    ]
      .filter(Boolean)
      .join('; ');
  }

  speedList() {
    const list = el(
      'select',
      { 'aria-label': 'Speed', title: 'Speed (+ and -)' },
      SPEEDS.map((s) => el('option', { value: s }, `${s}×`)),
    );
    // What is over in a moment begins slower: about four seconds for all of it.
    if (this.span > 0 && this.span < 1) this.clock.speed = [...SPEEDS].reverse().find((s) => this.span / s >= 4) ?? SPEEDS[0];
    list.value = String(this.clock.speed);
    list.addEventListener('change', () => this.clock.setSpeed(Number(list.value)));
    return list;
  }

  faster(by) {
    const i = SPEEDS.indexOf(this.clock.speed);
    this.clock.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, i + by))]);
  }

  setLoop(on) {
    this.clock.loop = on;
    this.loop.setAttribute('aria-pressed', String(on));
  }

  showPlay() {
    const { playing } = this.clock;
    this.playButton.textContent = playing ? '❚❚' : '▶';
    this.playButton.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    this.showTime();
    this.playButton.title = `${playing ? 'Pause' : 'Play'} (space)`;
  }

  // While it plays, ten times a second are enough for slider and number: each change is laid out and painted.
  showTime() {
    const { time, playing } = this.clock;
    const now = performance.now();
    if (playing && now - (this.shown ?? 0) < 100) return;
    this.shown = now;
    this.slider.value = time;
    const text = seconds(time, this.span);
    this.reading.textContent = text;
    if (!playing) this.slider.setAttribute('aria-valuetext', text);
  }

  draw() {
    const { strip, page } = this;
    const scale = window.devicePixelRatio || 1;
    const width = (strip.width = Math.max(1, Math.round(strip.clientWidth * scale)));
    const height = (strip.height = Math.max(1, Math.round(strip.clientHeight * scale)));
    const ctx = strip.getContext('2d');
    const x = (t) => ((t - page.from) / (this.span || 1)) * width;
    for (const interval of page.first.meta.trust ?? []) {
      ctx.fillStyle = VERDICTS[interval.verdict]?.colour ?? '#888888';
      ctx.fillRect(x(interval.from), height * 0.62, Math.max(scale, x(interval.to) - x(interval.from)), height * 0.38);
    }
    let last = -1;
    for (const [t, kind] of this.marks()) {
      const at = Math.round(x(t));
      if (at === last) continue;
      last = at;
      ctx.fillStyle = EVENTS[kind] ?? '#888888';
      ctx.fillRect(at, 0, scale, height * 0.55);
    }
    if (this.clock.window) {
      ctx.fillStyle = 'rgba(90, 130, 190, 0.25)';
      ctx.fillRect(x(this.clock.window[0]), 0, x(this.clock.window[1]) - x(this.clock.window[0]), height);
    }
  }
}
