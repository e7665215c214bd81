import type { Target } from "../commands/dead-letters/target.ts";
import { auditLogPage, platformOwner } from "./audit-log-page.ts";
import { deadLetterPage, deadLettersPage } from "./dead-letter-pages.ts";
import { cardHoldsPage, deadlinesPage, holdsPage } from "./deadline-pages.ts";
import { homePage } from "./home-page.ts";
import { entryPage, journalPage } from "./journal.ts";
import { listTable } from "./list-table.ts";
import { findOwnedList, findProgramList, type ListView } from "./list-views.ts";
import { NotFound, type Page, type Query, toHref } from "./page.ts";
import { plasticPage } from "./plastic-page.ts";
import { recordPage } from "./record-page.ts";
import { refusedPage } from "./refused-page.ts";
import { searchPage } from "./search-page.ts";
import { statementPage, statementsPage } from "./statement-pages.ts";
import { suspensePage } from "./suspense-page.ts";
import { programPage, tenantPage, tenantsPage } from "./tenant-pages.ts";
import { ownerLink, programTrail } from "./trails.ts";

export interface Console {
  readonly environment: string;
  readonly target: Target;
}

interface Asked {
  readonly parts: readonly string[];
  readonly query: Query;
  readonly console: Console;
}

type Route = (asked: Asked & { readonly given: readonly string[] }) => Promise<Page>;

/** A word stands for itself, `*` for any part of the path. The first that fits is taken. */
const routes: readonly (readonly [string, Route])[] = [
  ["", ({ console }) => homePage(console.target)],
  ["tenants", ({ query }) => tenantsPage(query)],
  ["search", ({ query, console }) => searchPage(console.environment, query)],
  ["deadlines", ({ query }) => deadlinesPage(query)],
  ["audit-log", ({ query }) => auditLogPage(platformOwner, query)],
  ["dead-letters", ({ console }) => deadLettersPage(console.target)],
  ["dead-letters/*", ({ console, given: [queue = ""] }) => deadLetterPage(console.target, queue)],
  ["refused/*", ({ console, given: [id = ""] }) => refusedPage(console.environment, id)],
  ["tenants/*", ({ console, given: [id = ""] }) => tenantPage(console.environment, id)],
  ["tenants/*/audit-log", ({ query, given: [id = ""] }) => auditLogPage(id, query)],
  ["programs/*", ({ console, given: [id = ""] }) => programPage(console.environment, id)],
  ["programs/*/lists/holds", ({ query, given: [id = ""] }) => holdsPage(id, query)],
  ["programs/*/lists/open-suspense", ({ query, given: [id = ""] }) => suspensePage(id, query)],
  ["programs/*/lists/*", programList],
  ["programs/*/accounts/*", ({ query, given: [id = "", owner = ""] }) => journalPage(id, owner, query)],
  ["programs/*/accounts/*/*", ({ given: [id = "", owner = "", sk = ""] }) => entryPage(id, owner, sk)],
  ["programs/*/cards/*/holds", ({ query, given: [id = "", card = ""] }) => cardHoldsPage(id, card, query)],
  [
    "programs/*/cards/*/plastics/*",
    ({ given: [id = "", card = "", plastic = ""] }) => plasticPage(id, card, plastic),
  ],
  [
    "programs/*/*/*",
    ({ console, query, given: [program = "", kind = "", id = ""] }) =>
      recordPage(console.environment, program, kind, id, query),
  ],
  ["programs/*/*/*/statements", ({ given: [program = "", , id = ""] }) => statementsPage(program, id)],
  [
    "programs/*/*/*/statements/*",
    ({ given: [program = "", , id = "", period = ""] }) => statementPage(program, id, period),
  ],
  ["programs/*/*/*/*", ownedList],
];

/** @throws NotFound */
export function findPage(console: Console, parts: readonly string[], query: Query): Promise<Page> {
  for (const [pattern, route] of routes) {
    const words = pattern === "" ? [] : pattern.split("/");
    if (words.length !== parts.length) continue;
    if (words.every((word, index) => word === "*" || word === parts[index])) {
      const given = parts.filter((_, index) => words[index] === "*");
      return route({ parts, query, console, given });
    }
  }
  throw new NotFound(`There is no page ${parts.join("/")}.`);
}

async function programList({
  parts,
  query,
  given: [programId = "", name = ""],
}: Parameters<Route>[0]): Promise<Page> {
  const view = findProgramList(programId, name);
  if (!view) throw new NotFound(`There is no list ${name}.`);
  return choosePage(programId, view, parts, query);
}

async function ownedList({
  parts,
  query,
  given: [programId = "", , owner = "", name = ""],
}: Parameters<Route>[0]): Promise<Page> {
  const view = await findOwnedList(programId, owner, name);
  if (!view) throw new NotFound(`${owner} has no list ${name}.`);
  return choosePage(programId, view, parts, query, owner);
}

async function choosePage(
  programId: string,
  view: ListView,
  parts: readonly string[],
  query: Query,
  owner?: string,
): Promise<Page> {
  const ofOwner = owner === undefined ? [] : [await ownerLink(programId, owner)];
  return {
    title: view.title,
    trail: [...(await programTrail(programId)), ...ofOwner],
    sections: [await listTable(programId, view, toHref(parts), query)],
  };
}
