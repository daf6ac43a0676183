// What needs no browser: decoding, sampling, the words for numbers, the verdict on a page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../dev/fixture.mjs';
import { Blobs, find, Result } from '../src/data.js';
import { named } from '../src/plots/defaults.js';
import { booksFail, credible } from '../src/sections/header.js';
import { closing, judged } from '../src/sections/ledger.js';
import { number, seconds } from '../src/text.js';

function sample(poses, times) {
  const bytes = new Bytes();
  bytes.blob('u1', [1, 2, 3, 4, 5]); // so that the next does not begin at zero
  const frames = { count: times.length, t: bytes.blob('f8', times), pose: bytes.blob('f4', poses.flat()), contacts: null };
  const series = {
    count: 3,
    t: bytes.blob('f8', [0, 1, 2]),
    rows_per_point: 1,
    channels: [{ name: 'a', unit: 'm', values: bytes.blob('f4', [0, 10, -10]) }],
  };
  return new Result(
    { label: 'x', scene: { bodies: [{}] }, frames, series, events: { total: 0, list: [] } },
    0,
    new Blobs(bytes.base64()),
  );
}

test('each blob is decoded alone, whatever lies before and behind it', () => {
  const bytes = new Bytes();
  const blobs = [
    ['u1', [7]],
    ['f4', [1.5, -2.5, 3.25]],
    ['u4', [4000000000]],
    ['f8', [Math.PI, 1e-300]],
    ['u1', [1, 2, 3, 4]],
  ].map(([t, v]) => [bytes.blob(t, v), v]);
  const reader = new Blobs(bytes.base64());
  for (const [blob, values] of blobs.reverse()) assert.deepEqual([...reader.get(blob)], values);
  assert.throws(() => reader.get({ at: 240, count: 9, type: 'f8' }), /cut off/);
  assert.equal(reader.get({ at: 0, count: 0, type: 'f4' }).length, 0);
});

test('find is the last time not after, for any guess', () => {
  const t = [0, 1, 1, 2, 5];
  for (let guess = 0; guess < 7; guess++) {
    assert.equal(find(t, -1, guess), 0);
    assert.equal(find(t, 0.5, guess), 0);
    assert.equal(find(t, 1, guess), 2);
    assert.equal(find(t, 4.9, guess), 3);
    assert.equal(find(t, 99, guess), 4);
  }
});

test('channels are read between rows', () => {
  const a = sample([[0, 0, 0, 1, 0, 0, 0]], [0]).channel('a');
  assert.equal(a.at(-1), 0);
  assert.equal(a.at(0.25), 2.5);
  assert.equal(a.at(1), 10);
  assert.equal(a.at(1.5), 0);
  assert.equal(a.at(7), -10);
});

test('poses turn the shorter way and stay unit', () => {
  const half = Math.SQRT1_2;
  const { frames } = sample(
    [
      [0, 0, 0, 1, 0, 0, 0],
      [2, 0, 0, -half, 0, 0, -half],
    ],
    [0, 1],
  );
  const now = frames.sample(0.5);
  assert.equal(now[0], 1);
  assert.ok(Math.abs(Math.hypot(...now.slice(3)) - 1) < 1e-12);
  assert.ok(Math.abs(2 * Math.atan2(now[6], now[3]) - Math.PI / 4) < 1e-6); // single precision
  assert.equal(frames.speed(0, 0.5), 2);
  assert.deepEqual([...frames.sample(9)].slice(0, 3), [2, 0, 0]);
});

test('numbers are short and never lie about zero', () => {
  assert.equal(number(0), '0');
  assert.equal(number(1), '1');
  assert.equal(number(-12.5), '-12.5');
  assert.equal(number(123456), '123456');
  assert.equal(number(123456.7), '123457');
  assert.equal(number(9999.96), '10000');
  assert.equal(number(3000000), '3000000');
  assert.equal(number(1.5e-9), '1.5e-9');
  assert.equal(number(2.5e9), '2.5e9');
  assert.equal(number(null), '–');
  assert.equal(number(Infinity), '∞');
  assert.equal(seconds(1.25, 5), '1.250 s');
});

test('credible is what bristle trust says it is', () => {
  const sticks = { verdict: 'sticks_robust', nullity: 0, c_star: 0.5, sensitivity: [], from: 0, to: 1 };
  assert.equal(credible(null), null);
  assert.equal(credible([sticks]).ok, true);
  assert.equal(credible([sticks, { ...sticks, verdict: 'undetermined' }]).ok, false);
  assert.equal(credible([{ ...sticks, sensitivity: [{ parameter: 'k', flips_at: 1.9 }] }]).ok, false);
  assert.equal(
    credible([
      {
        ...sticks,
        sensitivity: [
          { parameter: 'k', flips_at: 2.1 },
          { parameter: 'c', flips_at: null },
        ],
      },
    ]).ok,
    true,
  );
  assert.equal(
    credible([
      { ...sticks, nullity: 1 },
      { ...sticks, verdict: 'moves' },
    ]).ok,
    true,
  );
});

test('reasons decide what is credible, and what was not judged is neither', () => {
  const sticks = { verdict: 'sticks_robust', nullity: 1, c_star: 0.5, from: 0, to: 1, reasons: [] };
  const open = { what: 'not_judged', text: 'the search ended' };
  assert.equal(credible([sticks, { ...sticks, verdict: 'moves' }]).ok, true);
  assert.deepEqual(credible([{ ...sticks, verdict: 'not_judged', reasons: [open] }]).ok, null);
  const against = credible([{ ...sticks, reasons: [open, { what: 'undetermined', text: 'slide_1: both, 0 to 1 s' }] }]);
  assert.equal(against.ok, false);
  assert.equal(against.why, 'slide_1: both, 0 to 1 s');
});

test('what the books say is told, and the first reason that fails is found', () => {
  const energy = { gain: 0, gain_size: 10, loss: 0.1, loss_size: 10, limit: 0.02, least: 1e-6 };
  const named = { what: 'energy', fails: false, t: 1, element: 'bob', text: 'took energy' };
  const failing = { ...named, what: 'impact', fails: true };
  assert.equal(judged(null), null);
  assert.equal(judged([]), null);
  assert.match(judged({ energy, order: 2 }).energy, /made nothing to speak of, took at most 1 % of 10 J; the limit is 2 %/);
  assert.match(judged({ energy, order: null }).order, /tolerance/);
  const lower = [{ order: 1, steps: 3, of: 100, from: 0.1, to: 0.3, why: 'something arrived' }];
  assert.equal(
    judged({ energy, order: 2, order_lower: lower }).order,
    'Order 2 on smooth motion; 1 in 3 of 100 steps, where something arrived (0.1 to 0.3 s).',
  );
  assert.equal(booksFail(null), null);
  assert.equal(booksFail({ reasons: [named] }), null);
  assert.equal(booksFail({ reasons: [named, failing] }), failing);
});

test('a ledger closes beside its own energies', () => {
  const ledger = {
    start: { kinetic: 10, total: 10 },
    now: { kinetic: 4, total: 4 },
    input: 0,
    friction: 6,
    impact: 0,
    damping: 0,
    scheme: 0,
    unaccounted: 1e-9,
  };
  assert.equal(closing(ledger).kind, 'good');
  assert.equal(closing({ ...ledger, unaccounted: 1e-3 }).kind, 'warn');
  assert.equal(closing({ ...ledger, unaccounted: -1 }).kind, 'bad');
});

test('patterns of outputs name channels, and A~* is one', () => {
  const names = ['t', 'cube~*.force.normal', 'cube~*.force.x', 'cube~left.force.x', 'cube~left.force.y', 'a.position.x'];
  const result = { byName: new Map(names.map((n) => [n, n])), channel: (n) => (names.includes(n) ? n : null) };
  const of = (n) => named([result], n);
  assert.deepEqual(of('cube~*.force.normal'), ['cube~*.force.normal']);
  assert.deepEqual(of('cube~*.force.*'), ['cube~*.force.normal', 'cube~*.force.x']);
  assert.deepEqual(of('cube~l*.force.*'), ['cube~left.force.x', 'cube~left.force.y']);
  assert.deepEqual(of('*.position.x'), ['a.position.x']);
  assert.deepEqual(of('(a*'), []);
});
