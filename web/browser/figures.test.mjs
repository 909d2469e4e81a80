// The pages of RNICs, with figures that KnownFigures.java chooses.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { best, freePort, knownFigures, launch, open, picture, bound } from './programs.mjs';

let browser;
let program;
let port;

before(async () => {
  port = await freePort();
  program = await knownFigures(port);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await program?.stop();
});

const megabytes = (words) => Number(/([\d.]+) MB\/s/.exec(words)?.[1]);

test('page_isCompleteWithinHalfASecond_andSmall', async () => {
  const measured = await best(5, ({ ms }) => ms < 500, async () => {
    const page = await open(browser, program.address);
    await page.waitForSelector('a.card');
    const found = await page.evaluate(() => ({
      ms: performance.getEntriesByType('navigation')[0].loadEventEnd,
      bytes: performance.getEntriesByType('navigation')[0].transferSize
        + performance.getEntriesByType('resource').filter((each) => !each.name.includes('/api/')).reduce((sum, each) => sum + each.transferSize, 0),
    }));
    await page.context().close();
    return found;
  });
  console.log('page complete', measured);
  bound(measured.ms < 500, `page complete after ${measured.ms} ms`);
  assert.ok(measured.bytes > 0 && measured.bytes <= 200 * 1024, `${measured.bytes} bytes`);
});

test('overview_showsWhatTheProgramSends', async () => {
  const page = await open(browser, program.address);
  const card = page.locator('a.card');
  await card.waitFor();
  await assert.doesNotReject(page.waitForFunction(() => /499|500/.test(document.querySelector('a.card .value.send').textContent), null, { timeout: 10_000 }));
  assert.match(await card.innerText(), /queue pairs\s+1,000/);
  await picture(page, 'overview');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('rnic_findsAQueuePair_andItsPageHasItsQueue', async () => {
  const page = await open(browser, program.address);
  await page.locator('a.card').click();
  await page.getByLabel('Filter queue pairs').fill('0x0003e7');
  await page.waitForFunction(() => /1 of 1,000/.test(document.body.innerText));
  await page.waitForFunction(() => /99\d kB\/s|1\.00 MB\/s/.test(document.querySelector('table[aria-label="Queue pairs"]').innerText), null, { timeout: 10_000 });
  await picture(page, 'rnic');
  await page.locator('table[aria-label="Queue pairs"] a').first().click();
  await page.locator('.ring').first().waitFor();
  assert.match(await page.locator('.ring').first().innerHTML(), new RegExp(`>${999 % 128}<`));
  await page.waitForFunction(() => /\d+ sends posted, \d+ send completed/.test(document.querySelector('.moments').innerText));
  assert.match(await page.locator('main').innerText(), /round trip\s+999 µs/);
  await picture(page, 'queue-pair');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('thousandQueuePairs_scrollWithoutAFrameAbove50Ms', async () => {
  const page = await open(browser, program.address);
  await page.locator('a.card').click();
  await page.waitForFunction(() => /Queue pairs\s*1,000/.test(document.body.innerText));
  const longest = await best(4, (ms) => ms <= 50, () => page.evaluate(async () => {
    const scroll = document.querySelector('table[aria-label="Queue pairs"]').parentElement;
    scroll.scrollTop = 0;
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ type: 'longtask' });
    const startMs = performance.now();
    while (performance.now() - startMs < 2500) {
      scroll.scrollTop += 90;
      await new Promise((next) => requestAnimationFrame(next));
    }
    observer.takeRecords().forEach((entry) => tasks.push(entry.duration));
    observer.disconnect();
    return Math.max(0, ...tasks); // tasks of 50 ms or less are not reported
  }));
  assert.ok(await page.evaluate(() => document.querySelector('table[aria-label="Queue pairs"]').parentElement.scrollTop > 5000));
  console.log('longest task above 50 ms while scrolling:', longest);
  bound(longest === 0, `a task of ${longest} ms while scrolling`);
  await page.context().close();
});

test('rows_whereverTheTableIsScrolled_areThoseOfTheirPlaces', async () => {
  const page = await open(browser, program.address);
  await page.locator('a.card').click();
  await page.waitForFunction(() => /Queue pairs\s*1,000/.test(document.body.innerText));
  await page.getByRole('button', { name: 'number', exact: true }).click();
  const wrong = await page.evaluate(async () => {
    const table = document.querySelector('table[aria-label="Queue pairs"]');
    const scroll = table.parentElement;
    const frame = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    const found = [];
    for (const top of [0, 34, 600, 650, 400, 1, 20_000, 19_800, 1e9, 33_000, 17, 0]) {
      scroll.scrollTop = top;
      await frame();
      const edge = scroll.getBoundingClientRect();
      const places = [];
      for (const row of table.querySelectorAll('tbody tr:not(.space)')) {
        const { top: above, bottom: below } = row.getBoundingClientRect();
        if (below <= edge.top || above >= edge.bottom) continue;
        places.push(parseInt(row.querySelector('a').textContent, 16));
      }
      const first = Math.round((Math.min(top, scroll.scrollHeight - scroll.clientHeight) - 34) / 34); // the head hides a row
      const full = places.length >= Math.floor(scroll.clientHeight / 34) - 1;
      if (!full || Math.abs(places[0] - Math.max(0, first)) > 2 || places.some((place, i) => place !== places[0] + i)) found.push({ top, places });
    }
    return found;
  });
  assert.deepEqual(wrong, []);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('pagesThatAreHidden_leaveTheConnectionsOfTheBrowserToOthers', async () => {
  const context = await browser.newContext();
  const show = async () => {
    const page = await context.newPage();
    await page.goto(program.address, { waitUntil: 'load' });
    await page.locator('a.card').waitFor();
    return page;
  };
  const hide = (page, hidden) => page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
  const first = await show();
  await hide(first, true);
  for (let i = 0; i < 7; i++) await hide(await show(), true); // a browser has six connections to a server
  await show();
  const before = await first.evaluate(() => latest.number);
  await hide(first, false);
  await first.waitForFunction((number) => latest.number > number, before);
  await context.close();
});

test('phone_showsThePageWithinItsWidth', async () => {
  const page = await open(browser, program.address, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
  await page.locator('a.card').click();
  await page.waitForFunction(() => /Queue pairs\s*1,000/.test(document.body.innerText));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await picture(page, 'phone');
  assert.equal(wide, 0);
  await page.context().close();
});

test('programThatIsRestarted_isFoundAgainByThePage', async () => {
  const page = await open(browser, program.address);
  await page.locator('a.card').waitFor();
  await program.stop();
  await page.locator('#status.lost').waitFor();
  program = await knownFigures(port);
  await page.locator('#status.live').waitFor({ timeout: 15_000 });
  await page.waitForFunction(() => /499|500/.test(document.querySelector('a.card .value.send').textContent), null, { timeout: 10_000 });
  await page.context().close();
});

test('dayOfHistory_ofAThousandQueuePairs_fitsIn20Megabytes', async () => {
  const page = await open(browser, program.address);
  await page.locator('a.card').waitFor();
  // The page is given a day of samples, one a minute, and then 150 as they usually come.
  const found = await page.evaluate(() => {
    paused = true;
    const sample = structuredClone(latest);
    const pairs = parts(parts(sample.processes[0], 'rnic')[0], 'queue_pair');
    const take = (timeNs, bytes) => {
      sample.number++;
      sample.timeNs = timeNs;
      for (const pair of pairs) pair.values['verbena.queue_pair.io'].transmit = bytes;
      follow(sample);
    };
    const startNs = sample.timeNs + 1e9;
    for (let minute = 0; minute <= 1440; minute++) take(startNs + minute * 60e9, minute * 60e6);
    for (let i = 1; i <= 150; i++) take(startNs + 1440 * 60e9 + i * 2e8, 1440 * 60e6 + i * 2e5);
    let bytes = 0;
    let filled = Infinity;
    for (const track of tracks.values()) {
      for (const series of [...Object.values(track.series), ...Object.values(track.day.series)]) bytes += series.byteLength;
      if (track.day.series.sent) filled = Math.min(filled, track.day.filled);
    }
    const { series, length } = track(pairs[7].key).points('day');
    return { bytes, filled, tracks: tracks.size, rates: [series.sent[5], series.sent[length - 1]] };
  });
  console.log('a day of history', found);
  assert.ok(found.tracks > 1000 && found.filled === 1440);
  assert.deepEqual(found.rates, [1e6, 1e6]);
  assert.ok(found.bytes <= 20e6, `${found.bytes} bytes`);
  await page.context().close();
});
