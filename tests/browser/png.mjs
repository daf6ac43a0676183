// Reads a PNG as Chromium writes screenshots: 8 bits, RGB or RGBA, not interlaced.
import { inflateSync } from 'node:zlib';

function paeth(a, b, c) {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

export function decode(file) {
  const data = [];
  let header;
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const kind = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') header = { width: body.readUInt32BE(0), height: body.readUInt32BE(4), depth: body[8], type: body[9] };
    if (kind === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const { width, height, depth, type } = header;
  if (depth !== 8 || (type !== 2 && type !== 6)) throw new Error(`PNG of depth ${depth}, type ${type}`);
  const channels = type === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? pixels[y * stride + x - channels] : 0;
      const above = y ? pixels[(y - 1) * stride + x] : 0;
      const corner = y && x >= channels ? pixels[(y - 1) * stride + x - channels] : 0;
      const add = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      pixels[y * stride + x] = raw[y * (stride + 1) + 1 + x] + add;
    }
  }
  return { width, height, channels, pixels };
}

// How many pixels satisfy test(r, g, b).
export function count(image, test) {
  let n = 0;
  for (let i = 0; i < image.pixels.length; i += image.channels)
    if (test(image.pixels[i], image.pixels[i + 1], image.pixels[i + 2])) n++;
  return n;
}

// How many pixels differ by more than a little.
export function differing(a, b) {
  let n = 0;
  for (let i = 0; i < a.pixels.length; i += a.channels) {
    const d =
      Math.abs(a.pixels[i] - b.pixels[i]) +
      Math.abs(a.pixels[i + 1] - b.pixels[i + 1]) +
      Math.abs(a.pixels[i + 2] - b.pixels[i + 2]);
    if (d > 30) n++;
  }
  return n;
}
