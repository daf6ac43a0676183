// Keys: space, arrows, Home, End, plus and minus for time; the same arrows turn the scene while it has the focus.

const FIELDS = new Set(['INPUT', 'SELECT', 'TEXTAREA']);

function stepOf(page) {
  const t = page.first.frames?.t;
  return t && t.length > 1 ? (t[t.length - 1] - t[0]) / (t.length - 1) : (page.to - page.from) / 200;
}

function turnScene(event, view) {
  const [dx, dy] = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [];
  if (dx !== undefined) {
    if (event.shiftKey) view.orbit.pan(24 * dx, 24 * dy);
    else view.orbit.rotate(0.07 * dx, 0.07 * dy);
    return true;
  }
  if (event.key === '+' || event.key === '=') view.orbit.zoom(1 / 1.12);
  else if (event.key === '-') view.orbit.zoom(1.12);
  else return false;
  return true;
}

export function keys(clock, timeline, view, controls, page) {
  const step = stepOf(page);
  const move = (by) => {
    clock.pause();
    clock.set(clock.time + by * step);
  };
  const actions = {
    ' ': () => clock.toggle(),
    ArrowLeft: (e) => move(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => move(e.shiftKey ? 10 : 1),
    Home: () => clock.set(clock.first),
    End: () => clock.set(clock.last),
    '+': () => timeline.faster(1),
    '=': () => timeline.faster(1),
    '-': () => timeline.faster(-1),
    l: () => timeline.setLoop(!clock.loop),
    r: () => controls?.home(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = event.target;
    const slider = at === timeline.slider;
    if (FIELDS.has(at.tagName) && !slider) return;
    if (event.key === ' ' && (at.tagName === 'BUTTON' || at.tagName === 'SUMMARY' || at.tagName === 'A')) return; // it presses that
    if (view && at === view.canvas && turnScene(event, view)) return event.preventDefault();
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
