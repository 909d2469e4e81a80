'use strict';
// The live view. Text of programs and peers reaches the page through textContent only, never as markup.

const POINTS = 150; // samples of history for each object
const MINUTES = 24 * 60; // of its long history
const LONG = ['sent', 'received']; // the rates that have one
const SMOOTHING = 0.35; // weight of the newest sample in a rate
const ROW_PX = 34; // height of a row, as in app.css
const ROW_MARGIN = 6; // rows that are kept beyond both edges of the window
const RETRY_MS = 3000;
const HIDDEN_MS = 60_000; // between two samples of a page that is not visible, which keep its history
const ORDER_MS = 2000; // rows keep their order this long, so that they do not move under the pointer

const token = new URLSearchParams(location.search).get('token') || '';
const byId = (id) => document.getElementById(id);

// Elements.

/** Makes an element: el('td', 'number', 'text', child, …). */
function el(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Writes a text if it has changed: an unchanged page costs the browser nothing. */
function text(element, value) {
  const string = String(value);
  if (element.textContent !== string) element.textContent = string;
}

function attribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Draws in the next frame of the browser, once, however often it is asked to. A page that is not visible has no frames. */
function frames(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/**
 * Receives samples while the page is visible: a browser has six connections to a server for all its pages, and hidden ones must not
 * hold them. Returns a function that ends it.
 */
function stream(path, heard, { opened = () => {}, lost = () => {} }) {
  let source = null;
  let ended = false;
  const close = () => {
    if (source) source.close();
    source = null;
  };
  const start = () => {
    if (ended || source || document.hidden) return;
    const own = (source = new EventSource(path + '?token=' + encodeURIComponent(token)));
    own.onopen = opened;
    own.onmessage = (message) => heard(JSON.parse(message.data));
    own.onerror = () => {
      lost();
      if (own !== source || own.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(start, RETRY_MS);
    };
  };
  const changed = () => (document.hidden ? close() : start());
  document.addEventListener('visibilitychange', changed);
  start();
  return () => {
    ended = true;
    document.removeEventListener('visibilitychange', changed);
    close();
  };
}

// Numbers.

const SI = ['', 'k', 'M', 'G', 'T', 'P'];

function scaled(value, unit) {
  let step = 0;
  let scaledValue = value;
  while (scaledValue >= 999.5 && step < SI.length - 1) {
    scaledValue /= 1000;
    step++;
  }
  const digits = step === 0 || scaledValue >= 99.5 ? 0 : scaledValue >= 9.95 ? 1 : 2;
  return scaledValue.toFixed(digits) + ' ' + SI[step] + unit;
}

const COUNT = new Intl.NumberFormat('en'); // one for all: toLocaleString looks for its own each time
const count = (value) => COUNT.format(Math.round(value));
const bytesRate = (value) => scaled(value, 'B/s');
const rate = (value) => scaled(value, '/s');

function duration(ns) {
  const s = ns / 1e9;
  if (s < 60) return s.toFixed(s < 10 ? 1 : 0) + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' min';
  return s < 172800 ? Math.floor(s / 3600) + ' h' : Math.floor(s / 86400) + ' d';
}

// Figures.

const number = (object, figure, value = '') => (object.values['verbena.' + figure] || {})[value] || 0;

function sum(object, figure) {
  let total = 0;
  for (const value of Object.values(object.values['verbena.' + figure] || {})) total += value;
  return total;
}

/** Bytes that a queue pair and its peer moved: a server whose peer reads and writes posts nothing itself. */
const moved = (pair, direction) => number(pair, 'queue_pair.io', direction) + number(pair, 'queue_pair.peer.io', direction);

const parts = (object, subject) => object.parts.filter((part) => part.subject === subject);

/** Mean rates of the last 24 hours, one for each minute: 11.5 kB an object. A page that slept repeats the mean of that time. */
class Day {
  constructor() {
    this.series = {};
    this.filled = 0;
    this.before = null;
  }

  take(timeNs, counters) {
    const before = this.before;
    if (before && timeNs - before.timeNs < 60e9) return;
    this.before = { timeNs, counters };
    if (!before) return;
    const minutes = Math.min(MINUTES, Math.floor((timeNs - before.timeNs) / 60e9));
    for (const name of LONG) {
      const series = (this.series[name] ||= new Float32Array(MINUTES));
      series.copyWithin(0, minutes);
      series.fill(Math.max(0, counters[name] - before.counters[name]) / ((timeNs - before.timeNs) / 1e9), MINUTES - minutes);
    }
    this.filled = Math.min(MINUTES, this.filled + minutes);
  }
}

/** Rates of one object, and their history as rings of POINTS samples. */
class Track {
  constructor() {
    this.rates = {};
    this.series = {};
    this.before = null;
    this.filled = 0;
    this.seen = 0;
    this.day = new Day();
  }

  /** The newest points of a span: the last samples, or minutes. */
  points(span) {
    if (span === 'now') return { series: this.series, length: POINTS, filled: this.filled };
    const length = span === 'hour' ? 60 : MINUTES;
    const series = {};
    for (const name of Object.keys(this.day.series)) series[name] = this.day.series[name].subarray(MINUTES - length);
    return { series, length, filled: Math.min(length, this.day.filled) };
  }

  /** Takes counters at a time; a counter that has decreased belongs to a new object. */
  take(timeNs, counters) {
    const before = this.before;
    const passedS = before ? (timeNs - before.timeNs) / 1e9 : 0;
    for (const [name, value] of Object.entries(counters)) {
      const series = (this.series[name] ||= new Float32Array(POINTS));
      let now = 0;
      if (passedS > 0) {
        const raw = Math.max(0, value - (before.counters[name] || 0)) / passedS;
        now = SMOOTHING * raw + (1 - SMOOTHING) * (this.rates[name] || 0);
        if (now < 1e-3) now = 0;
      }
      this.rates[name] = now;
      series.copyWithin(0, 1);
      series[POINTS - 1] = now;
    }
    this.before = { timeNs, counters };
    this.filled = Math.min(POINTS, this.filled + 1);
    if (LONG[0] in counters) this.day.take(timeNs, counters);
  }

  rate(name) {
    return this.rates[name] || 0;
  }
}

const tracks = new Map();
const NO_TRACK = new Track();
const track = (key) => tracks.get(key) || NO_TRACK;

/** A process, RNIC or part, with the key under which its track is. */
function follow(sample) {
  const seen = (key, counters) => {
    let found = tracks.get(key);
    if (!found) tracks.set(key, (found = new Track()));
    found.take(sample.timeNs, counters);
    found.seen = sample.number;
  };
  for (const process of sample.processes) {
    for (const rnic of parts(process, 'rnic')) {
      rnic.key = process.identity.pid + '/' + rnic.identity.number;
      const total = { sent: 0, received: 0, operations: 0 };
      for (const part of rnic.parts) {
        part.key = rnic.key + '/' + part.subject + '/' + Object.values(part.identity).join('/');
        if (part.subject === 'queue_pair') {
          const own = {
            sent: moved(part, 'transmit'),
            received: moved(part, 'receive'),
            operations: sum(part, 'queue_pair.operations') + sum(part, 'queue_pair.peer.operations'),
          };
          for (const name of Object.keys(total)) total[name] += own[name];
          seen(part.key, own);
        } else if (part.subject === 'engine') {
          seen(part.key, {
            busy: number(part, 'engine.busy'),
            rounds: number(part, 'engine.rounds'),
            parks: number(part, 'engine.parks'),
          });
        } else if (part.subject === 'handler') {
          seen(part.key, {
            runs: number(part, 'handler.runs'),
            completions: number(part, 'handler.completions'),
            time: number(part, 'handler.time'),
          });
        } else if (part.subject === 'completion_queue') {
          seen(part.key, {
            polled: number(part, 'completion_queue.polled'),
            runs: number(part, 'completion_queue.handler.runs'),
          });
        }
      }
      if ('verbena.rnic.io' in rnic.values) { // totals, which have the work of closed queue pairs
        total.sent = number(rnic, 'rnic.io', 'transmit') + number(rnic, 'rnic.peer.io', 'transmit');
        total.received = number(rnic, 'rnic.io', 'receive') + number(rnic, 'rnic.peer.io', 'receive');
        total.operations = sum(rnic, 'rnic.operations') + sum(rnic, 'rnic.peer.operations');
      }
      seen(rnic.key, total);
    }
  }
  for (const [key, each] of tracks) if (each.seen !== sample.number) tracks.delete(key);
}

// Drawing.

const tenths = (value) => Math.round(value * 10) / 10;

/** A line per name; the vertical scale is common. Returns a function that draws the track of a moment. */
function chart(names, className) {
  const lines = names.map((name) => svg('polyline', { class: name === 'received' ? 'receive' : 'send' }));
  const root = svg('svg', { class: 'chart ' + className, viewBox: `0 0 ${POINTS - 1} 100`, preserveAspectRatio: 'none', role: 'img' });
  if (className === 'tall') {
    for (const y of [2, 50, 98]) root.append(svg('line', { class: 'grid', x1: 0, x2: POINTS, y1: y, y2: y }));
  }
  root.append(...lines);
  const draw = (from, label, span = 'now') => {
    const { series: all, length, filled } = from.points(span);
    const stretch = (POINTS - 1) / (length - 1);
    let most = 1;
    for (const name of names) for (const value of all[name] || []) if (value > most) most = value;
    names.forEach((name, i) => {
      const series = all[name] || [];
      let points = '';
      for (let x = length - filled; x < series.length; x++) points += tenths(x * stretch) + ',' + tenths(98 - (series[x] / most) * 96) + ' ';
      attribute(lines[i], 'points', points);
    });
    attribute(root, 'aria-label', label);
    return most;
  };
  return { root, draw };
}

/** A bar with words; a full one is marked if that is a reason to look. */
function meter(alarms) {
  const bar = el('b');
  const label = el('span');
  const root = el('span', 'meter', bar, label);
  return {
    root,
    set(value, most, words) {
      const share = most > 0 ? Math.min(1, value / most) : 0;
      bar.style.transform = `scaleX(${share.toFixed(3)})`; // a width would be laid out anew
      root.classList.toggle('full', Boolean(alarms) && share > 0.95);
      text(label, words);
    },
  };
}

const GOOD = new Set(['RTS', 'ESTABLISHED', 'OPEN', 'WORKING']);
const BAD = new Set(['ERROR', 'ERR', 'SQE', 'TERMINATE', 'FAILED', 'REFUSED', 'LOST', 'CLOSED', 'REJECTED']);

function badge(element, state) {
  element.className = 'badge ' + (GOOD.has(state) ? 'good' : BAD.has(state) ? 'bad' : 'wait');
  text(element, state);
}

/** Numbers with labels. */
function facts(labels) {
  const values = {};
  const root = el('div', 'facts');
  for (const [name, label, className] of labels) {
    values[name] = el('div', 'value ' + (className || ''), '–');
    root.append(el('div', 'fact', el('div', 'label', label), values[name]));
  }
  return { root, set: (name, value) => text(values[name], value), mark: (name, bad) => values[name].classList.toggle('bad', bad) };
}

function panel(title, ...body) {
  const number = el('span', 'count');
  const bar = el('div', 'bar', el('h2', '', title, number));
  return { root: el('section', 'panel', bar, ...body), bar, count: (value) => text(number, value) };
}

const ORDER = new Intl.Collator('en', { numeric: true }); // words, and numbers in them as numbers

/** Hexadecimal numbers sort as numbers: a comparison of texts would take 0x0000a0 for no number and an a. */
const sortKey = (value) => (/^0x[0-9a-f]+$/i.test(value) ? Number(value) : value);

/**
 * A table that sorts and filters, and has rows only for what is visible. A column has a title, the value that sorts it, and either a
 * text or a drawing: make(cell) returns a function that shows an object.
 *
 * Scrolling must stay smooth on a slow machine. So a row that stays visible keeps its elements and is not drawn again, a row that leaves
 * at one edge comes back at the other, and nothing asks the browser for a size: that would lay out the page in the middle of a frame.
 */
class Table {
  constructor(title, columns, options = {}) {
    this.columns = columns;
    this.objects = [];
    this.sort = { column: columns.find((column) => column.first) || columns[0], down: Boolean(options.down) };
    this.rows = [];
    this.shown = [];
    this.drawing = 0; // counts what the table was given: objects that stay may have changed
    this.first = 0; // the place of the first row in what is shown
    this.height = 600;
    this.orderedMs = 0;
    this.order = new Map();
    this.head = el('tr');
    this.above = el('td');
    this.below = el('td');
    this.body = el('tbody');
    for (const space of [this.above, this.below]) space.colSpan = columns.length;
    this.top = el('tr', 'space', this.above);
    this.bottom = el('tr', 'space', this.below);
    this.top.setAttribute('aria-hidden', 'true');
    this.bottom.setAttribute('aria-hidden', 'true');
    this.body.append(this.top, this.bottom);
    this.none = el('p', 'empty', options.none || 'None.');
    const table = el('table', '', el('thead', '', this.head), this.body);
    table.setAttribute('aria-label', title);
    this.scroll = el('div', 'scroll', table);
    this.scroll.tabIndex = 0;
    this.scrollTop = 0;
    const redraw = frames(() => this.show());
    this.scroll.addEventListener('scroll', () => {
      this.scrollTop = this.scroll.scrollTop;
      redraw();
    });
    new ResizeObserver(([entry]) => {
      if (entry.contentRect.height > 0) this.height = entry.contentRect.height;
      redraw();
    }).observe(this.scroll);
    this.panel = panel(title, this.scroll, this.none);
    this.root = this.panel.root;
    if (options.filter) {
      this.filter = el('input', 'filter');
      this.filter.type = 'search';
      this.filter.placeholder = 'Filter: ' + options.filter;
      this.filter.setAttribute('aria-label', 'Filter ' + title.toLowerCase());
      this.filter.addEventListener('input', () => {
        this.orderedMs = 0;
        this.set(this.objects);
      });
      this.panel.bar.append(this.filter);
    }
    columns.forEach((column) => this.head.append(this.header(column)));
    this.mark();
  }

  header(column) {
    const button = el('button', '', column.title);
    button.type = 'button';
    button.addEventListener('click', () => {
      const same = this.sort.column === column;
      this.sort = { column, down: same ? !this.sort.down : Boolean(column.number) };
      this.mark();
      this.orderedMs = 0;
      this.set(this.objects);
    });
    column.header = el('th', (column.number ? 'number ' : '') + (column.wide ? 'wide' : ''), button);
    column.header.scope = 'col';
    return column.header;
  }

  mark() {
    for (const column of this.columns) {
      if (column === this.sort.column) column.header.setAttribute('aria-sort', this.sort.down ? 'descending' : 'ascending');
      else column.header.removeAttribute('aria-sort');
    }
  }

  set(objects) {
    this.objects = objects;
    this.drawing++;
    const words = this.filter ? this.filter.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
    const matches = (object) => {
      const all = (Object.values(object.identity).join(' ') + ' ' + Object.values(object.texts).join(' ')).toLowerCase();
      return words.every((word) => all.includes(word));
    };
    this.shown = words.length ? objects.filter(matches) : objects.slice();
    this.arrange();
    this.panel.count(words.length ? `${count(this.shown.length)} of ${count(objects.length)}` : count(objects.length));
    this.none.hidden = objects.length > 0;
    this.scroll.hidden = objects.length === 0;
    this.show();
  }

  /** Sorts what is shown by the chosen column, or, until the order is old, as it was. */
  arrange() {
    const name = (object) => object.key || Object.values(object.identity).join('/');
    if (Date.now() - this.orderedMs < ORDER_MS) {
      const place = (object) => this.order.get(name(object)) ?? this.order.size;
      this.shown.sort((a, b) => place(a) - place(b));
      return;
    }
    const { column, down } = this.sort;
    const keys = new Map(this.shown.map((object) => [object, sortKey(column.value(object))]));
    this.shown.sort((a, b) => {
      const [x, y] = down ? [keys.get(b), keys.get(a)] : [keys.get(a), keys.get(b)];
      return typeof x === 'number' && typeof y === 'number' ? x - y : ORDER.compare(x, y);
    });
    this.orderedMs = Date.now();
    this.order = new Map(this.shown.map((object, place) => [name(object), place]));
  }

  show() {
    const first = Math.max(0, Math.min(Math.floor(this.scrollTop / ROW_PX), this.shown.length) - ROW_MARGIN);
    const last = Math.min(this.shown.length, first + Math.ceil(this.height / ROW_PX) + 2 * ROW_MARGIN);
    this.move(first);
    while (this.rows.length < last - first) this.rows.push(this.row());
    while (this.rows.length > last - first) this.rows.pop().root.remove();
    this.above.style.height = first * ROW_PX + 'px';
    this.below.style.height = (this.shown.length - last) * ROW_PX + 'px';
    this.rows.forEach((row, i) => row.show(this.shown[first + i], this.drawing));
  }

  /** Rows that have left the window at one edge are put at the other. The others stay with their objects. */
  move(first) {
    const places = first - this.first;
    this.first = first;
    if (Math.abs(places) >= this.rows.length) return;
    const moved = places > 0 ? this.rows.splice(0, places) : this.rows.splice(this.rows.length + places);
    const elements = moved.map((row) => row.root);
    if (places > 0) {
      this.bottom.before(...elements);
      this.rows.push(...moved);
    } else {
      this.top.after(...elements);
      this.rows.unshift(...moved);
    }
  }

  row() {
    const root = el('tr');
    const shows = this.columns.map((column) => {
      const cell = el('td', (column.number ? 'number ' : column.make ? '' : 'text ') + (column.mono ? 'mono ' : '') + (column.wide ? 'wide' : ''));
      root.append(cell);
      if (column.make) return column.make(cell);
      return (object) => {
        const value = column.text ? column.text(object) : column.value(object);
        text(cell, value);
        if (!column.number) cell.title = value;
      };
    });
    this.bottom.before(root);
    let [drawn, last] = [null, 0];
    return {
      root,
      show(object, drawing) {
        if (object !== drawn || drawing !== last) for (const show of shows) show(object);
        [drawn, last] = [object, drawing];
      },
    };
  }
}

function stateColumn(title, name) {
  return {
    title,
    value: (object) => object.texts[name] || '',
    make: (cell) => {
      const mark = el('span');
      cell.append(mark);
      return (object) => (object.texts[name] ? badge(mark, object.texts[name]) : ((mark.className = ''), text(mark, '–')));
    },
  };
}

function meterColumn(title, value, most, options = {}) {
  return {
    title,
    value,
    ...options,
    make: (cell) => {
      const shown = meter(options.alarms);
      cell.append(shown.root);
      return (object) => {
        const now = value(object);
        const limit = most(object);
        if (limit > 0) shown.set(now, limit, options.words ? options.words(now) : `${count(now)} / ${count(limit)}`);
        else shown.set(0, 1, '–');
      };
    },
  };
}

// Views. A view has a root and shows each sample; it is made again when the address changes.

function overview() {
  const root = el('div');
  const cards = new Map();
  const sections = new Map();
  const net = el('p', '', 'This program also has a ');
  const netLink = el('a', 'badge', 'network');
  netLink.href = '#/network';
  net.append(netLink);
  const none = el('p', 'hint', 'No process with an RNIC is visible. Start one with --web, or wait until a program opens an RNIC.');
  root.append(el('h1', '', 'Overview'), net, none);

  function section(process) {
    const grid = el('div', 'cards');
    const others = partTables();
    const made = { root: el('section', 'process', el('h2', '', `${process.identity.pid}  ${process.texts.command || ''}`), grid, others.root), grid, others };
    root.append(made.root);
    return made;
  }

  function card(rnic, grid) {
    const state = el('span');
    const title = el('span', '', '');
    const drawn = chart(['sent', 'received'], '');
    const numbers = facts([
      ['sent', 'sent', 'send'],
      ['received', 'received', 'receive'],
      ['operations', 'operations'],
      ['pairs', 'queue pairs'],
      ['busy', 'busiest engine'],
      ['events', 'events'],
    ]);
    const link = el('a', 'card', el('div', 'title', title, state), numbers.root, drawn.root);
    link.href = '#/rnic/' + rnic.key;
    grid.append(link);
    return {
      root: link,
      show(now) {
        const own = track(now.key);
        text(title, `RNIC ${now.identity.number} · ${now.texts.provider || ''} · ${now.texts.transport || ''}`);
        badge(state, now.texts.state || '?');
        numbers.set('sent', bytesRate(own.rate('sent')));
        numbers.set('received', bytesRate(own.rate('received')));
        numbers.set('operations', rate(own.rate('operations')));
        numbers.set('pairs', count(number(now, 'rnic.queue_pairs')));
        numbers.set('busy', busiest(now));
        numbers.set('events', count(sum(now, 'rnic.events')));
        drawn.draw(own, `Sent ${bytesRate(own.rate('sent'))}, received ${bytesRate(own.rate('received'))}`);
      },
    };
  }

  return {
    root,
    path: [],
    show(sample) {
      const live = new Set();
      for (const process of sample.processes) {
        const pid = process.identity.pid;
        if (!sections.has(pid)) sections.set(pid, section(process));
        live.add(pid);
        sections.get(pid).others.show(process.parts.filter((part) => part.subject !== 'rnic'));
        for (const rnic of parts(process, 'rnic')) {
          if (!cards.has(rnic.key)) cards.set(rnic.key, card(rnic, sections.get(pid).grid));
          cards.get(rnic.key).show(rnic);
          live.add(rnic.key);
        }
      }
      for (const shown of [cards, sections]) {
        for (const [key, each] of shown) {
          if (!live.has(key)) {
            each.root.remove();
            shown.delete(key);
          }
        }
      }
      none.hidden = cards.size > 0 || sample.processes.some((process) => process.parts.length);
      net.hidden = !sample.network;
    },
  };
}

function busiest(rnic) {
  const engines = parts(rnic, 'engine').filter((engine) => 'verbena.engine.busy' in engine.values);
  if (!engines.length) return 'inline';
  return Math.round(Math.max(...engines.map((engine) => track(engine.key).rate('busy') / 1e7))) + ' %';
}

// What carries a connection, with the changes of one that survives the end of its transport.
function carrierText(object) {
  const changes = number(object, 'connection.transport.changes');
  return (object.texts.carrier || '–') + (changes ? `, ${count(changes)} changes` : '');
}

function queuePairs(rnicKey) {
  const own = (object) => track(object.key);
  return new Table(
    'Queue pairs',
    [
      {
        title: 'number',
        value: (object) => object.identity.number,
        make: (cell) => {
          const link = el('a', 'mono');
          cell.append(link);
          return (object) => {
            text(link, object.identity.number);
            attribute(link, 'href', `#/rnic/${rnicKey}/${object.identity.number}`);
          };
        },
      },
      stateColumn('state', 'state'),
      { title: 'peer', mono: true, value: (object) => object.texts.peer || '–' },
      { title: 'carrier', wide: true, value: (object) => carrierText(object) },
      { title: 'sent', first: true, number: true, value: (object) => own(object).rate('sent'), text: (object) => bytesRate(own(object).rate('sent')) },
      { title: 'received', number: true, value: (object) => own(object).rate('received'), text: (object) => bytesRate(own(object).rate('received')) },
      { title: 'operations', number: true, wide: true, value: (object) => own(object).rate('operations'), text: (object) => rate(own(object).rate('operations')) },
      {
        title: 'history',
        wide: true,
        value: (object) => own(object).rate('sent') + own(object).rate('received'),
        make: (cell) => {
          const drawn = chart(['sent', 'received'], '');
          cell.append(drawn.root);
          return (object) => drawn.draw(own(object), `Sent ${bytesRate(own(object).rate('sent'))}`);
        },
      },
      meterColumn('send queue', (object) => number(object, 'queue_pair.queue.outstanding', 'send'), (object) => number(object, 'queue_pair.queue.limit', 'send'), { wide: true, alarms: true }),
      meterColumn('receives', (object) => number(object, 'queue_pair.queue.outstanding', 'receive'), (object) => number(object, 'queue_pair.queue.limit', 'receive'), { wide: true }),
      { title: 'errors', number: true, wide: true, value: (object) => number(object, 'queue_pair.failures', 'error'), text: (object) => count(number(object, 'queue_pair.failures', 'error')) },
    ],
    { filter: 'number, peer, state', down: true, none: 'No queue pair exists.' },
  );
}

function engines() {
  return new Table('Engines', [
    { title: 'engine', value: (object) => object.identity.number },
    stateColumn('state', 'state'),
    meterColumn('busy', (object) => track(object.key).rate('busy') / 1e7, (object) => ('verbena.engine.busy' in object.values ? 100 : 0), { number: true, words: (now) => now.toFixed(now < 10 ? 1 : 0) + ' %' }),
    { title: 'rounds', number: true, value: (object) => track(object.key).rate('rounds'), text: (object) => rate(track(object.key).rate('rounds')) },
    { title: 'parks', number: true, wide: true, value: (object) => track(object.key).rate('parks'), text: (object) => rate(track(object.key).rate('parks')) },
    { title: 'endpoints', number: true, value: (object) => number(object, 'engine.endpoints'), text: (object) => count(number(object, 'engine.endpoints')) },
  ]);
}

function completionQueues() {
  const time = (object) => number(object, 'completion_queue.handler.time') / Math.max(1, number(object, 'completion_queue.handler.runs')) / 1000;
  return new Table(
    'Completion queues',
    [
      { title: 'CQ', first: true, value: (object) => Number(object.identity.number) },
      meterColumn('entries', (object) => number(object, 'completion_queue.entries'), (object) => number(object, 'completion_queue.limit'), { alarms: true }),
      { title: 'polled', number: true, value: (object) => track(object.key).rate('polled'), text: (object) => rate(track(object.key).rate('polled')) },
      { title: 'armed', wide: true, value: (object) => (object.texts.armed === 'true' ? 'yes' : 'no') },
      { title: 'handler', wide: true, value: (object) => Number(object.texts.handler || 0), text: (object) => (Number(object.texts.handler) ? object.texts.handler : '–') },
      { title: 'handler runs', number: true, value: (object) => track(object.key).rate('runs'), text: (object) => rate(track(object.key).rate('runs')) },
      { title: 'mean run', number: true, wide: true, value: time, text: (object) => (time(object) ? time(object).toFixed(1) + ' µs' : '–') },
    ],
    { none: 'No completion queue exists.' },
  );
}

function listeners() {
  return new Table(
    'Listeners',
    [
      { title: 'address', mono: true, value: (object) => object.identity.address },
      meterColumn('waiting', (object) => number(object, 'listener.waiting'), (object) => number(object, 'listener.limit'), { alarms: true }),
      { title: 'refused', number: true, value: (object) => number(object, 'listener.refused'), text: (object) => count(number(object, 'listener.refused')) },
      { title: 'dropped', number: true, value: (object) => number(object, 'listener.dropped'), text: (object) => count(number(object, 'listener.dropped')) },
    ],
    { none: 'The RNIC does not listen.' },
  );
}

function eventLog(title) {
  const list = el('ul', 'log');
  const none = el('p', 'empty', 'No event has occurred.');
  const made = panel(title, list, none);
  return {
    root: made.root,
    show(events) {
      const latest = events.slice().reverse();
      while (list.children.length > latest.length) list.lastChild.remove();
      while (list.children.length < latest.length) list.append(el('li', '', el('time'), el('span', 'kind'), el('p')));
      latest.forEach((event, i) => {
        const [age, kind, sentence] = list.children[i].children;
        text(age, duration(number(event, 'event.age')) + ' ago');
        text(kind, event.texts.type);
        text(sentence, `${event.texts.object}: ${event.texts.sentence}`);
      });
      made.count(count(latest.length));
      none.hidden = latest.length > 0;
    },
  };
}

function find(sample, pid, rnicNumber) {
  const process = sample.processes.find((each) => each.identity.pid === pid);
  return process && parts(process, 'rnic').find((each) => each.identity.number === rnicNumber);
}

const SPANS = [['now', `the last ${POINTS / 5} s`], ['hour', 'the last hour, by minutes'], ['day', 'the last 24 hours, by minutes']];

function traffic(title) {
  const drawn = chart(['sent', 'received'], 'tall');
  const span = choice('Span of the chart', SPANS, 'now');
  const legend = el('div', 'legend', el('span', '', el('i', 'send'), 'sent'), el('span', '', el('i', 'receive'), 'received'), span);
  const made = panel(title, el('div', 'body', drawn.root, legend));
  return {
    root: made.root,
    show(own) {
      const most = drawn.draw(own, `Sent ${bytesRate(own.rate('sent'))}, received ${bytesRate(own.rate('received'))}`, span.value);
      made.count(`scale: ${bytesRate(most)}`);
    },
  };
}

function rnicView(pid, rnicNumber) {
  const key = pid + '/' + rnicNumber;
  const state = el('span');
  const title = el('span', '', `RNIC ${rnicNumber} `);
  const numbers = facts([
    ['sent', 'sent', 'send'],
    ['received', 'received', 'receive'],
    ['operations', 'operations'],
    ['pairs', 'queue pairs'],
    ['regions', 'memory regions'],
    ['keys', 'remote keys'],
    ['violations', 'key violations'],
    ['events', 'events'],
  ]);
  const drawn = traffic('Traffic');
  const tables = { engine: engines(), queue_pair: queuePairs(key), completion_queue: completionQueues(), listener: listeners() };
  const memories = partTables();
  const events = eventLog('Events');
  const handlers = el('a', 'badge', '');
  handlers.href = '#/handlers/' + key;
  const body = el('div', '', numbers.root, el('p', '', handlers), el('div', 'two', drawn.root, tables.engine.root), tables.queue_pair.root, el('div', 'two', tables.completion_queue.root, tables.listener.root), memories.root, events.root);
  const gone = el('p', 'hint', 'This RNIC is not visible any more: its process has ended, or has closed it.');
  const root = el('div', '', el('h1', '', title, state), gone, body);
  return {
    root,
    path: [[`process ${pid}`, '#/'], [`RNIC ${rnicNumber}`, '#/rnic/' + key]],
    show(sample) {
      const now = find(sample, pid, rnicNumber);
      gone.hidden = Boolean(now);
      body.hidden = !now;
      if (!now) return;
      const own = track(key);
      text(title, `RNIC ${rnicNumber} · ${now.texts.provider || ''} · ${now.texts.transport || ''} `);
      badge(state, now.texts.state || '?');
      numbers.set('sent', bytesRate(own.rate('sent')));
      numbers.set('received', bytesRate(own.rate('received')));
      numbers.set('operations', rate(own.rate('operations')));
      numbers.set('pairs', count(number(now, 'rnic.queue_pairs')));
      numbers.set('regions', count(number(now, 'memory.regions')));
      numbers.set('keys', count(number(now, 'memory.keys')));
      numbers.set('violations', count(number(now, 'memory.violations')));
      numbers.mark('violations', number(now, 'memory.violations') > 0);
      numbers.set('events', count(sum(now, 'rnic.events')));
      const some = parts(now, 'handler').length;
      text(handlers, some ? `${count(some)} CQ handlers on ${count(processors(now).length)} processors` : '');
      handlers.hidden = !some;
      drawn.show(own);
      for (const [subject, table] of Object.entries(tables)) table.set(parts(now, subject));
      memories.show(parts(now, 'virtual_memory'));
      events.show(parts(now, 'event'));
    },
  };
}

// The page.

let view = null;
let latest = null;
let paused = false;
let heardMs = 0;
const draw = frames(() => view.show(latest));

function open() {
  const [, kind, pid, rnicNumber, pairNumber] = location.hash.split('/');
  if (view && view.close) view.close();
  if (kind === 'rnic' && pairNumber) view = queuePairView(pid, rnicNumber, pairNumber);
  else if (kind === 'handlers' && rnicNumber) view = handlersView(pid, rnicNumber);
  else if (kind === 'rnic' && rnicNumber) view = rnicView(pid, rnicNumber);
  else if (kind === 'network' || (!kind && latest && latest.network && !latest.processes.length)) view = networkView();
  else view = overview();
  const path = byId('path');
  path.replaceChildren();
  for (const [words, address] of view.path) {
    const link = el('a', '', words);
    link.href = address;
    path.append(el('span', '', '›'), link);
  }
  document.title = ['Verbena', ...view.path.map(([words]) => words)].join(' · ');
  byId('main').replaceChildren(view.root);
  if (latest) view.show(latest);
}

function status(words, className) {
  const shown = byId('status');
  shown.className = className;
  text(shown, words);
}

function listen() {
  if (!token) {
    status('no token', 'lost');
    byId('main').replaceChildren(el('p', 'hint', 'The address lacks its token. Open the address that the program has printed.'));
    return;
  }
  stream('api/events', hear, { lost: () => status('not connected', 'lost') });
  setInterval(async () => {
    if (!document.hidden) return;
    const answer = await fetch('api/figures?token=' + encodeURIComponent(token)).catch(() => null);
    if (answer && answer.ok) hear(await answer.json());
  }, HIDDEN_MS);
}

function hear(sample) {
  heardMs = Date.now();
  if (latest && sample.number < latest.number) tracks.clear(); // the program has been restarted
  follow(sample);
  status(paused ? 'paused' : 'live', paused ? '' : 'live');
  if (paused) return;
  latest = sample;
  if (!view) open();
  else draw(); // apart from reading the sample: two short tasks
}

function pause() {
  paused = !paused;
  attribute(byId('pause'), 'aria-pressed', String(paused));
  status(paused ? 'paused' : 'live', paused ? '' : 'live');
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  if (view && view.theme) view.theme();
}

function otherTheme() {
  theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
}

addEventListener('hashchange', open);
addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLInputElement && event.target.type !== 'range';
  const filter = document.querySelector('input.filter');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape' && typing) event.target.blur();
  else if (typing || (event.key === ' ' && /^(BUTTON|SELECT|A)$/.test(event.target.tagName))) return;
  else if (view && view.key && view.key(event.key)) event.preventDefault();
  else if (event.key === '/' && filter) {
    filter.focus();
    event.preventDefault();
  } else if (event.key === 'Escape' && view && view.path.length) location.hash = view.path.length > 1 ? (view.path.at(-2)[1]) : '#/';
  else if (event.key === 'p') pause();
  else if (event.key === 't') otherTheme();
});
byId('pause').addEventListener('click', pause);
byId('theme').addEventListener('click', otherTheme);
setInterval(() => {
  text(byId('age'), heardMs ? `figures of ${Math.round((Date.now() - heardMs) / 1000)} s ago` : '');
}, 1000);
theme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
listen();
