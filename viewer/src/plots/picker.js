// The list of channels, to search and choose from. Thousands of them stay fast: only what fits is made into elements.
import { el } from '../text.js';

const PAGE = 120;

// Which element a channel belongs to: the longest name of the model that it begins with.
function grouping(result) {
  const names = new Map();
  const scene = result.scene;
  for (const [word, list] of [
    ['Body', scene?.bodies],
    ['Joint', scene?.joints],
    ['Beam', scene?.beams],
    ['Clearance', scene?.clearances],
  ])
    for (const x of list ?? []) names.set(x.name, `${word} ${x.name}`);
  return (channel) => {
    if (channel.includes('~')) return 'Contacts';
    for (let end = channel.lastIndexOf('.'); end > 0; end = channel.lastIndexOf('.', end - 1)) {
      const found = names.get(channel.slice(0, end));
      if (found) return found;
    }
    const head = channel.split('.')[0];
    return { energy: 'Energy', ledger: 'Ledger', solver: 'Solver' }[head] ?? head;
  };
}

export class Picker {
  constructor(plots) {
    this.plots = plots;
    this.input = el('input', {
      type: 'search',
      placeholder: 'Search, for example: position x',
      'aria-label': 'Search channels',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    this.list = el('div', { class: 'pick-list' });
    this.title = el('h3', {}, 'Channels');
    this.count = el('p', { class: 'muted', role: 'status' });
    const close = el('button', { type: 'button', onclick: () => this.node.close() }, 'Done');
    this.node = el(
      'dialog',
      { class: 'picker', 'aria-label': 'Channels' },
      el('div', { class: 'pick-head' }, this.title, close),
      this.input,
      this.count,
      this.list,
    );
    this.input.addEventListener('input', () => this.refresh());
    this.node.addEventListener('keydown', (event) => event.stopPropagation());
    this.node.addEventListener('click', (event) => event.target === this.node && this.node.close());
  }

  entries() {
    if (!this.all) {
      const groupOf = grouping(this.plots.page.first);
      const seen = new Map();
      for (const r of this.plots.results) for (const c of r.byName.values()) if (!seen.has(c.name)) seen.set(c.name, c);
      this.all = [...seen.values()].map((c) => ({
        name: c.name,
        unit: c.unit,
        group: groupOf(c.name),
        key: `${c.name} ${c.unit}`.toLowerCase(),
      }));
    }
    return this.all;
  }

  open(panel) {
    this.panel = panel;
    this.title.textContent = panel ? `Add to ${panel.title} (${panel.unit || '1'})` : 'Add a plot';
    this.input.value = '';
    this.refresh();
    this.node.showModal();
    this.input.focus();
  }

  refresh() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const unit = this.panel?.unit ?? null;
    this.found = this.entries().filter((e) => (unit === null || e.unit === unit) && words.every((w) => e.key.includes(w)));
    this.count.textContent = `${this.found.length} of ${this.entries().length} channels${unit === null ? '' : ` in ${unit || '1'}`}`;
    this.list.replaceChildren();
    this.group = null;
    this.shown = 0;
    this.more();
  }

  more() {
    const end = Math.min(this.shown + PAGE, this.found.length);
    for (; this.shown < end; this.shown++) {
      const entry = this.found[this.shown];
      if (entry.group !== this.group) {
        this.group = entry.group;
        this.list.append(el('h4', {}, entry.group));
      }
      this.list.append(this.row(entry));
    }
    if (this.shown < this.found.length) {
      const button = el(
        'button',
        { type: 'button', onclick: () => (button.remove(), this.more()) },
        `${this.found.length - this.shown} more …`,
      );
      this.list.append(button);
    }
  }

  row(entry) {
    const box = el('input', { type: 'checkbox', value: entry.name });
    box.checked = Boolean(this.panel?.lines.some((l) => l.name === entry.name));
    box.addEventListener('change', () => this.choose(entry.name, box.checked));
    return el(
      'label',
      { class: 'pick-row' },
      box,
      el('span', { class: 'name' }, entry.name),
      el('span', { class: 'muted' }, entry.unit === '1' ? '' : entry.unit),
    );
  }

  choose(name, on) {
    const { plots } = this;
    if (!on) this.panel?.take(name);
    else if (this.panel && plots.panels.includes(this.panel)) this.panel.add(plots.line(name));
    else {
      this.panel = plots.open(name, [name]); // what is added next joins it, where its unit agrees
      const unit = this.panel.unit;
      this.title.textContent = `Add to ${name} (${unit || '1'})`;
      this.panel.node.scrollIntoView({ block: 'nearest' });
      this.narrow(unit);
    }
  }

  // After the first choice only channels of its unit are of use.
  narrow() {
    const { scrollTop } = this.list;
    this.refresh();
    while (this.list.scrollHeight < scrollTop + this.list.clientHeight && this.shown < this.found.length) this.more();
    this.list.scrollTop = scrollTop;
  }
}
