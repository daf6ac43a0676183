// The ledger: where energy came from and went, and whether the account closes.
import { el, number } from '../text.js';

const ENERGIES = [
  ['kinetic', 'Kinetic', 'of motion'],
  ['potential', 'Potential', 'of weight and springs'],
  ['elastic', 'Elastic', 'of beams and compliance'],
  ['total', 'Total', 'their sum'],
];
const FLOWS = [
  ['input', 'Put in', 'by loads and drives', 1],
  ['friction', 'Friction', 'taken out by rubbing', -1],
  ['impact', 'Impacts', 'taken out by rigid contacts that met', -1],
  ['damping', 'Damping', 'taken out by dampers and limits', -1],
  ['scheme', 'Time stepping', 'taken out by the scheme itself, by its own formula', -1],
  ['unaccounted', 'Unaccounted', 'what is left over: equations not solved exactly', 0],
];

// The largest energy in play: what the remainder is compared with.
function scale(ledger) {
  const parts = [
    ...ENERGIES.flatMap(([k]) => [ledger.start?.[k], ledger.now?.[k]]),
    ...FLOWS.slice(0, -1).map(([k]) => ledger[k]),
  ];
  const swing = Math.abs((ledger.now?.kinetic ?? 0) - (ledger.start?.kinetic ?? 0));
  return Math.max(swing, ...parts.filter(Number.isFinite).map(Math.abs));
}

export function closing(ledger) {
  const size = scale(ledger);
  const part = size > 0 ? Math.abs(ledger.unaccounted) / size : 0;
  if (part <= 1e-6) return { kind: 'good', text: `It closes: ${number(part, 2)} of the largest energy is unaccounted for.` };
  if (part <= 1e-2) return { kind: 'warn', text: `It closes to ${number(100 * part, 2)} % of the largest energy.` };
  return {
    kind: 'bad',
    text: `It does not close: ${number(100 * part, 2)} % of the largest energy is unaccounted for. A smaller step or tolerance may help.`,
  };
}

const NAMES = { not_judged: 'left open' };

// The sentence on what the time stepping made and took, and the one on its order. null: the result is older than that.
export function judged(judgement) {
  if (!judgement?.energy) return null;
  const { energy, order, order_lower: lower = [] } = judgement;
  const part = (did, x, size) =>
    x > energy.least ? `${did} at most ${number((100 * x) / size, 2)} % of ${number(size, 4)} J` : `${did} nothing to speak of`;
  const where = lower.map(
    (l) =>
      `; ${l.order} in ${l.steps} of ${l.of} steps, where ${l.why} (${number(l.from, 4)}${l.steps > 1 ? ` to ${number(l.to, 4)}` : ''} s)`,
  );
  return {
    energy: `The time stepping ${part('made', energy.gain, energy.gain_size)}, ${part('took', energy.loss, energy.loss_size)}; the limit is ${number(100 * energy.limit)} %.`,
    order: order ? `Order ${order} on smooth motion${where.join('')}.` : 'The order of the steps follows from the tolerance.',
  };
}

function judgementList(judgement) {
  const texts = judged(judgement);
  if (!texts) return [];
  const reasons = judgement.reasons ?? [];
  const kind = (r) => (r.fails ? 'bad' : r.what === 'not_judged' ? 'neutral' : 'warn');
  return [
    el('p', {}, el('span', { class: `dot ${reasons.some((r) => r.fails) ? 'bad' : 'good'}` }), texts.energy, ' ', texts.order),
    reasons.length === 0
      ? null
      : el(
          'ul',
          { class: 'reasons' },
          reasons.map((r) =>
            el('li', {}, el('span', { class: `dot ${kind(r)}` }), el('strong', {}, `${NAMES[r.what] ?? r.what}: `), r.text),
          ),
        ),
  ].filter(Boolean);
}

function bar(value, size, sign) {
  const width = size > 0 && Number.isFinite(value) ? Math.min(100, (100 * Math.abs(value)) / size) : 0;
  return el(
    'td',
    { class: 'bar-cell', 'aria-hidden': 'true' },
    el('span', { class: `meter ${sign < 0 ? 'out' : sign > 0 ? 'in' : 'rest'}`, style: `width:${width.toFixed(2)}%` }),
  );
}

function table(ledger) {
  const size = scale(ledger);
  const rows = [];
  for (const [key, name, text] of ENERGIES)
    rows.push(
      el(
        'tr',
        { class: key === 'total' ? 'sum' : null },
        el('th', { scope: 'row' }, name, el('small', {}, text)),
        el('td', { class: 'n' }, number(ledger.start?.[key])),
        el('td', { class: 'n' }, number(ledger.now?.[key])),
        bar(ledger.now?.[key], size, 0),
      ),
    );
  const flows = FLOWS.map(([key, name, text, sign]) =>
    el(
      'tr',
      { class: key === 'unaccounted' ? 'sum' : null },
      el('th', { scope: 'row' }, name, el('small', {}, text)),
      el('td', {}),
      el('td', { class: 'n' }, number(ledger[key])),
      bar(ledger[key], size, sign),
    ),
  );
  return el(
    'table',
    { class: 'ledger' },
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', { scope: 'col' }, 'Energy, J'),
        el('th', { scope: 'col', class: 'n' }, 'at the start'),
        el('th', { scope: 'col', class: 'n' }, 'at the end'),
        el('th', {}),
      ),
    ),
    el('tbody', {}, rows),
    el('tbody', {}, flows),
  );
}

export function ledgerSection(page) {
  const out = [];
  for (const r of page.results) {
    const { ledger } = r.meta;
    if (page.results.length > 1) out.push(el('h3', {}, r.label));
    const why = r.meta.outcome === 'complete' ? 'nothing was simulated' : 'the run did not reach its end';
    if (!ledger) out.push(el('p', { class: 'muted' }, `No ledger: ${why}.`));
    else {
      const { kind, text } = closing(ledger);
      out.push(
        el('p', {}, el('span', { class: `dot ${kind}` }), text),
        ...judgementList(r.meta.judgement),
        el('div', { class: 'scroll' }, table(ledger)),
      );
    }
  }
  return out;
}
