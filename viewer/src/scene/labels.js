// Names of bodies over the scene. Elements are made once and only moved.
import * as THREE from 'three';
import { el } from '../text.js';

const MOST = 150;

export class Labels {
  constructor(overlay, scene, poses) {
    this.overlay = overlay;
    this.scene = scene;
    this.poses = poses;
    this.visible = false;
    this.items = null;
    this.at = new THREE.Vector3();
    this.place = new Float64Array(3);
  }

  show(visible) {
    this.visible = visible;
    if (visible && !this.items) {
      this.items = this.scene.bodies
        .map((body, index) => ({ index, body }))
        .filter(({ body }) => body.beam < 0)
        .slice(0, MOST)
        .map(({ index, body }) => ({ index, com: body.com, node: el('span', { class: 'label' }, body.name) }));
      this.overlay.append(...this.items.map((x) => x.node));
    }
    this.overlay.hidden = !visible;
  }

  update(camera, width, height) {
    if (!this.visible) return;
    for (const { index, com, node } of this.items) {
      this.poses.point(index, com[0], com[1], com[2], this.place);
      this.at.fromArray(this.place).project(camera);
      const hidden = this.at.z > 1 || Math.abs(this.at.x) > 1.1 || Math.abs(this.at.y) > 1.1;
      node.style.visibility = hidden ? 'hidden' : 'visible';
      node.style.transform = `translate(${((this.at.x + 1) / 2) * width}px, ${((1 - this.at.y) / 2) * height}px) translate(-50%, -140%)`;
    }
  }
}
