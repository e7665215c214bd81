import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { disputeList } from "../../shared/disputes/dispute.ts";
import { evidence } from "../../shared/disputes/evidence.ts";
import { journalEntries, transferKey } from "../../shared/ledger/journal-entry.ts";
import type { ListKind } from "../../shared/lists/kind.ts";
import { endpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { replays } from "../../shared/notifications/delivery/replay.ts";
import { challenges } from "../../shared/passcodes/passcode.ts";
import { productionBatches } from "../../shared/plastics/production.ts";
import { environment } from "../../shared/platform/environment.ts";
import { idStart, withoutPrefix } from "../../shared/platform/id.ts";
import { refusedInputs } from "../../shared/platform/refused/refused-input.ts";
import { readBatch, readBatchOf } from "../../shared/platform/table/batch.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { simulations } from "../../shared/simulations/simulation.ts";
import { allowedIps } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import { apiUsers } from "../../shared/tenancy/api-keys/api-user.ts";
import { tenantCertificates } from "../../shared/tenancy/certificates/certificate.ts";
import { hasConnection } from "../../shared/tenancy/connections/connection-change.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { tenants } from "../../shared/tenancy/tenant.ts";
import { comments, tickets } from "../../shared/tenancy/tickets/ticket.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { transactionList, transactions } from "../../shared/transactions/transaction.ts";
import { references } from "../../shared/transactions/transaction-rules.ts";
import { walletList } from "../../shared/wallets/wallet.ts";
import { auditLogPath, platformOwner, walkAuditLog } from "./audit-log-page.ts";
import { inTurns, readList } from "./in-turns.ts";
import { entryHref } from "./journal.ts";
import { newestTickets } from "./newest-tickets.ts";
import { type Item, type Link, type Page, type Query, type Section, toHref } from "./page.ts";
import { findPlastic } from "./plastic-page.ts";
import { recordViews } from "./record-views.ts";
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

/** Which of these Tenants or Programs have the id. */
type FindOwners = (ownerIds: readonly string[], id: string) => Promise<readonly string[]>;
interface Finder {
  readonly title: string;
  readonly owners: FindOwners;
}

const inIssuing = () => environment.issuingTable;
const inAccounts = () => environment.accountsTable;

/** One call for a hundred owners. */
function byKey(keyOf: (ownerId: string, id: string) => Key, tableName = inIssuing): FindOwners {
  return async (ownerIds, id) => {
    const keys = ownerIds.map((ownerId) => keyOf(ownerId, id));
    const found = await readBatchOf({ tableName: tableName(), consistent: true }, keys);
    const has = ({ pk, sk }: Key) => found.some((item) => item.pk === pk && item.sk === sk);
    return ownerIds.filter((ownerId) => has(keyOf(ownerId, id)));
  };
}

/** Where the key does not follow from the id. */
function byReading(has: (ownerId: string, id: string) => Promise<boolean>): FindOwners {
  return (ownerIds, id) => inTurns(ownerIds, async (ownerId) => ((await has(ownerId, id)) ? [ownerId] : []));
}

/** What is found links to its Tenant's page. */
const ofTenants: Readonly<Record<string, Finder>> = {
  [idPrefixes.apiUser]: { title: "API user", owners: byKey(apiUsers.key, inAccounts) },
  [idPrefixes.certificate]: { title: "Certificate", owners: byKey(tenantCertificates.key, inAccounts) },
  [idPrefixes.ticket]: { title: "Ticket", owners: byKey(tickets.key) },
  [idPrefixes.comment]: { title: "Comment of a ticket", owners: byReading(hasComment) },
  [idPrefixes.allowedIp]: { title: "Allowed address", owners: byReading(hasRange) },
};

const mostTickets = 1_000;

/** A comment is stored with its ticket, which is not younger. */
async function hasComment(tenantId: string, commentId: string): Promise<boolean> {
  const raised = await newestTickets(tenantId, mostTickets, withoutPrefix(commentId));
  const keys = raised.map(({ ticketId }) => comments.key(tenantId, String(ticketId), commentId));
  return (await readBatch(keys)).length > 0;
}

async function hasRange(tenantId: string, id: string): Promise<boolean> {
  return (await allowedIps.list(tenantId)).some(({ entryId }) => entryId === id);
}

/** What is found links to its Program's page. */
const ofPrograms: Readonly<Record<string, Finder>> = {
  [idPrefixes.webhook]: { title: "Webhook endpoint", owners: byKey(endpoints.key) },
  [idPrefixes.replay]: { title: "Replay", owners: byKey(replays.key) },
  [idPrefixes.challenge]: { title: "3-D Secure challenge", owners: byKey(challenges.key) },
  [idPrefixes.simulation]: {
    title: "Simulation",
    owners: byKey((programId, id) => simulations.at(programId, id).key),
  },
  [idPrefixes.batch]: {
    title: "Production batch",
    owners: byKey((programId, id) => productionBatches.at(programId, id).key),
  },
  [idPrefixes.connection]: { title: "Connection", owners: byReading(programHasConnection) },
};

/** A Program that does not exist has no default connections either. */
async function programHasConnection(programId: string, id: string): Promise<boolean> {
  return (await programs.at(programId).get()) !== undefined && hasConnection(programId, id);
}

const mostTenants = 5_000;

const findPrefix = (id: string) => id.split("_")[0] ?? "";

/** The id is what somebody typed: `constructor_1` has no finder. */
function chooseFinder(finders: Readonly<Record<string, Finder>>, id: string): Finder | undefined {
  return Object.hasOwn(finders, findPrefix(id)) ? finders[findPrefix(id)] : undefined;
}

async function findOfTenants(id: string): Promise<Link[]> {
  const finder = chooseFinder(ofTenants, id);
  if (!finder) return [];
  const { items } = await scanAccounts("TENANT", "", mostTenants);
  const tenantIds = items.map((item) => String(item.tenantId));
  return linksTo(finder, tenantIds, id);
}

/** Undefined for ids of other kinds. */
async function findOfProgram(id: string, programId: string): Promise<Link[] | undefined> {
  if (findPrefix(id) === idPrefixes.evidence) return findEvidence(id, programId);
  if (findPrefix(id) === idPrefixes.plastic) return findPlastic(programId, id);
  const finder = chooseFinder(ofPrograms, id);
  return finder && linksTo(finder, [programId], id);
}

async function linksTo({ title, owners }: Finder, ownerIds: readonly string[], id: string): Promise<Link[]> {
  const found = await owners(ownerIds, id);
  return found.map((ownerId) => ({ text: `${title} ${id} of ${ownerId}`, href: hrefOfId(ownerId) }));
}

/** A refused input may belong to no Program. */
async function findRefused(id: string): Promise<Link[]> {
  if (findPrefix(id) !== idPrefixes.refused) return [];
  const found = await refusedInputs.at(id).get();
  return found ? [{ text: `Refused input ${id}`, href: hrefOfId(id) }] : [];
}

const mostDisputes = 5_000;

/** Evidence is stored with its dispute. */
async function findEvidence(id: string, programId: string): Promise<Link[]> {
  const view = (record: Item) => String(record.entityId);
  const wanted = { orderBy: "entityId", limit: mostDisputes, view } as const;
  const { items: disputeIds } = await readList(programId, disputeList, wanted);
  const found = await readBatch(disputeIds.map((disputeId) => evidence.at(programId, disputeId, id).key));
  return found.map(({ disputeId }) => ({
    text: `Evidence ${id} of ${String(disputeId)}`,
    href: hrefOfId(String(disputeId), programId),
  }));
}
