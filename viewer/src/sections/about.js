// The comparison (where the page has one), the model file, and what made the page.
import { download, el, fileName, number } from '../text.js';

export function compareSection(compare) {
  const heads = compare.columns.map((c) =>
    el('th', { scope: 'col', class: 'n' }, c.label ?? c.key, c.unit && c.unit !== '1' ? el('small', {}, c.unit) : null),
  );
  const rows = compare.rows.map((r) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, r.label),
      compare.columns.map((_, i) => {
        const v = r.values[i];
        return typeof v === 'string' ? el('td', { class: 'wrap' }, v) : el('td', { class: 'n' }, number(v, 3));
      }),
    ),
  );
  return [
    el(
      'div',
      { class: 'scroll' },
      el('table', { class: 'compare' }, el('thead', {}, el('tr', {}, el('th', {}), heads)), el('tbody', {}, rows)),
    ),
    compare.reference ? el('p', { class: 'muted' }, `Compared with: ${compare.reference}`) : null,
    ...(compare.notes ?? []).map((n) => el('p', { class: 'muted' }, n)),
  ];
}

// Line numbers in a column of their own: two elements, however long the file.
function source(text) {
  const lines = text.replace(/\n$/, '').split('\n');
  const digits = lines.map((_, i) => i + 1).join('\n');
  return el(
    'div',
    { class: 'source', tabindex: 0, role: 'region', 'aria-label': 'Model file' },
    el('pre', { class: 'lines', 'aria-hidden': 'true' }, digits),
    el('pre', {}, lines.join('\n')),
  );
}

export function modelSection(page) {
  const out = [];
  const seen = new Set();
  for (const r of page.results) {
    const model = r.meta.model ?? {};
    const overrides = model.overrides ?? [];
    if (page.results.length > 1) out.push(el('h3', {}, r.label));
    out.push(el('p', { class: 'muted wrap' }, model.path ?? ''));
    if (overrides.length)
      out.push(
        el('p', {}, 'Changed for this run:'),
        el(
          'ul',
          {},
          overrides.map((o) => el('li', {}, el('code', {}, `${o.name}=${o.value}`))),
        ),
      );
    const notes = [...(model.notes ?? []), ...(r.scene?.undrawn ?? [])];
    if (notes.length)
      out.push(
        el(
          'ul',
          { class: 'notes' },
          notes.map((n) => el('li', {}, n)),
        ),
      );
    const text = model.text ?? '';
    if (!text) continue;
    if (seen.has(text)) {
      out.push(el('p', { class: 'muted' }, 'The same file as above.'));
      continue;
    }
    seen.add(text);
    const name = (model.path ?? '').split('/').at(-1) || `${model.name ?? 'model'}.yaml`;
    out.push(
      el(
        'div',
        { class: 'tools' },
        el('button', { type: 'button', onclick: () => download(fileName(name), text, 'text/plain') }, 'Save this file'),
      ),
      source(text),
    );
  }
  return out;
}

export function versionsSection(page) {
  const rows = [['Page written by', page.meta.program]];
  for (const r of page.results) {
    const who = page.results.length > 1 ? ` (${r.label})` : '';
    rows.push(
      [`Result${who}`, r.meta.file],
      [`Run by${who}`, `bristle ${r.meta.version ?? ''}`],
      [`Model hash${who}`, r.meta.model?.hash],
    );
    const per = r.meta.series?.rows_per_point;
    if (per > 1)
      rows.push([
        `Plotted${who}`,
        `two points for every ${number(per)} rows: the smallest and the largest value. The result keeps all ${r.meta.rows}.`,
      ]);
  }
  return [
    el(
      'div',
      { class: 'scroll' },
      el(
        'table',
        {},
        el(
          'tbody',
          {},
          rows
            .filter(([, v]) => v)
            .map(([k, v]) => el('tr', {}, el('th', { scope: 'row' }, k), el('td', { class: 'wrap' }, String(v)))),
        ),
      ),
    ),
  ];
}
