// The solver's path: steps, iterations and residual over time, and the counts of the ledger with what they mean.
import { Channel } from '../data.js';
import { Panel } from '../plots/panel.js';
import { el, number } from '../text.js';

const COUNTS = [
  ['steps', 'Steps', '', 'taken'],
  ['iterations', 'Iterations', '', 'of all solves'],
  ['evaluations', 'Evaluations', '', 'of the equations of motion'],
  ['contacts', 'Contacts', '', 'the most at once'],
  ['residual', 'Residual', '', 'largest of contacts and bounded rows'],
  ['penetration', 'Penetration', 'm', 'the deepest'],
  ['cone_violation', 'Outside the cone', '', 'largest |f_t| / (mu f_n) - 1'],
  ['creep', 'Creep', 'm/s', 'fastest slip of a contact that sticks'],
  ['loop_error', 'Loop error', 'm or rad', 'largest opening of a loop'],
  ['loop_velocity_error', 'Loop velocity error', 'm/s or rad/s', 'at velocity level'],
];

function counts(page) {
  const rows = COUNTS.filter(([key]) => page.results.some((r) => r.meta.ledger?.[key])).map(([key, name, unit, text]) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, name, el('small', {}, text)),
      page.results.map((r) => el('td', { class: 'n' }, number(r.meta.ledger?.[key]))),
      el('td', { class: 'muted' }, unit),
    ),
  );
  if (!rows.length) return null;
  const heads =
    page.results.length > 1
      ? el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', {}),
            page.results.map((r) => el('th', { scope: 'col', class: 'n' }, r.label)),
            el('th', {}),
          ),
        )
      : null;
  return el('div', { class: 'scroll' }, el('table', {}, heads, el('tbody', {}, rows)));
}

// Iterations are counted from the start on. Between plotted points lie `rows_per_point` rows; points come in pairs then, in
// either order, so the slope is taken over three of them.
function perRow(result) {
  const total = result.channel('solver.iterations');
  if (!total) return null;
  const rows = result.meta.series.rows_per_point || 1;
  const back = rows > 1 ? 1 : 0;
  return new Channel(result, 'iterations', '1', null, () => {
    const v = total.values;
    const last = v.length - 1;
    return Float32Array.from(v, (_, i) => {
      const a = Math.max(0, i - 1);
      const b = Math.min(last, i + back);
      return b > a ? Math.max(0, (v[b] - v[a]) / ((b - a) * rows)) : 0;
    });
  });
}

export function solverSection(page, plots) {
  const panel = (title, line, log) => {
    if (!line || !line.channels.some((c) => c && !c.isZero)) return null;
    const p = new Panel(plots, title, [line], { fixed: true, height: 130, log });
    plots.extra.push(p);
    return p.node;
  };
  const iterations = { name: 'iterations', unit: '1', channels: page.results.map(perRow) };
  return [
    counts(page),
    panel('Step', plots.line('solver.step'), false),
    panel('Iterations for each row', iterations.channels.some(Boolean) ? iterations : null, false),
    panel('Largest residual so far', plots.line('solver.residual'), true),
  ];
}
