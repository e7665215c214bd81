import { cardholderList, cardholders, emailKey, phoneKey } from "../../shared/cardholders/cardholder.ts";
import { soughtPerson } from "../../shared/cardholders/sought-person.ts";
import { cards } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { idPrefixes } from "../../shared/contract/identifiers.ts";
import type { NamedKind } from "../../shared/contract/primitives.ts";
import { disputeList } from "../../shared/disputes/dispute.ts";
import { evidence } from "../../shared/disputes/evidence.ts";
import { journalEntries, transferKey } from "../../shared/ledger/journal-entry.ts";
import type { ListKind, StoredRecord } from "../../shared/lists/kind.ts";
import type { Sought } from "../../shared/lists/sought.ts";
import { endpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { replays } from "../../shared/notifications/delivery/replay.ts";
import { challenges } from "../../shared/passcodes/passcode.ts";
import { productionBatches } from "../../shared/plastics/production.ts";
import { environment } from "../../shared/platform/environment.ts";
import { idStart, withoutPrefix } from "../../shared/platform/id.ts";
import { findByExternalId } from "../../shared/platform/labels.ts";
import { refusedInputs } from "../../shared/platform/refused/refused-input.ts";
import { readBatch, readBatchOf } from "../../shared/platform/table/batch.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { simulations } from "../../shared/simulations/simulation.ts";
import { apiUsers } from "../../shared/tenancy/api-keys/api-user.ts";
import { tenantCertificates } from "../../shared/tenancy/certificates/certificate.ts";
import { hasConnection } from "../../shared/tenancy/connections/connection-change.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { tenants } from "../../shared/tenancy/tenant.ts";
import { tickets } from "../../shared/tenancy/tickets/ticket.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { transactionList, transactions } from "../../shared/transactions/transaction.ts";
import { references } from "../../shared/transactions/transaction-rules.ts";
import { walletList } from "../../shared/wallets/wallet.ts";
import { auditLogPath, platformOwner, walkAuditLog } from "./audit-log-page.ts";
import { findPlastic } from "./card-page.ts";
import { inTurns, readList } from "./in-turns.ts";
import { entryHref } from "./journal.ts";
import { type Item, type Link, type Page, type Query, type Section, toHref, toLinks } from "./page.ts";
import { toNames } from "./record-fields.ts";
import { findName, recordViews } from "./record-views.ts";
import { scanAccounts } from "./tenant-pages.ts";
import { ownerLink } from "./trails.ts";
import { findPageKind, hrefOfId, money } from "./values.ts";

/** Programs that are searched, if none is named, and Wallets of each. */
const mostPrograms = 500;
const mostWallets = 5_000;
/** Entries of each audit log. */
const mostEntries = 10;

/** Finds whatever has this id, in one Program or in all. */
export async function searchPage(environment: string, query: Query): Promise<Page> {
  const id = (query.get("id") ?? "").trim();
  const programId = (query.get("programId") ?? "").trim();
  if (id === "") return { title: "Search", trail: [], sections: [{ kind: "note", text: hint }] };
  return { title: `Search for ${id}`, trail: [], sections: await find(id, programId, environment) };
}

async function find(id: string, programId: string, environment: string): Promise<Section[]> {
  const { items, next } = programId === "" ? await scanAccounts("PROGRAM", "", mostPrograms) : none;
  const programIds = programId === "" ? items.map((item) => String(item.programId)) : [programId];
  const texts = await inTurns(programIds, (one) => findByText(one, id));
  const links = [
    ...texts.flatMap((one) => one.links),
    ...(await findOfPlatform(id)),
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
    ...toLinks("Found", links),
    ...notes.map((text) => ({ kind: "note", text }) as const),
    { kind: "commands", title: "In the logs", commands: [{ about, line: logLine(id, environment) }] },
  ];
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

async function findInProgram(id: string, programId: string): Promise<Link[]> {
  const page = findPageKind(id);
  const kind = page === "authorizations" ? "holds" : page;
  // Ids from outside have no prefix: a processor names authorizations and events as it likes.
  const kinds = kind === undefined ? ["holds", "events"] : [kind];
  const find = chooseFinder(ofPrograms, id);
  const [records, others = []] = await Promise.all([
    inTurns(kinds, (one) => findRecord(one, id, programId)),
    find?.(id, [programId]),
  ]);
  const isOutside = kind === undefined && !find;
  return [...records, ...others, ...(isOutside ? await findReference(id, programId) : [])];
}

async function findRecord(kind: string, id: string, programId: string): Promise<Link[]> {
  const view = recordViews[kind];
  if (!view || !(await view.read(programId, id))) return [];
  return [{ text: `${view.title} ${id} of ${programId}`, href: toHref(["programs", programId, kind, id]) }];
}

/** What only a list leads to. */
const listed = (kind: ListKind) =>
  each(async (id, programId) => {
    const view = (item: Item) => toLink(programId, `${id} of ${String(item.cardId)}`, item);
    const wanted = { orderBy: "entityId", filters: { entityId: id }, limit: 1, view } as const;
    return (await readList(programId, kind, wanted)).items.flat();
  });

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

/** What some Tenants or Programs have of the id. */
type Find = (id: string, ownerIds: readonly string[]) => Promise<Link[]>;

function each(find: (id: string, ownerId: string) => Promise<Link[]>): Find {
  return (id, ownerIds) => inTurns(ownerIds, (ownerId) => find(id, ownerId));
}

const toOwner = (title: string, id: string, ownerId: string): Link => {
  return { text: `${title} ${id} of ${ownerId}`, href: hrefOfId(ownerId) };
};

const inIssuing = () => environment.issuingTable;
const inAccounts = () => environment.accountsTable;

/** One call for a hundred owners. What is found links to its owner's page. */
function byKey(title: string, keyOf: (ownerId: string, id: string) => Key, tableName = inIssuing): Find {
  return async (id, ownerIds) => {
    const keys = ownerIds.map((ownerId) => keyOf(ownerId, id));
    const found = await readBatchOf({ tableName: tableName(), consistent: true }, keys);
    const has = ({ pk, sk }: Key) => found.some((item) => item.pk === pk && item.sk === sk);
    return ownerIds.filter((ownerId) => has(keyOf(ownerId, id))).map((one) => toOwner(title, id, one));
  };
}

const ofTenants: Readonly<Record<string, Find>> = {
  [idPrefixes.apiUser]: byKey("API user", apiUsers.key, inAccounts),
  [idPrefixes.certificate]: byKey("Certificate", tenantCertificates.key, inAccounts),
  [idPrefixes.ticket]: byKey("Ticket", tickets.key),
};

const ofPrograms: Readonly<Record<string, Find>> = {
  [idPrefixes.transaction]: listed(transactionList),
  [idPrefixes.fee]: listed(feeList),
  [idPrefixes.transfer]: each(findInWallets),
  [idPrefixes.journalEntry]: each(findInWallets),
  [idPrefixes.walletTransaction]: each(findInWallets),
  [idPrefixes.evidence]: each(findEvidence),
  [idPrefixes.plastic]: each(findPlastic),
  [idPrefixes.webhook]: byKey("Webhook endpoint", endpoints.key),
  [idPrefixes.replay]: byKey("Replay", replays.key),
  [idPrefixes.challenge]: byKey("3-D Secure challenge", challenges.key),
  [idPrefixes.simulation]: byKey("Simulation", (programId, id) => simulations.at(programId, id).key),
  [idPrefixes.batch]: byKey("Production batch", (programId, id) => productionBatches.at(programId, id).key),
  [idPrefixes.connection]: each(findConnection),
};

/** A Program that does not exist has no default connections either. */
async function findConnection(id: string, programId: string): Promise<Link[]> {
  const isThere = await programs.at(programId).get();
  return isThere && (await hasConnection(programId, id)) ? [toOwner("Connection", id, programId)] : [];
}

const mostTenants = 5_000;

/** The id is what somebody typed: `constructor_1` has no finder. */
function chooseFinder(finders: Readonly<Record<string, Find>>, id: string): Find | undefined {
  const [prefix = ""] = id.split("_");
  return Object.hasOwn(finders, prefix) ? finders[prefix] : undefined;
}

/** What belongs to no Program. */
async function findOfPlatform(id: string): Promise<Link[]> {
  const find = chooseFinder(ofTenants, id);
  if (find) {
    const { items } = await scanAccounts("TENANT", "", mostTenants);
    const tenantIds = items.map((item) => String(item.tenantId));
    return find(id, tenantIds);
  }
  const [title, record] =
    (id.startsWith(idStart("tenant")) && ["Tenant", tenants.at(id)]) ||
    (id.startsWith(idStart("program")) && ["Program", programs.at(id)]) ||
    (id.startsWith(idStart("refused")) && ["Refused input", refusedInputs.at(id)]) ||
    [];
  return (await record?.get()) ? [{ text: `${title} ${id}`, href: hrefOfId(id) }] : [];
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

/** What is found, and what was not looked at. */
interface FoundByText {
  readonly links: readonly Link[];
  readonly note?: string;
}

type FindByText = (programId: string, text: string) => Promise<FoundByText>;

const mostShown = 20;

/** By which form a text is searched; the first that fits. */
const forms: readonly (readonly [RegExp, FindByText])[] = [
  [
    /^[^@\s]+@[^@\s]+$/,
    (programId, text) => findCardholders(programId, [[{ attribute: "email", is: emailKey(text) }]]),
  ],
  [
    /^\+\d{6,15}$/,
    (programId, text) => findCardholders(programId, [[{ attribute: "phone", is: phoneKey(text) }]]),
  ],
  [/^[−-]?[\d,]+\.\d\d( ?[A-Za-z]{3})?$/, findAmounts],
  [/^(•{4} ?)?\d{4}$/, findCards],
  [/^[\p{L}][\p{L}\p{M}\s'’.-]+$/u, (programId, text) => findCardholders(programId, soughtPerson(text))],
];

/** People, Cards and transactions by what is written of them, in one Program. */
async function findByText(programId: string, text: string): Promise<FoundByText[]> {
  // Ids of the platform have a form of their own.
  if (/^[a-z]{3}_/.test(text)) return [];
  const [, find] = forms.find(([form]) => form.test(text)) ?? [];
  const [found, named] = await Promise.all([find?.(programId, text), findExternal(programId, text)]);
  const links = [...(found?.links ?? []), ...named.links];
  const name = links.length > 0 && (await programs.at(programId).get())?.name;
  const shown = links.map((link) => ({ ...link, text: `${link.text} in ${name || programId}` }));
  return [{ ...named, ...found, links: shown }];
}

async function findIn(
  programId: string,
  kind: ListKind,
  sought: readonly Sought[],
  toLink: (record: StoredRecord) => Link,
): Promise<FoundByText> {
  const { items, total } = await readList(programId, kind, {
    ...{ sortKeys: kind.sortKeys, sought, view: toLink, limit: mostShown },
  });
  const count = `${total.toLocaleString("en")} ${kind.name}`;
  return {
    links: items,
    ...(total > mostShown && { note: `The newest ${mostShown} of ${count} are shown.` }),
  };
}

const findCardholders = (programId: string, sought: readonly Sought[]) =>
  findIn(programId, cardholderList, sought, (stored) =>
    toRecordLink("cardholders", programId, cardholders.parse(stored)),
  );

function findCards(programId: string, text: string): Promise<FoundByText> {
  const sought = [[{ attribute: "lastFour", is: text.slice(-4) }]];
  return findIn(programId, cardList, sought, (stored) =>
    toRecordLink("cards", programId, cards.parse(stored)),
  );
}

function toRecordLink(kind: string, programId: string, record: { readonly entityId: string }): Link {
  const title = recordViews[kind]?.title ?? kind;
  return { text: `${title} ${findName(kind, { ...record })}`, href: hrefOfId(record.entityId, programId) };
}

/** Transactions of exactly this amount, whichever way it went. */
function findAmounts(programId: string, text: string): Promise<FoundByText> {
  const minor = Math.round(Number(text.replaceAll(/[^\d.]/g, "")) * 100);
  const sought = [[{ attribute: "amountMinor", from: minor, to: minor }]];
  return findIn(programId, transactionList, sought, (item) => ({
    text: `${money(minor, undefined)}, ${String(item.merchantName ?? item.description)}, ${String(item.createdAt).slice(0, 16).replace("T", " ")}`,
    href: entryHref(programId, item) ?? hrefOfId(String(item.cardId), programId),
  }));
}

/** The kinds that a client gives ids to. Several deposits may have the same. */
const externals = toNames(
  "cardholder card wallet control dispute transfer payout pull deposit",
) as readonly NamedKind[];

async function findExternal(programId: string, text: string): Promise<FoundByText> {
  if (text.length > 64) return { links: [] };
  const found = await inTurns(externals, (kind) => findByExternalId(programId, kind, text));
  // Ids sort by time.
  const links = await Promise.all(
    found.slice(-mostShown).map(async ({ recordId }) => {
      const link = await ownerLink(programId, recordId);
      return { ...link, text: `${link.text}, external id ${text}` };
    }),
  );
  const note = `The newest ${mostShown} of ${found.length.toLocaleString("en")} records with this external id are shown.`;
  return { links, ...(found.length > mostShown && { note }) };
}
