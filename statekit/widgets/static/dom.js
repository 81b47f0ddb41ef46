// Elements, always filled by text nodes: what a history holds is shown and never interpreted.

function element(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== "") node.textContent = text;
  return node;
}

function named(node, label) {
  node.setAttribute("aria-label", label);
  node.title = label;
  return node;
}

function button(className, text, label, act) {
  const node = named(element("button", `sk-button ${className}`, text), label);
  node.type = "button";
  node.addEventListener("click", act);
  return node;
}

// A button that can do nothing keeps the focus: one that the browser disables loses it, and the next key with it.
function setDisabled(node, disabled) {
  node.setAttribute("aria-disabled", disabled);
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setTitle(node, text) {
  if (node.title !== text) node.title = text;
}

function grouped(number) {
  return number.toLocaleString("en");
}

function choice(label, options, choose) {
  const node = named(element("select", "sk-select"), label);
  for (const { value, text, disabled = false } of options) {
    const option = element("option", "", text);
    option.value = value;
    option.disabled = disabled;
    node.append(option);
  }
  node.addEventListener("change", () => choose(node.value));
  return node;
}

const TYPING = new Set(["Enter", "Backspace", "Delete", "Escape", "Tab"]);
const MOVING = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);

// JupyterLab acts on keys that reach the document, so those of a widget stop at its root; with Ctrl, Alt or Meta they
// are JupyterLab's. Stopping leaves alone what the browser does with a key, such as moving the focus with Tab.
function listenToKeys(root, acts) {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length === 1 || TYPING.has(event.key) || MOVING.has(event.key)) event.stopPropagation();
    const act = acts[event.key];
    if (act === undefined || ownsKey(event.target, event.key)) return;
    event.preventDefault();
    act(event.shiftKey);
  });
}

function ownsKey(target, key) {
  if (target.tagName === "SELECT" || target.type === "text") return true;
  if (target.type === "range") return key === "ArrowUp" || key === "ArrowDown";
  return target.tagName === "BUTTON" && key === " ";
}
