// Solids: every body, arrow, cone and rod is a copy of one of a few unit shapes, drawn by one small shader. All copies
// of a shape are one draw call: they lie in one buffer, and their places are read from a texture. (Instanced drawing
// would do on graphics hardware; drawn by a processor each instance costs as much as a call of its own, some 50 us.)
// Lighting is per vertex.
import * as THREE from 'three';

// A copy's entry: the three rows of its matrix, then its colour.
const VERTEX = `
in vec3 position;
in vec3 normal;
in float slot;
uniform highp sampler2D table;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 up;
uniform vec3 light;
out vec3 colour;
out vec3 place;
void main() {
  int k = int(slot);
  ivec2 at = ivec2((k & 63) * 4, k >> 6);
  vec4 a = texelFetch(table, at, 0);
  vec4 b = texelFetch(table, at + ivec2(1, 0), 0);
  vec4 c = texelFetch(table, at + ivec2(2, 0), 0);
  vec3 squares = max(a.xyz * a.xyz + b.xyz * b.xyz + c.xyz * c.xyz, 1e-30);
  vec3 m = normal / squares;
  vec3 n = normalize(vec3(dot(a.xyz, m), dot(b.xyz, m), dot(c.xyz, m)));
  vec4 p = vec4(position, 1.0);
  float shade = 0.62 + 0.16 * dot(n, up) + 0.34 * max(dot(n, light), 0.0);
  colour = texelFetch(table, at + ivec2(3, 0), 0).xyz * shade;
  place = position;
  gl_Position = projectionMatrix * viewMatrix * vec4(dot(a, p), dot(b, p), dot(c, p), 1.0);
}`;

// Arrows where there are very many: ribbons that face the eye, three triangles each. The last number of a copy's colour
// says where along it the head begins; position.z is 0 at the start, 1 there, 2 at the tip.
const RIBBON = `
in vec3 position;
in float slot;
uniform highp sampler2D table;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
out vec3 colour;
out vec3 place;
void main() {
  int k = int(slot);
  ivec2 at = ivec2((k & 63) * 4, k >> 6);
  vec4 a = texelFetch(table, at, 0);
  vec4 b = texelFetch(table, at + ivec2(1, 0), 0);
  vec4 c = texelFetch(table, at + ivec2(2, 0), 0);
  vec4 q = texelFetch(table, at + ivec2(3, 0), 0);
  vec3 d = vec3(a.z, b.z, c.z);
  float along = position.z > 1.5 ? 0.5 : position.z * q.w - 0.5;
  vec3 p = (viewMatrix * vec4(vec3(a.w, b.w, c.w) + along * d, 1.0)).xyz;
  vec3 across = cross(mat3(viewMatrix) * d, p);
  float width = length(vec3(a.x, b.x, c.x)) / max(length(across), 1e-30);
  colour = q.xyz;
  place = position;
  gl_Position = projectionMatrix * vec4(p + across * (width * position.x), 1.0);
}`;

// edges 1: of a unit box; 2: rims of a unit cylinder, and quarters of it darker, so that rolling is seen; 3: eighths of
// a sphere.
const FRAGMENT = `
precision highp float;
in vec3 colour;
in vec3 place;
uniform float alpha;
uniform int edges;
out vec4 fragment;
void main() {
  vec3 c = colour;
  if (edges == 1) {
    vec3 d = (0.5 - abs(place)) / max(fwidth(place), 1e-6);
    float middle = max(min(d.x, d.y), min(max(d.x, d.y), d.z));
    c *= mix(0.68, 1.0, smoothstep(0.6, 1.4, middle));
  } else if (edges == 2) {
    if (place.x * place.y > 0.0) c *= 0.86;
    float r = length(place.xy);
    float rim = min((1.0 - r) / max(fwidth(r), 1e-6), 1e6);
    float end = (0.5 - abs(place.z)) / max(fwidth(place.z), 1e-6);
    c *= mix(0.7, 1.0, smoothstep(0.6, 1.4, max(rim, end)));
  } else if (edges == 3) {
    if (place.x * place.y * place.z > 0.0) c *= 0.88;
  }
  fragment = vec4(c, alpha);
}`;

// Shared by all materials, so that one assignment relights the scene.
export const lighting = { up: { value: new THREE.Vector3(0, 0, 1) }, light: { value: new THREE.Vector3(0.3, -0.45, 0.84) } };

function material(table, { alpha = 1, edges = 0, double = false, ribbon = false } = {}) {
  return new THREE.RawShaderMaterial({
    glslVersion: THREE.GLSL3,
    vertexShader: ribbon ? RIBBON : VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { ...lighting, table: { value: table }, alpha: { value: alpha }, edges: { value: edges } },
    transparent: alpha < 1,
    depthWrite: alpha >= 1,
    polygonOffset: alpha < 1, // a ghost that coincides with its body stays behind it
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 4,
    side: double ? THREE.DoubleSide : THREE.FrontSide,
  });
}

export const HEAD = 2.6; // width of an arrow's head, in those of its shaft

// Unit shapes; axes along z. Where there are many, each has fewer sides: a processor draws about a triangle in a
// microsecond.
function ribbon() {
  const geometry = new THREE.BufferGeometry();
  const corners = [-1, 0, 0, 1, 0, 0, 1, 0, 1, -1, 0, 1, -HEAD, 0, 1, HEAD, 0, 1, 0, 0, 2];
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(corners), 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(corners.length), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3, 4, 5, 6]);
  return geometry;
}
const upright = (geometry) => geometry.rotateX(Math.PI / 2);
export const units = {
  sphere: (many) => ({
    geometry: upright(many ? new THREE.SphereGeometry(1, 12, 8) : new THREE.SphereGeometry(1, 20, 14)),
    edges: 3,
  }),
  box: () => ({ geometry: new THREE.BoxGeometry(1, 1, 1), edges: 1 }),
  cylinder: (many) => ({ geometry: upright(new THREE.CylinderGeometry(1, 1, 1, many ? 16 : 36)), edges: 2 }),
  dot: () => ({ geometry: new THREE.OctahedronGeometry(1), edges: 0 }),
  rod: (many) => ({ geometry: upright(new THREE.CylinderGeometry(1, 1, 1, many ? 3 : 8, 1, true)), edges: 0 }),
  head: (many) => ({ geometry: upright(new THREE.ConeGeometry(1, 1, many ? 4 : 10, 1, true)), edges: 0 }),
  arrow: () => ({ geometry: ribbon(), edges: 0, double: true, ribbon: true }),
  cone: (many) => ({
    geometry: new THREE.ConeGeometry(1, 1, many ? 12 : 28, 1, true).rotateX(-Math.PI / 2),
    edges: 0,
    double: true,
  }),
  ring: () => ({ geometry: new THREE.TorusGeometry(1, 0.03, 6, 40), edges: 0 }),
};
const MANY = 24;
export const CROWD = 120; // arrows are ribbons from here on

// `count` copies of a geometry, one behind the other, each vertex with the number of its copy.
function copies(geometry, count) {
  const source = geometry.index ? geometry : mergeless(geometry);
  const n = source.attributes.position.count;
  const m = source.index.count;
  const out = new THREE.BufferGeometry();
  for (const name of ['position', 'normal']) {
    const array = new Float32Array(n * 3 * count);
    for (let k = 0; k < count; k++) array.set(source.attributes[name].array, k * n * 3);
    out.setAttribute(name, new THREE.BufferAttribute(array, 3));
  }
  const slot = new Float32Array(n * count);
  const index = new Uint32Array(m * count);
  for (let k = 0; k < count; k++) {
    slot.fill(k, k * n, (k + 1) * n);
    for (let i = 0; i < m; i++) index[k * m + i] = source.index.array[i] + k * n;
  }
  out.setAttribute('slot', new THREE.BufferAttribute(slot, 1));
  out.setIndex(new THREE.BufferAttribute(index, 1));
  return out;
}

function mergeless(geometry) {
  geometry.setIndex(Array.from({ length: geometry.attributes.position.count }, (_, i) => i));
  return geometry;
}

// Copies of one shape. Entries are written in place; nothing is allocated while time passes.
export class Pool {
  constructor(shape, capacity, alpha = 1) {
    const { geometry, edges, double, ribbon } = typeof shape === 'string' ? units[shape](capacity > MANY) : shape;
    const room = Math.max(1, capacity);
    this.unit = geometry;
    this.capacity = capacity;
    this.count = 0;
    this.data = new Float32Array(Math.ceil(room / 64) * 64 * 16);
    this.table = new THREE.DataTexture(this.data, 256, Math.ceil(room / 64), THREE.RGBAFormat, THREE.FloatType);
    this.table.needsUpdate = true;
    this.mesh = new THREE.Mesh(copies(geometry, room), material(this.table, { alpha, edges, double, ribbon }));
    this.perCopy = this.mesh.geometry.index.count / room;
    this.mesh.frustumCulled = false;
    this.mesh.matrixAutoUpdate = false;
    this.mesh.geometry.setDrawRange(0, 0);
    if (alpha < 1) this.mesh.renderOrder = 2;
  }

  paint(slot, c) {
    const o = 16 * slot + 12;
    this.data[o] = c[0];
    this.data[o + 1] = c[1];
    this.data[o + 2] = c[2];
  }

  begin() {
    this.count = 0;
  }

  // A shape whose z goes from a to b, `radius` wide.
  bar(ax, ay, az, bx, by, bz, radius, c) {
    if (this.count >= this.capacity) return;
    const slot = this.count++;
    const m = this.data;
    const o = slot * 16;
    const zx = bx - ax;
    const zy = by - ay;
    const zz = bz - az;
    const length = Math.sqrt(zx * zx + zy * zy + zz * zz);
    const inverse = length > 0 ? 1 / length : 0;
    const ux = zx * inverse;
    const uy = zy * inverse;
    const uz = length > 0 ? zz * inverse : 1;
    // Some unit vector across, and the third.
    let px;
    let py;
    let pz;
    if (Math.abs(uz) < 0.9) {
      const s = 1 / Math.sqrt(ux * ux + uy * uy);
      px = -uy * s;
      py = ux * s;
      pz = 0;
    } else {
      const s = 1 / Math.sqrt(uy * uy + uz * uz);
      px = 0;
      py = -uz * s;
      pz = uy * s;
    }
    m[o] = px * radius;
    m[o + 1] = (uy * pz - uz * py) * radius;
    m[o + 2] = zx;
    m[o + 3] = (ax + bx) / 2;
    m[o + 4] = py * radius;
    m[o + 5] = (uz * px - ux * pz) * radius;
    m[o + 6] = zy;
    m[o + 7] = (ay + by) / 2;
    m[o + 8] = pz * radius;
    m[o + 9] = (ux * py - uy * px) * radius;
    m[o + 10] = zz;
    m[o + 11] = (az + bz) / 2;
    this.paint(slot, c);
  }

  // A ribbon whose head begins at the part t of it.
  arrow(ax, ay, az, bx, by, bz, radius, c, t) {
    if (this.count >= this.capacity) return;
    this.data[16 * this.count + 15] = t;
    this.bar(ax, ay, az, bx, by, bz, radius, c);
  }

  ball(x, y, z, radius, c) {
    if (this.count >= this.capacity) return;
    const slot = this.count++;
    const m = this.data;
    const o = slot * 16;
    m.fill(0, o, o + 12);
    m[o] = m[o + 5] = m[o + 10] = radius;
    m[o + 3] = x;
    m[o + 7] = y;
    m[o + 11] = z;
    this.paint(slot, c);
  }

  end() {
    this.mesh.geometry.setDrawRange(0, this.count * this.perCopy);
    if (this.count) this.table.needsUpdate = true;
  }

  // Where a ray meets a copy, as a distance; Infinity where it does not.
  distance(raycaster, slot) {
    const d = this.data;
    const o = 16 * slot;
    Pool.probe ??= new THREE.Mesh(undefined, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
    Pool.probe.geometry = this.unit;
    Pool.probe.matrixWorld.set(
      d[o],
      d[o + 1],
      d[o + 2],
      d[o + 3],
      d[o + 4],
      d[o + 5],
      d[o + 6],
      d[o + 7],
      d[o + 8],
      d[o + 9],
      d[o + 10],
      d[o + 11],
      0,
      0,
      0,
      1,
    );
    const hits = [];
    Pool.probe.raycast(raycaster, hits);
    return Math.min(Infinity, ...hits.map((h) => h.distance));
  }
}
