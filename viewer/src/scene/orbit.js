// The camera: orbits, pans and zooms around a target with mouse, fingers or keys. Angles are kept, not an up vector, so
// looking straight down is as good as any other view.
import * as THREE from 'three';

const LIMIT = Math.PI / 2;

export class Orbit {
  // up: 'x' | 'y' | 'z', the axis that is drawn upwards
  constructor(element, up, changed) {
    this.element = element;
    this.changed = changed;
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.matrixAutoUpdate = false;
    this.target = new THREE.Vector3();
    this.distance = 5;
    this.turn = -0.9; // about up
    this.tilt = 0.35; // above the horizon
    const axes = { z: [0, 1, 2], y: [2, 0, 1], x: [1, 2, 0] }[up]; // which world axes are right, back-front, up
    this.basis = axes.map((k) => new THREE.Vector3().setComponent(k, 1));
    this.right = new THREE.Vector3();
    this.upward = new THREE.Vector3();
    this.back = new THREE.Vector3();
    this.pointers = new Map();
    this.beside = matchMedia('(min-width: 1001px)'); // as style.css has it
    this.listen();
  }

  listen() {
    const e = this.element;
    e.addEventListener('pointerdown', (event) => this.down(event));
    e.addEventListener('pointermove', (event) => this.move(event));
    for (const kind of ['pointerup', 'pointercancel']) e.addEventListener(kind, (event) => this.pointers.delete(event.pointerId));
    e.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    e.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  down(event) {
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.element.setPointerCapture?.(event.pointerId);
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const dx = event.clientX - last.x;
    const dy = event.clientY - last.y;
    if (this.pointers.size === 1) {
      const pan = event.buttons & 6 || event.shiftKey || event.ctrlKey;
      if (pan) this.pan(dx, dy);
      else this.rotate(-dx * 0.006, dy * 0.006);
    } else if (this.pointers.size === 2) this.pinch(event, dx, dy);
    last.x = event.clientX;
    last.y = event.clientY;
  }

  // Two fingers: apart zooms, together pans.
  pinch(event, dx, dy) {
    let other;
    for (const [id, p] of this.pointers) if (id !== event.pointerId) other = p;
    const before = Math.hypot(event.clientX - dx - other.x, event.clientY - dy - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    if (before > 10 && after > 10) this.zoom(before / after);
    this.pan(dx / 2, dy / 2);
  }

  wheel(event) {
    // Where the scene is a part of a long page, wheels scroll until the scene has the focus.
    if (!this.beside.matches && !event.ctrlKey && document.activeElement !== this.element) return;
    event.preventDefault();
    this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.003));
  }

  rotate(turn, tilt) {
    this.turn += turn;
    this.tilt = Math.max(-LIMIT, Math.min(LIMIT, this.tilt + tilt));
    this.changed();
  }

  zoom(factor) {
    this.distance = Math.max(this.size * 1e-3, Math.min(this.size * 100, this.distance * factor));
    this.changed();
  }

  pan(dx, dy) {
    this.axes();
    const scale = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / this.element.clientHeight;
    this.target.addScaledVector(this.right, -dx * scale).addScaledVector(this.upward, dy * scale);
    this.changed();
  }

  axes() {
    const [e1, e2, e3] = this.basis;
    const c = Math.cos(this.turn);
    const s = Math.sin(this.turn);
    const ct = Math.cos(this.tilt);
    const st = Math.sin(this.tilt);
    this.right.set(0, 0, 0).addScaledVector(e1, -s).addScaledVector(e2, c);
    this.back
      .set(0, 0, 0)
      .addScaledVector(e1, c * ct)
      .addScaledVector(e2, s * ct)
      .addScaledVector(e3, st);
    this.upward.crossVectors(this.back, this.right);
  }

  // Looks along a world axis: 'x' is from +x, '-x' from the other side.
  look(direction) {
    const sign = direction.startsWith('-') ? -1 : 1;
    const v = new THREE.Vector3().setComponent('xyz'.indexOf(direction.at(-1)), sign);
    const [a, b, c] = this.basis.map((e) => e.dot(v));
    this.tilt = Math.asin(c);
    this.turn = Math.abs(c) > 0.5 ? -Math.PI / 2 : Math.atan2(b, a);
    this.changed();
  }

  // A view along the normal of a planar model, with the plane's own directions right and up.
  lookPlanar(planar) {
    this.look({ xy: 'z', xz: '-y', yz: 'x' }[planar]);
  }

  update(aspect) {
    this.axes();
    const camera = this.camera;
    camera.aspect = aspect;
    camera.near = this.distance * 0.02;
    camera.far = this.distance * 40;
    camera.updateProjectionMatrix();
    const { right, upward, back, target, distance } = this;
    camera.position.copy(target).addScaledVector(back, distance);
    camera.matrix.makeBasis(right, upward, back).setPosition(camera.position);
    camera.matrixWorld.copy(camera.matrix);
    camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
  }
}
