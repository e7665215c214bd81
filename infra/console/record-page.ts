import type { Currency } from "../../shared/contract/enums.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { attempts } from "../../shared/notifications/delivery/attempt.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { tokenEvents } from "../../shared/tokens/token.ts";
import { cardSections } from "./card-page.ts";
import { commandSection, recordCommands } from "./commands.ts";
import { amountHref, journalHref } from "./journal.ts";
import { shownLists, toListTitle } from "./list-views.ts";
import { type Link, NotFound, type Page, type Query, type Table, toHref, toLinks } from "./page.ts";
import { itemTable, toFields, toNames } from "./record-fields.ts";
import { findName, type RecordView, recordViews } from "./record-views.ts";
import { programTrail } from "./trails.ts";

const listed: ReadonlySet<string> = new Set(shownLists.map(({ name }) => name));

/** What the audit log has by its id: a Card's blocks, its funding, what was shown of it. */
const audited: ReadonlySet<string> = new Set(["cards", "cardholders", "controls"]);

/** One record with its fields, what is listed of it, and the commands that change it. */
export async function recordPage(
  {
    console: { environment },
    query,
  }: { readonly console: { readonly environment: string }; readonly query: Query },
  programId: string,
  kind: string,
  id: string,
): Promise<Page> {
  const view = Object.hasOwn(recordViews, kind) ? recordViews[kind] : undefined;
  if (!view) throw new NotFound(`There are no ${kind}.`);
  const [record, program] = await Promise.all([view.read(programId, id), readProgram(programId)]);
  if (!record) {
    const tried = program && auditLink("What the audit log has of it", program.tenantId, id);
    throw new NotFound(`${program?.name ?? programId} has no ${view.title} ${id}.`, tried);
  }
  const currency = (record.currency as Currency | undefined) ?? program?.currency;
  const href = amountHref(kind, { programId, record });
  const list = kind === "holds" ? "authorizations" : kind;
  return {
    title: `${view.title} ${findName(kind, record) || id}`,
    trail: [
      ...(await programTrail(programId)),
      ...(listed.has(list)
        ? [{ text: toListTitle(list), href: toHref(["programs", programId, "lists", list]) }]
        : []),
    ],
    sections: [
      ...(kind === "cards" ? await cardSections(programId, record, query) : []),
      ...toLinks("What belongs to it", listBelongings(view, programId, kind, id, href, program?.tenantId)),
      toFields(view.title, view.fields, record, { kind, programId, currency, amountHref: href }),
      ...(kind === "notifications" ? [await readAttempts(programId, id)] : []),
      ...(kind === "tokens" ? [await readTokenEvents(programId, id)] : []),
      ...commandSection(environment, recordCommands(kind, programId, record)),
    ],
  };
}

function listBelongings(
  { lists = [], hasJournal }: RecordView,
  programId: string,
  kind: string,
  id: string,
  amountsHref: string | undefined,
  tenantId: string | undefined,
): Link[] {
  const link = (text: string, name: string) => ({
    text,
    href: toHref(["programs", programId, kind, id, name]),
  });
  return [
    ...lists.map((list) => link(toListTitle(list), list)),
    ...(kind === "cards" ? [link("Holds", "holds")] : []),
    ...(hasJournal
      ? [link("Statements", "statements"), { text: "Journal", href: journalHref(programId, id) }]
      : []),
    ...(audited.has(kind) && tenantId !== undefined ? [auditLink("Audit log", tenantId, id)] : []),
    ...(!hasJournal && amountsHref !== undefined ? [{ text: "Journal entries", href: amountsHref }] : []),
  ];
}

function auditLink(text: string, tenantId: string, subjectId: string): Link {
  return { text, href: toHref(["tenants", tenantId, "audit-log"], { subjectId }) };
}

const attemptFields = toNames(`attempt endpointId delivered responseStatus error latencyMs createdAt
  nextAttemptAt disabled deliveryId`);

async function readAttempts(programId: string, transIdSc: string): Promise<Table> {
  const { items, total } = await listPage(
    {
      records: attempts.records(programId, transIdSc),
      orders: { createdAt: "createdAt" },
      view: (item) => attempts.parse(item),
    },
    { orderBy: "createdAt", sort: "asc", limit: 500, offset: 0 },
  );
  const table = itemTable("Delivery attempts", { kind: "attempts", programId }, attemptFields, items);
  return { ...table, summary: `${items.length} of ${total}.` };
}

const eventColumns = toNames("createdAt trigger state by reason transId");

/** The newest first, as lists are. */
async function readTokenEvents(programId: string, tokenId: string): Promise<Table> {
  const happened = await tokenEvents.list(programId, tokenId);
  return itemTable("What happened", { kind: "tokens", programId }, eventColumns, happened.toReversed());
}
