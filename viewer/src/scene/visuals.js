// What a model has for pictures: meshes and solids with colours of their own, which touch nothing.
import * as THREE from 'three';
import { rotation } from './poses.js';

const CREASE = Math.cos((35 * Math.PI) / 180); // of faces that meet at more than this an edge stays sharp

const ALIKE = 0.995; // cosine between two normals that are drawn as one

// A mesh whose normals are smooth but for its edges. Faces are weighted by their area.
export function creased({ vertices, triangles }) {
  const faces = triangles.length / 3;
  const normal = new Float32Array(3 * faces); // as long as twice the area
  const start = new Uint32Array(vertices.length / 3 + 1);
  for (let f = 0; f < faces; f++) {
    const [a, b, c] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
    const [ux, uy, uz] = [vertices[b] - vertices[a], vertices[b + 1] - vertices[a + 1], vertices[b + 2] - vertices[a + 2]];
    const [vx, vy, vz] = [vertices[c] - vertices[a], vertices[c + 1] - vertices[a + 1], vertices[c + 2] - vertices[a + 2]];
    normal.set([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], 3 * f);
    for (let k = 0; k < 3; k++) start[triangles[3 * f + k] + 1]++;
  }
  for (let v = 1; v < start.length; v++) start[v] += start[v - 1];
  const around = new Uint32Array(3 * faces); // faces of each vertex
  const next = start.slice();
  for (let i = 0; i < 3 * faces; i++) around[next[triangles[i]]++] = Math.floor(i / 3);
  const length = (f) => Math.hypot(normal[3 * f], normal[3 * f + 1], normal[3 * f + 2]) || 1e-30;
  // Corners of a vertex that have one normal are one: a processor draws few vertices faster.
  const position = [];
  const out = [];
  const index = new Uint32Array(3 * faces);
  const first = new Int32Array(vertices.length / 3).fill(-1);
  const other = []; // the next of the same vertex
  for (let i = 0; i < 3 * faces; i++) {
    const f = 3 * Math.floor(i / 3);
    const own = length(f / 3);
    const v = triangles[i];
    let [x, y, z] = [0, 0, 0];
    for (let k = start[v]; k < start[v + 1]; k++) {
      const g = 3 * around[k];
      const dot = normal[f] * normal[g] + normal[f + 1] * normal[g + 1] + normal[f + 2] * normal[g + 2];
      if (dot < CREASE * own * length(g / 3) && g !== f) continue;
      x += normal[g];
      y += normal[g + 1];
      z += normal[g + 2];
    }
    const size = Math.hypot(x, y, z) || 1;
    let at = first[v];
    while (at >= 0 && (x * out[3 * at] + y * out[3 * at + 1] + z * out[3 * at + 2]) / size < ALIKE) at = other[at];
    if (at < 0) {
      at = other.length;
      other.push(first[v]);
      first[v] = at;
      out.push(x / size, y / size, z / size);
      position.push(vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]);
    }
    index[i] = at;
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(position), 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(out), 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  return { geometry, edges: 0, double: true };
}

// The rows L and the place l of a mesh in its body: position + rotation (scale * turn (x - origin)).
export function placing(visual) {
  const R = new Float64Array(9);
  const T = new Float64Array(9);
  rotation(visual.rotation, 0, R, 0);
  rotation(visual.turn, 0, T, 0);
  const L = new Float64Array(9);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++)
      for (let k = 0; k < 3; k++) L[3 * i + j] += R[3 * i + k] * visual.scale[k] * T[3 * k + j];
  const o = visual.origin;
  const l = visual.position.map((x, i) => x - L[3 * i] * o[0] - L[3 * i + 1] * o[1] - L[3 * i + 2] * o[2]);
  return { L, l };
}

// How far a visual reaches from its place.
export function visualReach(scene, visual) {
  const mesh = scene.meshes[visual.mesh];
  const [ox, oy, oz] = visual.origin;
  const v = mesh.vertices;
  let most = 0;
  for (let i = 0; i < v.length; i += 3) most = Math.max(most, Math.hypot(v[i] - ox, v[i + 1] - oy, v[i + 2] - oz));
  return most * Math.max(...visual.scale.map(Math.abs));
}
