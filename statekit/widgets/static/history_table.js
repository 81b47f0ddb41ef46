// HistoryTable: the table alone, and the keys that move its position.

function renderTable({ model, el }) {
  const root = element("div", "sk-root");
  const table = mountTable(model, (position) => go(model, position));
  listenToKeys(root, moves(model));
  root.append(table.root);
  el.append(root);
  return () => {
    table.dispose();
    root.remove();
  };
}

export default { render: renderTable };
