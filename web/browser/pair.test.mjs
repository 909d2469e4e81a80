// What the pages say of a live pair is what /api/figures has, figure by figure.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, livePair, open } from './programs.mjs';

let browser;
let program;

before(async () => {
  program = await livePair();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await program?.stop();
});

const parts = (object, subject) => object.parts.filter((part) => part.subject === subject);
const value = (object, figure, attribute = '') => object.values['verbena.' + figure]?.[attribute] ?? 0;
const words = (number) => number.toLocaleString('en');

async function figures() {
  const answer = await fetch(program.address.replace('/?', '/api/figures?'));
  const text = await answer.text();
  return { text, rnic: parts(JSON.parse(text).processes[0], 'rnic')[0] };
}

/** Those in which this many requests were sent: a sample may be 200 ms old. */
async function figuresAfter(sent) {
  let now = await figures();
  while (!parts(now.rnic, 'queue_pair').some((pair) => value(pair, 'queue_pair.queue.posted', 'send') === sent)) now = await figures();
  return now;
}

/** The objects of a text of JSON must not have a name twice: JSON.parse keeps the last. */
function duplicates(text) {
  const found = [];
  const open = [];
  for (const [, bracket, name] of text.matchAll(/([{}])|"((?:[^"\\]|\\.)*)"(?=:)|"(?:[^"\\]|\\.)*"/g)) {
    if (bracket === '{') open.push(new Set());
    else if (bracket === '}') open.pop();
    else if (name !== undefined) {
      if (open.at(-1).has(name)) found.push(name);
      open.at(-1).add(name);
    }
  }
  return found;
}

test('eachSideOfAPair_isShownWithItsOwnFigures', async () => {
  const page = await open(browser, program.address);
  await page.locator('a.card').waitFor();
  for (let i = 0; i < 3; i++) await program.step();
  const { text, rnic } = await figuresAfter(9);
  assert.deepEqual(duplicates(text), []);
  for (const pair of parts(rnic, 'queue_pair')) {
    await page.evaluate((at) => (location.hash = at), `#/rnic/${JSON.parse(text).processes[0].identity.pid}/1/${pair.identity.number}`);
    await page.waitForFunction((number) => document.querySelector('h1')?.innerText.includes(number), pair.identity.number);
    const rings = page.locator('.ring svg');
    for (const [i, queue, title] of [[0, 'send', 'Send queue'], [1, 'receive', 'Receive queue']]) {
      const label = `${title}: ${value(pair, 'queue_pair.queue.outstanding', queue)} of ${value(pair, 'queue_pair.queue.limit', queue)} requests are not complete; ${value(pair, 'queue_pair.queue.posted', queue)} were posted`;
      await page.waitForFunction(([at, wanted]) => document.querySelectorAll('.ring svg')[at]?.getAttribute('aria-label') === wanted, [i, label]);
      assert.ok(await rings.nth(i).isVisible());
    }
    const table = await page.locator('table[aria-label="Operations since the start"]').innerText();
    for (const [figure, whose] of [['operations', ''], ['peer.operations', ' of the peer']]) {
      for (const [operation, done] of Object.entries(pair.values['verbena.queue_pair.' + figure] ?? {})) {
        assert.match(table, new RegExp(`${operation.replaceAll('_', ' ')}${whose}\\s+${words(done)}(\\s|$)`));
      }
    }
    assert.equal(await page.evaluate(() => document.querySelector('.facts').innerText.match(/ERRORS\s+(\S+)/i)[1]), words(value(pair, 'queue_pair.failures', 'error')));
  }
  await page.context().close();
});

test('passiveSide_hasTheRatesOfItsPeer', async () => {
  const page = await open(browser, program.address);
  await page.locator('a.card').click();
  const [active, passive] = parts((await figures()).rnic, 'queue_pair').sort((a, b) => value(b, 'queue_pair.io', 'transmit') - value(a, 'queue_pair.io', 'transmit'));
  assert.equal(value(passive, 'queue_pair.peer.io', 'receive') % 70_000, 0);
  await program.step();
  const row = (number) => page.locator('table[aria-label="Queue pairs"] tr', { hasText: number });
  for (const pair of [active, passive]) {
    const key = await page.evaluate((number) => [...tracks.keys()].find((each) => each.endsWith(number)), pair.identity.number);
    const counters = await page.waitForFunction(([at, most]) => {
      const now = tracks.get(at)?.before.counters;
      return now && now.sent + now.received > most && now;
    }, [key, value(pair, 'queue_pair.io', 'transmit') + value(pair, 'queue_pair.io', 'receive') + value(pair, 'queue_pair.peer.io', 'transmit') + value(pair, 'queue_pair.peer.io', 'receive')]);
    const { sent, received } = await counters.jsonValue();
    const now = parts((await figures()).rnic, 'queue_pair').find((each) => each.identity.number === pair.identity.number);
    assert.equal(sent, value(now, 'queue_pair.io', 'transmit') + value(now, 'queue_pair.peer.io', 'transmit'));
    assert.equal(received, value(now, 'queue_pair.io', 'receive') + value(now, 'queue_pair.peer.io', 'receive'));
    assert.ok(await row(pair.identity.number).isVisible());
  }
  await page.context().close();
});
