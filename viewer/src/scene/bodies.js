// Bodies of one result: their shapes; where there are none, skeletons of their joints or boxes of the same inertia.
import * as THREE from 'three';
import { BODIES, WORLD, rgb } from '../palette.js';
import { Links } from './links.js';
import { parts } from './parts.js';
import { rotation } from './poses.js';
import { Pool } from './solid.js';
import { creased, placing } from './visuals.js';

const IDENTITY = [1, 0, 0, 0];
const UNDER = ' under a picture'; // pools of shapes that are drawn on demand

// A material's own colour: white would be lost on paper, black in the dark.
function visualColour(colour) {
  return colour && colour.slice(0, 3).map((x) => 0.14 + 0.76 * x);
}

function meshShape(shape) {
  const corners = new THREE.BufferGeometry();
  corners.setAttribute('position', new THREE.BufferAttribute(new Float32Array(shape.vertices), 3));
  corners.setIndex(shape.triangles);
  const geometry = corners.toNonIndexed(); // facets keep their edges
  geometry.computeVertexNormals();
  return { geometry, edges: 0, double: true };
}

export class Bodies {
  // options: alpha, colour (all bodies alike: a ghost), size (of the scene, m)
  constructor(scene, poses, { alpha = 1, colour = null, size = 1 } = {}) {
    this.scene = scene;
    this.poses = poses;
    this.alpha = alpha;
    this.group = new THREE.Group();
    this.items = []; // of one unit shape each: pool, slot, body, L[9] (rotation times scale), l[3]
    this.pools = {};
    this.lone = [];
    this.colours = scene.bodies.map((_, b) => rgb(colour ?? BODIES[b % BODIES.length]));
    this.world = rgb(colour ?? WORLD);
    this.ghost = colour && rgb(colour);
    this.links = new Links(scene, poses, 0.03 * size);
    this.collect(size);
    this.makeRods(size);
    this.paint(-2);
  }

  collect(size) {
    // Shapes of bodies that have a picture are drawn on demand: they are hulls around it.
    this.shown = new Set((this.scene.visuals ?? []).map((v) => v.body));
    this.hidden = new THREE.Group();
    this.hidden.visible = false;
    this.group.add(this.hidden);
    this.addVisuals(size);
    for (const shape of this.scene.shapes) {
      if (shape.kind === 'plane') continue;
      if (this.alpha < 1 && shape.body < 0) continue; // the world is there once
      if (shape.kind === 'mesh') this.addMesh(shape);
      else for (const part of parts(shape, size * 0.01)) this.add(shape.body, shape.position, shape.rotation, part);
    }
    for (const b of this.links.bare) {
      const { box, com } = this.scene.bodies[b];
      if (this.links.skeletons.has(b)) continue;
      // Planar bodies may have no extent across their plane: a sheet without thickness has no lit side.
      if (box)
        this.add(
          b,
          com,
          box.rotation,
          ['box', box.size.map((x) => Math.max(x, 0.006 * size)), 0],
        );
    }
    for (const [kind, list] of Object.entries(this.pools)) {
      const under = kind.endsWith(UNDER);
      const pool = new Pool(under ? kind.slice(0, -UNDER.length) : kind, list.length, under ? 0.4 : this.alpha);
      list.forEach((item, slot) => Object.assign(item, { pool, slot }));
      pool.count = list.length;
      this.pools[kind] = pool;
      (under ? this.hidden : this.group).add(pool.mesh);
    }
    this.items.push(...this.lone);
  }

  item(body, position, quaternion, scale, shift) {
    const L = new Float64Array(9);
    rotation(quaternion ?? IDENTITY, 0, L, 0);
    const l = [position[0] + L[2] * shift, position[1] + L[5] * shift, position[2] + L[8] * shift];
    for (let r = 0; r < 9; r++) L[r] *= scale[r % 3];
    return { body, L, l, pool: null, slot: 0 };
  }

  add(body, position, quaternion, [kind, scale, shift], colour = null) {
    const item = this.item(body, position, quaternion, scale, shift);
    const pool = !colour && this.shown.has(body) ? kind + UNDER : kind;
    item.colour = colour;
    (this.pools[pool] ??= []).push(item);
    this.items.push(item);
  }

  addVisuals(size) {
    const copies = new Map(); // of each mesh
    for (const visual of this.scene.visuals ?? []) {
      if (this.alpha < 1 && visual.body < 0) continue;
      const colour = this.ghost ?? visualColour(visual.colour) ?? this.colourOf(visual.body);
      if (visual.kind === 'file') copies.set(visual.mesh, [...(copies.get(visual.mesh) ?? []), { visual, colour }]);
      else for (const part of parts(visual, size * 0.01)) this.add(visual.body, visual.position, visual.rotation, part, colour);
    }
    for (const [mesh, list] of copies) {
      const pool = new Pool(creased(this.scene.meshes[mesh]), list.length, this.alpha);
      pool.count = list.length;
      list.forEach(({ visual, colour }, slot) => this.lone.push({ body: visual.body, ...placing(visual), pool, slot, colour }));
      this.group.add(pool.mesh);
    }
  }

  addMesh(shape) {
    if (!shape.triangles?.length) return;
    const item = this.item(shape.body, shape.position, shape.rotation, [1, 1, 1], 0);
    const under = this.shown.has(shape.body);
    item.pool = new Pool(meshShape(shape), 1, under ? 0.4 : this.alpha);
    item.pool.count = 1;
    this.lone.push(item);
    (under ? this.hidden : this.group).add(item.pool.mesh);
  }

  makeRods(size) {
    this.rodPool = new Pool('rod', this.links.rods.length, this.alpha);
    this.rodRadius = size * 0.012;
    // Round ends of a skeleton's rods, and a ball at the end of a limb.
    this.ends = this.links.rods.filter((rod) => this.links.skeletons.has(rod.body));
    this.ballPool = new Pool('sphere', 2 * this.ends.length, this.alpha);
    this.group.add(this.rodPool.mesh, this.ballPool.mesh);
  }

  paint(selected) {
    this.selected = selected;
    for (const item of this.items) item.pool.paint(item.slot, this.colourOf(item.body, item.colour));
    for (const pool of this.allPools()) pool.table.needsUpdate = true;
  }

  colourOf(body, own = null) {
    const c = own ?? (body < 0 ? this.world : this.colours[body]);
    return body >= 0 && body === this.selected ? c.map((x) => 0.45 * x + 0.55) : c;
  }

  allPools() {
    return [...Object.values(this.pools), ...this.lone.map((x) => x.pool)];
  }

  update() {
    const { R, p } = this.poses;
    const items = this.items;
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      const b = this.poses.slot(item.body);
      place(item.pool.data, 16 * item.slot, R, 9 * b, p, 3 * b, item.L, item.l);
    }
    for (const kind in this.pools) this.pools[kind].end();
    for (let i = 0; i < this.lone.length; i++) this.lone[i].pool.end();
    this.updateRods();
  }

  updateRods() {
    const { rods, a, b } = this.links;
    this.rodPool.begin();
    for (let i = 0; i < rods.length; i++) {
      this.links.ends(rods[i]);
      this.rodPool.bar(a[0], a[1], a[2], b[0], b[1], b[2], this.rodRadius, this.colourOf(rods[i].body));
    }
    this.rodPool.end();
    this.ballPool.begin();
    for (const rod of this.ends) {
      this.links.ends(rod);
      const colour = this.colourOf(rod.body);
      this.ballPool.ball(a[0], a[1], a[2], (rod.from ? 1 : 1.9) * this.rodRadius, colour);
      this.ballPool.ball(b[0], b[1], b[2], this.rodRadius, colour);
    }
    this.ballPool.end();
  }

  // The body under a ray, or -1.
  pick(raycaster) {
    let best = { body: -1, distance: Infinity };
    for (const item of this.items) {
      if (item.pool.mesh.parent === this.hidden && !this.hidden.visible) continue;
      const distance = item.pool.distance(raycaster, item.slot);
      if (distance < best.distance) best = { body: item.body, distance };
    }
    this.links.rods.forEach((rod, slot) => {
      const distance = this.rodPool.distance(raycaster, slot);
      if (distance < best.distance) best = { body: rod.body, distance };
    });
    return best.body;
  }
}

// The rows of a body's pose times a local one.
function place(m, o, R, r, p, q, L, l) {
  for (let i = 0; i < 3; i++) {
    const a = R[r + 3 * i];
    const b = R[r + 3 * i + 1];
    const c = R[r + 3 * i + 2];
    m[o + 4 * i] = a * L[0] + b * L[3] + c * L[6];
    m[o + 4 * i + 1] = a * L[1] + b * L[4] + c * L[7];
    m[o + 4 * i + 2] = a * L[2] + b * L[5] + c * L[8];
    m[o + 4 * i + 3] = p[q + i] + a * l[0] + b * l[1] + c * l[2];
  }
}
