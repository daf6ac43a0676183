// The ground: planes of the model with a quiet grid, or graph paper behind a planar model. Drawn around the point
// looked at, fading out, so that it never ends.
import * as THREE from 'three';
import { gridLines } from './gridlines.js';

const VERTEX = `
in vec3 position;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform mat4 frame;
uniform vec2 centre;
uniform float reach;
out vec2 place;
void main() {
  place = position.xy * reach + centre;
  gl_Position = projectionMatrix * viewMatrix * frame * vec4(place, 0.0, 1.0);
}`;

const FRAGMENT = `
precision highp float;
in vec2 place;
uniform vec2 centre;
uniform float reach;
uniform float spacing;
uniform vec3 line;
uniform vec3 fill;
uniform float opacity;
uniform vec3 background;
uniform bool opaque;
out vec4 fragment;
// w: how far a pixel reaches, in steps of the grid
float grid(vec2 x, vec2 w) {
  vec2 d = abs(fract(x - 0.5) - 0.5) / w;
  return (1.0 - min(min(d.x, d.y), 1.0)) * min(0.35 / max(w.x, w.y), 1.0);
}
void main() {
  vec2 away = (place - centre) / reach;
  float near = clamp(1.4 - 1.4 * dot(away, away), 0.0, 1.0);
  float fade = near * near;
  vec2 x = place * (1.0 / spacing);
  vec2 w = max(fwidth(x), 1e-6);
  float on = max(0.45 * grid(x, w), grid(0.2 * x, 0.2 * w));
  float a = max(on * 0.8, opacity) * fade;
  vec3 c = mix(fill, line, on);
  fragment = opaque ? vec4(mix(background, c, a), 1.0) : vec4(c, a);
}`;

// 1, 2 or 5 times a power of ten, near x
export function round(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const m = x / power;
  return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * power;
}

export class Ground {
  // frame: z is the normal; filled: a surface, otherwise lines only; behind: everything is in front of it; alone:
  // nothing shows through it, so it needs no blending, which saves a processor much; lines: the cheap kind
  constructor(frame, size, { filled = true, behind = false, alone = true, lines = false } = {}) {
    this.frame = frame;
    this.inverse = frame.clone().invert();
    this.uniforms = {
      frame: { value: frame },
      centre: { value: new THREE.Vector2() },
      reach: { value: size * 7 },
      spacing: { value: round(size / 5) },
      line: { value: new THREE.Color() },
      fill: { value: new THREE.Color() },
      opacity: { value: filled ? 0.55 : 0 },
      background: { value: new THREE.Color() },
      opaque: { value: alone },
    };
    const look = {
      transparent: !alone,
      depthWrite: false,
      depthTest: !behind,
      side: THREE.DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 2,
    };
    this.mesh = lines ? gridLines(this.uniforms, look, filled) : this.plane(look);
    this.point = new THREE.Vector3();
  }

  plane(look) {
    const mesh = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.RawShaderMaterial({
        ...look,
        glslVersion: THREE.GLSL3,
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: this.uniforms,
      }),
    );
    mesh.frustumCulled = false;
    mesh.renderOrder = -1;
    return mesh;
  }

  theme(background, line, fill) {
    this.uniforms.background.value.setRGB(...background, THREE.LinearSRGBColorSpace);
    this.uniforms.line.value.setRGB(...line, THREE.LinearSRGBColorSpace);
    this.uniforms.fill.value.setRGB(...fill, THREE.LinearSRGBColorSpace);
  }

  update(target, distance) {
    this.point.copy(target).applyMatrix4(this.inverse);
    this.uniforms.centre.value.set(this.point.x, this.point.y);
    this.uniforms.reach.value = distance * 3;
  }
}
