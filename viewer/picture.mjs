// picture RESULT_OR_REPORT -o PNG [options]
// Saves the scene of a report at a time as a PNG, for README and gallery. A result is made a report first, by $BRISTLE or
// build/release/bristle. Needs Chromium and the packages of viewer/ (make viewer).
//   --time T      s, or a part of the whole such as 50%; default: the end
//   --size WxH    pixels of the picture; default 960x540
//   --scale F     pixels for each of --size, default 1
//   --turn, --tilt DEG  added to the usual view
//   --zoom F      nearer (above 1) or farther
//   --page        the whole page in place of the scene
//   --dark        dark colours
//   --show A,B    switches of the menu Show to switch on, such as "Friction cones"; -A switches one off
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const source = join(dirname(fileURLToPath(import.meta.url)), '..');

function options() {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      output: { ...text, short: 'o' },
      time: { ...text, default: '100%' },
      size: { ...text, default: '960x540' },
      page: flag,
      dark: flag,
      turn: { ...text, default: '0' },
      tilt: { ...text, default: '0' },
      zoom: { ...text, default: '1' },
      scale: { ...text, default: '1' },
      show: { ...text, default: '' },
    },
  });
  const size = /^(\d+)x(\d+)$/.exec(values.size);
  if (positionals.length !== 1 || !values.output || !size) {
    console.error('usage: picture RESULT_OR_REPORT -o PNG [--time T] [--size WxH] ...; viewer/picture.mjs lists the options');
    process.exit(1);
  }
  return { ...values, file: resolve(positionals[0]), width: Number(size[1]), height: Number(size[2]) };
}

function asReport(file, folder) {
  if (file.endsWith('.html')) return file;
  const program = process.env.BRISTLE ?? join(source, 'build', 'release', 'bristle');
  const page = join(folder, 'page.html');
  execFileSync(program, ['report', file, '-o', page], { stdio: ['ignore', 'ignore', 'inherit'] });
  return page;
}

// Only the scene, as large as the window.
const ALONE = `.top, .bars, .right, .transport, .toolbar { display: none !important; } .split { padding: 0 !important; display: block !important; }
  .left { border: 0 !important; border-radius: 0 !important; position: static !important; } .stage { height: 100vh !important; min-height: 0 !important; border-radius: 0 !important; }`;

async function show(page, names) {
  for (const name of names.split(',').filter(Boolean))
    await page.evaluate((wanted) => {
      const on = !wanted.startsWith('-');
      const text = wanted.replace(/^-/, '');
      const label = [...document.querySelectorAll('.menu-body label')].find((l) => l.textContent === text);
      if (!label) throw new Error(`there is no switch "${text}"`);
      const box = label.querySelector('input');
      if (box.checked !== on) box.click();
    }, name);
}

async function take(o, folder) {
  const { chromium } = createRequire(join(source, 'viewer', 'package.json'))('playwright-core');
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
  });
  try {
    const page = await browser.newPage({
      viewport: { width: o.width, height: o.height },
      deviceScaleFactor: Number(o.scale),
      colorScheme: o.dark ? 'dark' : 'light',
    });
    await page.goto(`file://${asReport(o.file, folder)}`);
    await page.waitForFunction(() => window.bristle, null, { timeout: 60000 });
    if (!o.page) await page.addStyleTag({ content: ALONE });
    await show(page, o.show);
    await page.evaluate(({ time, turn, tilt, zoom, scale }) => {
      const b = window.bristle;
      b.setTime(time.endsWith('%') ? b.from + ((b.to - b.from) * parseFloat(time)) / 100 : Number(time));
      if (!b.view) return null;
      b.view.sharpness = Number(scale); // of a picture each pixel counts, however long it takes
      return new Promise((done) =>
        requestAnimationFrame(() => {
          b.view.home();
          b.view.orbit.zoom(1 / Number(zoom));
          b.view.orbit.rotate((Number(turn) * Math.PI) / 180, (Number(tilt) * Math.PI) / 180);
          requestAnimationFrame(() => requestAnimationFrame(done));
        }),
      );
    }, o);
    await page.waitForTimeout(300);
    await page.screenshot({ path: o.output });
  } finally {
    await browser.close();
  }
}

const chosen = options();
const folder = mkdtempSync(join(tmpdir(), 'picture-'));
try {
  await take(chosen, folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
