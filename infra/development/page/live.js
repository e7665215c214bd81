const intervalMs = 500;
const most = 200;

/** In which column a trace entry stands; the others are left out. */
const columns = {
  request: "requests",
  "access-denied": "requests",
  "ledger-entry": "ledger",
  question: "questions",
  decision: "questions",
  "late-answer": "questions",
  "bus-event": "deliveries",
  "queue-message": "deliveries",
  invocation: "deliveries",
  clock: "deliveries",
};
/** The functions that send; what the others do is told by the requests. */
const senders = ["outbox-relay", "webhook-fanout", "background-jobs", "callback-delivery", "alert-delivery"];

let after = 0;

async function look() {
  const response = await fetch(`/trace?after=${after}`);
  const { entries } = await response.json();
  for (const entry of entries) show(entry);
  after = entries.at(-1)?.sequence ?? after;
}

function show({ at, kind, name, detail = {} }) {
  const column = document.getElementById(columns[kind] ?? "");
  if (!column || (kind === "invocation" && !senders.includes(name))) return;
  const item = document.createElement("li");
  item.className = kind;
  item.append(line("time", at.slice(11, 23)), line("strong", name), line("span", told(detail)));
  column.prepend(item);
  while (column.children.length > most) column.lastChild.remove();
}

function told(detail) {
  return Object.entries(detail)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

function line(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

async function follow() {
  const state = document.getElementById("state");
  for (;;) {
    try {
      await look();
      state.textContent = "Following";
    } catch {
      state.textContent = "The platform does not answer";
    }
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}

follow();
