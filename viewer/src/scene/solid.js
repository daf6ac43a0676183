// Solids: every body, arrow, cone and rod is an instance of a few unit shapes, drawn by one small shader. The lighting is per
// vertex and the edges are drawn by the shader, so a processor without graphics hardware can keep up.
import * as THREE from 'three';

const VERTEX = `
in vec3 position;
in vec3 normal;
in mat4 instanceMatrix;
in vec3 instanceColor;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 up;
uniform vec3 light;
out vec3 colour;
out vec3 place;
void main() {
  mat3 m = mat3(instanceMatrix);
  vec3 squares = max(vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2])), 1e-30);
  vec3 n = normalize(m * (normal / squares));
  vec4 world = instanceMatrix * vec4(position, 1.0);
  float shade = 0.62 + 0.16 * dot(n, up) + 0.34 * max(dot(n, light), 0.0);
  colour = instanceColor * shade;
  place = position;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

// edges 1: of a unit box; 2: rims of a unit cylinder, and quarters of it darker, so that rolling is seen; 3: eighths of a sphere.
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

export function material({ alpha = 1, edges = 0, double = false } = {}) {
  return new THREE.RawShaderMaterial({
    glslVersion: THREE.GLSL3,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { ...lighting, alpha: { value: alpha }, edges: { value: edges } },
    transparent: alpha < 1,
    depthWrite: alpha >= 1,
    side: double ? THREE.DoubleSide : THREE.FrontSide,
  });
}

// Unit shapes; axes along z.
export const units = {
  sphere: () => ({ geometry: new THREE.SphereGeometry(1, 16, 12).rotateX(Math.PI / 2), edges: 3 }),
  box: () => ({ geometry: new THREE.BoxGeometry(1, 1, 1), edges: 1 }),
  cylinder: () => ({ geometry: new THREE.CylinderGeometry(1, 1, 1, 28).rotateX(Math.PI / 2), edges: 2 }),
  rod: () => ({ geometry: new THREE.CylinderGeometry(1, 1, 1, 8, 1, true).rotateX(Math.PI / 2), edges: 0 }),
  head: () => ({ geometry: new THREE.ConeGeometry(1, 1, 12).rotateX(Math.PI / 2), edges: 0 }),
  cone: () => ({ geometry: new THREE.ConeGeometry(1, 1, 24, 1, true).rotateX(-Math.PI / 2), edges: 0, double: true }),
  ring: () => ({ geometry: new THREE.TorusGeometry(1, 0.06, 6, 32), edges: 0 }),
};

// Instances of one shape. `fill` writes matrices in place; nothing is allocated while time passes.
export class Pool {
  constructor(shape, capacity, alpha = 1) {
    const { geometry, edges, double } = typeof shape === 'string' ? units[shape]() : shape;
    this.mesh = new THREE.InstancedMesh(geometry, material({ alpha, edges, double }), Math.max(1, capacity));
    this.mesh.frustumCulled = false;
    this.mesh.matrixAutoUpdate = false;
    this.mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(Math.max(1, capacity) * 3).fill(0.7), 3);
    this.mesh.count = 0;
    this.mesh.pool = this;
    this.matrix = this.mesh.instanceMatrix.array;
    this.colour = this.mesh.instanceColor.array;
    this.capacity = capacity;
    this.count = 0;
    if (alpha < 1) this.mesh.renderOrder = 2;
  }

  paint(slot, c) {
    this.colour[3 * slot] = c[0];
    this.colour[3 * slot + 1] = c[1];
    this.colour[3 * slot + 2] = c[2];
  }

  begin() {
    this.count = 0;
  }

  // A shape whose z goes from a to b, `radius` wide.
  bar(ax, ay, az, bx, by, bz, radius, c) {
    if (this.count >= this.capacity) return;
    const slot = this.count++;
    const m = this.matrix;
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
    m[o + 1] = py * radius;
    m[o + 2] = pz * radius;
    m[o + 3] = 0;
    m[o + 4] = (uy * pz - uz * py) * radius;
    m[o + 5] = (uz * px - ux * pz) * radius;
    m[o + 6] = (ux * py - uy * px) * radius;
    m[o + 7] = 0;
    m[o + 8] = zx;
    m[o + 9] = zy;
    m[o + 10] = zz;
    m[o + 11] = 0;
    m[o + 12] = (ax + bx) / 2;
    m[o + 13] = (ay + by) / 2;
    m[o + 14] = (az + bz) / 2;
    m[o + 15] = 1;
    this.paint(slot, c);
  }

  ball(x, y, z, radius, c) {
    if (this.count >= this.capacity) return;
    const slot = this.count++;
    const m = this.matrix;
    const o = slot * 16;
    m.fill(0, o, o + 16);
    m[o] = m[o + 5] = m[o + 10] = radius;
    m[o + 12] = x;
    m[o + 13] = y;
    m[o + 14] = z;
    m[o + 15] = 1;
    this.paint(slot, c);
  }

  end() {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor.needsUpdate = true;
  }
}
