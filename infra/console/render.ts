import type { Cell, Commands, Fields, Filter, Link, Links, Page, Plot, Section, Table } from "./page.ts";

/** Text that is markup already. Everything else is escaped as it enters a template. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Part[] | false | undefined;

function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + toMarkup(parts[index])).join(""));
}

function toMarkup(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(toMarkup).join("");
  return escapeText(String(part));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const places: readonly Link[] = [
  { text: "Home", href: "/console" },
  { text: "Tenants", href: "/console/tenants" },
  { text: "Deadlines", href: "/console/deadlines" },
  { text: "Dead letters", href: "/console/dead-letters" },
  { text: "Audit log", href: "/console/audit-log" },
];

/** The whole document. It needs no script. */
export function renderPage(environment: string, path: string, page: Page, query: URLSearchParams): string {
  const isSearch = path === "/console/search";
  return `<!doctype html>${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · ${environment}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/pico.css">
<link rel="stylesheet" href="/console/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="place">Console <strong>${environment}</strong></p>
<nav aria-label="Main"><ul>${places.map(({ text, href }) => navigationItem(text, href, href === path))}</ul></nav>
<form role="search" action="/console/search">
<label for="id">Find</label>
<input id="id" name="id" type="search" autocomplete="off" spellcheck="false" placeholder="Name, amount, id, …" title="Id, name, last four, email, amount, reference" value="${isSearch ? (query.get("id") ?? "") : ""}">
<button>Search</button>
</form>
</header>
<main id="main" tabindex="-1">
${page.trail.length > 0 && html`<nav class="trail" aria-label="Breadcrumbs"><ol>${page.trail.map((link) => html`<li>${anchor(link)}</li>`)}</ol></nav>`}
<h1 id="title">${page.title}</h1>
${page.sections.map((section, index) => renderSection(section, section.kind === "table" && section.title === page.title ? "title" : `section-${index}`, path))}
</main>
<footer><p>Read-only. Times are UTC.</p></footer>
</body>
</html>
`.text
  }`;
}

function navigationItem(text: string, href: string, isHere: boolean): Markup {
  return html`<li><a href="${href}"${isHere && new Markup(' aria-current="page"')}>${text}</a></li>`;
}

function renderSection(section: Section, id: string, path: string): Markup {
  switch (section.kind) {
    case "figures":
    case "fields":
      return renderFields(section, id);
    case "table":
      return renderTable(section, id, path);
    case "plot":
      return renderPlot(section, id);
    case "links":
      return renderLinks(section, id);
    case "commands":
      return renderCommands(section, id);
    case "note":
      return html`<p>${section.text}</p>`;
  }
}

function renderFields({ kind, title, fields }: Fields | Fields<"figures">, id: string): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<dl class="${kind}">${fields.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${renderCell(value)}</dd></div>`)}</dl></section>`;
}

function renderLinks({ title, links }: Links, id: string): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul class="links">${links.map((link) => html`<li>${anchor(link)}</li>`)}</ul></section>`;
}

/** A field selects its whole text when the keyboard enters it. */
function renderCommands({ title, commands }: Commands, id: string): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${commands.map(({ about, line }, index) => html`<p class="command"><label for="${id}-${index}">${about}</label> <input id="${id}-${index}" readonly value="${line}" spellcheck="false"></p>`)}</section>`;
}

function anchor({ text, href }: Link): Markup {
  return html`<a href="${href}">${text}</a>`;
}

/** A record's page has its whole id; elsewhere the end of one tells it apart. */
const longId = /^([a-z]{3})_[0-9A-HJKMNP-TV-Z]{20}([0-9A-HJKMNP-TV-Z]{6})(?=\/|$)/;
const shortened = "$1_…$2";

function renderText(text: string, isShort: boolean): string | Markup {
  return isShort && longId.test(text)
    ? html`<span title="${text}">${text.replace(longId, shortened)}</span>`
    : text;
}

/** `isShort`: ids by their ends. */
function renderCell(value: Cell, isShort = false): Markup {
  if (Array.isArray(value))
    return html`<ul class="parts">${value.map((part) => html`<li>${renderCell(part, isShort)}</li>`)}</ul>`;
  if ("time" in value) return renderTime(value.time);
  if ("changed" in value)
    return html`${value.changed}: ${value.before !== undefined && html`<del>${renderText(value.before, isShort)}</del>`}${value.before !== undefined && value.after !== undefined && " → "}${value.after !== undefined && html`<ins>${renderText(value.after, isShort)}</ins>`}`;
  if (!("text" in value)) return html``;
  const text = renderText(value.text, isShort);
  const told =
    value.tone === undefined ? html`${text}` : html`<span class="status ${value.tone}">${text}</span>`;
  return value.href === undefined ? told : html`<a href="${value.href}">${told}</a>`;
}

function renderTime(time: string): Markup {
  const [day = "", hours = ""] = time.replace(/(\.\d+)?Z$/, "").split("T");
  return html`<time datetime="${time}"><span>${day}</span> <span>${hours}</span></time>`;
}

/**
 * Where it is narrow, each row is a card with its fields: roles keep it a table to readers. Under
 * the page's own title it has none.
 */
function renderTable(table: Table, id: string, path: string): Markup {
  const { title, columns, rows, summary, more = [] } = table;
  const numbers = columns.map((_, index) => rows.some((row) => isNumber(row[index])) && numberClass);
  return html`<section aria-labelledby="${id}">${id !== "title" && html`<h2 id="${id}">${title}</h2>`}
${renderFilters(table, id, path)}
<p role="status">${summary}</p>
${
  rows.length > 0 &&
  html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table role="table">
<thead role="rowgroup"><tr role="row">${columns.map(({ name, href, sorted }, index) => html`<th scope="col" role="columnheader"${numbers[index]}${sorted && html` aria-sort="${sorted}"`}>${href === undefined ? name : anchor({ text: name, href })}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map((value, index) => html`<td role="cell" data-label="${columns[index]?.name ?? ""}"${numbers[index]}${isEmpty(value) && emptyClass}>${renderCell(value, true)}</td>`)}</tr>`)}</tbody>
</table></div>`
}
${more.length > 0 && html`<nav aria-label="Pages of ${title}"><ul class="pages">${more.map((link) => html`<li>${anchor(link)}</li>`)}</ul></nav>`}
</section>`;
}

const numberClass = new Markup(' class="number"');
const emptyClass = new Markup(" data-empty");

function isNumber(value: Cell | undefined): boolean {
  return value !== undefined && "isNumber" in value && value.isNumber === true;
}

function isEmpty(value: Cell): boolean {
  return "text" in value && value.text === "–";
}

/** Closed until something is filtered: a list begins with its rows. */
function renderFilters({ filters = [], kept = {} }: Table, id: string, path: string): Markup | false {
  if (filters.length === 0) return false;
  const isOpen = filters.some(({ value }) => value !== "");
  return html`<details${isOpen && new Markup(" open")}><summary>Filter</summary><form class="filters" action="${path}">
${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${filters.map((filter) => renderFilter(filter, `${id}-${filter.name}`))}
<p class="actions"><button>Apply</button> <a href="${path}">Clear</a></p>
</form></details>`;
}

function renderFilter({ name, label, value, options, isDay }: Filter, id: string): Markup {
  const all = [{ value: "", text: "all" }, ...(options ?? [])];
  const control = options
    ? html`<select id="${id}" name="${name}">${all.map((one) => html`<option value="${one.value}"${one.value === value && new Markup(" selected")}>${one.text}</option>`)}</select>`
    : html`<input id="${id}" name="${name}" type="${isDay ? "date" : "text"}" value="${value}" autocomplete="off">`;
  return html`<p><label for="${id}">${label}</label> ${control}</p>`;
}

/** A table with bars, so that a screen reader has the figures too. */
function renderPlot({ title, of, series, bars, summary }: Plot, id: string): Markup {
  const sizes = bars.map(({ parts }) => parts.reduce((sum, { size }) => sum + size, 0));
  const largest = Math.max(1, ...sizes);
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<p role="status">${summary}</p>
${
  bars.length > 0 &&
  html`<table class="plot" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${of}</th><th scope="col" role="columnheader" aria-label="Bar"></th>${series.map(({ name, tone }) => html`<th scope="col" role="columnheader" class="number"><span class="key ${tone}"></span>${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${bars.map(({ label, parts }) => html`<tr role="row"><th scope="row" role="rowheader">${label}</th><td role="cell" class="bar">${renderBar(parts, series, largest)}</td>${parts.map(({ text }, index) => html`<td role="cell" class="number" data-label="${series[index]?.name ?? ""}">${text}</td>`)}</tr>`)}</tbody></table>`
}</section>`;
}

function renderBar(parts: Plot["bars"][number]["parts"], series: Plot["series"], largest: number): Markup {
  let at = 0;
  const drawn = parts.map(({ size }, index) => {
    const width = (100 * size) / largest;
    const rect = html`<rect class="${series[index]?.tone ?? ""}" x="${at.toFixed(2)}" width="${width.toFixed(2)}" height="10"></rect>`;
    at += width;
    return rect;
  });
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${drawn}</svg>`;
}
