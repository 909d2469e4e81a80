// Programs with a page, and the browser that shows it.
import assert from 'node:assert/strict';
import { cpus, loadavg } from 'node:os';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdirSync } from 'node:fs';
import { once } from 'node:events';
import { chromium } from 'playwright-core';

const java = process.env.JAVA_HOME + '/bin/java';
const classes = process.env.VERBENA_CLASSES;
const pictures = process.env.VERBENA_PICTURES;
export const TOKEN = '0123456789abcdef0123456789abcdef';

/** A port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a program and waits until it has printed the address of its page. */
export async function start(...words) {
  const child = spawn(java, ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '--enable-native-access=ALL-UNNAMED', '-cp', classes, ...words], {
    env: { ...process.env, VERBENA_WEB_TOKEN: TOKEN },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  const address = await new Promise((resolve, reject) => {
    const hear = (bytes) => {
      said += bytes;
      const found = /Live view: (\S+)/.exec(said);
      if (found) resolve(found[1]);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) => reject(new Error(`The program ended with ${code}: ${said}`)));
  });
  return {
    address,
    /** Lets a program that reads lines do its next step, and waits for the line that it prints then. */
    async step() {
      const done = once(child.stdout, 'data');
      child.stdin.write('x');
      await done;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export const verbena = (...words) => start('io.verbena.tools.Verbena', ...words);
export const knownFigures = (port) => start(new URL('KnownFigures.java', import.meta.url).pathname, String(port), TOKEN);

export const livePair = () => start(new URL('LivePair.java', import.meta.url).pathname);

export const launch = () => chromium.launch({ executablePath: process.env.VERBENA_CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });

/** A page that fails the test if a script of it fails, or if it loads something from elsewhere. */
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, colorScheme: 'light', ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.stack));
  page.on('dialog', (dialog) => {
    page.problems.push('a text of a peer became a script');
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('http://127.0.0.1:')) page.problems.push('a request to ' + request.url());
  });
  await page.goto(address, { waitUntil: 'load' });
  return page;
}

/** Writes what the page shows into the folder of pictures. */
export function picture(page, name) {
  mkdirSync(pictures, { recursive: true });
  return page.screenshot({ path: `${pictures}/${name}.png` });
}

/** Other programs may disturb a measurement: the best of a few counts. */
export async function best(times, better, measure) {
  let found = await measure();
  for (let i = 1; i < times && !better(found); i++) found = await measure();
  return found;
}

/** A bound of a time. It is not judged where many more programs run than there are processors: they would be measured. */
export function bound(kept, words) {
  const [load] = loadavg();
  if (kept || load <= cpus().length * 1.5) assert.ok(kept, words);
  else console.log(`not judged at a load of ${load.toFixed(1)}: ${words}`);
}
