// The ground as lines and a disc, coloured at their corners: for a processor that also has very many bodies to draw. Asking
// every pixel whether it lies on a line (ground.js) costs it several times as much.
import * as THREE from 'three';

const FAR = 40; // steps of the grid to each side that every fifth line reaches
const CLOSE = 15; // and all the others

// position.z: how much of a line it is (0 of the fill); flat places are in steps of the grid, or in parts of the reach
const VERTEX = `
in vec3 position;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform mat4 frame;
uniform vec2 centre;
uniform float reach;
uniform float spacing;
uniform vec3 line;
uniform vec3 fill;
uniform float opacity;
uniform vec3 background;
uniform bool opaque;
out vec4 colour;
void main() {
  float on = position.z;
  float far = min(reach, spacing * ${FAR}.0);
  vec2 middle = on > 0.0 ? floor(centre / (5.0 * spacing) + 0.5) * 5.0 * spacing : centre;
  vec2 place = middle + position.xy * (on > 0.0 ? spacing : far);
  vec2 away = (place - centre) / (on > 0.0 && on < 0.5 ? min(far, spacing * ${CLOSE - 2}.0) : far);
  float near = clamp(1.4 - 1.4 * dot(away, away), 0.0, 1.0);
  float a = max(on * 0.8, opacity) * near * near;
  float under = on > 0.0 ? opacity * near * near : 0.0;
  vec3 c = mix(fill, line, on);
  vec3 behind = mix(background, fill, under);
  colour = opaque ? vec4(mix(behind, c, a), 1.0) : vec4(c, a);
  gl_Position = projectionMatrix * viewMatrix * frame * vec4(place, 0.0, 1.0);
}`;

const FRAGMENT = `
precision highp float;
in vec4 colour;
out vec4 fragment;
void main() {
  fragment = colour;
}`;

function points(list) {
  return new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(list), 3));
}

// One line of the grid in pieces, so that it can fade.
function pieces(out, at, half, count, on) {
  for (let k = 0; k < count; k++)
    for (const e of [k, k + 1]) out.push(at, half * ((2 * e) / count - 1), on);
  for (let k = 0; k < count; k++)
    for (const e of [k, k + 1]) out.push(half * ((2 * e) / count - 1), at, on);
}

function lines() {
  const out = [];
  for (let i = -CLOSE; i <= CLOSE; i++) if (i % 5) pieces(out, i, CLOSE, 6, 0.45);
  for (let i = -FAR; i <= FAR; i += 5) pieces(out, i, FAR, 10, 1);
  return points(out);
}

function disc() {
  const ring = new THREE.RingGeometry(0, 1, 20, 4); // flat in z, so nothing of a line
  ring.deleteAttribute('normal');
  ring.deleteAttribute('uv');
  return ring;
}

// uniforms and look as of the ground that it stands for
export function gridLines(uniforms, look, filled) {
  const material = new THREE.RawShaderMaterial({
    ...look,
    glslVersion: THREE.GLSL3,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms,
  });
  const grid = new THREE.LineSegments(lines(), material);
  grid.renderOrder = -1;
  const group = new THREE.Group();
  if (filled) {
    const mesh = new THREE.Mesh(disc(), material);
    mesh.renderOrder = -2;
    mesh.frustumCulled = false;
    group.add(mesh);
  }
  grid.frustumCulled = false;
  group.add(grid);
  return group;
}
