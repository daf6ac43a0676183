// Beams as tubes through their nodes. Deformation is told from the rigid motion of the first node, and can be magnified.
import * as THREE from 'three';
import { BODIES, rgb } from '../palette.js';
import { Pool } from './solid.js';

const PER_ELEMENT = 4; // rings of the tube between two nodes

function multiply(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

function conjugate(q) {
  return [q[0], -q[1], -q[2], -q[3]];
}

function turn(q, v) {
  const [w, x, y, z] = q;
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

// The rotation by `factor` times the angle of q.
function times(q, factor) {
  const s = Math.hypot(q[1], q[2], q[3]);
  if (s < 1e-12) return [1, 0, 0, 0];
  const half = Math.atan2(s, Math.abs(q[0])) * factor;
  const sign = q[0] < 0 ? -1 : 1;
  const k = (sign * Math.sin(half)) / s;
  return [Math.cos(half), q[1] * k, q[2] * k, q[3] * k];
}

const poseAt = (array, i) => ({
  p: [array[i], array[i + 1], array[i + 2]],
  q: [array[i + 3], array[i + 4], array[i + 5], array[i + 6]],
});

class Beam {
  constructor(beam, colour, alpha, least) {
    this.beam = { ...beam, size: beam.size.map((x) => Math.max(x, least)) }; // ropes are seen, too
    this.sides = beam.round ? 10 : 4;
    this.rings = (beam.nodes.length - 1) * PER_ELEMENT + 1;
    // A square section has each corner twice, so that its edges stay sharp.
    this.around = beam.round ? this.sides : 8;
    this.section = this.makeSection();
    const count = this.rings * this.around;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(count * 3), 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(count * 3), 3));
    geometry.setIndex(this.faces());
    this.pool = new Pool({ geometry, edges: 0, double: true }, 1, alpha); // one copy, at its place already
    this.pool.ball(0, 0, 0, 1, colour);
    this.pool.end();
    this.mesh = this.pool.mesh;
    this.rest = this.beam.nodes.map((_, i) => poseAt(beam.rest, 7 * i));
  }

  makeSection() {
    const [a, b] = this.beam.size.map((x) => x / 2);
    const out = [];
    if (this.beam.round)
      for (let k = 0; k < this.sides; k++) {
        const angle = (2 * Math.PI * k) / this.sides;
        out.push([a * Math.cos(angle), b * Math.sin(angle), Math.cos(angle), Math.sin(angle)]);
      }
    else
      for (const [ny, nz] of [
        [1, 0],
        [0, 1],
        [-1, 0],
        [0, -1],
      ])
        for (const side of [-1, 1]) out.push([a * (ny - side * nz), b * (nz + side * ny), ny, nz]);
    return out;
  }

  faces() {
    const index = [];
    const n = this.around;
    for (let r = 0; r + 1 < this.rings; r++)
      for (let k = 0; k < n; k += this.beam.round ? 1 : 2) {
        const a = r * n + k;
        const b = r * n + ((k + 1) % n);
        index.push(a, b, a + n, b, b + n, a + n);
      }
    return index;
  }

  // Poses of the nodes with their deformation times `factor`.
  shown(now, factor) {
    const nodes = this.beam.nodes;
    const here = nodes.map((b) => poseAt(now, 7 * b));
    if (factor === 1 || !this.rest.length) return here;
    const turned = multiply(here[0].q, conjugate(this.rest[0].q));
    return here.map((x, i) => {
      const from = turn(
        turned,
        this.rest[i].p.map((v, j) => v - this.rest[0].p[j]),
      );
      const rigid = { p: from.map((v, j) => v + here[0].p[j]), q: multiply(turned, this.rest[i].q) };
      const bend = times(multiply(x.q, conjugate(rigid.q)), factor);
      return { p: rigid.p.map((v, j) => v + factor * (x.p[j] - v)), q: multiply(bend, rigid.q) };
    });
  }

  update(now, factor) {
    const shown = this.shown(now, factor);
    const position = this.mesh.geometry.attributes.position;
    const normal = this.mesh.geometry.attributes.normal;
    let ring = 0;
    for (let i = 0; i + 1 < shown.length; i++)
      for (let k = 0; k < PER_ELEMENT; k++)
        this.ring(ring++, shown[i], shown[i + 1], k / PER_ELEMENT, position.array, normal.array);
    this.ring(ring, shown[shown.length - 2], shown[shown.length - 1], 1, position.array, normal.array);
    position.needsUpdate = normal.needsUpdate = true;
  }

  // Between two nodes: Hermite's curve, whose ends point along the sections' normals.
  ring(index, a, b, s, position, normal) {
    const length = Math.hypot(b.p[0] - a.p[0], b.p[1] - a.p[1], b.p[2] - a.p[2]);
    const along =
      Math.sign(
        turn(
          conjugate(a.q),
          b.p.map((v, j) => v - a.p[j]),
        )[0],
      ) || 1;
    const ta = turn(a.q, [along * length, 0, 0]);
    const tb = turn(b.q, [along * length, 0, 0]);
    const h0 = (1 + 2 * s) * (1 - s) * (1 - s);
    const h1 = s * (1 - s) * (1 - s);
    const h2 = s * s * (3 - 2 * s);
    const h3 = s * s * (s - 1);
    const dot = a.q.reduce((sum, x, j) => sum + x * b.q[j], 0);
    const q = a.q.map((x, j) => (1 - s) * x + (dot < 0 ? -s : s) * b.q[j]);
    const norm = Math.hypot(...q);
    const y = turn(
      q.map((x) => x / norm),
      [0, 1, 0],
    );
    const z = turn(
      q.map((x) => x / norm),
      [0, 0, 1],
    );
    let o = index * this.around * 3;
    for (const [cy, cz, ny, nz] of this.section)
      for (let j = 0; j < 3; j++, o++) {
        position[o] = h0 * a.p[j] + h1 * ta[j] + h2 * b.p[j] + h3 * tb[j] + cy * y[j] + cz * z[j];
        normal[o] = ny * y[j] + nz * z[j];
      }
  }
}

export class Beams {
  constructor(scene, { alpha = 1, colour = null, size = 1 } = {}) {
    this.group = new THREE.Group();
    this.factor = 1;
    this.list = (scene.beams ?? [])
      .filter((beam) => beam.nodes.length > 1)
      .map((beam, i) => new Beam(beam, rgb(colour ?? BODIES[(i + 3) % BODIES.length]), alpha, 0.012 * size));
    for (const beam of this.list) this.group.add(beam.mesh);
  }

  update(now) {
    for (const beam of this.list) beam.update(now, this.factor);
  }
}
