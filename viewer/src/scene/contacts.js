// Contacts now: force arrows coloured by state, friction cones, and dots where bodies touch without force.
import * as THREE from 'three';
import { STATES, rgb } from '../palette.js';
import { Pool } from './solid.js';

const COLOURS = STATES.map(rgb);

export class Contacts {
  constructor(frames, scene, size) {
    this.frames = frames;
    this.group = new THREE.Group();
    this.size = size;
    const c = frames?.contacts;
    if (!c) return;
    let most = 0;
    for (let k = 0; k < frames.count; k++) most = Math.max(most, c.start[k + 1] - c.start[k]);
    this.shafts = new Pool('rod', most);
    this.heads = new Pool('head', most);
    this.dots = new Pool('dot', most);
    this.cones = new Pool('cone', most, 0.22);
    this.cones.mesh.visible = false;
    this.group.add(this.shafts.mesh, this.heads.mesh, this.dots.mesh, this.cones.mesh);
    this.flip = this.signs(c.names, scene);
    this.typical = this.typicalForce(c);
    this.scale = this.typical > 0 ? (0.4 * size) / this.typical : 0; // metres of arrow for one newton
    this.factor = 1;
  }

  get any() {
    return Boolean(this.shafts && this.shafts.capacity > 0);
  }

  // Forces are drawn as they act on a body, not on the world: turned where the first shape is the world's.
  signs(names, scene) {
    const world = new Set(scene.shapes.filter((s) => s.body < 0).map((s) => s.name));
    return names.map((name) => (world.has(name.split('~')[0]) ? -1 : 1));
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
    if (!this.shafts) return;
    const { frames, shafts, heads, dots, cones, size } = this;
    const c = frames.contacts;
    const k = frames.nearest(time);
    shafts.begin();
    heads.begin();
    dots.begin();
    cones.begin();
    for (let e = c.start[k]; e < c.start[k + 1]; e++) this.entry(c, e, size * 0.009);
    shafts.end();
    heads.end();
    dots.end();
    cones.end();
    this.shown = c.start[k + 1] - c.start[k];
  }

  entry(c, e, radius) {
    const v = 12 * e;
    const f = c.values;
    const colour = COLOURS[c.state[e]] ?? COLOURS[0];
    const sign = this.flip[c.name[e]] ?? 1;
    const s = sign * this.scale * this.factor;
    const x = f[v];
    const y = f[v + 1];
    const z = f[v + 2];
    const fx = f[v + 6] * s;
    const fy = f[v + 7] * s;
    const fz = f[v + 8] * s;
    const length = Math.min(Math.sqrt(fx * fx + fy * fy + fz * fz), 20 * this.size);
    if (!(length > radius)) {
      this.dots.ball(x, y, z, radius * 1.4, colour);
      return;
    }
    const head = Math.min(radius * 5, 0.45 * length);
    const r = Math.min(radius, head / 3.5);
    const t = (length - head) / length;
    this.shafts.bar(x, y, z, x + fx * t, y + fy * t, z + fz * t, r, colour);
    this.heads.bar(x + fx * t, y + fy * t, z + fz * t, x + fx, y + fy, z + fz, r * 2.6, colour);
    if (this.cones.mesh.visible && f[v + 9] > 0) {
      const h = f[v + 9] * s;
      this.cone(x, y, z, f[v + 3] * h, f[v + 4] * h, f[v + 5] * h, f[v + 10] * Math.abs(h), colour);
    }
  }

  // Tip at the contact, as high as the normal force, mu times that wide: the arrow ends inside it, or on it when it slips.
  cone(x, y, z, nx, ny, nz, radius, colour) {
    if (!(radius > 0) || radius > 50 * this.size) return;
    this.cones.bar(x, y, z, x + nx, y + ny, z + nz, radius, colour);
  }
}
