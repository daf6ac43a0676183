// Colours. Those that carry a meaning are told apart by people who do not see red and green alike (Okabe and Ito), and
// every one of them also has a word.

// Pale, so that what sticks or slips is seen in front of them.
export const BODIES = [
  '#c7b68f',
  '#a3bccb',
  '#9dbb93',
  '#c9a6bd',
  '#93bfbd',
  '#cfaea0',
  '#b1abd3',
  '#bdb97f',
  '#a7b3be',
  '#cbb3c3',
];
export const WORLD = '#aab0b6';
export const LINES = ['#2b6cb0', '#c4500f', '#0b8a63', '#9b4f96', '#a97900', '#2f98cc', '#6b7280', '#b3315f'];
export const LINES_DARK = ['#6aa9ea', '#f0935a', '#3fc79a', '#d08bcb', '#e0b341', '#7cc7ef', '#a7afb9', '#ee7fa4'];
export const GHOSTS = ['#5b7fa6', '#e69f00', '#cc79a7', '#009e73', '#56b4e9', '#d55e00', '#8c7ae6', '#7f8c8d'];

export const STATES = ['#8a9099', '#0072b2', '#e0670b']; // open, sticks, slips
export const STATE_WORDS = ['open', 'sticks', 'slips'];

export const EVENTS = {
  stick: '#0072b2',
  slip: '#e0670b',
  contact_on: '#009e73',
  contact_off: '#8a9099',
  limit: '#b3315f',
  load_knot: '#a97900',
};
export const EVENT_WORDS = {
  stick: 'begins to stick',
  slip: 'begins to slip',
  contact_on: 'touches',
  contact_off: 'separates',
  limit: 'hits a limit',
  load_knot: 'load changes',
};

// None is the colour of sticking or slipping.
export const VERDICTS = {
  sticks_robust: {
    colour: '#2f8f6f',
    word: 'sticks, robustly',
    text: 'Forces within the limits of friction balance the loads, and no slip could sustain itself.',
  },
  sticks_metastable: {
    colour: '#a9b51f',
    word: 'sticks, metastably',
    text: 'They balance, but once it slid, kinetic friction would not stop it.',
  },
  undetermined: {
    colour: '#8e4fb0',
    word: 'undetermined',
    text: 'Rest and sliding both obey the law of friction: the rigid model cannot tell.',
  },
  slides_certain: {
    colour: '#75503c',
    word: 'slides, for certain',
    text: 'No forces within the limits of friction balance the loads.',
  },
  slides_not_unique: {
    colour: '#b3315f',
    word: 'slides, not uniquely',
    text: 'It slides under loads that redundant constraints leave open: not even the motion is unique.',
  },
  moves: { colour: '#9aa3ad', word: 'moves', text: 'Something slides or rolls, or nothing rubs. What is stuck is judged by name.' },
  not_judged: {
    colour: '#9aa0a6',
    word: 'not judged',
    text: 'The model has parts that verdicts do not know, or the search ended at its budget.',
  },
};

export function rgb(hex) {
  const n = parseInt(hex.slice(1), 16);
  return [((n >> 16) & 255) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}
