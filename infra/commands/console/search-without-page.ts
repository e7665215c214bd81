import { idPrefixes } from "../../../shared/contract/identifiers.ts";
import { productionBatches } from "../../../shared/domain/cards/production.ts";
import { disputeList } from "../../../shared/domain/disputes/dispute.ts";
import { evidence } from "../../../shared/domain/disputes/evidence.ts";
import { simulations } from "../../../shared/domain/simulations/simulation.ts";
import { listPage } from "../../../shared/lists/list-page.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { refusedInputs } from "../../../shared/platform/refused/refused-input.ts";
import { readBatch, readBatchOf } from "../../../shared/platform/table/batch.ts";
import { accountsKey, type Key, otpKey, ticketKey, webhookKey } from "../../../shared/platform/table/keys.ts";
import { allowedIps } from "../../../shared/tenancy/allowlist/ip-allowlist.ts";
import { hasConnection } from "../../../shared/tenancy/connections/connection.ts";
import { tickets } from "../../../shared/tenancy/tickets/ticket.ts";
import { inTurns } from "./in-turns.ts";
import type { Link } from "./page.ts";
import { scanAccounts } from "./tenant-pages.ts";
import { hrefOfId } from "./values.ts";

/** Whether a Tenant or Program has something with this id. */
type Has = (ownerId: string, id: string) => Promise<boolean>;
type Finders = Readonly<Record<string, { readonly title: string; readonly has: Has }>>;

const inIssuing = () => environment.issuingTable;
const inAccounts = () => environment.accountsTable;

function byKey(keyOf: (ownerId: string, id: string) => Key, tableName = inIssuing): Has {
  return async (ownerId, id) => {
    const found = await readBatchOf({ tableName: tableName(), consistent: true }, [keyOf(ownerId, id)]);
    return found.length > 0;
  };
}

/** What is found links to its Tenant's page. */
const ofTenants: Finders = {
  [idPrefixes.apiUser]: { title: "API user", has: byKey(accountsKey.apiUser, inAccounts) },
  [idPrefixes.certificate]: { title: "Certificate", has: byKey(accountsKey.certificateOf, inAccounts) },
  [idPrefixes.ticket]: { title: "Ticket", has: byKey(ticketKey.ticket) },
  [idPrefixes.comment]: { title: "Comment of a ticket", has: hasComment },
  [idPrefixes.allowedIp]: {
    title: "Allowed address",
    has: async (tenantId, id) => (await allowedIps.list(tenantId)).some(({ entryId }) => entryId === id),
  },
};

async function hasComment(tenantId: string, commentId: string): Promise<boolean> {
  const raised = await tickets.list(tenantId);
  const keys = raised.map(({ ticketId }) => ticketKey.comment(tenantId, ticketId, commentId));
  return (await readBatch(keys)).length > 0;
}

/** What is found links to its Program's page. */
const ofPrograms: Finders = {
  [idPrefixes.webhook]: { title: "Webhook endpoint", has: byKey(webhookKey.endpoint) },
  [idPrefixes.replay]: { title: "Replay", has: byKey(webhookKey.replay) },
  [idPrefixes.challenge]: { title: "3-D Secure challenge", has: byKey(otpKey.challenge) },
  [idPrefixes.simulation]: {
    title: "Simulation",
    has: byKey((programId, id) => simulations.at(programId, id).key),
  },
  [idPrefixes.batch]: {
    title: "Production batch",
    has: byKey((programId, id) => productionBatches.at(programId, id).key),
  },
  [idPrefixes.connection]: { title: "Connection", has: hasConnection },
};

const mostTenants = 5_000;

const prefixOf = (id: string) => id.split("_")[0] ?? "";

export async function findOfTenants(id: string): Promise<Link[]> {
  const finder = ofTenants[prefixOf(id)];
  if (!finder) return [];
  const { items } = await scanAccounts("TENANT", "", mostTenants);
  const tenantIds = items.map((item) => String(item.tenantId));
  return inTurns(tenantIds, (tenantId) => find(finder, tenantId, id, hrefOfId(tenantId)));
}

/** Undefined for ids of other kinds. */
export async function findOfProgram(id: string, programId: string): Promise<Link[] | undefined> {
  if (prefixOf(id) === idPrefixes.evidence) return findEvidence(id, programId);
  const finder = ofPrograms[prefixOf(id)];
  return finder && find(finder, programId, id, hrefOfId(programId));
}

async function find(
  { title, has }: Finders[string],
  ownerId: string,
  id: string,
  href: string,
): Promise<Link[]> {
  return (await has(ownerId, id)) ? [{ text: `${title} ${id} of ${ownerId}`, href }] : [];
}

/** For the operator; it may belong to no Program. */
export async function findRefused(id: string): Promise<Link[]> {
  if (prefixOf(id) !== idPrefixes.refused) return [];
  const found = await refusedInputs.at(id).get();
  return found ? [{ text: `Refused input ${id}`, href: hrefOfId(id) }] : [];
}

const mostDisputes = 5_000;

/** Evidence is stored with its dispute. */
async function findEvidence(id: string, programId: string): Promise<Link[]> {
  const { items: disputeIds } = await listPage(
    {
      records: { list: { programId, kind: disputeList } },
      orders: { entityId: "entityId" },
      view: (record) => String(record.entityId),
    },
    { orderBy: "entityId", sort: "desc", limit: mostDisputes, offset: 0 },
  );
  const found = await readBatch(disputeIds.map((disputeId) => evidence.at(programId, disputeId, id).key));
  return found.map(({ disputeId }) => ({
    text: `Evidence ${id} of ${String(disputeId)}`,
    href: hrefOfId(String(disputeId), programId),
  }));
}
