// The events as a table, to filter; a click shows the time.
import { EVENTS, EVENT_WORDS } from '../palette.js';
import { el, number, withUnit } from '../text.js';

const PAGE = 100;

// What the value of an event is, by kind: [word, unit] (docs/guide/contact.md, run.md).
function meaning(result, kind, name) {
  switch (kind) {
    case 'contact_on':
      return ['approach', 'm/s'];
    case 'stick':
      return ['normal force', 'N'];
    case 'slip':
      return ['friction / normal', ''];
    case 'limit': {
      const joint = result.scene?.joints.find((j) => j.name === name || name.startsWith(`${j.name}.`));
      const unit = result.channel(`${name}.position`)?.unit === 'rad' || joint?.kind === 'revolute' ? 'N m' : 'N';
      return result.meta.model?.stepper === 'reference' ? ['impulse', `${unit} s`] : ['force in the step', unit];
    }
    default:
      return ['', ''];
  }
}

// Zero says nothing where nothing is measured.
function valueCell(result, { kind, name, value }) {
  const [word, unit] = meaning(result, kind, name);
  if (!Number.isFinite(value) || (!word && !value)) return el('td');
  return el('td', { class: 'n' }, withUnit(value, unit), word ? el('small', {}, word) : null);
}

export function eventsSection(page, clock) {
  const { events } = page.first;
  const total = page.first.meta.events?.total ?? events.length;
  if (!events.length) return [el('p', { class: 'muted' }, 'No events.')];
  const input = el('input', {
    type: 'search',
    placeholder: 'Filter by name or kind',
    'aria-label': 'Filter events',
    spellcheck: 'false',
  });
  const count = el('span', { class: 'muted', role: 'status' });
  const body = el('tbody');
  const more = el('button', { type: 'button' });
  const rows = events.map(([t, kind, name, value]) => ({
    t,
    kind,
    name,
    value,
    key: `${name} ${kind} ${EVENT_WORDS[kind] ?? ''}`.toLowerCase(),
  }));
  let found = rows;
  let shown = 0;
  const show = () => {
    const next = found.slice(shown, shown + PAGE);
    body.append(
      ...next.map((e) =>
        el(
          'tr',
          {},
          el(
            'td',
            { class: 'n' },
            el('button', { type: 'button', class: 'link', onclick: () => clock.set(e.t) }, number(e.t, 7)),
          ),
          el(
            'td',
            {},
            el('span', { class: 'mark', style: `background:${EVENTS[e.kind] ?? '#888'}` }),
            EVENT_WORDS[e.kind] ?? e.kind,
          ),
          el('td', { class: 'wrap' }, e.name),
          valueCell(page.first, e),
        ),
      ),
    );
    shown += next.length;
    more.hidden = shown >= found.length;
    more.textContent = `${found.length - shown} more …`;
  };
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = words.length ? rows.filter((r) => words.every((w) => r.key.includes(w))) : rows;
    count.textContent = `${found.length} of ${total}${total > rows.length ? `, the first ${rows.length} are on this page` : ''}`;
    shown = 0;
    body.replaceChildren();
    show();
  };
  input.addEventListener('input', filter);
  more.addEventListener('click', show);
  filter();
  return [
    el('div', { class: 'tools' }, input, count),
    el(
      'div',
      { class: 'scroll tall' },
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col', class: 'n' }, 't, s'),
            el('th', { scope: 'col' }, 'What'),
            el('th', { scope: 'col' }, 'Where'),
            el('th', { scope: 'col', class: 'n' }, 'Value, by kind'),
          ),
        ),
        body,
      ),
      more,
    ),
  ];
}
