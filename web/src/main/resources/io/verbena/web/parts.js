'use strict';
// Figures of what is no RNIC: disks, sockets, proxies, channels, virtual memory. A table for each kind, with a column for each figure.

const UNITS = [[/(io|memory|size|mapped|window)$/, (value) => scaled(value, 'B')], [/(latency|time|round_trip|stalled)$/, (value) => (value / 1e3).toFixed(1) + ' µs']];

const spoken = (name) => name.replaceAll('_', ' ').replaceAll('.', ' ');
const titled = (name) => spoken(name).replace(/^./, (first) => first.toUpperCase());

/** Objects of one kind and what belongs to them, by kind. */
function kinds(objects, found = new Map()) {
  for (const object of objects) {
    if (!found.has(object.subject)) found.set(object.subject, []);
    found.get(object.subject).push(object);
    kinds(object.parts, found);
  }
  return found;
}

function columnsOf(subject, objects) {
  const columns = new Map();
  for (const object of objects) {
    for (const name of Object.keys(object.identity)) {
      columns.set('identity ' + name, { title: spoken(name), mono: true, first: true, value: (each) => each.identity[name] ?? '' });
    }
    for (const name of Object.keys(object.texts)) {
      columns.set('text ' + name, { title: spoken(name), value: (each) => each.texts[name] ?? '' });
    }
    for (const [figure, values] of Object.entries(object.values)) {
      const short = figure.replace(/^verbena\./, '').replace(subject + '.', '');
      const words = (UNITS.find(([ending]) => ending.test(figure)) || [null, count])[1];
      for (const attribute of Object.keys(values)) {
        const value = (each) => (each.values[figure] || {})[attribute] ?? 0;
        columns.set(figure + ' ' + attribute, { title: attribute ? `${spoken(short)}: ${spoken(attribute)}` : spoken(short), number: true, value, text: (each) => words(value(each)) });
      }
    }
  }
  return columns;
}

/** Tables of these objects and of what belongs to them. One is made again if its objects get other figures. */
function partTables() {
  const root = el('div', 'parts');
  const tables = new Map();
  return {
    root,
    show(objects) {
      const now = kinds(objects);
      for (const [subject, all] of now) {
        const columns = columnsOf(subject, all);
        if (!columns.size) continue;
        let shown = tables.get(subject);
        const names = [...new Set([...(shown ? shown.names : []), ...columns.keys()])];
        if (!shown || names.length > shown.names.length) {
          const table = new Table(titled(subject), names.map((name) => columns.get(name) || shown.columns.get(name)), { filter: all.length > 10 ? 'any word' : '' });
          if (shown) shown.table.root.replaceWith(table.root);
          else root.append(table.root);
          shown = { table, names, columns: new Map([...(shown ? shown.columns : []), ...columns]) };
          tables.set(subject, shown);
        }
        shown.table.set(all);
      }
      for (const [subject, shown] of tables) if (!now.has(subject)) shown.table.set([]);
    },
  };
}
