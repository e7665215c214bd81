import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { disputeList } from "../../shared/disputes/dispute.ts";
import { evidence } from "../../shared/disputes/evidence.ts";
import { endpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { replays } from "../../shared/notifications/delivery/replay.ts";
import { challenges } from "../../shared/passcodes/passcode.ts";
import { productionBatches } from "../../shared/plastics/production.ts";
import { environment } from "../../shared/platform/environment.ts";
import { withoutPrefix } from "../../shared/platform/id.ts";
import { refusedInputs } from "../../shared/platform/refused/refused-input.ts";
import { readBatch, readBatchOf } from "../../shared/platform/table/batch.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { simulations } from "../../shared/simulations/simulation.ts";
import { allowedIps } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import { apiUsers } from "../../shared/tenancy/api-keys/api-user.ts";
import { tenantCertificates } from "../../shared/tenancy/certificates/certificate.ts";
import { hasConnection } from "../../shared/tenancy/connections/program-connections.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { comments, tickets } from "../../shared/tenancy/tickets/ticket.ts";
import { inTurns, readList } from "./in-turns.ts";
import { newestTickets } from "./newest-tickets.ts";
import type { Item, Link } from "./page.ts";
import { findPlastic } from "./plastic-page.ts";
import { scanAccounts } from "./tenant-pages.ts";
import { hrefOfId } from "./values.ts";

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

export async function findOfTenants(id: string): Promise<Link[]> {
  const finder = chooseFinder(ofTenants, id);
  if (!finder) return [];
  const { items } = await scanAccounts("TENANT", "", mostTenants);
  const tenantIds = items.map((item) => String(item.tenantId));
  return linksTo(finder, tenantIds, id);
}

/** Undefined for ids of other kinds. */
export async function findOfProgram(id: string, programId: string): Promise<Link[] | undefined> {
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
export async function findRefused(id: string): Promise<Link[]> {
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
