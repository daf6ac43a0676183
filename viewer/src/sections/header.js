// The top of the page: what ran, how it ended, how far it can be trusted, and what is missing.
import { GHOSTS, VERDICTS } from '../palette.js';
import { el, number } from '../text.js';

const OUTCOMES = {
  complete: ['good', 'complete'],
  failed: ['bad', 'a step failed'],
  interrupted: ['warn', 'interrupted'],
  cut: ['warn', 'cut off'],
  damaged: ['bad', 'damaged'],
};
const SAID = new Set(['solver.stepper', 'solver.step']); // among the facts already
const FACTOR = 2; // a parameter nobody measured may be off by that much

// As `bristle trust` decides it (docs/guide/trust.md): null where nothing was judged; ok null where part of it was not, and
// nothing speaks against the rest.
export function credible(trust) {
  if (!trust?.length) return null;
  if (trust.every((x) => Array.isArray(x.reasons))) {
    const all = trust.flatMap((interval) => interval.reasons.map((reason) => ({ interval, why: reason.text, what: reason.what })));
    const against = all.find((r) => r.what !== 'not_judged');
    if (against) return { ok: false, interval: against.interval, why: against.why };
    return all.length ? { ok: null, interval: all[0].interval, why: all[0].why } : { ok: true };
  }
  return credibleByIntervals(trust);
}

// Of verdicts that were written without reasons.
function credibleByIntervals(trust) {
  const span = (x) => `${number(x.from, 4)} to ${number(x.to, 4)} s`;
  for (let i = 0; i < trust.length; i++) {
    const x = trust[i];
    if (x.verdict === 'undetermined' || x.verdict === 'slides_not_unique')
      return { ok: false, interval: x, why: `${VERDICTS[x.verdict].word}, ${span(x)}` };
    const flip = (x.sensitivity ?? []).find((s) => s.flips_at > 0 && Math.abs(Math.log(s.flips_at)) < Math.log(FACTOR));
    if (flip) return { ok: false, interval: x, why: `hangs on ${flip.parameter}, ${span(x)}` };
  }
  return { ok: true };
}

function badge(kind, text, title) {
  return el('span', { class: `badge ${kind}`, title }, text);
}

// The first reason of the run's own books for which it is not credible; null: there is none.
export function booksFail(judgement) {
  return judgement?.reasons?.find((r) => r.fails) ?? null;
}

function booksBadge(reason, clock) {
  const at = Number.isFinite(reason.t) ? `, ${number(reason.t, 4)} s` : '';
  const where = reason.element ? ` (${reason.element})` : '';
  return el(
    'button',
    { type: 'button', class: 'badge bad', title: reason.text, onclick: () => Number.isFinite(reason.t) && clock.set(reason.t) },
    `not credible: ${reason.what}${where}${at}`,
  );
}

function verdictBadge(trust, judgement, clock) {
  const reason = booksFail(judgement);
  if (reason) return booksBadge(reason, clock);
  const answer = credible(trust);
  if (!answer)
    return badge(
      'neutral',
      'not judged',
      'Nobody asked whether what sticks and slips follows from the model, or nothing rubs. The section Trust says how to ask.',
    );
  if (answer.ok)
    return badge(
      'good',
      'credible',
      'No interval is undetermined or not unique, and no parameter flips the result within a factor of two.',
    );
  const { interval, why } = answer;
  if (answer.ok === null) return badge('neutral', 'not judged', `Not judged: ${why}`);
  const text = `not credible: ${why}`;
  return el(
    'button',
    { type: 'button', class: 'badge bad', title: 'Show that time', onclick: () => clock.set(interval.from) },
    text,
  );
}

function resultRow(result, many, clock) {
  const { meta } = result;
  const [kind, word] = OUTCOMES[meta.outcome] ?? ['neutral', meta.outcome];
  const model = meta.model ?? {};
  const facts = [
    model.stepper && `${model.stepper} stepper`,
    model.step > 0 && `step ${number(model.step)} s`,
    `${number(meta.from)} to ${number(meta.to)} s`,
    `${meta.rows} rows`,
    meta.seconds > 0 && `took ${number(meta.seconds, 3)} s`,
  ].filter(Boolean);
  return el(
    'div',
    { class: 'result' },
    many ? el('span', { class: 'swatch', style: `background:${GHOSTS[result.index % GHOSTS.length]}` }) : null,
    many ? el('strong', {}, result.label) : null,
    badge(kind, word),
    verdictBadge(meta.trust, meta.judgement, clock),
    (model.overrides ?? [])
      .filter((o) => !SAID.has(o.name))
      .map((o) => el('code', { class: 'set', title: 'changed for this run' }, `${o.name}=${o.value}`)),
    el('span', { class: 'muted' }, facts.join(', ')),
  );
}

export function header(page, clock, themeButton) {
  const many = page.results.length > 1;
  const rows = page.results.map((r) => resultRow(r, many, clock));
  return el(
    'header',
    { class: 'top' },
    el('div', { class: 'title' }, el('h1', {}, page.meta.title ?? 'result'), themeButton),
    el('div', { class: 'results' }, rows),
  );
}

// Visible bars for what a reader must not miss.
export function warnings(page) {
  const many = page.results.length > 1;
  const bars = [];
  for (const r of page.results) {
    const who = many ? `${r.label}: ` : '';
    if (r.meta.missing)
      bars.push(el('div', { class: 'bar warn', role: 'status' }, el('strong', {}, 'Incomplete. '), `${who}${r.meta.missing}`));
    for (const reason of r.meta.judgement?.reasons ?? [])
      if (reason.fails)
        bars.push(el('div', { class: 'bar bad', role: 'status' }, el('strong', {}, 'Not credible. '), `${who}${reason.what}: ${reason.text}`));
    if (r.meta.message)
      bars.push(el('div', { class: 'bar bad', role: 'status' }, el('strong', {}, 'A step failed. '), `${who}${r.meta.message}`));
  }
  return el('div', { class: 'bars' }, bars);
}
