// Chromium without a screen, drawing with the processor; pages that note what must not happen.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = process.env.BRISTLE_SOURCE ?? join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { chromium } = createRequire(join(source, 'viewer', 'package.json'))('playwright-core');

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
  });
}

// Opens a file; `faults` collects errors of the console, exceptions and requests to anywhere but the file itself.
export async function open(browser, file, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, ...options });
  const faults = [];
  page.on('console', (m) => m.type() === 'error' && faults.push(`console: ${m.text()}`));
  page.on('pageerror', (e) => faults.push(`exception: ${e.message}`));
  page.on('request', (r) => !/^(file|data|blob):/.test(r.url()) && faults.push(`request: ${r.url()}`));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.bristle || document.querySelector('[role=alert]'), null, { timeout: 60000 });
  return { page, faults };
}

// The scene at a time, after a frame was drawn.
export async function sceneAt(page, time) {
  await page.evaluate(
    (t) =>
      new Promise((done) => {
        window.bristle.setTime(t);
        requestAnimationFrame(() => requestAnimationFrame(done));
      }),
    time,
  );
  return page.locator('.stage').screenshot();
}
