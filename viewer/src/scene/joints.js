// Joint axes (coloured by whether the joint sticks or slips), frames of bodies, clearances as rings, springs as zigzags.
import * as THREE from 'three';
import { STATES, rgb } from '../palette.js';
import { Pool } from './solid.js';

const PLAIN = rgb('#7b8794');
const STUCK = rgb(STATES[1]);
const SLIPS = rgb(STATES[2]);
const AXES = [rgb('#c8493a'), rgb('#3f9142'), rgb('#3566c0')];
const AT_REST = 1e-4; // m/s or rad/s: laws without a static phase creep at rest
const TURNS = 8; // of a zigzag

// When each joint began to stick and to slip: [[t, state], ...] in the order of time.
function histories(scene, events) {
  const byName = new Map(scene.joints.map((j) => [j.name, []]));
  for (const [t, kind, name] of events) {
    if (kind !== 'stick' && kind !== 'slip') continue;
    const list = byName.get(name) ?? byName.get(String(name).replace(/\.[^.]*$/, ''));
    list?.push([t, kind === 'stick' ? 1 : 2]);
  }
  return byName;
}

// The velocity of a joint that has friction, where both were written: it tells the state where no event did.
function rubbing(result, joint) {
  const known = ['friction.torque', 'friction.force', 'friction'].some((k) => result.channel(`${joint.name}.${k}`));
  return joint.friction && known ? result.channel(`${joint.name}.velocity`) : null;
}

export class Joints {
  constructor(result, poses, size) {
    const { scene, events } = result;
    this.poses = poses;
    this.size = size;
    this.joints = scene.joints.filter((j) => j.kind !== 'free');
    this.history = histories(scene, events);
    this.speeds = new Map(this.joints.map((j) => [j.name, rubbing(result, j)]));
    const n = this.joints.length;
    this.axes = new Pool('rod', n);
    this.pins = new Pool('cylinder', n);
    this.group = new THREE.Group();
    this.group.add(this.axes.mesh, this.pins.mesh);
    this.at = new Float64Array(3);
    this.along = new Float64Array(3);
    this.axisOf = this.joints.map((j) => {
      const [w, x, y, z] = j.rotation;
      return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
    });
  }

  // 0 not known, 1 sticks, 2 slips
  state(joint, time) {
    const list = this.history.get(joint.name);
    if (!list?.length) {
      const speed = this.speeds.get(joint.name);
      return speed ? (Math.abs(speed.at(time)) > AT_REST ? 2 : 1) : 0;
    }
    let state = 3 - list[0][1]; // before the first change it was the other
    for (const [t, s] of list) {
      if (t > time) break;
      state = s;
    }
    return state;
  }

  update(time) {
    if (!this.group.visible) return;
    const { at, along, size } = this;
    this.axes.begin();
    this.pins.begin();
    for (let i = 0; i < this.joints.length; i++) {
      const j = this.joints[i];
      const axis = this.axisOf[i];
      this.poses.point(j.second, j.position[0], j.position[1], j.position[2], at);
      this.poses.direction(j.second, axis[0], axis[1], axis[2], along);
      const state = j.friction ? this.state(j, time) : 0;
      const colour = state === 1 ? STUCK : state === 2 ? SLIPS : PLAIN;
      this.segment(this.axes, 0.11 * size, 0.0035 * size, colour);
      this.segment(this.pins, 0.022 * size, 0.016 * size, colour);
    }
    this.axes.end();
    this.pins.end();
  }

  segment(pool, half, radius, colour) {
    const { at, along } = this;
    const [x, y, z] = along;
    pool.bar(
      at[0] - x * half,
      at[1] - y * half,
      at[2] - z * half,
      at[0] + x * half,
      at[1] + y * half,
      at[2] + z * half,
      radius,
      colour,
    );
  }
}

export class BodyFrames {
  constructor(scene, poses, size) {
    this.poses = poses;
    this.length = 0.12 * size;
    this.pool = new Pool('rod', poses.count * 3);
    this.group = this.pool.mesh;
    this.end = new Float64Array(3);
  }

  update() {
    if (!this.group.visible) return;
    const { p, R } = this.poses;
    this.pool.begin();
    for (let b = 0; b < this.poses.count; b++)
      for (let k = 0; k < 3; k++) {
        const s = this.length;
        const r = 9 * b + k;
        const o = 3 * b;
        this.pool.bar(
          p[o],
          p[o + 1],
          p[o + 2],
          p[o] + s * R[r],
          p[o + 1] + s * R[r + 3],
          p[o + 2] + s * R[r + 6],
          s * 0.035,
          AXES[k],
        );
      }
    this.pool.end();
  }
}

// Outer races as rings at both ends of their length.
export class Clearances {
  constructor(scene, poses, size) {
    this.poses = poses;
    this.least = 0.02 * size; // play is often too small to be seen
    this.list = scene.clearances ?? [];
    this.pool = new Pool('ring', this.list.length * 2);
    this.group = this.pool.mesh;
    this.at = new Float64Array(3);
    this.along = new Float64Array(3);
    this.colour = rgb('#a97900');
  }

  update() {
    this.pool.begin();
    for (const c of this.list) {
      const [w, x, y, z] = c.rotation;
      this.poses.point(c.first, c.position[0], c.position[1], c.position[2], this.at);
      this.poses.direction(c.first, 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), this.along);
      const [ax, ay, az] = this.at;
      const [ux, uy, uz] = this.along;
      const r = Math.max(c.outer, this.least);
      for (const side of c.length > 0.2 * r ? [-0.5, 0.5] : [0]) {
        const s = side * (c.length || 0);
        // A ring is flat along its axis: as long as wide, so that its tube stays round.
        this.pool.bar(
          ax + ux * (s - r / 2),
          ay + uy * (s - r / 2),
          az + uz * (s - r / 2),
          ax + ux * (s + r / 2),
          ay + uy * (s + r / 2),
          az + uz * (s + r / 2),
          r,
          this.colour,
        );
      }
    }
    this.pool.end();
  }
}

export class Springs {
  constructor(scene, poses, size) {
    this.poses = poses;
    this.size = size;
    this.list = scene.springs ?? [];
    const geometry = new THREE.BufferGeometry();
    this.array = new Float32Array(this.list.length * (2 * TURNS + 1) * 2 * 3);
    geometry.setAttribute('position', new THREE.BufferAttribute(this.array, 3).setUsage(THREE.DynamicDrawUsage));
    this.group = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: '#5f8a6b' }));
    this.group.frustumCulled = false;
    this.a = new Float64Array(3);
    this.b = new Float64Array(3);
    this.p = new Float64Array(3);
    this.q = new Float64Array(3);
  }

  update() {
    let o = 0;
    const { a, b, p, q, array } = this;
    for (const s of this.list) {
      this.poses.point(s.first, s.a[0], s.a[1], s.a[2], a);
      this.poses.point(s.second, s.b[0], s.b[1], s.b[2], b);
      p.set(a);
      for (let k = 1; k <= 2 * TURNS + 1; k++) {
        this.corner(k, q);
        array.set(p, o);
        array.set(q, o + 3);
        o += 6;
        p.set(q);
      }
    }
    this.group.geometry.attributes.position.needsUpdate = true;
  }

  // The k-th corner: on the line at both ends, else to one side and the other of it.
  corner(k, out) {
    const { a, b } = this;
    const n = 2 * TURNS + 1;
    const side = k === n ? 0 : (k % 2 ? 1 : -1) * 0.025 * this.size;
    const d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const across = Math.abs(d[2]) > 0.9 * Math.hypot(...d) ? [d[2], 0, -d[0]] : [-d[1], d[0], 0];
    const norm = Math.hypot(...across) || 1;
    for (let j = 0; j < 3; j++) out[j] = a[j] + (d[j] * k) / n + (side * across[j]) / norm;
  }
}
