// Puts the page together: header, scene, plots, sections; runs the frame loop; themes, keys, printing; the small
// interface that tests use, `window.bristle`.
import { Clock } from './clock.js';
import { Controls } from './controls.js';
import { Page } from './data.js';
import { keys } from './keys.js';
import { Loop } from './loop.js';
import { Plots } from './plots/plots.js';
import { printing } from './print.js';
import { SceneView } from './scene/view.js';
import { compareSection, modelSection, versionsSection } from './sections/about.js';
import { eventsSection } from './sections/events.js';
import { header, warnings } from './sections/header.js';
import { credibilitySection } from './sections/credibility.js';
import { ledgerSection } from './sections/ledger.js';
import { solverSection } from './sections/solver.js';
import { trustSection } from './sections/trust.js';
import { el } from './text.js';
import { Theme } from './theme.js';
import { Timeline } from './timeline.js';

function section(id, title, content) {
  return el('section', { id, 'aria-labelledby': `${id}-title` }, el('h2', { id: `${id}-title` }, title), content);
}

function makeSections(page, clock, plots) {
  const list = [];
  if (page.meta.compare) list.push(['compare', 'Comparison', compareSection(page.meta.compare)]);
  list.push(
    ['plots', 'Plots', plots.node],
    ['trust', 'Trust', trustSection(page, clock)],
    ['ledger', 'Ledger', ledgerSection(page)],
    ['credibility', 'Credibility', credibilitySection(page)],
  );
  list.push(['solver', 'Solver', solverSection(page, plots)], ['events', 'Events', eventsSection(page, clock)]);
  list.push(['model', 'Model', modelSection(page)], ['versions', 'Versions', versionsSection(page)]);
  const nav = el(
    'nav',
    { 'aria-label': 'Sections' },
    list.map(([id, title]) => el('a', { href: `#${id}` }, title)),
  );
  return [nav, ...list.map(([id, title, content]) => section(id, title, content))];
}

// The scene, or the reason why there is none.
function makeScene(page, clock, request) {
  const canvas = el('canvas', {
    class: 'scene',
    tabindex: 0,
    role: 'img',
    'aria-label': `Scene of ${page.meta.title}. Arrow keys turn it, plus and minus zoom.`,
  });
  const overlay = el('div', { class: 'labels', 'aria-hidden': 'true', hidden: true });
  const stage = el('div', { class: 'stage' }, canvas, overlay);
  try {
    const view = new SceneView(canvas, overlay, page.results, request);
    const controls = new Controls(view, page, clock, request);
    stage.append(controls.node);
    return { stage, view, controls };
  } catch (error) {
    stage.querySelector('canvas')?.remove();
    stage.append(el('p', { class: 'no-scene' }, error.message));
    stage.classList.add('empty');
    return { stage, view: null, controls: null };
  }
}

function start(app) {
  const began = performance.now();
  const page = new Page(document);
  document.title = `${page.meta.title}: bristle report`;
  const clock = new Clock(page.from, page.to);
  const loop = new Loop(clock);
  const plots = new Plots(page, clock);
  const { stage, view, controls } = makeScene(page, clock, () => loop.request());
  const timeline = new Timeline(page, clock, () => plots.marks());
  plots.addEventListener('marks', () => timeline.draw());
  const theme = new Theme(() => {
    view?.theme(theme.scene());
    plots.rebuild();
  });
  const left = el('div', { class: 'left' }, stage, timeline.node);
  const right = el('div', { class: 'right' }, makeSections(page, clock, plots));
  const top = el('div', {}, header(page, clock, theme.button), warnings(page));
  app.append(top, el('main', { class: 'split' }, left, right));
  // The scene and its bar fill what the header leaves of the window.
  new ResizeObserver(() => document.documentElement.style.setProperty('--head', `${top.offsetHeight}px`)).observe(top);
  theme.apply();
  loop.attach(view);
  plots.defaults();
  keys(clock, timeline, view, controls, page);
  printing(page, plots, view, theme, loop, stage);
  expose(page, clock, loop, view, began);
}

// For tests and scripts: the time shown, playing, how fast frames are made, values as they are plotted.
function expose(page, clock, loop, view, began) {
  window.bristle = {
    get time() {
      return clock.time;
    },
    get playing() {
      return clock.playing;
    },
    from: page.from,
    to: page.to,
    setTime: (t) => clock.set(t),
    setSpeed: (s) => clock.setSpeed(s),
    play: () => clock.play(),
    pause: () => clock.pause(),
    get stats() {
      return loop.stats();
    },
    resetStats: () => loop.reset(),
    value: (name, label) => {
      const result = label === undefined ? page.first : page.results.find((r) => r.label === label);
      const channel = result?.channel(name);
      return channel ? channel.at(clock.time) : null;
    },
    view, // the scene: view.orbit is the camera
    ready_ms: performance.now() - began,
    opened_ms: performance.now(),
  };
}

const app = document.getElementById('app');
try {
  start(app);
} catch (error) {
  app.append(el('div', { class: 'bar bad', role: 'alert' }, error.message));
  console.error(error);
}
