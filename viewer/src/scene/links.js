// Rods that say how bodies are connected, where their shapes do not. A body without shape is a skeleton of its joints: the inertia of a
// link is no picture of it. One that is no link of anything is drawn as a box of the same inertia.
import { reach } from './parts.js';
import { rotation } from './poses.js';
import { visualReach } from './visuals.js';

const across = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);

export class Links {
  // away: how far a joint must be from the centre of mass to be worth a rod, m
  constructor(scene, poses, away) {
    Object.assign(this, { scene, poses, away, rods: [], skeletons: new Set(), counts: new Map(), a: new Float64Array(3), b: new Float64Array(3) });
    this.shapes = new Map();
    for (const s of scene.shapes) if (s.kind !== 'plane') this.shapes.set(s.body, [...(this.shapes.get(s.body) ?? []), s]);
    for (const v of scene.visuals ?? []) this.shapes.set(v.body, [...(this.shapes.get(v.body) ?? []), v]);
    this.bare = scene.bodies.map((_, b) => b).filter((b) => !this.shapes.has(b) && scene.bodies[b].beam < 0);
    const rods = this.candidates();
    for (const b of this.bare) this.boxed(b, rods.get(b) ?? []);
    for (const [b, shapes] of this.shapes) if (b >= 0) this.shaped(b, shapes, rods.get(b) ?? []);
  }

  // To every joint and clearance of a body: `at` is a place of the body `owner`, which need not be the rod's own.
  candidates() {
    const out = new Map();
    const add = (x, owner) => {
      for (const [body, other] of [[x.first, x.second], [x.second, x.first]])
        if (body >= 0) {
          out.set(body, [...(out.get(body) ?? []), { body, other, owner, at: x.position, carries: body === x.second && !x.loop }]);
          this.counts.set(body, (this.counts.get(body) ?? 0) + 1);
        }
    };
    for (const joint of this.scene.joints) if (joint.kind !== 'free') add(joint, joint.second);
    for (const clearance of this.scene.clearances ?? []) add(clearance, clearance.first);
    return out;
  }

  // A rod's ends now, into a and b: where it begins (the body's centre of mass unless told), the joint.
  ends({ body, owner, at, from }) {
    const { com } = this.scene.bodies[body];
    if (from) this.poses.point(from.owner, from.at[0], from.at[1], from.at[2], this.a);
    else this.poses.point(body, com[0], com[1], com[2], this.a);
    this.poses.point(owner, at[0], at[1], at[2], this.b);
  }

  // Without shape: a body that has its only joint at the middle or on the surface of the box of its inertia, as a slider or a door has, is
  // that box. Any other is a skeleton: rods from the joint that carries it to its other joints, or to its centre of mass where it has none.
  boxed(body, rods) {
    const { box } = this.scene.bodies[body];
    const arms = rods.map((rod) => this.arm(rod, box)).filter((kind) => kind > 0);
    const link = rods.some((rod) => this.linked(rod));
    if (box && !link && arms.length < 2 && !arms.includes(2)) return;
    if (rods.length) this.skeletons.add(body);
    const root = rods.findIndex((rod) => rod.carries);
    const others = rods.filter((_, k) => k !== root);
    if (rods.length === 1) this.rods.push(box ? { ...rods[0], from: this.tip(rods[0], box) } : rods[0]);
    else if (root < 0) this.rods.push(...rods);
    else for (const rod of others) this.rods.push({ ...rod, from: rods[root] });
  }

  // The end of a limb: from its joint through the centre of mass to where the box of its inertia ends.
  tip(rod, box) {
    const d = this.fromCentre(rod);
    const { com } = this.scene.bodies[rod.body];
    const length = Math.hypot(...d);
    if (length < 1e-3 * this.away) return { owner: rod.body, at: com };
    const Q = new Float64Array(9);
    rotation(box.rotation ?? [1, 0, 0, 0], 0, Q, 0);
    const u = d.map((x) => -x / length);
    const out = [0, 1, 2].map((k) => box.size[k] / 2 / Math.max(1e-9, Math.abs(Q[k] * u[0] + Q[3 + k] * u[1] + Q[6 + k] * u[2])));
    return { owner: rod.body, at: com.map((x, k) => x + u[k] * Math.min(...out)) };
  }

  // Whether a body is a part of a chain: the body at the other side of a joint has no shape either, and further joints. A joint at the
  // centre of mass says nothing, as of the slider of a crank.
  linked(rod) {
    const { body, other } = rod;
    const leaf = (this.counts.get(body) ?? 0) < 2;
    if (Math.hypot(...this.fromCentre(rod)) <= (leaf ? this.away : 0.1 * this.away)) return false;
    return other >= 0 && !this.shapes.has(other) && (this.counts.get(other) ?? 0) > 1;
  }

  // 0: the joint is at the centre of mass; 1: on the surface of the body's box; 2: elsewhere.
  arm(rod, box) {
    const d = this.fromCentre(rod);
    if (Math.hypot(...d) <= this.away) return 0;
    if (!box) return 2;
    const Q = new Float64Array(9);
    rotation(box.rotation ?? [1, 0, 0, 0], 0, Q, 0);
    const outside = [0, 1, 2].map((k) => Math.abs(Q[k] * d[0] + Q[3 + k] * d[1] + Q[6 + k] * d[2]) - box.size[k] / 2);
    return Math.abs(Math.max(...outside)) > 0.06 * Math.max(...box.size) ? 2 : 1;
  }

  // From the centre of mass to the joint, in the body's axes.
  fromCentre(rod) {
    this.ends(rod);
    const w = [0, 1, 2].map((k) => this.b[k] - this.a[k]);
    const { R } = this.poses;
    const r = 9 * this.poses.slot(rod.body);
    return [0, 1, 2].map((k) => R[r + k] * w[0] + R[r + 3 + k] * w[1] + R[r + 6 + k] * w[2]);
  }

  // With shapes: rods to the joints that no shape comes near, and then to shapes that lie away from the centre; to these also
  // where no shape is at the centre, as of a table that is but its feet.
  shaped(body, shapes, rods) {
    const { com } = this.scene.bodies[body];
    const far = (s) => (s.kind === 'file' ? visualReach(this.scene, s) : reach(s));
    const near = (p) => shapes.some((s) => across(p, s.position) <= far(s) + this.away);
    const lost = rods.filter((rod) => {
      const d = this.fromCentre(rod);
      return !near([0, 1, 2].map((k) => d[k] + com[k]));
    });
    const scattered = shapes.every((s) => across(com, s.position) > far(s) + this.away);
    if (!lost.length && !scattered) return;
    this.rods.push(...lost);
    for (const s of shapes) if (across(com, s.position) > far(s)) this.rods.push({ body, owner: body, at: s.position });
  }
}
