// Contacts now: force arrows coloured by state, friction cones, and dots where bodies touch without force.
import * as THREE from 'three';
import { find } from '../data.js';
import { STATES, rgb } from '../palette.js';
import { CROWD, HEAD, Pool } from './solid.js';

const COLOURS = STATES.map(rgb);
const ROOM = 30; // arrows of full size that a scene has room for

export class Contacts {
  // up: which of x, y, z (0, 1, 2)
  constructor(frames, scene, size, up) {
    this.up = up;
    this.frames = frames;
    this.group = new THREE.Group();
    this.size = size;
    const c = frames?.contacts;
    if (!c) return;
    let most = 0;
    for (let k = 0; k < frames.count; k++) most = Math.max(most, c.start[k + 1] - c.start[k]);
    this.crowd = most > CROWD;
    this.arrows = new Pool('arrow', this.crowd ? most : 0);
    this.shafts = new Pool('rod', this.crowd ? 0 : most);
    this.heads = new Pool('head', this.crowd ? 0 : most);
    this.most = most;
    this.dots = new Pool('dot', most);
    this.cones = new Pool('cone', most, 0.22);
    this.cones.mesh.visible = false;
    this.group.add(this.arrows.mesh, this.shafts.mesh, this.heads.mesh, this.dots.mesh, this.cones.mesh);
    this.flip = this.signs(c.names, scene);
    this.typical = this.typicalForce(c);
    this.small = Math.min(1, Math.sqrt(ROOM / most)); // where there are very many, arrows would hide what they act on
    this.scale = this.typical > 0 ? (0.4 * size * this.small) / this.typical : 0; // metres of arrow for one newton
    this.factor = 1;
    this.partner = new Int32Array(most); // of each entry of the frame shown: the entry of the same contact in the next frame
    this.where = new Int32Array(c.names.length);
    this.frame = -1;
    this.mixed = new Float64Array(12);
  }

  get any() {
    return this.most > 0;
  }

  // Forces are drawn as they act on a body, not on the world: turned where the first shape is the world's. 0: between
  // two bodies.
  signs(names, scene) {
    const world = new Set(scene.shapes.filter((s) => s.body < 0).map((s) => s.name));
    return names.map((name) => {
      const [first, second] = name.replace(/#\d+$/, '').split('~');
      return world.has(first) ? -1 : world.has(second) ? 1 : 0;
    });
  }

  // Large, but not the one blow of an impact: the 90th percentile of those that are not zero.
  typicalForce(c) {
    const sizes = [];
    const entries = c.values.length / 12;
    const stride = Math.max(1, Math.floor(entries / 5000));
    for (let e = 0; e < entries; e += stride) {
      const v = 12 * e;
      const f = Math.hypot(c.values[v + 6], c.values[v + 7], c.values[v + 8]);
      if (f > 0) sizes.push(f);
    }
    sizes.sort((a, b) => a - b);
    return sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 0;
  }

  update(time) {
    if (!this.shafts || !this.group.visible) return;
    const { frames, arrows, shafts, heads, dots, cones, size } = this;
    const c = frames.contacts;
    const k = find(frames.t, time, frames.index);
    if (k !== this.frame) this.pair(c, k);
    const part = k + 1 < frames.count ? Math.min(1, Math.max(0, (time - frames.t[k]) / (frames.t[k + 1] - frames.t[k]))) : 0;
    arrows.begin();
    shafts.begin();
    heads.begin();
    dots.begin();
    cones.begin();
    for (let e = c.start[k]; e < c.start[k + 1]; e++) this.entry(c, e, part, size * 0.009 * Math.max(0.4, this.small));
    arrows.end();
    shafts.end();
    heads.end();
    dots.end();
    cones.end();
  }

  // Contacts that last from one frame to the next move between them as bodies do; others stand still.
  pair(c, k) {
    const { where, partner } = this;
    const from = c.start[k];
    const to = c.start[k + 1];
    this.frame = k;
    partner.fill(-1, 0, to - from);
    if (k + 1 >= this.frames.count) return;
    for (let e = from; e < to; e++) where[c.name[e]] = -1;
    for (let e = to; e < c.start[k + 2]; e++) where[c.name[e]] = e;
    for (let e = from; e < to; e++) partner[e - from] = where[c.name[e]];
  }

  entry(c, e, part, radius) {
    const f = this.mixed;
    const other = this.partner[e - c.start[this.frame]];
    const next = other >= 0 ? part : 0;
    for (let i = 0; i < 12; i++) f[i] = c.values[12 * e + i] + (next && next * (c.values[12 * other + i] - c.values[12 * e + i]));
    const colour = COLOURS[c.state[e]] ?? COLOURS[0];
    // Between two bodies: on the upper one.
    const sign = this.flip[c.name[e]] || (f[3 + this.up] < -0.5 ? -1 : 1);
    const s = sign * this.scale * this.factor;
    const x = f[0];
    const y = f[1];
    const z = f[2];
    const fx = f[6] * s;
    const fy = f[7] * s;
    const fz = f[8] * s;
    const length = Math.min(Math.sqrt(fx * fx + fy * fy + fz * fz), 20 * this.size);
    if (!(length > radius)) {
      this.dots.ball(x, y, z, radius * 1.4, colour);
      return;
    }
    const head = Math.min(radius * 5, 0.45 * length);
    const r = Math.min(radius, head / 3.5);
    const t = (length - head) / length;
    if (this.crowd) this.arrows.arrow(x, y, z, x + fx, y + fy, z + fz, r, colour, t);
    else {
      this.shafts.bar(x, y, z, x + fx * t, y + fy * t, z + fz * t, r, colour);
      this.heads.bar(x + fx * t, y + fy * t, z + fz * t, x + fx, y + fy, z + fz, r * HEAD, colour);
    }
    if (this.cones.mesh.visible && f[9] > 0) {
      const h = f[9] * s;
      this.cone(x, y, z, f[3] * h, f[4] * h, f[5] * h, f[10] * Math.abs(h), colour);
    }
  }

  // Tip at the contact, as high as the normal force, mu times that wide: the arrow ends inside it, or on it when it slips.
  cone(x, y, z, nx, ny, nz, radius, colour) {
    if (!(radius > 0) || radius > 50 * this.size) return;
    this.cones.bar(x, y, z, x + nx, y + ny, z + nz, radius, colour);
  }
}
