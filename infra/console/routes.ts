import type { Target } from "../commands/dead-letters/target.ts";
import { auditLogPage, platformOwner } from "./audit-log-page.ts";
import { cardHoldsPage, plasticPage } from "./card-page.ts";
import { deadLetterPage, deadLettersPage, refusedPage } from "./dead-letter-pages.ts";
import { deadlinesPage, suspensePage } from "./deadline-pages.ts";
import { homePage } from "./home-page.ts";
import { entryPage, journalPage } from "./journal.ts";
import { findOwnedList, findProgramList, type ListView, listTable } from "./list-views.ts";
import { NotFound, type Page, type Query, toHref } from "./page.ts";
import { recordPage } from "./record-page.ts";
import { searchPage } from "./search-page.ts";
import { statementPage, statementsPage } from "./statement-pages.ts";
import { programPage, tenantPage, tenantsPage } from "./tenant-pages.ts";
import { programTrail } from "./trails.ts";

export interface Console {
  readonly environment: string;
  readonly target: Target;
}

export interface Asked {
  readonly parts: readonly string[];
  readonly query: Query;
  readonly console: Console;
}

/** Gets the parts of the path that stand for a `*`. */
type Route = (asked: Asked, ...given: string[]) => Promise<Page>;

/** A word stands for itself, `*` for any part of the path. The first that fits is taken. */
const routes: Readonly<Record<string, Route>> = {
  "": ({ console }) => homePage(console.target),
  tenants: ({ query }) => tenantsPage(query),
  search: ({ query, console }) => searchPage(console.environment, query),
  deadlines: ({ query }) => deadlinesPage(query),
  "audit-log": ({ query }) => auditLogPage(platformOwner, query),
  "dead-letters": ({ console }) => deadLettersPage(console.target),
  "dead-letters/*": ({ console }, queue: string) => deadLetterPage(console.target, queue),
  "refused/*": ({ console }, id: string) => refusedPage(console.environment, id),
  "tenants/*": ({ console }, id: string) => tenantPage(console.environment, id),
  "tenants/*/audit-log": ({ query }, id: string) => auditLogPage(id, query),
  "programs/*": ({ console }, id: string) => programPage(console.environment, id),
  "programs/*/lists/open-suspense": ({ query }, id: string) => suspensePage(id, query),
  "programs/*/lists/*": programList,
  "programs/*/accounts/*": ({ query }, id: string, owner: string) => journalPage(id, owner, query),
  "programs/*/accounts/*/*": (_, id: string, owner: string, sk: string) => entryPage(id, owner, sk),
  "programs/*/cards/*/holds": ({ query }, id: string, card: string) => cardHoldsPage(id, card, query),
  "programs/*/cards/*/plastics/*": (_, id: string, card: string, one: string) => plasticPage(id, card, one),
  "programs/*/*/*": recordPage,
  "programs/*/*/*/statements": (_, id: string, _kind: string, owner: string) => statementsPage(id, owner),
  "programs/*/*/*/statements/*": (_, id: string, _kind: string, owner: string, period: string) =>
    statementPage(id, owner, period),
  "programs/*/*/*/*": ownedList,
};

/** @throws NotFound */
export function findPage(console: Console, parts: readonly string[], query: Query): Promise<Page> {
  for (const [pattern, route] of Object.entries(routes)) {
    const words = pattern === "" ? [] : pattern.split("/");
    if (words.length !== parts.length) continue;
    if (words.every((word, index) => word === "*" || word === parts[index]))
      return route({ parts, query, console }, ...parts.filter((_, index) => words[index] === "*"));
  }
  throw new NotFound(`There is no page ${parts.join("/")}.`);
}

async function programList(asked: Asked, programId: string, name: string): Promise<Page> {
  const view = findProgramList(programId, name);
  if (!view) throw new NotFound(`There is no list ${name}.`);
  return makeListPage(asked, programId, view);
}

async function ownedList(asked: Asked, programId: string, _: string, owner: string, name: string) {
  const view = await findOwnedList(programId, owner, name);
  if (!view) throw new NotFound(`${owner} has no list ${name}.`);
  return makeListPage(asked, programId, view, owner);
}

async function makeListPage({ parts, query }: Asked, programId: string, view: ListView, owner?: string) {
  const sections = [await listTable(programId, view, toHref(parts), query)];
  return { title: view.title, trail: await programTrail(programId, owner), sections };
}
