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

const element = (id) => document.getElementById(id);

let after = 0;
let isPaused = false;
/** A pure journal entry names no currency: its Program's is known from others. */
const currencies = new Map();

async function look() {
  const response = await fetch(`/trace?after=${after}`);
  const { entries } = await response.json();
  for (const entry of entries) show(entry);
  after = entries.at(-1)?.sequence ?? after;
}

function show(entry) {
  const { at, kind, name, detail = {}, about = {} } = entry;
  const column = element(columns[kind] ?? "");
  if (!column || (kind === "invocation" && !senders.includes(name))) return;
  const item = document.createElement("li");
  item.className = kind;
  item.append(line("time", at.slice(11, 23)), line("strong", name.replaceAll("_", " ")));
  if (kind === "ledger-entry") item.append(...money(detail, about));
  item.append(line("span", told(detail, kind === "ledger-entry")));
  item.hidden = !matches(item);
  column.prepend(item);
  while (column.children.length > most) column.lastChild.remove();
  element("empty").hidden = true;
  sayNone();
}

function sayNone() {
  const isEmpty = document.querySelector("li") === null;
  element("none").hidden = isEmpty || document.querySelector("li:not([hidden])") !== null;
}

/** How much moved, at which merchant, on which Card: each leads into the console. */
function money(postings, { programId, accountId, place, cardId, lastFour, merchant, currency }) {
  if (currency) currencies.set(programId, currency);
  const largest = Math.max(0, ...Object.values(postings).map(Number).filter(Number.isFinite));
  const unit = currency ?? currencies.get(programId) ?? "";
  const inProgram = `/console/programs/${programId}`;
  const journal = programId && `${inProgram}/accounts/${accountId}/${encodeURIComponent(place)}`;
  const card = programId && cardId && `${inProgram}/cards/${cardId}`;
  return [
    link(`${decimal(largest)} ${unit}`.trim(), journal, "amount"),
    ...(merchant ? [line("span", merchant)] : []),
    ...(card ? [link(lastFour ? `Card •••• ${lastFour}` : `Card …${cardId.slice(-6)}`, card)] : []),
  ];
}

function decimal(minor) {
  return (minor / 100).toLocaleString("en", { minimumFractionDigits: 2 });
}

/** An entry's postings are all amounts; others name theirs. */
function told(detail, isMoney) {
  return Object.entries(detail)
    .map(([name, value]) => {
      const isAmount = typeof value === "number" && (isMoney || /^amount(Minor)?$/.test(name));
      return isAmount ? `${name.replace("Minor", "")} ${decimal(value)}` : `${name} ${value}`;
    })
    .join(", ");
}

function line(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function link(text, href, className = "") {
  const made = line(href ? "a" : "span", text);
  if (href) made.href = href;
  made.className = className;
  return made;
}

function matches(item) {
  return item.textContent.toLowerCase().includes(element("filter").value.trim().toLowerCase());
}

element("filter").addEventListener("input", () => {
  for (const item of document.querySelectorAll("li")) item.hidden = !matches(item);
  sayNone();
});

element("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  element("pause").textContent = isPaused ? "Go on" : "Pause";
  element("pause").setAttribute("aria-pressed", String(isPaused));
  if (isPaused) element("state").textContent = "Paused: what happens meanwhile is shown later";
});

async function follow() {
  for (;;) {
    try {
      if (!isPaused) {
        await look();
        if (!isPaused) element("state").textContent = "Following";
      }
    } catch {
      element("state").textContent = "The platform does not answer";
    }
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}

follow();
