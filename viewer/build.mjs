// Bundles src/ with three and uPlot into one HTML file that refers to nothing outside itself.
//   node build.mjs OUTPUT
// The program puts the data of results in the place of the line <!--bristle-data--> (README.md).
import { build } from 'esbuild';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) {
  console.error('usage: node build.mjs OUTPUT');
  process.exit(1);
}

const MARK = '<!--bristle-data-->';

async function bundle(entry, loader) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: loader === 'js' ? 'iife' : undefined,
    target: ['es2020'],
    legalComments: 'none', // the licences of both packages are added whole, below
    charset: 'utf8',
    logLevel: 'warning',
  });
  return result.outputFiles[0].text;
}

async function licences() {
  let text = '';
  for (const name of ['three', 'uplot']) {
    const folder = join(here, 'node_modules', name);
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    text += `${name} ${version}\n\n${(await readFile(join(folder, 'LICENSE'), 'utf8')).trim()}\n\n`;
  }
  return text.replaceAll('--', '- -'); // a comment cannot hold two hyphens
}

const page = await readFile(join(here, 'src', 'page.html'), 'utf8');
const parts = {
  STYLE: (await bundle('style.css', 'css')).trim(),
  SCRIPT: (await bundle('main.js', 'js')).trim().replaceAll('</script', '<\\/script'),
  LICENCES: await licences(),
};
const html = page.replace(/%%([A-Z]+)%%/g, (_, name) => parts[name]);
if (html.split(MARK).length !== 2) throw new Error(`the template must hold ${MARK} exactly once`);
if (parts.STYLE.includes('</style') || /url\((?!["']?data:)/.test(parts.STYLE))
  throw new Error('the style refers to something outside');

await mkdir(dirname(output), { recursive: true });
await writeFile(`${output}.part`, html);
await rename(`${output}.part`, output); // never half a template
