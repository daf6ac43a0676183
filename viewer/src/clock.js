// The time shown. Everything that moves with it listens here: scene, cursors of plots, values, tables.

export class Clock extends EventTarget {
  constructor(from, to) {
    super();
    this.from = from;
    this.to = to;
    this.window = null; // [from, to] while plots are zoomed: playing stays within
    this.time = from;
    this.playing = false;
    this.speed = 1;
    this.loop = false;
  }

  get first() {
    return this.window ? this.window[0] : this.from;
  }

  get last() {
    return this.window ? this.window[1] : this.to;
  }

  set(time) {
    const t = Math.min(this.to, Math.max(this.from, time));
    if (!(t === t) || t === this.time) return;
    this.time = t;
    this.dispatchEvent(new Event('time'));
  }

  setWindow(window) {
    this.window = window;
    this.dispatchEvent(new Event('window'));
  }

  play() {
    if (this.playing || !(this.to > this.from)) return;
    if (this.time >= this.last || this.time < this.first) this.set(this.first);
    this.playing = true;
    this.dispatchEvent(new Event('play'));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.dispatchEvent(new Event('play'));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.dispatchEvent(new Event('speed'));
  }

  // Called by the frame loop: seconds of the wall clock since the last frame.
  advance(seconds) {
    if (!this.playing) return;
    let t = this.time + seconds * this.speed;
    if (t >= this.last) {
      if (this.loop) t = this.first + ((t - this.first) % (this.last - this.first));
      else {
        this.set(this.last);
        this.pause();
        return;
      }
    }
    this.set(t);
  }
}
