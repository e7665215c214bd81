import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { journalEntries, transferKey } from "../../shared/ledger/journal-entry.ts";
import type { ListKind } from "../../shared/lists/kind.ts";
import { idStart, withoutPrefix } from "../../shared/platform/id.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { tenants } from "../../shared/tenancy/tenant.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { transactionList, transactions } from "../../shared/transactions/transaction.ts";
import { references } from "../../shared/transactions/transaction-rules.ts";
import { walletList } from "../../shared/wallets/wallet.ts";
import { auditLogPath, platformOwner, walkAuditLog } from "./audit-log-page.ts";
import { inTurns, readList } from "./in-turns.ts";
import { entryHref } from "./journal.ts";
import { type Item, type Link, type Page, type Query, type Section, toHref } from "./page.ts";
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
  const many = programIds.length === 1 ? "1 Program was" : `${programIds.length} Programs were`;
  const searched = programId === "" ? `${many} searched.` : `Only ${programId} was searched.`;
  const rest = next === undefined ? "" : " There are more: name the Program.";
  const isFound = links.length > 0;
  const text = isFound ? searched + rest : `Nothing was found. ${searched}${rest} ${hint}`;
  const notes = [text, ...texts.flatMap(({ note }) => note ?? [])];
  const about = "Everything that followed from a request, an event or a deadline";
  return [
    ...(isFound ? [{ kind: "links", title: "Found", links } as const] : []),
    ...notes.map((text) => ({ kind: "note", text }) as const),
    { kind: "commands", title: "In the logs", commands: [{ about, line: logLine(id, environment) }] },
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
  const isTenant = id.startsWith(idStart("tenant"));
  const account = await (isTenant ? tenants.at(id).get() : programs.at(id).get());
  return account ? [{ text: `${isTenant ? "Tenant" : "Program"} ${id}`, href: hrefOfId(id) }] : [];
}

async function findInProgram(id: string, programId: string): Promise<Link[]> {
  const [prefix = ""] = id.split("_");
  const page = findPageKind(id);
  const kind = page === "authorizations" ? "holds" : page;
  // Ids from outside have no prefix: a processor names authorizations and events as it likes.
  const kinds = kind === undefined ? ["holds", "events"] : [kind];
  const [records, others] = await Promise.all([
    inTurns(kinds, (one) => findRecord(one, id, programId)),
    Object.hasOwn(finders, prefix) ? finders[prefix]?.(id, programId) : findOfProgram(id, programId),
  ]);
  const isOutside = kind === undefined && others === undefined;
  return [...records, ...(others ?? []), ...(isOutside ? await findReference(id, programId) : [])];
}

async function findRecord(kind: string, id: string, programId: string): Promise<Link[]> {
  const view = recordViews[kind];
  if (!view || !(await view.read(programId, id))) return [];
  return [{ text: `${view.title} ${id} of ${programId}`, href: toHref(["programs", programId, kind, id]) }];
}

type Find = (id: string, programId: string) => Promise<Link[]>;

const findTransaction: Find = (id, programId) => listed(transactionList, programId, id);
const findFee: Find = (id, programId) => listed(feeList, programId, id);

/** What only a list, or another record, leads to; by the prefix of the id. */
const finders: Readonly<Record<string, Find>> = {
  ...{ [idPrefixes.transaction]: findTransaction, [idPrefixes.fee]: findFee },
  ...{ [idPrefixes.transfer]: findInWallets, [idPrefixes.journalEntry]: findInWallets },
  [idPrefixes.walletTransaction]: findInWallets,
};

async function listed(kind: ListKind, programId: string, id: string): Promise<Link[]> {
  const view = (item: Item) => toLink(programId, `${id} of ${String(item.cardId)}`, item);
  const wanted = { orderBy: "entityId", filters: { entityId: id }, limit: 1, view } as const;
  return (await readList(programId, kind, wanted)).items.flat();
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
  const view = (record: Item) => String(record.entityId);
  const wanted = { orderBy: "entityId", sort: "asc", limit: mostWallets, view } as const;
  const { items } = await readList(programId, walletList, wanted);
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
      href: toHref(auditLogPath(owner), { requestId: String(entry.requestId) }),
    }));
  });
}
