// How large a scene is and where, over its whole motion.
import { reach } from './parts.js';
import { visualReach } from './visuals.js';

// Around its own origin, for each body.
export function bodyReach(scene) {
  const out = scene.bodies.map(() => 0);
  for (const s of scene.shapes) if (s.body >= 0) out[s.body] = Math.max(out[s.body], Math.hypot(...s.position) + reach(s));
  for (const v of scene.visuals ?? [])
    if (v.body >= 0)
      out[v.body] = Math.max(out[v.body], Math.hypot(...v.position) + (v.kind === 'file' ? visualReach(scene, v) : reach(v)));
  scene.bodies.forEach((b, i) => {
    if (!out[i] && b.box && b.beam < 0) out[i] = Math.hypot(...b.com) + Math.hypot(...b.box.size) / 2;
  });
  for (const j of scene.joints)
    if (j.second >= 0 && j.kind !== 'free') out[j.second] = Math.max(out[j.second], Math.hypot(...j.position));
  return out;
}

class Box {
  constructor() {
    this.low = [Infinity, Infinity, Infinity];
    this.high = [-Infinity, -Infinity, -Infinity];
    this.spheres = [];
  }

  add(x, y, z, r) {
    this.spheres.push(x, y, z, r);
    [x, y, z].forEach((v, k) => {
      if (v - r < this.low[k]) this.low[k] = v - r;
      if (v + r > this.high[k]) this.high[k] = v + r;
    });
  }

  get centre() {
    return this.low.map((v, k) => (v + this.high[k]) / 2);
  }

  get radius() {
    return Math.hypot(...this.low.map((v, k) => this.high[k] - v)) / 2;
  }
}

// start: the box at the start, whole: over the motion, each with its spheres [x, y, z, r, ...]. Shapes of the world
// count where they are not much larger than the rest.
export function bounds(scene, frames) {
  const reaches = bodyReach(scene);
  const start = new Box();
  const whole = new Box();
  const stride = Math.max(1, Math.floor(frames.count / 60));
  for (let k = 0; k < frames.count; k += stride)
    for (let b = 0; b < frames.bodies; b++) {
      const o = (k * frames.bodies + b) * 7;
      const [x, y, z] = [frames.pose[o], frames.pose[o + 1], frames.pose[o + 2]];
      if (k === 0) start.add(x, y, z, reaches[b]);
      whole.add(x, y, z, reaches[b]);
    }
  for (const s of scene.shapes) {
    const r = s.body < 0 && s.kind !== 'plane' ? reach(s) : 0;
    if (r > 0 && r < 4 * start.radius) for (const box of [start, whole]) box.add(...s.position, r);
  }
  for (const s of scene.springs ?? []) {
    const fixed = s.first < 0 ? s.a : s.second < 0 ? s.b : null;
    if (fixed) for (const box of [start, whole]) box.add(...fixed, 0);
  }
  if (!(start.radius > 0)) start.add(...(frames.bodies ? start.centre : [0, 0, 0]), 0.5);
  if (!(whole.radius > 0)) whole.add(...start.centre, 0.5);
  return { start, whole };
}
