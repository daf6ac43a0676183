// What is over the scene: views, what to follow, what to show, the legend, and the card of the body that was clicked.
import { GHOSTS, STATES, STATE_WORDS } from './palette.js';
import { el, number } from './text.js';

export class Controls {
  constructor(view, page, clock, request) {
    Object.assign(this, { view, page, clock, request });
    this.card = el('div', { class: 'card', hidden: true, role: 'status' });
    this.tip = el('div', { class: 'over-name', hidden: true, 'aria-hidden': 'true' });
    this.node = el('div', { class: 'over' }, this.toolbar(), this.legend(), view.compass.node, this.card, this.tip);
    this.press(view.canvas);
    clock.addEventListener('time', () => this.updateCard());
  }

  toolbar() {
    const { view } = this;
    const look = (axis, word) =>
      el(
        'button',
        {
          type: 'button',
          title: `Look along ${axis} (${word})`,
          'aria-label': `Look along ${axis}`,
          onclick: () => view.orbit.look(axis === 'y' ? '-y' : axis),
        },
        axis,
      );
    this.follow = el(
      'select',
      { 'aria-label': 'Follow a body', title: 'Follow a body' },
      el('option', { value: -1 }, 'Fixed view'),
      view.description.bodies.map((b, i) => (b.beam < 0 ? el('option', { value: i }, `Follow ${b.name}`) : null)),
    );
    this.follow.value = String(view.follow);
    this.follow.addEventListener('change', () => this.setFollow(Number(this.follow.value)));
    const home = el(
      'button',
      { type: 'button', title: 'Whole scene (R)', 'aria-label': 'Reset the view', onclick: () => this.home() },
      '⌂',
    );
    const menu = el('details', { class: 'menu' }, el('summary', {}, 'Show'), el('div', { class: 'menu-body' }, this.options()));
    document.addEventListener('pointerdown', (event) => menu.open && !menu.contains(event.target) && (menu.open = false));
    return el(
      'div',
      { class: 'toolbar', role: 'toolbar', 'aria-label': 'View' },
      home,
      look('x', 'from the side'),
      look('y', 'from the front'),
      look('z', 'from above'),
      this.follow,
      menu,
    );
  }

  home() {
    this.view.home();
    this.follow.value = String(this.view.follow);
  }

  setFollow(body) {
    this.view.setFollow(body);
    this.follow.value = String(body);
    this.request();
  }

  check(text, on, change) {
    const box = el('input', { type: 'checkbox' });
    box.checked = on;
    box.addEventListener('change', () => (change(box.checked), this.request()));
    return el('label', { class: 'check' }, box, text);
  }

  // A slider whose middle is 1; its ends are a thousandth and a thousandfold, or as far as told.
  slider(text, decades, change) {
    const reading = el('output', {}, '1×');
    const input = el('input', { type: 'range', min: -decades[0], max: decades[1], step: 0.05, value: 0 });
    input.addEventListener('input', () => {
      const x = 10 ** Number(input.value);
      reading.textContent = `${number(x, 2)}×`;
      change(x);
      this.request();
    });
    return el('label', { class: 'slide' }, el('span', {}, text), input, reading);
  }

  options() {
    const { view } = this;
    const { contacts, joints, axes, labels } = view;
    const out = [];
    if (contacts.any) {
      out.push(
        this.check('Contact forces', true, (on) =>
          [contacts.shafts, contacts.heads, contacts.dots].forEach((p) => (p.mesh.visible = on)),
        ),
      );
      out.push(this.check('Friction cones', false, (on) => (contacts.cones.mesh.visible = on)));
      out.push(this.slider('Length of arrows', [2, 2], (x) => (contacts.factor = x)));
    }
    if (joints.joints.length) {
      joints.group.visible = joints.joints.length <= 40 && !view.description.visuals?.length; // they would hide the picture
      out.push(this.check('Joint axes', joints.group.visible, (on) => (joints.group.visible = on)));
    }
    const { bodies } = view.layers[0];
    if (bodies.hidden.children.length)
      out.push(this.check('Contact shapes', false, (on) => view.layers.forEach((l) => (l.bodies.hidden.visible = on))));
    out.push(this.check('Body frames', false, (on) => (axes.group.visible = on)));
    out.push(this.check('Names', false, (on) => labels.show(on)));
    out.push(this.check('Path of the body followed', false, (on) => this.showTrail(on)));
    if (view.layers[0].beams.list.length)
      out.push(this.slider('Deformation', [1, 3], (x) => view.layers.forEach((l) => (l.beams.factor = x))));
    for (const layer of view.layers.slice(1))
      out.push(this.check(`Ghost: ${layer.result.label}`, true, (on) => (layer.group.visible = on)));
    out.push(
      el(
        'p',
        { class: 'muted keys' },
        'Drag turns, shift-drag or two fingers pan, wheel zooms. Space plays, ← → step, Home and End jump, + and - change speed. With the scene in focus arrows turn it.',
      ),
    );
    return out;
  }

  showTrail(on) {
    if (on && this.view.follow < 0) this.setFollow(this.view.selected >= 0 ? this.view.selected : this.view.heaviest());
    this.view.trail.visible = on;
  }

  legend() {
    const { view, page } = this;
    const item = (colour, text) => el('span', {}, el('span', { class: 'swatch', style: `background:${colour}` }), text);
    const items = [];
    const rubs = view.joints.joints.some((j) => j.friction);
    if (view.contacts.any || rubs) items.push(item(STATES[1], STATE_WORDS[1]), item(STATES[2], STATE_WORDS[2]));
    if (view.contacts.any) items.push(item(STATES[0], STATE_WORDS[0]));
    if (page.results.length > 1)
      for (const r of page.results.slice(1)) items.push(item(GHOSTS[r.index % GHOSTS.length], r.label));
    return el('div', { class: 'legend', hidden: !items.length }, items);
  }

  // A press that does not move is a click on a body.
  press(canvas) {
    let from = null;
    canvas.addEventListener('pointerdown', (event) => (from = [event.clientX, event.clientY]));
    canvas.addEventListener('pointerup', (event) => {
      if (from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 5)
        this.select(this.view.pick(event.clientX, event.clientY));
      from = null;
    });
    // The name of what a mouse rests on. Looking for it takes a while in a crowd: once a frame at most, and not while time passes.
    let waiting = null;
    canvas.addEventListener('pointermove', (event) => {
      if (event.pointerType !== 'mouse' || event.buttons) return void (this.tip.hidden = true);
      if (!waiting) requestAnimationFrame(() => (this.hover(waiting), (waiting = null)));
      waiting = event;
    });
    canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
  }

  hover(event) {
    const { view, tip } = this;
    const body = this.clock.playing ? -1 : view.pick(event.clientX, event.clientY);
    tip.hidden = body < 0;
    if (body < 0) return;
    const box = view.canvas.getBoundingClientRect();
    tip.textContent = view.description.bodies[body].name;
    tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.max(event.clientY - box.top - 26, 4)}px`;
  }

  select(body) {
    this.view.select(body);
    this.card.hidden = body < 0;
    if (body < 0) return;
    const b = this.view.description.bodies[body];
    this.speed = el('span');
    this.place = el('span');
    this.card.replaceChildren(
      el('strong', {}, b.name),
      el('div', {}, `${number(b.mass)} kg`),
      el('div', {}, this.speed),
      el('div', {}, this.place),
      el(
        'div',
        { class: 'tools' },
        el('button', { type: 'button', class: 'small', onclick: () => this.setFollow(body) }, 'Follow'),
        el('button', { type: 'button', class: 'small', 'aria-label': 'Close', onclick: () => this.select(-1) }, '×'),
      ),
    );
    this.updateCard();
  }

  updateCard() {
    const { selected, layers } = this.view;
    if (selected < 0) return;
    const { frames } = layers[0];
    this.speed.textContent = `${number(frames.speed(selected, this.clock.time), 4)} m/s`;
    const o = 7 * selected;
    const n = frames.now;
    this.place.textContent = `(${number(n[o], 4)}, ${number(n[o + 1], 4)}, ${number(n[o + 2], 4)}) m`;
  }
}
