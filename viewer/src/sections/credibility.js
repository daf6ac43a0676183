// Credibility: one table, filled by the program, after the factors of NASA-STD-7009.
import { el } from '../text.js';

const KINDS = { good: 'good', warn: 'warn', bad: 'bad', open: 'neutral' };

function table(rows) {
  const body = rows.map(({ factor, level, text }) =>
    el('tr', {}, el('th', { scope: 'row' }, factor), el('td', {}, el('span', { class: `dot ${KINDS[level] ?? 'neutral'}` }), text)),
  );
  return el('table', { class: 'credibility' }, el('tbody', {}, body));
}

export function credibilitySection(page) {
  const several = page.results.length > 1;
  return el(
    'div',
    {},
    page.results.flatMap((r) => [several ? el('h3', {}, r.label) : null, table(r.meta.credibility ?? [])]).filter(Boolean),
  );
}
