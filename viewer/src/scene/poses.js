// Rotations and frames of bodies as plain numbers: what a frame of the animation needs, without allocation.

// A unit quaternion w x y z at q[i] as a 3x3 matrix by rows at m[o].
export function rotation(q, i, m, o) {
  const w = q[i];
  const x = q[i + 1];
  const y = q[i + 2];
  const z = q[i + 3];
  m[o] = 1 - 2 * (y * y + z * z);
  m[o + 1] = 2 * (x * y - w * z);
  m[o + 2] = 2 * (x * z + w * y);
  m[o + 3] = 2 * (x * y + w * z);
  m[o + 4] = 1 - 2 * (x * x + z * z);
  m[o + 5] = 2 * (y * z - w * x);
  m[o + 6] = 2 * (x * z - w * y);
  m[o + 7] = 2 * (y * z + w * x);
  m[o + 8] = 1 - 2 * (x * x + y * y);
}

// Poses of all bodies now: R[9 b], p[3 b]. The world is the entry behind the last body, so index -1 needs no special case.
export class Poses {
  constructor(count) {
    this.count = count;
    this.R = new Float64Array((count + 1) * 9);
    this.p = new Float64Array((count + 1) * 3);
    this.R.set([1, 0, 0, 0, 1, 0, 0, 0, 1], count * 9);
  }

  set(now) {
    for (let b = 0; b < this.count; b++) {
      rotation(now, 7 * b + 3, this.R, 9 * b);
      this.p[3 * b] = now[7 * b];
      this.p[3 * b + 1] = now[7 * b + 1];
      this.p[3 * b + 2] = now[7 * b + 2];
    }
  }

  slot(body) {
    return body < 0 ? this.count : body;
  }

  // The world place of the point (x, y, z) of a body, into out[o].
  point(body, x, y, z, out, o = 0) {
    const b = this.slot(body);
    const { R, p } = this;
    const r = 9 * b;
    out[o] = p[3 * b] + R[r] * x + R[r + 1] * y + R[r + 2] * z;
    out[o + 1] = p[3 * b + 1] + R[r + 3] * x + R[r + 4] * y + R[r + 5] * z;
    out[o + 2] = p[3 * b + 2] + R[r + 6] * x + R[r + 7] * y + R[r + 8] * z;
  }

  direction(body, x, y, z, out, o = 0) {
    const { R } = this;
    const r = 9 * this.slot(body);
    out[o] = R[r] * x + R[r + 1] * y + R[r + 2] * z;
    out[o + 1] = R[r + 3] * x + R[r + 4] * y + R[r + 5] * z;
    out[o + 2] = R[r + 6] * x + R[r + 7] * y + R[r + 8] * z;
  }
}
