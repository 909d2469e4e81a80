// The page of a simulated fabric.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { best, freePort, launch, open, picture, TOKEN, verbena, bound } from './programs.mjs';

let browser;
let program;
let port;

const dragonfly = (at) => verbena('fabric', 'run', 'dragonfly:4x2x2', '--web', String(at), '--load', '0.3');

before(async () => {
  port = await freePort();
  program = await dragonfly(port);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await program?.stop();
});

async function api(path) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/${path}${path.includes('?') ? '&' : '?'}token=${TOKEN}`);
  return answer.json();
}

async function network(options) {
  const page = await open(browser, program.address, options);
  await page.waitForSelector('canvas.network[data-states]');
  return page;
}

/** Where a node, or the middle of a link, is on the page. */
async function place(page, kind, number) {
  const [x, y] = await page.evaluate(([what, which]) => {
    const { picture: drawn } = document.querySelector('canvas.network');
    const box = drawn.canvas.getBoundingClientRect();
    const { plan } = drawn.network;
    const ends = what === 'node' ? [which, which] : [plan.links[which].from, plan.links[which].to];
    const [[x1, y1], [x2, y2]] = ends.map((node) => drawn.at(node));
    return [box.left + (x1 + x2) / 2, box.top + (y1 + y2) / 2];
  }, [kind, number]);
  return [x, y];
}

const down = (state) => state.linksDown.join();

async function until(condition, words) {
  for (let i = 0; i < 100; i++) {
    const found = await condition();
    if (found) return found;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error(words);
}

test('fabric_isShownWithItsNodesAndLinks_inPictureAndTables', async () => {
  const page = await network();
  const plan = await api('network');
  assert.equal(plan.lanes, 2);
  await page.waitForFunction(([links, nodes]) => document.body.innerText.includes(`Links${links}`) || (document.body.innerText.includes(String(links)) && document.body.innerText.includes(String(nodes))), [plan.links.length, plan.nodes.length]);
  const label = await page.locator('canvas.network').getAttribute('aria-label');
  assert.ok(label.includes(`${plan.nodes.length} nodes, 0 of them down; ${plan.links.length} links, 0 of them down`), label);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('linkThatIsDoubleClicked_fails_andReturns', async () => {
  const page = await network();
  const plan = await api('network');
  const link = plan.links.findIndex((each) => plan.nodes[each.from].switch && plan.nodes[each.to].switch);
  const [x, y] = await place(page, 'link', link);
  await page.mouse.dblclick(x, y);
  await until(async () => down(await api('network/state')) === String(link), 'the link did not fail');
  await page.locator('.details .badge', { hasText: 'FAILED' }).waitFor();
  await page.locator('.log.network li', { hasText: 'has failed' }).waitFor();
  await page.waitForFunction(() => / 1 of them down\b/.test(document.querySelector('canvas.network').getAttribute('aria-label').split(';')[1]));
  await page.waitForTimeout(1200);
  await picture(page, 'fabric');
  await page.locator('#change').click();
  await until(async () => down(await api('network/state')) === '', 'the link did not return');
  await page.locator('.details .badge', { hasText: 'WORKING' }).waitFor();
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('switchThatIsChosen_showsItsBuffersAndCredits_andFailsWithItsLinks', async () => {
  const page = await network({ colorScheme: 'dark' });
  const plan = await api('network');
  const number = plan.nodes.findIndex((node) => node.switch);
  await page.mouse.click(...await place(page, 'node', number));
  await page.locator('.ports table').waitFor();
  const ports = plan.links.filter((link) => link.from === number || link.to === number).length;
  await page.waitForFunction((rows) => document.querySelectorAll('.ports tbody tr').length === rows, 2 * ports);
  assert.match(await page.locator('.ports').innerText(), /\d+ of 64/);
  await picture(page, 'switch');
  await page.keyboard.press('x');
  await until(async () => (await api('network/state')).linksDown.length === ports, 'the switch did not fail');
  await page.locator('#change', { hasText: 'Mend' }).click();
  await until(async () => (await api('network/state')).linksDown.length === 0, 'the switch did not return');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('slider_goesBack_andTheRunIsTheSame', async () => {
  const page = await network();
  const stands = async (timeNs) => until(async () => {
    const state = await api('network/state');
    return state.pace === 'paused' && (timeNs === null || state.nowNs === timeNs) ? state : null;
  }, `the time does not become ${timeNs}`);
  await until(async () => (await api('network/state')).nowNs > 2000, 'no time passes');
  await page.locator('#run').click();
  const first = await stands(null);
  await page.locator('#step').click();
  const second = await stands(first.nowNs + 100);
  assert.notEqual(first.trace, second.trace);
  const slide = (value) => page.locator('input.time').evaluate((slider, time) => {
    slider.value = time;
    slider.dispatchEvent(new Event('input'));
    slider.dispatchEvent(new Event('change'));
  }, value);
  await slide(1000);
  await stands(1000);
  await slide(first.nowNs);
  const again = await stands(first.nowNs);
  assert.equal(again.trace, first.trace);
  assert.deepEqual(again.loads, first.loads);
  await page.getByText(first.trace).waitFor();
  await page.locator('#run').click();
  await until(async () => (await api('network/state')).pace === 'running', 'the run does not go on');
  await page.context().close();
});

test('otherPages_cannotChangeTheFabric', async () => {
  const page = await network();
  const refused = await page.evaluate(async (address) => {
    const sent = await fetch(address, { method: 'POST', mode: 'no-cors', body: 'action=node&number=0&works=false' }).catch(() => null);
    return sent && sent.status;
  }, `http://localhost:${port}/api/network/actions?token=${TOKEN}`);
  assert.ok(!refused, 'the policy of the page forbids it');
  const foreign = await fetch(`http://127.0.0.1:${port}/api/network/actions?token=${TOKEN}`, { method: 'POST', headers: { Origin: 'http://localhost:1' }, body: 'action=pause' });
  assert.equal(foreign.status, 403);
  await page.context().close();
});

test('fabricThatIsRestarted_isFoundAgainByThePage', async () => {
  const page = await network();
  await program.stop();
  await page.locator('#status.lost').waitFor();
  program = await dragonfly(port);
  await page.locator('#status.live').waitFor({ timeout: 15_000 });
  const before = await page.locator('.now').innerText();
  await page.waitForFunction((shown) => document.querySelector('.now').textContent !== shown, before, { timeout: 10_000 });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('thousandNodes_areDrawnWithinASecond_andUpdatedFiveTimesASecond', async () => {
  const large = await verbena('fabric', 'run', 'fat-tree:16', '--web', '--load', '0.2');
  try {
    const measured = await best(4, ({ drawnMs, perSecond }) => drawnMs < 1000 && perSecond >= 4.8, async () => {
      const page = await open(browser, large.address, { colorScheme: 'dark' });
      await page.waitForSelector('canvas.network[data-states]');
      const drawnMs = await page.locator('canvas.network').evaluate((canvas) => Number(canvas.dataset.drawnMs));
      const counts = () => page.locator('canvas.network').evaluate((canvas) => [Number(canvas.dataset.states), performance.now()]);
      await page.waitForTimeout(500);
      const [from, startMs] = await counts();
      await page.waitForTimeout(3000);
      const [to, endMs] = await counts();
      await picture(page, 'large');
      assert.deepEqual(page.problems, []);
      await page.context().close();
      return { drawnMs, perSecond: ((to - from) * 1000) / (endMs - startMs) };
    });
    console.log('1,344 nodes', measured);
    bound(measured.drawnMs < 1000, `drawn after ${measured.drawnMs} ms`);
    bound(measured.perSecond >= 4.8, `${measured.perSecond} updates per second`);
  } finally {
    await large.stop();
  }
});
