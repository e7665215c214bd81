import type { Cell, Commands, Fields, Filter, Link, Links, Page, Section, Table } from "./page.ts";

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
  { text: "Tenants", href: "/console" },
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
<link rel="stylesheet" href="/console/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="place">Console <strong>${environment}</strong></p>
<nav aria-label="Main"><ul>${places.map(({ text, href }) => navigationItem(text, href, href === path))}</ul></nav>
<form role="search" action="/console/search">
<label for="id">Any id</label>
<input id="id" name="id" type="search" autocomplete="off" spellcheck="false" value="${isSearch ? (query.get("id") ?? "") : ""}">
<button>Search</button>
</form>
</header>
<main id="main" tabindex="-1">
${page.trail.length > 0 && html`<nav aria-label="Breadcrumbs"><ol class="trail">${page.trail.map((link) => html`<li>${anchor(link)}</li>`)}</ol></nav>`}
<h1>${page.title}</h1>
${page.sections.map((section, index) => renderSection(section, `section-${index}`, path))}
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

function anchor({ text, href }: Link): Markup {
  return html`<a href="${href}">${text}</a>`;
}

function renderSection(section: Section, id: string, path: string): Markup {
  switch (section.kind) {
    case "fields":
      return renderFields(section, id);
    case "table":
      return renderTable(section, id, path);
    case "links":
      return renderLinks(section, id);
    case "commands":
      return renderCommands(section, id);
    case "note":
      return html`<p>${section.text}</p>`;
  }
}

function renderFields({ title, fields }: Fields, id: string): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<dl>${fields.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${cell(value)}</dd></div>`)}</dl></section>`;
}

function cell(value: Cell): Markup {
  if (Array.isArray(value))
    return html`<ul class="parts">${value.map((part) => html`<li>${cell(part)}</li>`)}</ul>`;
  if ("time" in value) {
    const [day = "", time = ""] = value.time.replace(/(\.\d+)?Z$/, "").split("T");
    return html`<time datetime="${value.time}">${day} ${time}</time>`;
  }
  if (!("text" in value)) return html``;
  return value.href === undefined ? html`${value.text}` : anchor({ text: value.text, href: value.href });
}

function renderTable(table: Table, id: string, path: string): Markup {
  const { title, columns, rows, summary, more = [] } = table;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${renderFilters(table, id, path)}
<p role="status">${summary}</p>
${
  rows.length > 0 &&
  html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table>
<thead><tr>${columns.map(({ name, href, sorted }, index) => html`<th scope="col"${isNumber(rows[0]?.[index]) && numberClass}${sorted && html` aria-sort="${sorted}"`}>${href === undefined ? name : anchor({ text: name, href })}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map(renderCell)}</tr>`)}</tbody>
</table></div>`
}
${more.length > 0 && html`<nav aria-label="Pages of ${title}"><ul class="pages">${more.map((link) => html`<li>${anchor(link)}</li>`)}</ul></nav>`}
</section>`;
}

const numberClass = new Markup(' class="number"');

function isNumber(value: Cell | undefined): boolean {
  return value !== undefined && "isNumber" in value && value.isNumber === true;
}

function renderCell(value: Cell): Markup {
  return html`<td${isNumber(value) && numberClass}>${cell(value)}</td>`;
}

function renderFilters({ filters = [], kept = {} }: Table, id: string, path: string): Markup | false {
  if (filters.length === 0) return false;
  return html`<form class="filters" action="${path}">
${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${filters.map((filter) => renderFilter(filter, `${id}-${filter.name}`))}
<button>Apply</button> <a href="${path}">Clear</a>
</form>`;
}

function renderFilter({ name, label, value, options, isDay }: Filter, id: string): Markup {
  const all = [{ value: "", text: "all" }, ...(options ?? [])];
  const control = options
    ? html`<select id="${id}" name="${name}">${all.map((one) => html`<option value="${one.value}"${one.value === value && new Markup(" selected")}>${one.text}</option>`)}</select>`
    : html`<input id="${id}" name="${name}" type="${isDay ? "date" : "text"}" value="${value}" autocomplete="off">`;
  return html`<p><label for="${id}">${label}</label> ${control}</p>`;
}

function renderLinks({ title, links }: Links, id: string): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul class="links">${links.map((link) => html`<li>${anchor(link)}</li>`)}</ul></section>`;
}

/** A field selects its whole text when the keyboard enters it. */
function renderCommands({ title, commands }: Commands, id: string): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${commands.map(({ about, line }, index) => html`<p class="command"><label for="${id}-${index}">${about}</label> <input id="${id}-${index}" readonly value="${line}" spellcheck="false"></p>`)}</section>`;
}
