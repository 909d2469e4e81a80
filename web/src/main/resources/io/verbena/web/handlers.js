'use strict';
// The view of CQ handlers on their processors: which thread runs what, and how busy it is.

const busyPercent = (object) => track(object.key).rate('time') / 1e7; // of one core
const meanRun = (object) => number(object, 'handler.time') / Math.max(1, number(object, 'handler.runs'));
const perRun = (object) => number(object, 'handler.completions') / Math.max(1, number(object, 'handler.runs'));

/** The processors of an RNIC, each with its handlers: processors have no figures of their own. */
function processors(rnic) {
  const found = new Map();
  for (const handler of parts(rnic, 'handler')) {
    const name = handler.texts.processor;
    if (!found.has(name)) found.set(name, { identity: { name }, texts: { cores: handler.texts.cores }, handlers: [] });
    found.get(name).handlers.push(handler);
  }
  return [...found.values()];
}

const over = (processor, value) => processor.handlers.reduce((sum, handler) => sum + value(handler), 0);
const percent = (value) => value.toFixed(value < 10 ? 1 : 0) + ' %';

function processorTable() {
  const runs = (object) => over(object, (handler) => track(handler.key).rate('runs'));
  const completions = (object) => over(object, (handler) => track(handler.key).rate('completions'));
  return new Table(
    'Processors',
    [
      { title: 'processor', mono: true, value: (object) => object.identity.name },
      { title: 'cores', value: (object) => object.texts.cores },
      { title: 'handlers', number: true, value: (object) => object.handlers.length, text: (object) => count(object.handlers.length) },
      meterColumn('busy in handlers', (object) => over(object, busyPercent), () => 100, { first: true, number: true, alarms: true, words: percent }),
      { title: 'runs', number: true, value: runs, text: (object) => rate(runs(object)) },
      { title: 'completions', number: true, value: completions, text: (object) => rate(completions(object)) },
    ],
    { down: true, none: 'No handler has a processor.' },
  );
}

function handlerTable(cqsOf) {
  return new Table(
    'CQ handlers',
    [
      { title: 'handler', first: true, value: (object) => Number(object.identity.number) },
      { title: 'processor', mono: true, value: (object) => object.texts.processor },
      { title: 'class', value: (object) => object.texts.class },
      { title: 'priority', number: true, value: (object) => Number(object.texts.priority), text: (object) => object.texts.priority },
      { title: 'CQs', wide: true, value: (object) => cqsOf(object).join(', ') || '–' },
      meterColumn('busy', busyPercent, () => 100, { number: true, words: percent }),
      { title: 'runs', number: true, value: (object) => track(object.key).rate('runs'), text: (object) => rate(track(object.key).rate('runs')) },
      { title: 'completions a run', number: true, wide: true, value: perRun, text: (object) => perRun(object).toFixed(1) },
      { title: 'mean run', number: true, value: meanRun, text: (object) => micros(meanRun(object)) },
      { title: 'longest run', number: true, wide: true, value: (object) => number(object, 'handler.longest'), text: (object) => micros(number(object, 'handler.longest')) },
      { title: 'failures', number: true, value: (object) => number(object, 'handler.failures'), text: (object) => count(number(object, 'handler.failures')) },
    ],
    { filter: 'processor, class', none: 'No CQ handler is registered.' },
  );
}

function handlersView(pid, rnicNumber) {
  const key = pid + '/' + rnicNumber;
  let cqs = new Map();
  const cqsOf = (handler) => cqs.get(handler.identity.number) || [];
  const own = processorTable();
  const handlers = handlerTable(cqsOf);
  const gone = el('p', 'hint', 'This RNIC is not visible any more: its process has ended, or has closed it.');
  const body = el('div', '', own.root, handlers.root);
  return {
    root: el('div', '', el('h1', '', 'CQ handlers on processors'), gone, body),
    path: [[`process ${pid}`, '#/'], [`RNIC ${rnicNumber}`, '#/rnic/' + key], ['handlers', '#/handlers/' + key]],
    show(sample) {
      const now = find(sample, pid, rnicNumber);
      gone.hidden = Boolean(now);
      body.hidden = !now;
      if (!now) return;
      cqs = new Map();
      for (const cq of parts(now, 'completion_queue')) cqs.set(cq.texts.handler, [...(cqs.get(cq.texts.handler) || []), cq.identity.number]);
      own.set(processors(now));
      handlers.set(parts(now, 'handler'));
    },
  };
}
