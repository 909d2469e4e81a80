'use strict';
// The view of a network: a picture on a canvas, the same as tables, and the controls of its time.

const LIGHT_LOADS = ['#d0d7de', '#b4cbee', '#8db4e8', '#6a99e0', '#5a7bd0', '#6a5fc0', '#8b49b0', '#ab3a93', '#c92d6d', '#de2a43', '#ee3a10'];
const DARK_LOADS = ['#39424e', '#33496b', '#3f659a', '#4f86d0', '#7593ea', '#9a86ee', '#bd78e0', '#dc6ec2', '#f2668f', '#ff6a5c', '#ffb02e'];
const SPEEDS = [[10, '10 ns'], [100, '100 ns'], [1e3, '1 µs'], [1e4, '10 µs'], [1e5, '100 µs'], [1e9, 'as fast as possible']];
const STEPS = [[10, '10 ns'], [100, '100 ns'], [1e3, '1 µs'], [1e4, '10 µs']];
const MOST_TWINS = 1500; // links up to which both directions are drawn
const NEAR_PX = 7;

const dark = () => document.documentElement.dataset.theme === 'dark';
const step = (percent) => Math.min(10, Math.ceil(percent / 10));

function virtualTime(ns) {
  if (ns < 10000) return count(ns) + ' ns';
  return ns < 1e7 ? (ns / 1e3).toFixed(2) + ' µs' : (ns / 1e6).toFixed(3) + ' ms';
}

function choice(label, options, chosen) {
  const made = el('select');
  made.setAttribute('aria-label', label);
  for (const [value, words] of options) {
    const option = el('option', '', words);
    option.value = value;
    option.selected = value === chosen;
    made.append(option);
  }
  return made;
}

function button(words, title, act) {
  const made = el('button', '', words);
  made.type = 'button';
  made.title = title;
  made.addEventListener('click', act);
  return made;
}

/** The plan and the latest state, with what follows from both. */
class Network {
  constructor(plan) {
    this.plan = plan;
    this.nodesDown = new Set();
    this.linksDown = new Set();
    this.lane = -1;
    this.state = { nowNs: 0, reachedNs: 0, pace: 'paused', loads: [], events: [], facts: [], speed: 1000, trace: '' };
    this.totals = new Float32Array(2 * plan.links.length);
    this.linksAt = plan.nodes.map(() => []);
    plan.links.forEach((link, number) => {
      this.linksAt[link.from].push(number);
      this.linksAt[link.to].push(number);
    });
    const cables = new Map();
    this.shift = plan.links.map((link) => {
      const pair = Math.min(link.from, link.to) + '/' + Math.max(link.from, link.to);
      cables.set(pair, (cables.get(pair) || 0) + 1);
      return cables.get(pair) - 1;
    });
    this.shift = this.shift.map((place, number) => {
      const link = plan.links[number];
      return 8 * place - 4 * (cables.get(Math.min(link.from, link.to) + '/' + Math.max(link.from, link.to)) - 1);
    });
  }

  take(state) {
    this.state = state;
    this.nodesDown = new Set(state.nodesDown);
    this.linksDown = new Set(state.linksDown);
    this.total();
  }

  /** The loads of the chosen lane, or of all. */
  total() {
    this.totals.fill(0);
    this.state.loads.forEach((loads, lane) => {
      if (this.lane >= 0 && this.lane !== lane) return;
      for (let i = 0; i < loads.length; i++) this.totals[i] += loads[i];
    });
    for (let i = 0; i < this.totals.length; i++) this.totals[i] = Math.min(100, this.totals[i]);
  }

  load(link) {
    return Math.max(this.totals[2 * link], this.totals[2 * link + 1]);
  }

  linkName(number) {
    const link = this.plan.links[number];
    return `${this.plan.nodes[link.from].name} to ${this.plan.nodes[link.to].name}`;
  }

  works(kind, number) {
    return !(kind === 'node' ? this.nodesDown : this.linksDown).has(number);
  }

  words() {
    let busiest = 0;
    for (let i = 0; i < this.plan.links.length; i++) if (this.load(i) > this.load(busiest)) busiest = i;
    const named = this.plan.links.length ? `; the busiest link, ${this.linkName(busiest)}, carries ${Math.round(this.load(busiest))} % of what it can` : '';
    return `${this.plan.name} at ${virtualTime(this.state.nowNs)}: ${this.plan.nodes.length} nodes, ${this.nodesDown.size} of them down; `
      + `${this.plan.links.length} links, ${this.linksDown.size} of them down${named}`;
  }
}

/** Draws a network on a canvas, which can be moved and enlarged. */
class Picture {
  constructor(network, select) {
    this.network = network;
    this.select = select;
    this.chosen = null;
    this.under = null;
    this.canvas = el('canvas', 'network');
    this.canvas.tabIndex = 0;
    this.canvas.picture = this; // for tests, which ask where something is drawn
    this.canvas.setAttribute('role', 'img');
    this.scale = 0;
    this.repaint = frames(() => {
      this.paint();
      this.canvas.dataset.drawnMs ||= Math.round(performance.now());
      this.canvas.dataset.draws = Number(this.canvas.dataset.draws || 0) + 1;
    });
    this.context = this.canvas.getContext('2d');
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.listen();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    if (!box.width) return;
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.round(box.width * devicePixelRatio);
    this.canvas.height = Math.round(box.height * devicePixelRatio);
    this.fit();
  }

  fit() {
    const { nodes, links } = this.network.plan;
    let [left, top, right, bottom] = [0, 0, 1, 1];
    const cover = (x, y) => {
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    };
    for (const node of nodes) cover(node.x, node.y);
    for (const link of links) {
      if (!link.bend) continue;
      const [from, to] = [nodes[link.from], nodes[link.to]];
      const bend = (0.75 * link.bend) / Math.max(1e-6, Math.hypot(to.x - from.x, to.y - from.y)); // as far as an arc leaves its straight way
      cover((from.x + to.x) / 2 - (to.y - from.y) * bend, (from.y + to.y) / 2 + (to.x - from.x) * bend);
    }
    const [wide, high] = [right - left, bottom - top];
    this.scale = Math.min((this.width - 90) / wide, (this.height - 70) / high, 3);
    // The rows of a large tree are wide and low: more room between them makes its links visible.
    const room = (this.height - 70) / (high * this.scale);
    this.stretch = nodes.length > 200 ? Math.min(2.2, Math.max(1, room)) : 1;
    this.left = (this.width - wide * this.scale) / 2 - left * this.scale;
    this.top = (this.height - high * this.scale * this.stretch) / 2 - top * this.scale * this.stretch;
    this.draw();
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(20, Math.max(0.02, this.scale * factor));
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.draw();
  }

  at(node) {
    const { x, y } = this.network.plan.nodes[node];
    return [this.left + x * this.scale, this.top + y * this.scale * this.stretch];
  }

  /** Draws before the next frame. */
  draw() {
    if (this.scale) this.repaint();
  }

  /** The points of a direction of a link: its two ends, and the tops of an arc between them. */
  way(number, side) {
    const link = this.network.plan.links[number];
    const [x1, y1] = this.at(link.from);
    const [x2, y2] = this.at(link.to);
    const far = Math.max(1e-6, Math.hypot(x2 - x1, y2 - y1));
    const unit = [-(y2 - y1) / far, (x2 - x1) / far];
    const zoomed = Math.min(1, Math.max(0.35, this.scale));
    const off = (this.network.shift[number] + side) * zoomed;
    const bend = link.bend * this.scale;
    const points = [x1 + unit[0] * off, y1 + unit[1] * off];
    if (bend) points.push(x1 + unit[0] * (off + bend), y1 + unit[1] * (off + bend), x2 + unit[0] * (off + bend), y2 + unit[1] * (off + bend));
    points.push(x2 + unit[0] * off, y2 + unit[1] * off);
    return points;
  }

  line(p) {
    this.context.moveTo(p[0], p[1]);
    if (p.length === 8) this.context.bezierCurveTo(p[2], p[3], p[4], p[5], p[6], p[7]);
    else this.context.lineTo(p[2], p[3]);
  }

  paint() {
    const { context, network } = this;
    const colours = dark() ? DARK_LOADS : LIGHT_LOADS;
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.lineCap = 'round';
    this.mark(this.under, colour('--line'), 7);
    this.mark(this.chosen, colour('--chosen'), 9);
    this.paintLinks(colours);
    context.strokeStyle = colour('--bad');
    context.lineWidth = 1.6;
    context.setLineDash([4, 4]);
    context.beginPath();
    for (const number of network.linksDown) this.line(this.way(number, 0));
    context.stroke();
    context.setLineDash([]);
    this.paintNodes(colour);
    this.paintNames(colour);
  }

  /** One stroke for all lines of a colour; the busy ones are on top. */
  paintLinks(colours) {
    const { context, network } = this;
    const lines = colours.map(() => []);
    const twins = network.plan.links.length <= MOST_TWINS;
    for (let i = 0; i < network.plan.links.length; i++) {
      if (network.linksDown.has(i)) continue;
      if (twins) {
        lines[step(network.totals[2 * i])].push(i, 1.6);
        lines[step(network.totals[2 * i + 1])].push(i, -1.6);
      } else lines[step(network.load(i))].push(i, 0);
    }
    const thick = Math.min(1.4, Math.max(0.45, this.scale));
    lines.forEach((some, at) => {
      if (!some.length) return;
      context.strokeStyle = colours[at];
      context.lineWidth = thick * (1 + at * 0.14);
      context.beginPath();
      for (let i = 0; i < some.length; i += 2) this.line(this.way(some[i], some[i + 1]));
      context.stroke();
    });
  }

  mark(what, colour, width) {
    if (!what) return;
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    if (what.kind === 'link') this.line(this.way(what.number, 0));
    else {
      const [x, y] = this.at(what.number);
      context.arc(x, y, this.size(what.number) + 4, 0, 2 * Math.PI);
    }
    context.stroke();
  }

  size(node) {
    const zoomed = Math.min(1.5, Math.max(0.3, this.scale));
    return (this.network.plan.nodes[node].switch ? 7 : 3.5) * zoomed;
  }

  paintNodes(colour) {
    const { context, network } = this;
    const [panel, ink, dim, bad] = ['--panel', '--text', '--dim', '--bad'].map(colour);
    network.plan.nodes.forEach((node, number) => {
      const [x, y] = this.at(number);
      const size = this.size(number);
      const down = network.nodesDown.has(number);
      context.beginPath();
      if (node.switch) context.roundRect(x - size, y - size, 2 * size, 2 * size, size / 3);
      else context.arc(x, y, size, 0, 2 * Math.PI);
      context.fillStyle = node.switch ? panel : down ? bad : dim;
      context.fill();
      if (node.switch) {
        context.strokeStyle = down ? bad : ink;
        context.lineWidth = down ? 2 : 1.3;
        context.stroke();
      }
      if (down) {
        context.beginPath();
        context.moveTo(x - size, y - size);
        context.lineTo(x + size, y + size);
        context.moveTo(x + size, y - size);
        context.lineTo(x - size, y + size);
        context.strokeStyle = bad;
        context.lineWidth = 2;
        context.stroke();
      }
    });
  }

  /** Names of switches, then of other nodes, where there is room. */
  paintNames(colour) {
    const { context, network } = this;
    const taken = new Set();
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center';
    context.lineJoin = 'round';
    if (network.plan.nodes.length < 400) {
      network.plan.nodes.forEach((_, number) => {
        const [x, y] = this.at(number);
        const size = this.size(number);
        for (let cx = Math.floor((x - size) / 12); cx <= Math.floor((x + size) / 12); cx++) for (const cy of [y - size / 2, y + size / 2]) taken.add(cx + '/' + Math.floor(cy / 13));
      });
    }
    const write = (number) => {
      const [x, y] = this.at(number);
      if (x < -50 || y < -20 || x > this.width + 50 || y > this.height + 20) return;
      const { name } = network.plan.nodes[number];
      const half = context.measureText(name).width / 2 + 3;
      const places = [[x, y + this.size(number) + 13], [x, y - this.size(number) - 5]];
      if (network.plan.nodes.length < 100) places.push([x + half + this.size(number), y + 4], [x - half - this.size(number), y + 4]);
      for (const [px, py] of places) {
        const cells = [];
        for (let cx = Math.floor((px - half) / 12); cx <= Math.floor((px + half) / 12); cx++) cells.push(cx + '/' + Math.floor((py - 2) / 13), cx + '/' + Math.floor((py - 8) / 13));
        const important = number === (this.chosen && this.chosen.kind === 'node' ? this.chosen.number : -1);
        if (!important && cells.some((cell) => taken.has(cell))) continue;
        cells.forEach((cell) => taken.add(cell));
        context.strokeStyle = colour('--panel');
        context.lineWidth = 3;
        context.strokeText(name, px, py);
        context.fillStyle = network.nodesDown.has(number) ? colour('--bad') : network.plan.nodes[number].switch ? colour('--text') : colour('--dim');
        context.fillText(name, px, py);
        return;
      }
    };
    const chosen = [this.under, this.chosen].filter((what) => what && what.kind === 'node').map((what) => what.number);
    chosen.forEach(write);
    if (this.scale < 0.35) return;
    network.plan.nodes.forEach((node, number) => node.switch && !chosen.includes(number) && write(number));
    if (this.scale > 1.6) network.plan.nodes.forEach((node, number) => !node.switch && !chosen.includes(number) && write(number));
  }

  /** The node or link at a place. */
  find(x, y) {
    let best = null;
    let nearest = Infinity;
    this.network.plan.nodes.forEach((_, number) => {
      const [nx, ny] = this.at(number);
      const far = Math.hypot(nx - x, ny - y) - this.size(number);
      if (far < 4 && far < nearest) [nearest, best] = [far, { kind: 'node', number }];
    });
    if (best) return best;
    nearest = NEAR_PX;
    this.network.plan.links.forEach((_, number) => {
      const p = this.way(number, 0);
      const parts = p.length === 8 ? 12 : 1;
      for (let i = 0; i < parts; i++) {
        const far = distance(x, y, along(p, i / parts), along(p, (i + 1) / parts));
        if (far < nearest) [nearest, best] = [far, { kind: 'link', number }];
      }
    });
    return best;
  }

  listen() {
    const { canvas } = this;
    const place = (event) => [event.offsetX, event.offsetY];
    let from = null;
    canvas.addEventListener('pointerdown', (event) => {
      from = { x: event.offsetX, y: event.offsetY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      const [x, y] = place(event);
      if (from && (from.moved || Math.hypot(x - from.x, y - from.y) > 4)) {
        this.left += x - from.x;
        this.top += y - from.y;
        from = { x, y, moved: true };
      } else {
        const under = this.find(x, y);
        canvas.style.cursor = under ? 'pointer' : 'grab';
        if (JSON.stringify(under) === JSON.stringify(this.under)) return;
        this.under = under;
      }
      this.draw();
    });
    canvas.addEventListener('pointerup', (event) => {
      if (from && !from.moved) this.select(this.find(...place(event)));
      from = null;
    });
    canvas.addEventListener('dblclick', (event) => {
      const what = this.find(...place(event));
      if (what) toggle(this.network, what);
    });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), ...place(event));
    }, { passive: false });
  }
}

function along(p, t) {
  if (p.length === 4) return [p[0] + (p[2] - p[0]) * t, p[1] + (p[3] - p[1]) * t];
  const u = 1 - t;
  const weight = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
  return [0, 1].map((axis) => weight.reduce((sum, each, i) => sum + each * p[2 * i + axis], 0));
}

function distance(x, y, [x1, y1], [x2, y2]) {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const t = length ? Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length)) : 0;
  return Math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1));
}

/** Asks the program to do something; a refusal is shown. */
async function act(parameters) {
  const answer = await fetch('api/network/actions?token=' + encodeURIComponent(token), { method: 'POST', body: new URLSearchParams(parameters).toString() }).catch(() => null);
  if (answer && answer.ok) return;
  status(answer ? (await answer.text()).trim() : 'not connected', 'lost');
}

const toggle = (network, what) => act({ action: what.kind, number: what.number, works: !network.works(what.kind, what.number) });

/** The controls of time: pace, step, and a slider that goes back to any time of this history. */
function timeControls(network) {
  const run = button('Run', 'Run and stop (space)', () => act(network.state.pace === 'running' ? { action: 'pause' } : { action: 'run', speed: speed.value }));
  run.id = 'run';
  const length = choice('Length of a step', STEPS, 100);
  const stepOn = button('Step', 'One step further (.)', () => act({ action: 'step', ns: length.value }));
  stepOn.id = 'step';
  const speed = choice('Virtual time in a second', SPEEDS, network.state.speed);
  speed.addEventListener('change', () => network.state.pace === 'running' && act({ action: 'run', speed: speed.value }));
  const slider = el('input', 'time');
  slider.type = 'range';
  slider.min = 0;
  slider.setAttribute('aria-label', 'Virtual time');
  const marks = el('div', 'marks');
  const now = el('span', 'mono now');
  const trace = el('span', 'mono hint');
  trace.title = 'A digest of everything that has happened: equal for equal runs';
  let wanted = null;
  let asking = false;
  let held = false;
  let speedKnown = false;
  async function seek() {
    if (asking) return;
    asking = true;
    while (wanted !== null) {
      const timeNs = wanted;
      wanted = null;
      await act({ action: 'seek', timeNs });
    }
    asking = false;
  }
  slider.addEventListener('input', () => {
    held = true;
    wanted = slider.value;
    seek();
  });
  slider.addEventListener('change', () => (held = false));
  const root = el('div', 'panel controls', run, stepOn, length, el('label', 'hint', 'speed ', speed, ' per second'), el('div', 'slider', slider, marks), now, trace);
  root.hidden = !network.plan.timed;
  return {
    root,
    run,
    stepOn,
    show() {
      const { state } = network;
      text(run, state.pace === 'running' ? 'Stop' : state.pace === 'ended' ? 'Ended' : 'Run');
      run.disabled = state.pace === 'ended';
      if (!speedKnown) {
        speedKnown = true;
        for (const option of speed.options) if (Number(option.value) === state.speed) speed.value = option.value;
      }
      attribute(slider, 'max', String(Math.max(1, state.reachedNs)));
      if (!held && state.pace !== 'seeking') slider.value = state.nowNs;
      attribute(slider, 'aria-valuetext', virtualTime(state.nowNs));
      text(now, state.pace === 'seeking' ? virtualTime(state.nowNs) + ' …' : virtualTime(state.nowNs));
      text(trace, state.trace);
      const key = state.events.map((event) => event.timeNs).join() + '/' + state.reachedNs;
      if (marks.dataset.key === key) return;
      marks.dataset.key = key;
      marks.replaceChildren(...state.events.map((event) => {
        const mark = el('i');
        mark.style.left = (100 * event.timeNs) / Math.max(1, state.reachedNs) + '%';
        mark.title = `${virtualTime(event.timeNs)}: ${event.sentence}`;
        return mark;
      }));
    },
  };
}

/** What was chosen: its loads, and for a node the buffers, credits and waiting frames of each lane. */
function details(network, choose) {
  const title = el('h2');
  const state = el('span');
  const change = button('', 'Let it fail or return (x, or a double click)', () => chosen && toggle(network, chosen));
  change.id = 'change';
  const body = el('div', 'ports');
  const hint = el('p', 'empty', 'Choose a switch, an endnode or a link in the picture or in the tables. A double click lets it fail and return.');
  const head = el('div', 'bar', title, state, change);
  const root = el('section', 'panel details', head, body, hint);
  root.setAttribute('aria-live', 'off');
  let chosen = null;
  let shown = '';
  let asking = false;

  const load = (link, towards) => Math.round(network.totals[2 * link + (network.plan.links[link].to === towards ? 0 : 1)]);
  const cell = (words, className = 'number') => el('td', className, words);
  function named(name) {
    const made = cell(name, 'text');
    made.title = name;
    return made;
  }
  function bar(value, most, words) {
    const made = meter(true);
    made.set(value, most, words);
    return el('td', '', made.root);
  }

  function showLink(number) {
    const link = network.plan.links[number];
    const row = (from, fromPort, to, toPort, direction) => {
      const cells = [cell(`${network.plan.nodes[from].name} port ${fromPort} → ${network.plan.nodes[to].name} port ${toPort}`, 'text')];
      network.state.loads.forEach((loads) => cells.push(bar(loads[2 * number + direction], 101, loads[2 * number + direction] + ' %')));
      return el('tr', '', ...cells);
    };
    const lanes = network.state.loads.map((_, lane) => el('th', 'plain', 'VL' + lane));
    body.replaceChildren(el('table', 'wide', el('thead', '', el('tr', '', el('th', 'plain', 'load of each lane'), ...lanes)), el('tbody', '',
      row(link.from, link.fromPort, link.to, link.toPort, 0), row(link.to, link.toPort, link.from, link.fromPort, 1))));
  }

  function showNode(node) {
    const rows = [];
    for (const port of node.ports) {
      const link = network.plan.links[port.link];
      const outwards = link.from === node.number && link.fromPort === port.port;
      const other = network.plan.nodes[outwards ? link.to : link.from].name;
      if (!port.lanes.length) {
        const out = (network.state.loads[0] || [])[2 * port.link + (outwards ? 0 : 1)] || 0;
        rows.push(el('tr', network.linksDown.has(port.link) ? 'down' : '', cell(String(port.port)), named(other), cell('–', ''), cell('–', ''), cell('–', ''), cell('–'), cell(out + ' %')));
      }
      port.lanes.forEach((lane, number) => {
        const out = (network.state.loads[number] || [])[2 * port.link + (outwards ? 0 : 1)] || 0;
        rows.push(el('tr', network.linksDown.has(port.link) ? 'down' : '',
          cell(number ? '' : String(port.port)), named(number ? '' : other), cell('VL' + number, ''),
          bar(lane.held, lane.buffer, `${lane.held} of ${lane.buffer}`), bar(lane.buffer - lane.credits, lane.buffer, String(lane.credits)),
          cell(String(port.frames && !number ? port.frames : lane.waiting)), cell(out + ' %')));
      });
    }
    const titles = [['port', 'number'], ['to', ''], ['lane', ''], ['buffer, flits', ''], ['credits', ''], ['frames', 'number'], ['load', 'number']];
    const meanings = ['', '', '', 'Places of the receive buffer that are used', 'Flits that the port may send', 'Frames that wait to leave by the port', 'Load of the link in the direction from this node'];
    const heads = titles.map(([words, className]) => el('th', 'plain ' + className, words));
    heads.forEach((head, i) => (head.title = meanings[i]));
    body.replaceChildren(el('table', '', el('thead', '', el('tr', '', ...heads)), el('tbody', '', ...rows)));
    body.dataset.node = node.number;
  }

  async function ask() {
    if (asking) return;
    asking = true;
    const number = chosen.number;
    const answer = await fetch(`api/network/node?number=${number}&token=${encodeURIComponent(token)}`).catch(() => null);
    asking = false;
    if (answer && answer.ok && chosen && chosen.kind === 'node' && chosen.number === number) showNode(await answer.json());
  }

  return {
    root,
    set(what) {
      chosen = what;
      shown = '';
      body.replaceChildren();
      this.show();
    },
    show() {
      hint.hidden = Boolean(chosen);
      head.hidden = !chosen;
      if (!chosen) return;
      const works = network.works(chosen.kind, chosen.number);
      text(title, chosen.kind === 'node' ? network.plan.nodes[chosen.number].name : network.linkName(chosen.number));
      badge(state, works ? 'WORKING' : 'FAILED');
      text(change, works ? 'Fail' : 'Mend');
      const key = `${network.state.number}/${network.lane}`;
      if (shown === key) return;
      shown = key;
      if (chosen.kind === 'link') showLink(chosen.number);
      else ask();
    },
  };
}

function linkTable(network, choose) {
  const percent = (title, direction) => meterColumn(title, (link) => network.totals[2 * link.number + direction], () => 101, { words: (value) => Math.round(value) + ' %' });
  return new Table('Links', [
    {
      title: 'from',
      value: (link) => link.identity.from,
      make: (place) => {
        const link = button('', 'Show this link', () => choose({ kind: 'link', number: Number(link.dataset.number) }));
        link.className = 'plain';
        place.append(link);
        return (object) => {
          text(link, object.identity.from);
          link.dataset.number = object.number;
        };
      },
    },
    { title: 'to', value: (link) => link.identity.to },
    percent('load there', 0),
    percent('load back', 1),
    { title: 'load', first: true, number: true, value: (link) => network.load(link.number), text: (link) => Math.round(network.load(link.number)) + ' %' },
    stateColumn('state', 'state'),
    toggleColumn(network, 'link'),
  ], { down: true, filter: 'node or state' });
}

function nodeTable(network, choose) {
  return new Table('Nodes', [
    {
      title: 'node',
      first: true,
      value: (node) => node.identity.node,
      make: (place) => {
        const link = button('', 'Show this node', () => choose({ kind: 'node', number: Number(link.dataset.number) }));
        link.className = 'plain';
        place.append(link);
        return (object) => {
          text(link, object.identity.node);
          link.dataset.number = object.number;
        };
      },
    },
    { title: 'kind', value: (node) => node.texts.kind },
    { title: 'links', number: true, value: (node) => network.linksAt[node.number].length },
    stateColumn('state', 'state'),
    toggleColumn(network, 'node'),
  ], { filter: 'name, kind or state' });
}

function toggleColumn(network, kind) {
  return {
    title: '',
    value: (object) => object.texts.state,
    make: (place) => {
      const change = button('', '', () => toggle(network, { kind, number: Number(change.dataset.number) }));
      place.append(change);
      return (object) => {
        text(change, object.texts.state === 'FAILED' ? 'Mend' : 'Fail');
        change.dataset.number = object.number;
      };
    },
  };
}

function eventList() {
  const list = el('ol', 'log network');
  const none = el('p', 'empty', 'Nothing has failed yet.');
  const made = panel('Events', list, none);
  return {
    root: made.root,
    show(state) {
      made.count(count(state.events.length));
      none.hidden = state.events.length > 0;
      const key = JSON.stringify(state.events) + state.events.filter((event) => event.timeNs > state.nowNs).length;
      if (list.dataset.key === key) return;
      list.dataset.key = key;
      list.replaceChildren(...state.events.toReversed().map((event) => el('li', event.timeNs > state.nowNs ? 'later' : '', el('time', '', virtualTime(event.timeNs)), el('p', '', event.sentence))));
    },
  };
}

function loadLegend() {
  const scale = el('span', 'scale');
  for (let i = 0; i <= 10; i++) scale.append(el('i', 'load' + i));
  return el('div', 'legend', el('span', '', 'load of a link: idle ', scale, ' 100 %'), el('span', '', el('i', 'broken'), 'failed'), el('span', '', 'square: switch, dot: endnode'));
}

/** The page of a network. It listens to the states of the network as long as it is shown. */
function networkView() {
  const root = el('div', 'networkView');
  const waiting = el('p', 'hint', 'Waiting for the network …');
  root.append(waiting);
  document.body.classList.add('hasNetwork');
  let shows = null;
  let keep = true;
  let planText = '';
  let latestState = null;

  function build(plan) {
    const network = new Network(plan);
    const values = new Map();
    const numbers = el('div', 'facts');
    const lane = choice('Lane', [[-1, 'all lanes'], ...Array.from({ length: plan.lanes }, (_, number) => [number, 'VL' + number])], -1);
    lane.id = 'lane';
    const choose = (what) => {
      picture.chosen = what;
      chosen.set(what);
      picture.draw();
    };
    const picture = new Picture(network, choose);
    const controls = timeControls(network);
    const chosen = details(network, choose);
    const links = linkTable(network, choose);
    const nodes = nodeTable(network, choose);
    const events = eventList();
    lane.addEventListener('change', () => {
      network.lane = Number(lane.value);
      network.total();
      picture.draw();
      chosen.show();
    });
    const bar = el('div', 'bar', loadLegend(), el('span', 'push', lane, button('+', 'Enlarge', () => picture.zoom(1.4)), button('−', 'Reduce', () => picture.zoom(1 / 1.4)), button('Fit', 'Show everything', () => picture.fit())));
    root.replaceChildren(el('h1', '', plan.name), numbers, controls.root, el('div', 'split', el('section', 'panel', bar, picture.canvas), el('div', '', chosen.root, events.root)), el('div', 'two', links.root, nodes.root));
    const described = (kind) => (number) => (network.works(kind, number) ? 'WORKING' : 'FAILED');
    const linkObjects = plan.links.map((link, number) => ({ number, key: 'link' + number, identity: { from: `${plan.nodes[link.from].name} port ${link.fromPort}`, to: `${plan.nodes[link.to].name} port ${link.toPort}` }, texts: {} }));
    const nodeObjects = plan.nodes.map((node, number) => ({ number, key: 'node' + number, identity: { node: node.name }, texts: { kind: node.switch ? 'switch' : 'endnode' } }));
    let tablesMs = 0;
    return {
      controls,
      picture,
      toggle: () => picture.chosen && toggle(network, picture.chosen),
      fresh: () => choose(picture.chosen),
      take(state) {
        const changed = state.linksDown.length !== network.linksDown.size || state.nodesDown.length !== network.nodesDown.size;
        network.take(state);
        for (const fact of state.facts) {
          if (!values.has(fact.name)) {
            values.set(fact.name, el('div', 'value'));
            numbers.append(el('div', 'fact', el('div', 'label', fact.name), values.get(fact.name)));
          }
          text(values.get(fact.name), fact.value);
        }
        picture.draw();
        attribute(picture.canvas, 'aria-label', network.words());
        picture.canvas.dataset.states = Number(picture.canvas.dataset.states || 0) + 1;
        controls.show();
        chosen.show();
        events.show(state);
        if (!changed && performance.now() - tablesMs < 950) return; // tables are to be read, not to flicker
        tablesMs = performance.now();
        for (const link of linkObjects) link.texts.state = described('link')(link.number);
        for (const node of nodeObjects) node.texts.state = described('node')(node.number);
        if (changed) links.orderedMs = nodes.orderedMs = 0;
        links.set(linkObjects);
        nodes.set(nodeObjects);
      },
    };
  }

  async function plan() {
    const answer = await fetch('api/network?token=' + encodeURIComponent(token)).catch(() => null);
    if (!keep || !answer || !answer.ok) return;
    const words = await answer.text();
    if (words === planText) return;
    planText = words;
    shows = build(JSON.parse(words));
    if (latestState) shows.take(latestState);
  }

  const endStates = stream('api/network/events', (state) => {
    latestState = state;
    if (!paused && shows) shows.take(latestState);
  }, { opened: plan }); // another program may have begun at this address

  return {
    root,
    path: [['network', '#/network']],
    show() {},
    theme: () => shows && shows.picture.draw(),
    key(name) {
      if (!shows) return false;
      if (name === ' ') shows.controls.run.click();
      else if (name === '.') shows.controls.stepOn.click();
      else if (name === 'x') shows.toggle();
      else return false;
      return true;
    },
    close() {
      keep = false;
      document.body.classList.remove('hasNetwork');
      endStates();
    },
  };
}
