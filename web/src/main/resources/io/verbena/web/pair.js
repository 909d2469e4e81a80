'use strict';
// The view of one queue pair: its work queues as rings, its path, and what happened between samples as a time line.

const MOMENTS = 300; // lines of the time line that are kept
const WATCHED = [
  ['queue_pair.queue.posted', 'send', 'posted', 'sends posted'],
  ['queue_pair.queue.posted', 'receive', 'posted', 'receives posted'],
  ['queue_pair.failures', 'error', 'bad', 'failed'],
  ['queue_pair.failures', 'flushed', 'bad', 'flushed'],
  ['queue_pair.failures', 'unused', 'wait', 'receives unused'],
  ['connection.retransmissions', '', 'wait', 'packets sent again'],
  ['connection.timeouts', '', 'wait', 'time-outs'],
  ['connection.holes.opened', '', 'wait', 'holes opened'],
];

const micros = (ns) => (ns / 1e3).toFixed(ns < 1e5 ? 1 : 0) + ' µs';
const bytes = (value) => scaled(value, 'B');
const whole = (value) => count(value);

/** What is known of the path to the peer; hidden where nothing is, such as over the TCP of a kernel. */
const PATH = [
  ['round_trip', '', 'round trip', micros],
  ['window', 'congestion', 'congestion window', bytes],
  ['window', 'send', 'send window', bytes],
  ['window', 'receive', 'receive window', bytes],
  ['in_flight', '', 'in flight', bytes],
  ['packets', '', 'packets without an answer', whole],
  ['packets.limit', '', 'their limit', whole],
  ['credits', '', 'credits of the peer', whole],
  ['retransmissions', '', 'sent again', whole],
  ['timeouts', '', 'time-outs', whole],
  ['holes', '', 'open holes', whole],
  ['placed_early', '', 'placed early', bytes],
];

/** Labels with texts, in the order in which they were set first. */
function definitions() {
  const root = el('dl', 'facts');
  const shown = new Map();
  return {
    root,
    empty: () => shown.size === 0,
    set(label, words) {
      if (!shown.has(label)) {
        const cell = el('dd', 'mono');
        cell.style.margin = '0';
        shown.set(label, cell);
        root.append(el('div', 'fact', el('dt', 'label', label), cell));
      }
      text(shown.get(label), words);
    },
  };
}

const STATES = { A: 'active', S: 'suspect', R: 'retired', P: 'probing' };

/** The paths of a connection that has several: a cell for each, the darker the more was sent on it since the last sample. */
function pathHeat() {
  const root = el('div', 'heat');
  const cells = [];
  let before = {};
  return {
    root,
    show(object) {
      const states = object.texts.paths || '';
      root.hidden = !states;
      const now = object.values['verbena.connection.path.io'] || {};
      const sent = [...states].map((_, path) => Math.max(0, (now[path] || 0) - (before[path] || 0)));
      const most = Math.max(1, ...sent);
      [...states].forEach((state, path) => {
        if (!cells[path]) root.append((cells[path] = el('span', '')));
        const cell = cells[path];
        cell.className = STATES[state] || '';
        cell.style.setProperty('--heat', (sent[path] / most).toFixed(2));
        cell.title = `path ${path}: ${STATES[state]}, ${bytes(sent[path])} since the last sample`;
        text(cell, String(path));
      });
      before = now;
    },
  };
}

function pathTable() {
  const list = definitions();
  const heat = pathHeat();
  const made = panel('Path', el('div', 'body', list.root, heat.root));
  return {
    root: made.root,
    show(object) {
      heat.show(object);
      for (const [figure, value, label, words] of PATH) {
        const now = (object.values['verbena.connection.' + figure] || {})[value];
        if (now !== undefined) list.set(label, words(now));
      }
      made.root.hidden = list.empty();
    },
  };
}

/** What changed from sample to sample, the newest first. Nothing is lost between samples: counters are compared. */
function timeLine() {
  const list = el('ul', 'log moments');
  const none = el('p', 'empty', 'Nothing has happened since this page was opened.');
  const made = panel('Time line', list, none);
  let before = null;
  let startNs = 0;
  const counters = (object) => {
    const now = new Map(WATCHED.map(([figure, value, kind, words]) => [words, [number(object, figure, value), kind]]));
    for (const [name, done] of Object.entries(object.values['verbena.queue_pair.operations'] || {})) now.set(name + ' completed', [done, 'done']);
    for (const [name, done] of Object.entries(object.values['verbena.queue_pair.peer.operations'] || {})) now.set(name + ' of the peer', [done, 'done']);
    return now;
  };
  const line = (timeNs, kind, words) => {
    list.prepend(el('li', kind, el('time', '', ((timeNs - startNs) / 1e9).toFixed(1) + ' s'), el('p', '', words)));
    while (list.children.length > MOMENTS) list.lastChild.remove();
  };
  return {
    root: made.root,
    show(object, timeNs) {
      const now = { timeNs, state: object.texts.state, counters: counters(object) };
      if (!before) startNs = timeNs;
      else if (timeNs > before.timeNs) {
        const changes = [];
        let worst = 'done';
        for (const [words, [value, kind]] of now.counters) {
          const more = value - (before.counters.get(words) || [0])[0];
          if (more <= 0) continue;
          changes.push(`${count(more)} ${words}`);
          if (kind === 'bad' || (kind === 'wait' && worst !== 'bad')) worst = kind;
        }
        if (changes.length) line(timeNs, worst, changes.join(', '));
        if (now.state !== before.state) line(timeNs, 'state', `${before.state} → ${now.state}`);
      }
      before = now;
      made.count(count(list.children.length));
      none.hidden = list.children.length > 0;
    },
  };
}

/** A work queue as a ring: the arc is what was posted and is not complete, the mark is where the next request goes. */
function ring(title, queue, className) {
  const arc = svg('path', { class: className });
  const head = svg('line', { class: 'head' });
  const inside = svg('text', { x: 0, y: 4 });
  const limit = svg('text', { x: 0, y: 24, class: 'small' });
  const drawing = svg('svg', { viewBox: '-80 -80 160 160', role: 'img' }, svg('circle', { r: 62 }), arc, head, inside, limit);
  const root = el('div', 'ring', drawing, el('div', '', title));
  const at = (turn, radius) => [Math.sin(turn * 2 * Math.PI) * radius, -Math.cos(turn * 2 * Math.PI) * radius];
  return {
    root,
    show(object) {
      const depth = number(object, 'queue_pair.queue.limit', queue);
      root.hidden = depth === 0;
      if (!depth) return;
      const waiting = Math.min(depth, number(object, 'queue_pair.queue.outstanding', queue));
      const posted = number(object, 'queue_pair.queue.posted', queue);
      const end = (posted % depth) / depth;
      const share = Math.min(0.9999, waiting / depth);
      const [x1, y1] = at(end - share, 62);
      const [x2, y2] = at(end, 62);
      attribute(arc, 'd', waiting ? `M ${x1} ${y1} A 62 62 0 ${share > 0.5 ? 1 : 0} 1 ${x2} ${y2}` : '');
      const [hx1, hy1] = at(end, 52);
      const [hx2, hy2] = at(end, 72);
      for (const [name, value] of Object.entries({ x1: hx1, y1: hy1, x2: hx2, y2: hy2 })) attribute(head, name, String(value));
      text(inside, count(waiting));
      text(limit, `of ${count(depth)}`);
      attribute(drawing, 'aria-label', `${title}: ${waiting} of ${depth} requests are not complete; ${posted} were posted`);
    },
  };
}

/** The rows of a table of operations. */
const rows = (object, figure, whose) =>
  Object.entries(object.values['verbena.' + figure] || {}).map(([name, done]) => ({ identity: { operation: name.replaceAll('_', ' ') + whose }, texts: {}, number: done }));

function queuePairView(pid, rnicNumber, pairNumber) {
  const key = `${pid}/${rnicNumber}/queue_pair/${pairNumber}`;
  const state = el('span');
  const numbers = facts([
    ['sent', 'sent', 'send'],
    ['received', 'received', 'receive'],
    ['operations', 'operations'],
    ['errors', 'errors'],
    ['flushed', 'flushed'],
  ]);
  const rings = [ring('Send queue', 'send', 'send'), ring('Receive queue', 'receive', 'receive')];
  const drawn = traffic('Traffic');
  const operations = new Table('Operations since the start', [
    { title: 'operation', value: (object) => object.identity.operation },
    { title: 'number', number: true, value: (object) => object.number, text: (object) => count(object.number) },
  ], { none: 'No operation is complete.' });
  const described = definitions();
  const details = panel('Connection', el('div', 'body', described.root));
  const path = pathTable();
  const moments = timeLine();
  const events = eventLog('Events of this queue pair');
  const ringPanel = panel('Work queues', el('div', 'body rings', ...rings.map((each) => each.root)));
  const body = el('div', '', numbers.root, el('div', 'two', ringPanel.root, drawn.root), el('div', 'two', operations.root, details.root), path.root, el('div', 'two', moments.root, events.root));
  const gone = el('p', 'hint', 'This queue pair does not exist any more.');
  return {
    root: el('div', '', el('h1', '', el('span', '', `Queue pair ${pairNumber} `), state), gone, body),
    path: [[`process ${pid}`, '#/'], [`RNIC ${rnicNumber}`, `#/rnic/${pid}/${rnicNumber}`], [pairNumber, '#/rnic/' + pid + '/' + rnicNumber + '/' + pairNumber]],
    show(sample) {
      const rnic = find(sample, pid, rnicNumber);
      const now = rnic && parts(rnic, 'queue_pair').find((each) => each.identity.number === pairNumber);
      gone.hidden = Boolean(now);
      body.hidden = !now;
      if (!now) return;
      const own = track(key);
      badge(state, now.texts.state);
      numbers.set('sent', bytesRate(own.rate('sent')));
      numbers.set('received', bytesRate(own.rate('received')));
      numbers.set('operations', rate(own.rate('operations')));
      numbers.set('errors', count(number(now, 'queue_pair.failures', 'error')));
      numbers.mark('errors', number(now, 'queue_pair.failures', 'error') > 0);
      numbers.set('flushed', count(number(now, 'queue_pair.failures', 'flushed')));
      rings.forEach((each) => each.show(now));
      path.show(now);
      moments.show(now, sample.timeNs);
      drawn.show(own);
      operations.set([...rows(now, 'queue_pair.operations', ''), ...rows(now, 'queue_pair.peer.operations', ' of the peer')]);
      for (const [name, value] of Object.entries(now.texts)) described.set(name.replaceAll('_', ' '), value);
      events.show(parts(rnic, 'event').filter((event) => event.texts.object.includes(pairNumber)));
    },
  };
}
