// The data of a page (README.md): numbers are decoded when they are first asked for, never before. Also samples them:
// values of channels at a time, poses of bodies between frames.

const ARRAYS = { f4: Float32Array, f8: Float64Array, u4: Uint32Array, u1: Uint8Array };
const SIZES = { f4: 4, f8: 8, u4: 4, u1: 1 };

function decode64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const bytes = atob(text);
  const out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) out[i] = bytes.charCodeAt(i);
  return out;
}

// Blobs begin at multiples of 24 bytes, so each has characters of its own in the base64 text.
export class Blobs {
  constructor(text) {
    this.text = text;
  }

  get(blob) {
    if (!blob || !blob.count) return new (ARRAYS[blob?.type] ?? Float32Array)(0);
    const bytes = blob.count * SIZES[blob.type];
    const first = (blob.at / 3) * 4;
    const last = first + Math.ceil(bytes / 3) * 4;
    if (last > this.text.length) throw new Error('the page is cut off: numbers are missing at its end');
    let part = this.text.slice(first, last);
    if (part.length % 4) part += '='.repeat(4 - (part.length % 4));
    const raw = decode64(part);
    return new ARRAYS[blob.type](raw.buffer, raw.byteOffset, blob.count);
  }
}

// The largest i with t[i] <= time, at least 0. guess: where it was last time; playing forward finds it in a step or two.
export function find(t, time, guess = 0) {
  const n = t.length;
  let i = guess < n ? guess : 0;
  if (t[i] <= time && (i + 1 >= n || t[i + 1] > time)) return i;
  if (i + 2 < n && t[i + 1] <= time && t[i + 2] > time) return i + 1;
  let low = 0;
  let high = n - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

// A line of a plot. One that is computed here has `compute` in place of a blob.
export class Channel {
  constructor(result, name, unit, blob, compute) {
    Object.assign(this, { result, name, unit: unit ?? '', blob, compute, cache: null });
  }

  get values() {
    this.cache ??= this.blob ? this.result.blobs.get(this.blob) : this.compute();
    return this.cache;
  }

  at(time) {
    const { t } = this.result;
    const v = this.values;
    if (!t.length) return NaN;
    const i = find(t, time);
    if (i + 1 >= t.length || time <= t[i]) return v[i];
    const s = (time - t[i]) / (t[i + 1] - t[i]);
    return s <= 0 ? v[i] : v[i] + s * (v[i + 1] - v[i]);
  }

  // The largest size of a value, and the largest less the smallest.
  get extent() {
    if (!this.measured) {
      let low = Infinity;
      let high = -Infinity;
      for (const x of this.values) {
        if (x < low) low = x;
        if (x > high) high = x;
      }
      this.measured = low <= high ? [Math.max(Math.abs(low), Math.abs(high)), high - low] : [0, 0];
    }
    return this.measured;
  }

  get largest() {
    return this.extent[0];
  }

  get swing() {
    return this.extent[1];
  }

  get isZero() {
    return this.largest === 0;
  }
}

// The animation: poses between frames, and the contacts of a frame.
class Frames {
  constructor(blobs, frames, bodies) {
    this.count = frames.count;
    this.bodies = bodies;
    this.t = blobs.get(frames.t);
    this.pose = blobs.get(frames.pose);
    this.now = new Float64Array(bodies * 7);
    this.index = 0;
    const c = frames.contacts;
    this.contacts = c && {
      names: c.names,
      start: blobs.get(c.start),
      name: blobs.get(c.name),
      state: blobs.get(c.state),
      values: blobs.get(c.values),
    };
  }

  // Fills `now`: positions in between, rotations along the shorter way.
  sample(time) {
    const { t, pose, now } = this;
    const k = (this.index = find(t, time, this.index));
    const width = this.bodies * 7;
    const a = k * width;
    if (k + 1 >= this.count || time <= t[k]) {
      for (let i = 0; i < width; i++) now[i] = pose[a + i];
      return now;
    }
    const s = (time - t[k]) / (t[k + 1] - t[k]);
    const b = a + width;
    for (let i = 0; i < width; i += 7) {
      for (let j = 0; j < 3; j++) now[i + j] = pose[a + i + j] + s * (pose[b + i + j] - pose[a + i + j]);
      let dot = 0;
      for (let j = 3; j < 7; j++) dot += pose[a + i + j] * pose[b + i + j];
      const turn = dot < 0 ? -s : s;
      let square = 0;
      for (let j = 3; j < 7; j++) {
        const q = (1 - s) * pose[a + i + j] + turn * pose[b + i + j];
        now[i + j] = q;
        square += q * q;
      }
      const scale = 1 / Math.sqrt(square || 1);
      for (let j = 3; j < 7; j++) now[i + j] *= scale;
    }
    return now;
  }

  // Speed of a body's origin, m/s, from the frames around a time.
  speed(body, time) {
    const { t, pose } = this;
    if (this.count < 2) return 0;
    const k = Math.min(find(t, time, this.index), this.count - 2);
    const a = (k * this.bodies + body) * 7;
    const b = a + this.bodies * 7;
    return Math.hypot(pose[b] - pose[a], pose[b + 1] - pose[a + 1], pose[b + 2] - pose[a + 2]) / (t[k + 1] - t[k]);
  }
}

export class Result {
  constructor(meta, index, blobs) {
    this.meta = meta;
    this.index = index;
    this.blobs = blobs;
    this.label = meta.label ?? `result ${index + 1}`;
    this.scene = meta.scene ?? null;
    this.events = meta.events?.list ?? [];
    this.byName = new Map();
    for (const c of meta.series?.channels ?? [])
      if (c.name !== 't') this.byName.set(c.name, new Channel(this, c.name, c.unit, c.values));
  }

  get t() {
    this.times ??= this.blobs.get(this.meta.series?.t);
    return this.times;
  }

  get frames() {
    if (this.animation === undefined) {
      const f = this.meta.frames;
      this.animation = this.scene && f && f.count > 0 ? new Frames(this.blobs, f, this.scene.bodies.length) : null;
    }
    return this.animation;
  }

  channel(name) {
    return this.byName.get(name) ?? null;
  }
}

export class Page {
  constructor(document) {
    const meta = document.getElementById('bristle-meta');
    const bytes = document.getElementById('bristle-bytes');
    if (!meta || !bytes) throw new Error('This is the empty template of a report. "bristle report RESULT" fills it.');
    this.meta = JSON.parse(meta.textContent);
    if (this.meta.format !== 1) throw new Error(`The data have format ${this.meta.format}; this page reads format 1.`);
    const blobs = new Blobs(bytes.textContent.trim());
    this.results = this.meta.results.map((r, i) => new Result(r, i, blobs));
    this.from = Math.min(...this.results.map((r) => r.meta.from ?? 0));
    this.to = Math.max(...this.results.map((r) => r.meta.to ?? 0));
  }

  get first() {
    return this.results[0];
  }
}
