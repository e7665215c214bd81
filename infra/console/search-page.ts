import { authentications } from "../../shared/authentications/authentication.ts";
import { holds } from "../../shared/authorizations/holds/hold.ts";
import { bulks } from "../../shared/bulk/bulk.ts";
import { cardholders } from "../../shared/cardholders/cardholder.ts";
import { cards } from "../../shared/cards/card.ts";
import { appliedEvents } from "../../shared/changes/applied-event.ts";
import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { controls } from "../../shared/controls/control.ts";
import { deposits } from "../../shared/deposits/deposit.ts";
import { suspenseItems } from "../../shared/deposits/suspense.ts";
import { disputes } from "../../shared/disputes/dispute.ts";
import { journalEntries, transferKey } from "../../shared/ledger/journal-entry.ts";
import type { ListKind } from "../../shared/lists/kind.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { idStart, withoutPrefix } from "../../shared/platform/id.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { tenants } from "../../shared/tenancy/tenant.ts";
import { tokens } from "../../shared/tokens/token.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { transactionList, transactions } from "../../shared/transactions/transaction.ts";
import { references } from "../../shared/transactions/transaction-rules.ts";
import { walletList, wallets } from "../../shared/wallets/wallet.ts";
import { platformOwner, walkAuditLog } from "./audit-log-page.ts";
import { inTurns } from "./in-turns.ts";
import { entryHref } from "./journal.ts";
import { type Link, type Page, type Query, type Section, toHref } from "./page.ts";
import { recordViews } from "./record-views.ts";
import { findOfProgram, findOfTenants, findRefused } from "./search-without-page.ts";
import { scanAccounts } from "./tenant-pages.ts";
import { type FoundByText, findByText } from "./text-search.ts";
import { findPageKind, hrefOfId } from "./values.ts";

/** Programs that are searched, if none is named, and Wallets of each. */
const mostPrograms = 500;
const mostWallets = 5_000;
/** Entries of each audit log. */
const mostEntries = 10;

/** Finds whatever has this id, in one Program or in all. */
export async function searchPage(environment: string, query: Query): Promise<Page> {
  const id = (query.get("id") ?? "").trim();
  const programId = (query.get("programId") ?? "").trim();
  const sections: Section[] = id === "" ? [] : await find(id, programId, environment);
  return { title: id === "" ? "Search" : `Search for ${id}`, trail: [], sections };
}

async function find(id: string, programId: string, environment: string): Promise<Section[]> {
  const { items, next } = programId === "" ? await scanAccounts("PROGRAM", "", mostPrograms) : none;
  const programIds = programId === "" ? items.map((item) => String(item.programId)) : [programId];
  const texts = await inTurns(programIds, (one) => findText(id, one));
  const links = [
    ...texts.flatMap((one) => one.links),
    ...(await findAccount(id)),
    ...(programId === "" ? [...(await findOfTenants(id)), ...(await findRefused(id))] : []),
    ...(await inTurns(programIds, (one) => findInProgram(id, one))),
    ...(await findInAuditLogs(id)),
  ];
  const searched =
    programId === ""
      ? `${programIds.length === 1 ? "1 Program was" : `${programIds.length} Programs were`} searched.`
      : `Only ${programId} was searched.`;
  const rest = next === undefined ? "" : " There are more: name the Program.";
  return [
    ...(links.length > 0 ? [{ kind: "links", title: "Found", links } as const] : []),
    {
      kind: "note",
      text: links.length > 0 ? searched + rest : `Nothing was found. ${searched}${rest} ${hint}`,
    },
    ...texts.flatMap(({ note }): Section[] => (note === undefined ? [] : [{ kind: "note", text: note }])),
    {
      kind: "commands",
      title: "In the logs",
      commands: [
        {
          about: "Everything that followed from a request, an event or a deadline",
          line: logLine(id, environment),
        },
      ],
    },
  ];
}

/** By what people write. Ids of the platform have a form of their own. */
async function findText(text: string, programId: string): Promise<FoundByText[]> {
  if (/^[a-z]{3}_/.test(text)) return [];
  const { links, ...notes } = await findByText(programId, text);
  if (links.length === 0) return [{ links, ...notes }];
  const name = (await programs.at(programId).get())?.name ?? programId;
  return [{ links: links.map((link) => ({ ...link, text: `${link.text} in ${name}` })), ...notes }];
}

const none = { items: [], next: undefined };

const hint =
  "Names are searched by how they begin, emails and reference codes as a whole, amounts as 12.50. An authorization that was reversed or expired is found by its authorization id, and an entry of a Card in the Card's journal.";

/** An id from outside may have quotes: the line is for a shell. */
function logLine(id: string, environment: string): string {
  const safe = id.replaceAll(/[^\w:.-]/g, "");
  if (environment === "local") return `grep -h ${safe} .local/logs/*.log`;
  return `fields @timestamp, service, message, eventId, status, code | filter requestId = "${safe}" | sort @timestamp`;
}

async function findAccount(id: string): Promise<Link[]> {
  const [prefix = ""] = id.split("_");
  const isTenant = prefix === idPrefixes.tenant && (await tenants.at(id).get()) !== undefined;
  const isProgram = prefix === idPrefixes.program && (await programs.at(id).get()) !== undefined;
  if (isTenant) return [{ text: `Tenant ${id}`, href: hrefOfId(id) }];
  return isProgram ? [{ text: `Program ${id}`, href: hrefOfId(id) }] : [];
}

/** Records whose keys follow from their ids. Ids from outside have no prefix. */
const keysOf: Readonly<Record<string, (programId: string, id: string) => Key>> = {
  bulks: bulks.key,
  cardholders: cardholders.key,
  cards: cards.key,
  wallets: wallets.key,
  deposits: deposits.key,
  suspense: (programId, id) => suspenseItems.key(programId, `${idStart("deposit")}${withoutPrefix(id)}`),
  controls: controls.key,
  disputes: disputes.key,
  tokens: tokens.key,
  authentications: authentications.key,
  holds: holds.key,
  events: appliedEvents.key,
};

async function findInProgram(id: string, programId: string): Promise<Link[]> {
  const keys = Object.entries(keysOf).map(([kind, keyOf]) => ({ kind, ...keyOf(programId, id) }));
  const [records, others] = await Promise.all([
    readBatch(keys.map(({ pk, sk }) => ({ pk, sk }))),
    findByForm(id, programId),
  ]);
  const found = keys.filter(({ pk, sk }) => records.some((item) => item.pk === pk && item.sk === sk));
  return [
    ...found.map(({ kind }) => ({
      text: `${recordViews[kind]?.title} ${id} of ${programId}`,
      href: toHref(["programs", programId, kind, id]),
    })),
    ...others,
  ];
}

/** What only a list, or another record, leads to. */
async function findByForm(id: string, programId: string): Promise<Link[]> {
  const [prefix = ""] = id.split("_");
  switch (prefix) {
    case idPrefixes.transaction:
      return listed(transactionList, programId, id);
    case idPrefixes.fee:
      return listed(feeList, programId, id);
    case idPrefixes.transfer:
    case idPrefixes.journalEntry:
    case idPrefixes.walletTransaction:
      return findInWallets(id, programId);
    case idPrefixes.notification:
      return findRecord("notifications", id, programId);
    case idPrefixes.externalAccount:
    case idPrefixes.payout:
    case idPrefixes.pull:
    case idPrefixes.paymentFile:
      return findRecord(findPageKind(id) ?? "", id, programId);
    default:
      return (await findOfProgram(id, programId)) ?? findReference(id, programId);
  }
}

async function listed(kind: ListKind, programId: string, id: string): Promise<Link[]> {
  const { items } = await listPage(
    {
      records: { list: { programId, kind } },
      orders: { entityId: "entityId" },
      filters: { entityId: id },
      view: (record) => record,
    },
    { orderBy: "entityId", sort: "asc", limit: 1, offset: 0 },
  );
  return items.flatMap((item) => toLink(programId, `${id} of ${String(item.cardId)}`, item));
}

/** Leads to its entry, or to its Card if it moved nothing. */
function toLink(programId: string, text: string, item: Readonly<Record<string, unknown>>): Link[] {
  const href =
    entryHref(programId, item) ??
    (item.cardId === undefined ? undefined : hrefOfId(String(item.cardId), programId));
  return href === undefined ? [] : [{ text, href }];
}

/** A transfer and its entry share a ULID, and are stored with each Wallet. */
async function findInWallets(id: string, programId: string): Promise<Link[]> {
  const { items } = await listPage(
    {
      records: { list: { programId, kind: walletList } },
      orders: { entityId: "entityId" },
      view: (record) => String(record.entityId),
    },
    { orderBy: "entityId", sort: "asc", limit: mostWallets, offset: 0 },
  );
  const ulid = withoutPrefix(id);
  const keys = items.flatMap((walletId) => [
    transferKey(programId, walletId, `${idStart("transfer")}${ulid}`),
    journalEntries.key(programId, walletId, `${idStart("journalEntry")}${ulid}`),
  ]);
  const found = await readBatch(keys);
  return found.flatMap((item) =>
    toLink(programId, `${id} with ${String(item.pk).slice(programId.length + 1)}`, item),
  );
}

/** Where other kinds have the same key, or none follows from the id. */
async function findRecord(kind: string, id: string, programId: string): Promise<Link[]> {
  const view = recordViews[kind];
  if (!view || !(await view.read(programId, id))) return [];
  const href = toHref(["programs", programId, kind, id]);
  return [{ text: `${view.title} ${id} of ${programId}`, href }];
}

/** A reference code of the network. */
async function findReference(id: string, programId: string): Promise<Link[]> {
  const found = await references.at(programId, id).get();
  if (!found) return [];
  const [item] = await readBatch([transactions.key(programId, found.cardId, found.transId)]);
  return item ? toLink(programId, `Reference ${id}: ${found.transId} of ${found.cardId}`, item) : [];
}

/** Finds the id of a request, or of an entry, in the newest entries of each Tenant. */
async function findInAuditLogs(id: string): Promise<Link[]> {
  const field = id.startsWith(`${idPrefixes.audit}_`) ? "auditId" : "requestId";
  if (field === "requestId" && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return [];
  const { items } = await scanAccounts("TENANT", "", mostPrograms);
  const owners = [platformOwner, ...items.map((item) => String(item.tenantId))];
  return inTurns(owners, async (owner) => {
    const { items: entries } = await walkAuditLog(owner, { [field]: id }, "", mostEntries);
    return entries.map((entry) => ({
      text: `Audit log of ${owner}: ${String(entry.action)} of ${String(entry.subjectId)}`,
      href:
        owner === platformOwner
          ? toHref(["audit-log"], { requestId: String(entry.requestId) })
          : toHref(["tenants", owner, "audit-log"], { requestId: String(entry.requestId) }),
    }));
  });
}
