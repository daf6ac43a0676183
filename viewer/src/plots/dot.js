// The colour of a result: in the header, in the scene, beside its values.
import { GHOSTS } from '../palette.js';
import { el } from '../text.js';

export function resultDot(result) {
  return el('span', { class: 'of', style: `background:${GHOSTS[result.index % GHOSTS.length]}`, title: result.label });
}
