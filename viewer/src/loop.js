// The frame loop: runs while something moves, measures itself, and draws fewer pixels where drawing is slow.

const SLOW = 30; // ms between frames above which pixels are given up
const FAST = 20; // ms below which they come back
const LEAST = 0.5; // of the pixels along a side

export class Loop {
  constructor(clock) {
    this.clock = clock;
    this.view = null;
    this.pending = false;
    this.last = 0;
    this.scale = 1;
    this.usual = 16;
    this.since = 0;
    this.reset();
    this.tick = (now) => this.frame(now);
    clock.addEventListener('time', () => this.request());
    clock.addEventListener('play', () => {
      this.last = 0;
      if (!clock.playing) this.scale = 1; // what stands still is drawn in full
      this.request();
    });
  }

  attach(view) {
    this.view = view;
    if (view) new ResizeObserver(() => this.request()).observe(view.canvas);
    this.request();
  }

  request() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(this.tick);
  }

  reset() {
    this.frames = 0;
    this.total = 0;
    this.most = 0;
    this.began = 0;
    this.ended = 0;
  }

  stats() {
    const span = (this.ended - this.began) / 1000;
    return {
      frames: this.frames,
      script_ms_mean: this.frames ? this.total / this.frames : 0,
      script_ms_max: this.most,
      fps: span > 0 ? (this.frames - 1) / span : 0,
      scale: this.scale,
      software: this.view?.software ?? null,
    };
  }

  frame(now) {
    const from = performance.now();
    this.pending = false;
    const { clock, view } = this;
    if (clock.playing) {
      if (this.last) this.pace(now - this.last);
      clock.advance(this.last ? Math.min(0.25, (now - this.last) / 1000) : 0);
      this.last = now;
      this.request();
    }
    if (view) {
      view.resize(this.scale);
      if (view.width) {
        view.update(clock.time);
        view.render();
      }
    }
    this.measure(now, performance.now() - from);
  }

  measure(now, script) {
    if (!this.frames) this.began = now;
    this.ended = now;
    this.frames++;
    this.total += script;
    this.most = Math.max(this.most, script);
  }

  // Far too slow: many pixels at once; a little: few.
  pace(interval) {
    this.usual += 0.15 * (Math.min(interval, 200) - this.usual);
    this.since += interval;
    if (this.usual > SLOW && this.since > 300 && this.scale > LEAST) {
      this.scale = Math.max(LEAST, this.scale * Math.max(0.6, Math.min(0.9, Math.sqrt(FAST / this.usual))));
      this.since = 0;
    } else if (this.usual < FAST && this.since > 1500 && this.scale < 1) {
      this.scale = Math.min(1, this.scale / 0.85);
      this.since = 0;
    }
  }
}
