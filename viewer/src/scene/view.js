// The scene of a page: makes the renderer and everything in it, moves it to a time, and says what is under a pointer.
import * as THREE from 'three';
import { GHOSTS, rgb } from '../palette.js';
import { Beams } from './beams.js';
import { Bodies } from './bodies.js';
import { bounds } from './bounds.js';
import { Compass } from './compass.js';
import { Contacts } from './contacts.js';
import { Ground } from './ground.js';
import { BodyFrames, Clearances, Joints, Springs } from './joints.js';
import { Labels } from './labels.js';
import { Orbit } from './orbit.js';
import { Poses, rotation } from './poses.js';
import { CROWD, lighting } from './solid.js';

// Whether a processor draws in place of graphics hardware.
function software(context) {
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

function contextOf(canvas, antialias) {
  return canvas.getContext('webgl2', {
    alpha: false,
    depth: true,
    stencil: false,
    antialias,
    powerPreference: 'high-performance',
  });
}

// Smoothing of edges is decided when a context is made, and each sample would cost a processor's time: hardware gets a
// canvas of its own after the first one told what draws.
function makeRenderer(first) {
  let canvas = first;
  let context = contextOf(canvas, false);
  if (!context) return null;
  const slow = software(context);
  if (!slow) {
    const second = first.cloneNode();
    const smooth = contextOf(second, true);
    if (smooth) {
      context.getExtension('WEBGL_lose_context')?.loseContext();
      first.replaceWith(second);
      canvas = second;
      context = smooth;
    }
  }
  const renderer = new THREE.WebGLRenderer({ canvas, context });
  renderer.outputColorSpace = THREE.SRGBColorSpace;
  renderer.debug.checkShaderErrors = false; // asking waits for the compiler; tests look at what is drawn
  return { canvas, renderer, software: slow };
}

function upAxis(gravity, planar) {
  const sizes = gravity.map(Math.abs);
  const k = sizes.indexOf(Math.max(...sizes));
  if (sizes[k] > 0 && gravity[k] < 0) return 'xyz'[k];
  return planar === 'xy' && sizes[1] > 0 ? 'y' : 'z';
}

function frameOf(position, quaternion) {
  const m = new Float64Array(9);
  rotation(quaternion, 0, m, 0);
  return new THREE.Matrix4().set(
    m[0],
    m[1],
    m[2],
    position[0],
    m[3],
    m[4],
    m[5],
    position[1],
    m[6],
    m[7],
    m[8],
    position[2],
    0,
    0,
    0,
    1,
  );
}

// One result in the scene.
class Layer {
  constructor(result, size, ghost) {
    this.result = result;
    this.frames = result.frames;
    this.poses = new Poses(result.scene.bodies.length);
    this.poses.set(this.frames.sample(this.frames.t[0]));
    const look = ghost ? { alpha: 0.3, colour: GHOSTS[result.index % GHOSTS.length] } : {};
    this.bodies = new Bodies(result.scene, this.poses, { ...look, size });
    this.beams = new Beams(result.scene, { ...look, size });
    this.group = new THREE.Group();
    this.group.add(this.bodies.group, this.beams.group);
  }

  update(time) {
    const now = this.frames.sample(time);
    this.poses.set(now);
    this.bodies.update();
    this.beams.update(now);
    return now;
  }
}

export class SceneView {
  // Throws where there is nothing to draw, or no way to draw it.
  constructor(place, overlay, results, changed) {
    const main = results[0];
    if (!main.frames)
      throw new Error('This result holds no scene: it was written without one. Plots and tables show all that is there.');
    const made = makeRenderer(place);
    if (!made)
      throw new Error('This browser draws no WebGL 2, so the scene cannot be shown. Plots and tables show all that is there.');
    Object.assign(this, made, { main, changed, scene: new THREE.Scene(), follow: -1, selected: -1, ratio: 0 });
    this.description = main.scene;
    const { start, whole } = bounds(main.scene, main.frames);
    this.roams = whole.radius > 2.2 * start.radius; // it goes far away from where it starts
    this.box = this.roams ? start : whole;
    this.size = this.box.radius;
    this.makeLayers(results);
    this.makeExtras(main, overlay);
    this.makeGround(main.scene, whole);
    this.orbit = new Orbit(this.canvas, upAxis(main.scene.gravity, main.scene.planar), changed);
    this.orbit.size = this.size;
    lighting.up.value.copy(this.orbit.basis[2]);
    this.home();
  }

  makeLayers(results) {
    this.layers = results.filter((r) => r.frames).map((r) => new Layer(r, this.size, r.index > 0));
    for (const layer of this.layers) this.scene.add(layer.group);
  }

  makeExtras(main, overlay) {
    const { poses } = this.layers[0];
    this.contacts = new Contacts(
      main.frames,
      main.scene,
      this.size,
      'xyz'.indexOf(upAxis(main.scene.gravity, main.scene.planar)),
    );
    this.joints = new Joints(main, poses, this.size);
    this.axes = new BodyFrames(main.scene, poses, this.size);
    this.axes.group.visible = false;
    this.clearances = new Clearances(main.scene, poses, this.size);
    this.springs = new Springs(main.scene, poses, this.size);
    this.labels = new Labels(overlay, main.scene, poses);
    this.compass = new Compass();
    this.trail = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: '#2b6cb0' }));
    this.trail.frustumCulled = false;
    this.trail.visible = false;
    this.scene.add(
      this.contacts.group,
      this.joints.group,
      this.axes.group,
      this.clearances.group,
      this.springs.group,
      this.trail,
    );
  }

  makeGround(scene, whole) {
    const planes = scene.shapes.filter((s) => s.kind === 'plane' && s.body < 0);
    const alone = planes.length === 1 && !scene.planar;
    const lines = this.software && (scene.bodies.length > CROWD / 2 || this.contacts.crowd);
    this.grounds = planes.map((s) => new Ground(frameOf(s.position, s.rotation), this.size, { alone, lines }));
    if (scene.planar) {
      const q = { xy: [1, 0, 0, 0], xz: [Math.SQRT1_2, Math.SQRT1_2, 0, 0], yz: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] }[
        scene.planar
      ];
      this.grounds.unshift(new Ground(frameOf([0, 0, 0], q), this.size, { filled: false, behind: true, lines }));
    } else if (!this.grounds.length) {
      const up = upAxis(scene.gravity, null);
      const k = 'xyz'.indexOf(up);
      const q = { z: [1, 0, 0, 0], y: [Math.SQRT1_2, Math.SQRT1_2, 0, 0], x: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] }[up];
      this.grounds.push(
        new Ground(
          frameOf(
            [0, 0, 0].map((_, j) => (j === k ? whole.low[k] : 0)),
            q,
          ),
          this.size,
          { filled: false, lines },
        ),
      );
    }
    for (const g of this.grounds) this.scene.add(g.mesh);
  }

  home() {
    const { orbit, description } = this;
    orbit.turn = -1.05;
    orbit.tilt = 0.38;
    if (description.planar) orbit.lookPlanar(description.planar);
    this.fit();
    this.setFollow(this.roams ? this.heaviest() : -1);
    // What fits is the start: from there on the view moves as the body does.
    if (this.follow >= 0) this.followed = [...this.path.subarray(0, 3)];
    this.changed();
  }

  // How far away, and looking where, everything fits the view in the direction it is looked in now.
  fit() {
    const { orbit, box } = this;
    orbit.axes();
    const aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight) || 1.6;
    const tall = Math.tan((orbit.camera.fov * Math.PI) / 360);
    const axes = [orbit.right, orbit.upward, orbit.back];
    const centre = box.centre;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < box.spheres.length; i += 4)
      axes.forEach((e, k) => {
        const d =
          e.x * (box.spheres[i] - centre[0]) + e.y * (box.spheres[i + 1] - centre[1]) + e.z * (box.spheres[i + 2] - centre[2]);
        low[k] = Math.min(low[k], d - box.spheres[i + 3]);
        high[k] = Math.max(high[k], d + box.spheres[i + 3]);
      });
    const [x, y, z] = low.map((v, k) => (v + high[k]) / 2);
    orbit.target
      .set(...centre)
      .addScaledVector(axes[0], x)
      .addScaledVector(axes[1], y)
      .addScaledVector(axes[2], z);
    const need = Math.max((high[0] - low[0]) / aspect, high[1] - low[1]) / (2 * tall);
    orbit.distance = Math.max(this.size * 0.05, need * 1.16 + (high[2] - low[2]) / 2);
  }

  heaviest() {
    const masses = this.description.bodies.map((b) => b.mass);
    return masses.indexOf(Math.max(...masses));
  }

  setFollow(body) {
    this.follow = body;
    this.followed = null;
    this.makeTrail();
    this.changed();
  }

  makeTrail() {
    const { main, follow } = this;
    if (follow < 0) return;
    const { frames } = main;
    const place = new Float32Array(frames.count * 3);
    const poses = new Poses(1);
    const com = this.description.bodies[follow].com;
    for (let k = 0; k < frames.count; k++) {
      const o = (k * frames.bodies + follow) * 7;
      poses.set(frames.pose.subarray(o, o + 7));
      poses.point(0, com[0], com[1], com[2], place, 3 * k);
    }
    this.trail.geometry.setAttribute('position', new THREE.BufferAttribute(place, 3));
    this.path = place;
  }

  theme({ background, line, fill, trail }) {
    this.renderer.setClearColor(background);
    for (const g of this.grounds) g.theme(rgb(background), rgb(line), rgb(fill));
    this.trail.material.color.set(trail);
    this.changed();
  }

  // Pixels: as the screen has them, fewer where drawing is slow.
  resize(scale = 1) {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    const ratio = (this.sharpness ?? Math.min(this.software ? 1 : 2, window.devicePixelRatio || 1)) * scale;
    if (!width || !height || (width === this.width && height === this.height && ratio === this.ratio)) return;
    const first = !this.width;
    Object.assign(this, { width, height, ratio });
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    if (first) this.home();
  }

  update(time) {
    for (const layer of this.layers) if (layer.group.visible) layer.update(time);
    this.contacts.update(time);
    this.joints.update(time);
    this.axes.update();
    this.clearances.update();
    this.springs.update();
    this.followBody();
    this.orbit.update(this.width / this.height);
    for (const g of this.grounds) g.update(this.orbit.target, this.orbit.distance);
    this.labels.update(this.orbit.camera, this.width, this.height);
    this.compass.update(this.orbit, this.height);
  }

  followBody() {
    if (this.follow < 0) return;
    const { poses, frames } = this.layers[0];
    const com = this.description.bodies[this.follow].com;
    this.spot ??= new Float64Array(3);
    poses.point(this.follow, com[0], com[1], com[2], this.spot);
    const [x, y, z] = this.spot;
    if (this.followed) this.orbit.target.add(new THREE.Vector3(x - this.followed[0], y - this.followed[1], z - this.followed[2]));
    else this.orbit.target.set(x, y, z);
    this.followed = [x, y, z];
    this.trail.geometry.setDrawRange(0, frames.index + 1);
  }

  render() {
    this.renderer.render(this.scene, this.orbit.camera);
  }

  // The body at a place of the window, or -1.
  pick(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.orbit.camera);
    return this.layers[0].bodies.pick(ray);
  }

  select(body) {
    this.selected = body;
    this.layers[0].bodies.paint(body);
    this.changed();
  }
}
