// Printing: the scene as it is shown now and every plot become pictures; colours are those of paper.
import { el } from './text.js';

export function printing(page, plots, view, theme, loop, stage) {
  let made = [];
  const picture = (canvas, text) => {
    const image = el('img', { class: 'print-only', alt: text, src: canvas.toDataURL('image/png') });
    made.push(image);
    return image;
  };
  const before = () => {
    if (made.length) return;
    theme.force('light');
    if (view?.width) {
      loop.scale = 1;
      view.resize(1);
      view.update(loop.clock.time);
      view.render(); // and read in the same turn, before the browser lets go of the pixels
      stage.append(picture(view.canvas, `Scene at ${loop.clock.time} s`));
    }
    for (const panel of plots.every()) {
      if (!panel.plot) panel.build();
      if (panel.plot) panel.node.append(picture(panel.plot.ctx.canvas, panel.title));
      panel.showValues();
    }
  };
  const after = () => {
    for (const image of made) image.remove();
    made = [];
    theme.force(null);
  };
  window.addEventListener('beforeprint', before);
  window.addEventListener('afterprint', after);
}
