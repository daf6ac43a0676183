// Light and dark: as the system says, until the reader chooses. The choice is kept where the browser allows it.
import { el } from './text.js';

const KEY = 'bristle-theme';

function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // pages opened from a file may have no storage
  }
}

export class Theme {
  constructor(changed) {
    this.changed = changed;
    this.chosen = kept();
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.system.addEventListener('change', () => this.apply());
    this.button = el('button', { type: 'button', class: 'theme', onclick: () => this.choose(this.dark ? 'light' : 'dark') });
  }

  get dark() {
    return (this.forced ?? this.chosen ?? (this.system.matches ? 'dark' : 'light')) === 'dark';
  }

  choose(name) {
    this.chosen = name;
    try {
      localStorage.setItem(KEY, name);
    } catch {
      // only this page then
    }
    this.apply();
  }

  // For printing: paper is light.
  force(name) {
    this.forced = name;
    this.apply();
  }

  apply() {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
    this.button.textContent = this.dark ? 'Light' : 'Dark';
    this.button.setAttribute('aria-label', `Switch to ${this.dark ? 'light' : 'dark'} colours`);
    this.changed();
  }

  scene() {
    return this.dark
      ? { background: '#171b20', line: '#47515c', fill: '#232a31', trail: '#7db4ee' }
      : { background: '#f3f5f7', line: '#b3bcc6', fill: '#e4e8ec', trail: '#2b6cb0' };
  }
}
