// Printing: the scene as it is shown now and every plot become pictures; colours are those of paper.
import { el, number } from './text.js';

export function printing(page, plots, view, theme, loop, stage) {
  let made = [];
  // A copy of a canvas. Images would have to be decoded first, and printing does not wait.
  const picture = (from, text) => {
    const copy = el('canvas', { class: 'print-only', role: 'img', 'aria-label': text, width: from.width, height: from.height });
    copy.getContext('2d').drawImage(from, 0, 0);
    made.push(copy);
    return copy;
  };
  const scene = () => {
    if (!view?.width) return;
    loop.scale = 1;
    view.resize(1);
    view.update(loop.clock.time);
    view.render(); // and copied in the same turn, before the browser lets go of the pixels
    const text = `Scene at ${number(loop.clock.time)} s`;
    const caption = el('p', { class: 'print-only' }, text);
    made.push(caption);
    stage.append(picture(view.canvas, text), caption);
  };
  const lines = () => {
    for (const panel of plots.every()) if (panel.plot) panel.node.append(picture(panel.plot.ctx.canvas, panel.title));
  };
  window.addEventListener('beforeprint', () => {
    if (made.length) return;
    theme.force('light');
    scene();
    for (const panel of plots.every()) {
      if (!panel.plot) panel.build();
      panel.showValues();
    }
    queueMicrotask(lines); // plots draw themselves in the microtasks before this one
  });
  window.addEventListener('afterprint', () => {
    for (const copy of made) copy.remove();
    made = [];
    theme.force(null);
  });
}
