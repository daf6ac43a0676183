// The trust timeline: verdicts over time, and what stands behind each: factors, intervals of forces, what the answer
// hangs on.
import { VERDICTS } from '../palette.js';
import { el, number, withUnit } from '../text.js';

const MOST = 60;
const verdictOf = (x) => VERDICTS[x.verdict] ?? { colour: '#888888', word: x.verdict, text: '' };

function strip(trust, page, jump) {
  const span = page.to - page.from || 1;
  const cells = trust.map((x) => {
    const v = verdictOf(x);
    const width = Math.max(0.4, (100 * (x.to - x.from)) / span);
    return el(
      'button',
      {
        type: 'button',
        class: 'verdict',
        style: `flex:${width} 1 0; background:${v.colour}`,
        title: `${v.word}, ${number(x.from)} to ${number(x.to)} s`,
        'aria-label': `${v.word}, ${number(x.from)} to ${number(x.to)} s: show`,
        onclick: () => jump(x),
      },
      width > 16 ? v.word : '',
    );
  });
  return el('div', { class: 'verdicts' }, cells);
}

function key(trust) {
  const used = [...new Set(trust.map((x) => x.verdict))];
  return el(
    'ul',
    { class: 'key' },
    used.map((name) => {
      const v = verdictOf({ verdict: name });
      return el(
        'li',
        {},
        el('span', { class: 'swatch', style: `background:${v.colour}` }),
        el('strong', {}, v.word),
        ' ',
        v.text,
      );
    }),
  );
}

// A force and the interval it may lie in, as a picture.
function range(j, low, high) {
  const span = high - low || 1;
  const at = (x) => Math.max(0, Math.min(100, (100 * (x - low)) / span));
  const mark = (from, to, kind) =>
    Number.isFinite(from) && Number.isFinite(to)
      ? el('span', { class: kind, style: `left:${at(from).toFixed(1)}%; width:${Math.max(0.8, at(to) - at(from)).toFixed(1)}%` })
      : null;
  return el(
    'span',
    { class: 'range', 'aria-hidden': 'true' },
    mark(j.friction_min, j.friction_max, 'wide'),
    mark(j.coherent_min, j.coherent_max, 'narrow'),
    mark(j.force, j.force, 'point'),
  );
}

// N or N m: contacts push; of joints the channel of their friction knows.
function unitOf(result, name, j) {
  if (j.contact) return 'N';
  const channel = ['torque', 'force'].map((k) => result.channel(`${name}.friction.${k}`)).find(Boolean);
  if (channel) return channel.unit;
  const kind = result.scene?.joints.find((x) => x.name === name)?.kind;
  return kind === 'revolute' ? 'N m' : kind === 'prismatic' ? 'N' : '';
}

function joints(x, result) {
  const list = Object.entries(x.joints ?? {});
  if (!list.length) return null;
  const numbers = list
    .flatMap(([, j]) => [j.friction_min, j.friction_max, j.force])
    .filter((v) => typeof v === 'number' && Number.isFinite(v));
  const low = Math.min(0, ...numbers);
  const high = Math.max(0, ...numbers);
  const clean = (v) => (typeof v === 'number' && Math.abs(v) < 1e-12 * Math.max(high, -low, 1e-12) ? 0 : v);
  const rows = list
    .slice(0, MOST)
    .map(([name, j]) =>
      el(
        'tr',
        {},
        el('th', { scope: 'row' }, name),
        el('td', { class: 'n' }, withUnit(clean(j.force), unitOf(result, name, j))),
        el('td', { class: 'n' }, possible(clean(j.friction_min), clean(j.friction_max))),
        el('td', {}, range(j, low, high)),
        el('td', {}, nothing(j) ? '' : j.unique ? 'unique' : 'open'),
        el('td', {}, j.state ? `${j.state}${j.verdict && j.verdict !== 'moves' ? `, ${verdictOf(j).word}` : ''}` : ''),
      ),
    );
  if (list.length > MOST) rows.push(el('tr', {}, el('td', { colspan: 6, class: 'muted' }, `and ${list.length - MOST} more`)));
  return el(
    'div',
    { class: 'scroll' },
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ['Friction at', 'computed', 'can be', '', '', ''].map((t, i) =>
            el('th', { scope: 'col', class: i === 1 || i === 2 ? 'n' : null }, t),
          ),
        ),
      ),
      el('tbody', {}, rows),
    ),
  );
}

const nothing = (j) => !Number.isFinite(j.friction_min) || !Number.isFinite(j.friction_max);

// The interval of forces that balance the loads, where there is one.
function possible(low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return 'none balances';
  const [a, b] = [number(low), number(high)];
  return a === b ? a : `${a} … ${b}`;
}

function sensitivity(x) {
  const list = x.sensitivity ?? [];
  if (!list.length) return null;
  const rows = list
    .slice(0, MOST)
    .map((s) =>
      el(
        'tr',
        {},
        el('th', { scope: 'row' }, s.parameter),
        el('td', {}, s.quantity),
        el('td', { class: 'n' }, number(s.value)),
        el('td', {}, s.flips_at ? `the result flips at ${number(s.flips_at, 3)} times it` : ''),
      ),
    );
  return el(
    'details',
    {},
    el('summary', {}, `What the numbers hang on (${list.length})`),
    el(
      'div',
      { class: 'scroll' },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['Parameter', 'Quantity', 'per factor e', ''].map((t) => el('th', { scope: 'col' }, t)),
          ),
        ),
        el('tbody', {}, rows),
      ),
    ),
  );
}

function interval(x, jump, result) {
  const v = verdictOf(x);
  const facts = [];
  if (x.verdict === 'not_judged') facts.push(...(x.reasons ?? []).map((r) => `Not judged: ${r.text}.`));
  const rests = Object.values(x.joints ?? {}).some((j) => !j.state || j.state === 'stuck' || j.state === 'rolling');
  if (x.by_name) facts.push(`By name: ${x.by_name}.`);
  if (rests && x.c_star > 1)
    facts.push(`It takes ${number(x.c_star, 4)} times the friction coefficients of what is at rest to hold it (c*).`);
  else if (rests && x.c_star !== null && x.c_star !== undefined)
    facts.push(`Friction coefficients of what is at rest could fall to ${number(x.c_star, 4)} times theirs and still hold it (c*).`);
  else if (x.verdict?.startsWith('slides')) facts.push('No friction coefficient balances the loads.');
  if (x.nullity > 0) facts.push(`${x.nullity} combination${x.nullity > 1 ? 's' : ''} of forces left open by the loads.`);
  if (x.exhaustive === false && x.verdict !== 'not_judged') facts.push('There were more ways to stick and slip than were searched.');
  return el(
    'details',
    { class: 'interval', open: !['moves', 'sticks_robust', 'slides_certain'].includes(x.verdict) },
    el(
      'summary',
      {},
      el('span', { class: 'swatch', style: `background:${v.colour}` }),
      el('strong', {}, v.word),
      ` ${number(x.from)} to ${number(x.to)} s${x.of ? `: ${x.of}` : ''} `,
      el(
        'button',
        {
          type: 'button',
          class: 'small',
          onclick: (event) => {
            event.preventDefault();
            jump(x);
          },
        },
        'show',
      ),
    ),
    x.settle ? el('p', {}, x.settle) : null,
    facts.length ? el('p', {}, facts.join(' ')) : null,
    joints(x, result),
    sensitivity(x),
  );
}

export function trustSection(page, clock) {
  const jump = (x) => clock.set(x.at ?? x.from);
  const out = [];
  for (const r of page.results) {
    const { trust } = r.meta;
    if (page.results.length > 1) out.push(el('h3', {}, r.label));
    if (!trust?.length)
      out.push(
        el(
          'p',
          { class: 'muted' },
          'Not judged: no verdict was asked for, or nothing that rubs could be at rest. ',
          'A verdict says whether sticking and slipping follow from the model or hang on what nobody knows. To ask: ',
          el('code', {}, `bristle trust ${r.meta.file ?? 'RESULT'}`),
        ),
      );
    else {
      const list = trust.slice(0, MOST).map((x) => interval(x, jump, r));
      if (trust.length > MOST) list.push(el('p', { class: 'muted' }, `and ${trust.length - MOST} more intervals`));
      out.push(strip(trust, page, jump), key(trust), ...list);
    }
  }
  return out;
}
