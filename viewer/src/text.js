// Numbers and elements as a person reads them. Text of the data only ever becomes text nodes.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'class') node.className = value;
    else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

// Five digits unless told, counts in full; a power of ten only where zeros would have to be counted.
export function number(x, digits = 5) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (typeof x !== 'number') return String(x);
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '-∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e9) return String(x); // counts are exact
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, power] = x.toExponential(digits - 1).split('e');
    return `${trim(mantissa)}e${Number(power)}`;
  }
  return size >= 10 ** (digits - 1) ? x.toFixed(0) : trim(x.toPrecision(digits));
}

function trim(text) {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}

export function withUnit(x, unit, digits) {
  return unit && unit !== '1' ? `${number(x, digits)} ${unit}` : number(x, digits);
}

export function seconds(x, span) {
  const digits = span > 0 ? Math.min(7, Math.max(0, 3 - Math.floor(Math.log10(span)))) : 3;
  return `${x.toFixed(digits)} s`;
}

export function download(name, data, type) {
  const url = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function fileName(text) {
  return text.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 80) || 'bristle';
}
