import { html, Markup } from "./html.ts";
import type { Commands, Fields, Figures, Link, Links, Page, Section } from "./page.ts";
import { anchor, renderCell, renderPlot, renderTable } from "./render-table.ts";

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

function renderFields({ kind, title, fields }: Fields | Figures, id: string): Markup {
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
