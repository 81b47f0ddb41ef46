// Moving the position, from a key or from anywhere else in the page.

function go(model, position) {
  model.set("position", Math.min(Math.max(position, 0), model.get("_summary").length));
  model.save_changes();
}

function moves(model) {
  const by = (step) => () => go(model, model.get("position") + step);
  const leap = (direction) => (shift) => go(model, model.get("position") + direction * (shift ? 10 : 1));
  return {
    ArrowLeft: leap(-1),
    ArrowRight: leap(1),
    ArrowUp: by(-1),
    ArrowDown: by(1),
    Home: () => go(model, 0),
    End: () => go(model, model.get("_summary").length),
  };
}
