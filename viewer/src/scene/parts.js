// What the kinds of shapes are drawn from. A new kind is a case of `parts`.

// What a shape is made of: unit shapes with their scale, and the shift along the local z.
export function parts(shape, thin) {
  switch (shape.kind) {
    case 'sphere':
      return [['sphere', [shape.radius, shape.radius, shape.radius], 0]];
    case 'ellipsoid':
      return [['sphere', shape.radii, 0]];
    case 'box':
      return [['box', shape.size, 0]];
    case 'cylinder':
      return [['cylinder', [shape.radius, shape.radius, shape.length], 0]];
    case 'disk':
      return [['cylinder', [shape.radius, shape.radius, Math.min(thin, shape.radius * 0.06)], 0]];
    case 'capsule': {
      const r = shape.radius;
      return [
        ['cylinder', [r, r, shape.length], 0],
        ['sphere', [r, r, r], shape.length / 2],
        ['sphere', [r, r, r], -shape.length / 2],
      ];
    }
    default:
      return [];
  }
}

// How far the unit shapes reach from their middle.
const REACH = {
  sphere: (s) => Math.max(...s),
  box: (s) => Math.hypot(...s) / 2,
  cylinder: (s) => Math.hypot(s[0], s[2] / 2),
};

function meshReach(shape) {
  let r = 0;
  for (let i = 0; i + 2 < shape.vertices.length; i += 3)
    r = Math.max(r, Math.hypot(shape.vertices[i], shape.vertices[i + 1], shape.vertices[i + 2]));
  return r;
}

// Of a shape from its origin.
export function reach(shape) {
  if (shape.kind === 'mesh') return meshReach(shape);
  let r = 0;
  for (const [unit, scale, shift] of parts(shape, 0)) r = Math.max(r, REACH[unit](scale) + Math.abs(shift));
  return r;
}
