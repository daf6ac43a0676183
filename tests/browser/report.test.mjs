// The report page as a person uses it, in Chromium. Scenes are judged by what is on them, not pixel by pixel. Nothing
// here depends on how fast the machine is: speeds are printed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, truncateSync, writeFileSync, copyFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { crowd, demo } from '../../viewer/dev/fixture.mjs';
import { launch, open, sceneAt } from './browser.mjs';
import { count, decode, differing } from './png.mjs';

const program = resolve(process.env.BRISTLE ?? process.argv[2] ?? 'build/release/bristle');
const source = process.env.BRISTLE_SOURCE ?? process.cwd();
const template = readFileSync(join(dirname(program), 'share', 'bristle', 'report.html'), 'utf8');
const here = (name) => resolve(name);
const wheelModel = join(source, 'scenes', 'papers', 'peiret_wheel.yaml');
const CHANNELS = ['wheel.position.x', 'wheel.velocity.x', 'wheel.rotation.w', 'energy.kinetic', 'ledger.friction'];
let browser;
let rows; // of the wheel, as the program's own table has them

function bristle(...args) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function readTable(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((x, i) => [names[i], Number(x)])));
}

// Hues of what is drawn: shaded, so only proportions are known.
const orange = (r, g, b) => r > 120 && g > 0.3 * r && g < 0.62 * r && b < 0.3 * r;
const blue = (r, g, b) => b > 90 && r < 0.25 * b && g > 0.45 * b && g < 0.8 * b;
const coloured = (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 28;

// Tests of one page share it: opening takes longer than looking.
let wheel;
async function onWheel() {
  wheel ??= await open(browser, here('wheel.html'));
  await wheel.page.evaluate(() => {
    window.bristle.pause();
    document.activeElement?.blur();
    window.bristle.setTime(0);
  });
  return wheel;
}

before(async () => {
  bristle('run', wheelModel, '--quiet', '-o', 'wheel.result', '--csv', 'wheel.csv', '--channels', CHANNELS.join(','));
  bristle('report', 'wheel.result', '-o', 'wheel.html');
  rows = readTable('wheel.csv');
  browser = await launch();
});

after(() => browser?.close());

test('the wheel opens, without errors and without a network', async () => {
  const { page, faults } = await onWheel();
  assert.match(await page.title(), /wheel/);
  assert.match(await page.textContent('h1'), /wheel/);
  assert.match(await page.textContent('header'), /complete/);
  for (const name of ['Plots', 'Trust', 'Ledger', 'Solver', 'Events', 'Model', 'Versions'])
    assert.ok(await page.locator('h2', { hasText: name }).count(), name);
  assert.match(await page.textContent('#ledger'), /It closes/);
  assert.match(await page.textContent('#model pre:not(.lines)'), /peiret_wheel/);
  const image = decode(await sceneAt(page, 0.5));
  assert.ok(count(image, coloured) > 500, `${count(image, coloured)} coloured pixels`);
  assert.deepEqual(faults, []);
});

test('playing moves time and scene; the slider scrubs', async () => {
  const { page, faults } = await onWheel();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForFunction(() => window.bristle.time > 0.15, null, { timeout: 20000 });
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const stopped = await page.evaluate(() => window.bristle.time);
  await page.waitForTimeout(150);
  assert.equal(await page.evaluate(() => window.bristle.time), stopped);
  await page.getByLabel('Time', { exact: true }).fill('1.25');
  assert.ok(Math.abs((await page.evaluate(() => window.bristle.time)) - 1.25) < 1e-9);
  assert.match(await page.getByLabel('Time shown').textContent(), /^1\.25/);
  assert.deepEqual(faults, []);
});

test('values are those of the result', async () => {
  const { page } = await onWheel();
  const row = rows.reduce((best, r) => (Math.abs(r.t - 1.5) < Math.abs(best.t - 1.5) ? r : best));
  for (const name of CHANNELS) {
    const shown = await page.evaluate(([n, t]) => (window.bristle.setTime(t), window.bristle.value(n)), [name, row.t]);
    // Plotted numbers have 24 bits; where rows were thinned a neighbour is shown, at most 3 rows away.
    const near = rows.filter((r) => Math.abs(r.t - row.t) <= 0.003).map((r) => r[name]);
    const slack = 2e-7 * Math.abs(row[name]) + (Math.max(...near) - Math.min(...near));
    assert.ok(Math.abs(shown - row[name]) <= slack, `${name}: ${shown} for ${row[name]}`);
  }
});

test('channels are hidden, searched for and added', async () => {
  const { page, faults } = await onWheel();
  const chip = page.getByTitle('Show or hide energy.kinetic');
  await chip.click();
  assert.equal(await page.getByTitle('Show or hide energy.kinetic').getAttribute('aria-pressed'), 'false');
  const before = await page.locator('#plots .plot').count();
  await page.getByRole('button', { name: 'Add a plot …' }).click();
  await page.getByLabel('Search channels').fill('angular_velocity y');
  await page.getByRole('checkbox', { name: /wheel\.angular_velocity\.y/ }).check();
  await page.getByRole('button', { name: 'Done' }).click();
  assert.equal(await page.locator('#plots .plot').count(), before + 1);
  const reading = page.getByTitle('Show or hide wheel.angular_velocity.y').locator('.value');
  await reading.scrollIntoViewIfNeeded();
  await page.evaluate(() => window.bristle.setTime(1));
  await page.waitForFunction(() =>
    document.querySelector('[title="Show or hide wheel.angular_velocity.y"] .value').textContent.startsWith('-0.4'),
  );
  const text = await reading.textContent();
  const value = await page.evaluate(() => window.bristle.value('wheel.angular_velocity.y'));
  assert.ok(Math.abs(parseFloat(text) - value) < 1e-4 * Math.abs(value) && /rad\/s/.test(text), `${text} for ${value}`);
  assert.deepEqual(faults, []);
});

test("a zoom is every plot's and playing stays within; what is shown is saved as table and picture", async () => {
  const { page, faults } = await onWheel();
  const first = page.locator('#plots .plot').first();
  await first.scrollIntoViewIfNeeded();
  const over = first.locator('.u-over');
  await over.waitFor();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 40, { steps: 4 });
  await page.mouse.up();
  assert.equal(await page.getByRole('button', { name: 'Whole time' }).isEnabled(), true);
  await page.keyboard.press('End');
  const end = await page.evaluate(() => window.bristle.time);
  assert.ok(Math.abs(end - 3) < 0.1, `the end of the zoom is ${end}`); // 0.6 of 5 s, to a pixel or two
  const [table] = await Promise.all([
    page.waitForEvent('download'),
    first.getByRole('button', { name: /Save as table/ }).click(),
  ]);
  const lines = readFileSync(await table.path(), 'utf8')
    .trim()
    .split('\n');
  assert.match(lines[0], /^t,wheel\./);
  const times = lines.slice(1).map(parseFloat);
  assert.ok(
    times.length > 100 && times[0] >= 1.9 && times.at(-1) <= 3.1,
    `${times.length} rows from ${times[0]} to ${times.at(-1)}`,
  );
  const [image] = await Promise.all([
    page.waitForEvent('download'),
    first.getByRole('button', { name: /Save as picture/ }).click(),
  ]);
  assert.ok(decode(readFileSync(await image.path())).width > 200);
  await page.getByRole('button', { name: 'Whole time' }).click();
  await page.keyboard.press('End');
  assert.equal(await page.evaluate(() => window.bristle.time), await page.evaluate(() => window.bristle.to));
  assert.deepEqual(faults, []);
});

test('the scene shows slip, then stick, and moves', async () => {
  const { page } = await onWheel();
  const early = decode(await sceneAt(page, 0.5));
  const late = decode(await sceneAt(page, 2.9));
  assert.ok(count(early, orange) > 30, `slip: ${count(early, orange)} orange pixels at 0.5 s`);
  assert.ok(count(late, blue) > 30, `stick: ${count(late, blue)} blue pixels at 2.9 s`);
  assert.ok(differing(early, late) > 500, `${differing(early, late)} pixels differ`);
});

test('keys: space, arrows, Home and End, plus and minus', async () => {
  const { page } = await onWheel();
  const time = () => page.evaluate(() => window.bristle.time);
  await page.keyboard.press('End');
  assert.equal(await time(), await page.evaluate(() => window.bristle.to));
  await page.keyboard.press('ArrowLeft');
  const back = await time();
  assert.ok(back < (await page.evaluate(() => window.bristle.to)));
  await page.keyboard.press('ArrowRight');
  assert.ok((await time()) > back);
  await page.keyboard.press('Home');
  assert.equal(await time(), 0);
  await page.keyboard.press('+');
  assert.equal(await page.getByLabel('Speed').inputValue(), '2');
  await page.keyboard.press('-');
  await page.keyboard.press('-');
  assert.equal(await page.getByLabel('Speed').inputValue(), '0.5');
  await page.keyboard.press(' ');
  assert.equal(await page.evaluate(() => window.bristle.playing), true);
  await page.keyboard.press(' ');
  assert.equal(await page.evaluate(() => window.bristle.playing), false);
  // In focus, the scene turns with the arrows instead.
  await page.locator('canvas.scene').focus();
  const [turn, t] = await page.evaluate(() => [window.bristle.view.orbit.turn, window.bristle.time]);
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await page.evaluate(() => window.bristle.view.orbit.turn), turn);
  assert.equal(await time(), t);
});

test('a click on a body says what it is', async () => {
  const { page } = await onWheel();
  await sceneAt(page, 0);
  const at = await page.evaluate(() => {
    const { view } = window.bristle;
    const p = view.orbit.target.clone().fromArray(view.main.frames.now).project(view.orbit.camera);
    const box = view.canvas.getBoundingClientRect();
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  });
  await page.mouse.click(at.x, at.y);
  const card = await page.locator('.card').textContent();
  assert.match(card, /wheel/);
  assert.match(card, /1 kg/);
  assert.match(card, /m\/s/);
});

test('two results are laid over each other', async () => {
  bristle('run', wheelModel, '--quiet', '--set', 'contact.law=box', '-o', 'box.result');
  bristle('report', 'wheel.result', 'box.result', '-o', 'two.html');
  const { page, faults } = await open(browser, here('two.html'));
  const labels = await page.locator('.result strong').allTextContents();
  assert.deepEqual(labels, ['wheel', 'box']);
  const values = await page.evaluate(
    () => (
      window.bristle.setTime(2),
      [window.bristle.value('wheel.position.y', 'wheel'), window.bristle.value('wheel.position.y', 'box')]
    ),
  );
  assert.notEqual(values[0], values[1]);
  const reading = page.getByTitle('Show or hide energy.kinetic').locator('.value');
  assert.deepEqual(await reading.locator('.of').evaluateAll((dots) => dots.map((x) => x.title)), ['wheel', 'box']);
  assert.match(await page.textContent('header'), /contact\.law=box/);
  const [ghost] = await page.evaluate(() => window.bristle.view.layers.slice(1).map((l) => l.group.visible));
  assert.equal(ghost, true);
  assert.deepEqual(faults, []);
  await page.close();
});

test('a result that was cut says what is missing', async () => {
  copyFileSync('wheel.result', 'cut.result');
  truncateSync('cut.result', Math.floor(statSync('wheel.result').size * 0.6));
  bristle('report', 'cut.result', '-o', 'cut.html');
  const { page, faults } = await open(browser, here('cut.html'));
  const bar = page.locator('.bar.warn, .bar.bad').first();
  assert.ok(await bar.isVisible());
  assert.match(await bar.textContent(), /\d/);
  assert.ok((await page.evaluate(() => window.bristle.to)) < 3);
  assert.match(await page.textContent('#ledger'), /No ledger/);
  assert.deepEqual(faults, []);
  await page.close();
});

test('names with markup are text', async () => {
  writeFileSync('names.html', demo(template));
  const { page, faults } = await open(browser, here('names.html'));
  assert.equal(await page.locator('b').count(), 0);
  assert.equal(await page.locator('everything').count(), 0);
  assert.equal(await page.textContent('h1'), 'demo of <everything> & %s');
  const body = await page.textContent('body');
  assert.ok(body.includes('slide<2> & co %s') && body.includes('<b>box & co</b> %s'));
  await page.getByText('Show', { exact: true }).click();
  await page.getByLabel('Names').check();
  assert.ok((await page.locator('.label').allTextContents()).includes('<b>box & co</b> %s'));
  assert.deepEqual(faults, []);
  await page.close();
});

test('plots begin with what the model asks for; rounding is a line at zero', async () => {
  writeFileSync(
    'asked.html',
    demo(template, (meta) => {
      meta.results = meta.results.slice(0, 1);
      const [r] = meta.results;
      r.model.outputs = ['slide_1.position', 'not.there', 'wheel.velocity.x', 'ledger.unaccounted'];
      r.model.outputs.push('wheel.position.x', 'wheel.position.y');
      r.trust[2].joints.slide_1 = { ...r.trust[2].joints.slide_1, friction_min: null, friction_max: null };
    }),
  );
  const { page, faults } = await open(browser, here('asked.html'), { viewport: { width: 1200, height: 2400 } });
  const titles = await page.locator('#plots figcaption').allTextContents();
  const asked = ['slide_1.position, rad', 'wheel.velocity.x, m/s', 'ledger.unaccounted, J', 'Positions, m'];
  assert.deepEqual(titles.slice(0, 4), asked);
  assert.equal(titles[4], 'Energy (change of potential and total), J');
  assert.equal(await page.getByTitle('Show or hide change of energy.potential').count(), 0); // it does not change
  // 3e-9 J beside 22.6 J
  const title = page.locator('figcaption', { hasText: 'ledger.unaccounted' });
  const note = page.locator('#plots .plot', { has: title }).locator('.note');
  assert.match(await note.textContent(), /^Below 1e-9 of 22\.6 J/);
  assert.equal(await page.locator('#plots .note:visible').count(), 1);
  const events = await page.textContent('#events');
  for (const words of [/0\.4friction \/ normal/, /0\.4 Nnormal force/, /12 N mforce in the step/, /0 m\/sapproach/])
    assert.match(events, words);
  const trust = await page.textContent('#trust');
  assert.match(trust, /-33\.2 N m/);
  assert.match(trust, /none balances/);
  assert.match(await page.locator('.strip-key').textContent(), /undetermined/);
  assert.deepEqual(faults, []);
  await page.close();
});

test('beams, cones, frames and ghosts draw; a verdict jumps to its time', async () => {
  const { page, faults } = await open(browser, here('names.html'));
  await page.getByText('Show', { exact: true }).click();
  for (const name of ['Friction cones', 'Body frames', 'Path of the body followed']) await page.getByLabel(name).check();
  await page.getByLabel('Deformation').fill('1');
  const image = decode(await sceneAt(page, 0.7));
  assert.ok(count(image, coloured) > 1000);
  // Coming into view lets plots be drawn, which may move what is below them: look first, then press.
  const verdict = page.getByRole('button', { name: /^undetermined, 1\.2 to 2\.1 s/ }).first();
  await verdict.scrollIntoViewIfNeeded();
  await page.waitForTimeout(500);
  await verdict.press('Enter');
  await page.waitForFunction(() => window.bristle.time === 1.9, null, { timeout: 5000 });
  assert.deepEqual(faults, []);
  await page.close();
});

test('a phone: nothing is wider than the screen; dark is dark', async () => {
  const { page, faults } = await open(browser, here('names.html'), {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    hasTouch: true,
    isMobile: true,
  });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok(
    paper.every((x) => x < 60),
    String(paper),
  );
  const image = decode(await sceneAt(page, 1));
  assert.ok(count(image, (r, g, b) => r + g + b < 200) > 0.4 * image.width * image.height, 'the scene is dark');
  await page.getByRole('button', { name: 'Switch to light colours' }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  assert.deepEqual(faults, []);
  await page.close();
});

test('paper: scene, plots and tables, no controls', async () => {
  const { page, faults } = await open(browser, here('wheel.html'), { colorScheme: 'dark' });
  await sceneAt(page, 1);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('.transport').isVisible(), false);
  assert.ok(await page.locator('.stage canvas.print-only').isVisible());
  assert.ok((await page.locator('.plot canvas.print-only').count()) >= 3);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await page.locator('canvas.print-only').count(), 0);
  assert.deepEqual(faults, []);
  await page.close();
});

test('without data or scene the page says so', async () => {
  writeFileSync('empty.html', template);
  const { page } = await open(browser, here('empty.html'));
  assert.match(await page.locator('[role=alert]').textContent(), /bristle report/);
  await page.close();
  writeFileSync(
    'bare.html',
    demo(template, (meta) => Object.assign(meta.results[0], { scene: null, frames: null })),
  );
  const bare = await open(browser, here('bare.html'));
  assert.match(await bare.page.textContent('.no-scene'), /no scene/);
  assert.deepEqual(bare.faults, []);
  await bare.page.close();
});

test('odd results: one row, none, numbers that are missing', async () => {
  const one = (r) => {
    Object.assign(r, { rows: 1, from: 0, to: 0 });
    for (const x of [r.series, r.series.t, ...r.series.channels.map((c) => c.values), r.frames, r.frames.t]) x.count = 1;
  };
  const none = (r) => {
    Object.assign(r, {
      rows: 0,
      from: 0,
      to: 0,
      frames: null,
      ledger: null,
      trust: null,
      seconds: null,
      outcome: 'failed',
      message: 'no step could be taken',
      events: { total: 0, list: [] },
    });
    for (const x of [r.series, r.series.t, ...r.series.channels.map((c) => c.values)]) x.count = 0;
  };
  const missing = (r) => {
    const joints = { a: { unique: true, friction_min: null, friction_max: null, force: null } };
    r.trust = [
      {
        from: 0,
        to: 3,
        verdict: 'slides_certain',
        joints,
        c_star: null,
        sensitivity: [{ parameter: 'k', quantity: 'q', value: null, flips_at: null }],
        settle: null,
      },
    ];
    r.series.channels = r.series.channels.slice(0, 1);
    r.model.text = '';
    r.frames.contacts = null;
  };
  for (const change of [one, none, missing]) {
    writeFileSync(
      'odd.html',
      demo(template, (meta) => {
        meta.results = meta.results.slice(0, 1);
        change(meta.results[0]);
      }),
    );
    const { page, faults } = await open(browser, here('odd.html'));
    await page.keyboard.press(' ');
    await page.keyboard.press('End');
    assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /NaN|undefined|null|\[object/);
    assert.deepEqual(faults, []);
    await page.close();
  }
});

test('a mouse that rests on a body is told its name; axes and a length are in the corner', async () => {
  const { page } = await onWheel();
  await sceneAt(page, 0);
  const at = await page.evaluate(() => {
    const { view } = window.bristle;
    const p = view.orbit.target.clone().fromArray(view.main.frames.now).project(view.orbit.camera);
    const box = view.canvas.getBoundingClientRect();
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  });
  await page.mouse.move(at.x, at.y);
  await page.waitForFunction(() => document.querySelector('.over-name')?.hidden === false);
  assert.equal(await page.locator('.over-name').textContent(), 'wheel');
  await page.mouse.move(at.x, 5);
  await page.waitForFunction(() => document.querySelector('.over-name').hidden);
  assert.equal((await page.locator('.compass text').allTextContents()).sort().join(''), 'xyz');
  assert.match(await page.locator('.compass .scale').textContent(), /^(1|2|5)0* (mm|cm|m)$/);
});

// A robot of two links: a picture with a colour of its own, hull below it; a link without any shape.
const ROBOT = `<mujoco model="arm"><asset><mesh name="part" file="part.obj"/></asset><worldbody><geom type="plane" size="1 1 1"/>
<body name="upper" pos="0 0 1"><inertial pos="0.2 0 0" mass="1" diaginertia="0.001 0.02 0.02"/><joint name="shoulder" axis="0 1 0"/>
<geom type="mesh" mesh="part" contype="0" conaffinity="0" rgba="0.9 0.1 0.1 1"/><geom size="0.1"/>
<body name="lower" pos="0.5 0 0"><inertial pos="0.2 0 0" mass="1" diaginertia="0.001 0.02 0.02"/><joint name="elbow" axis="0 1 0"/>
<body name="hand" pos="0.5 0 0"><inertial pos="0.1 0 0" mass="0.3" diaginertia="0.001 0.002 0.002"/><joint name="wrist" axis="0 1 0"/></body>
</body></body></worldbody></mujoco>`;
const PART = 'v 0 -0.1 -0.1\nv 0.5 -0.1 -0.1\nv 0 0.1 -0.1\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';

test('pictures have their colours, links without shapes are skeletons, and first plots show what happens', async () => {
  writeFileSync('part.obj', PART);
  writeFileSync('arm.xml', ROBOT);
  bristle('run', 'arm.xml', '--quiet', '--no-trust', '--until', '0.3', '-o', 'arm.result');
  bristle('report', 'arm.result', '-o', 'arm.html');
  const { page, faults } = await open(browser, here('arm.html'));
  const red = (r, g, b) => r > 90 && g < 0.45 * r && b < 0.45 * r;
  assert.ok(count(decode(await sceneAt(page, 0)), red) > 300);
  const drawn = await page.evaluate(() => {
    const { bodies } = window.bristle.view.layers[0];
    return {
      hidden: bodies.hidden.visible,
      pools: Object.keys(bodies.pools),
      skeletons: [...bodies.links.skeletons].sort(),
      ends: bodies.links.rods.length,
    };
  });
  assert.deepEqual(drawn, { hidden: false, pools: ['sphere under a picture'], skeletons: [1, 2], ends: 2 });
  const titles = await page.locator('.plot-head').allTextContents();
  assert.ok(titles.some((t) => /^Joint angles/.test(t)), titles.join('; '));
  assert.ok(!titles.some((t) => /Contact forces/.test(t)), 'nothing touches yet');
  assert.deepEqual(faults, []);
  await page.close();
});

test('a hundred bodies for a minute: how fast (printed, not judged)', async () => {
  writeFileSync('crowd.html', crowd(template));
  const { page, faults } = await open(browser, here('crowd.html'), { viewport: { width: 800, height: 450 } });
  const opened = await page.evaluate(() => window.bristle.opened_ms);
  await page.evaluate(() => window.bristle.play());
  await page.waitForTimeout(500);
  await page.evaluate(() => window.bristle.resetStats());
  await page.waitForTimeout(3000);
  const s = await page.evaluate(() => window.bristle.stats);
  const size = statSync('crowd.html').size / 1e6;
  console.log(
    `# 100 bodies, 60 s, ${size.toFixed(0)} MB: opened in ${(opened / 1000).toFixed(2)} s, ${s.fps.toFixed(1)} frames/s, script ${s.script_ms_mean.toFixed(2)} ms a frame (most ${s.script_ms_max.toFixed(1)}), pixels ${s.scale.toFixed(2)}`,
  );
  assert.ok(s.frames > 1);
  assert.deepEqual(faults, []);
  await page.close();
});
