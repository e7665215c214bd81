import { idPrefixes } from "../../../shared/contract/identifiers.ts";
import { disputeList } from "../../../shared/domain/disputes/dispute.ts";
import { evidence } from "../../../shared/domain/disputes/evidence.ts";
import { simulations } from "../../../shared/domain/simulations/simulation.ts";
import { listPage } from "../../../shared/lists/list-page.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { readBatch, readBatchOf } from "../../../shared/platform/table/batch.ts";
import { accountsKey, type Key, otpKey, ticketKey, webhookKey } from "../../../shared/platform/table/keys.ts";
import { hrefOf, type Link } from "./page.ts";
import { scanAccounts } from "./tenant-pages.ts";
import { hrefOfId } from "./values.ts";

type Finder = readonly [title: string, keyOf: (owner: string, id: string) => Key];

/** What is found links to its Tenant's page. */
const ofTenants = new Map<string, Finder>([
  [idPrefixes.apiUser, ["API user", accountsKey.apiUser]],
  [idPrefixes.certificate, ["Certificate", accountsKey.certificateOf]],
  [idPrefixes.ticket, ["Ticket", ticketKey.ticket]],
]);

/** What is found links to its Program's page. */
const ofPrograms = new Map<string, Finder>([
  [idPrefixes.webhook, ["Webhook endpoint", webhookKey.endpoint]],
  [idPrefixes.replay, ["Replay", webhookKey.replay]],
  [idPrefixes.challenge, ["3-D Secure challenge", otpKey.challenge]],
  [idPrefixes.simulation, ["Simulation", (programId, id) => simulations.at(programId, id).key]],
]);

const mostTenants = 5_000;

const prefixOf = (id: string) => id.split("_")[0] ?? "";

export async function findOfTenants(id: string): Promise<Link[]> {
  const [title, keyOf] = ofTenants.get(prefixOf(id)) ?? [];
  if (keyOf === undefined) return [];
  const { items } = await scanAccounts("TENANT", "", mostTenants);
  const keys = items.map((item) => ({
    tenantId: String(item.tenantId),
    ...keyOf(String(item.tenantId), id),
  }));
  const isTicket = prefixOf(id) === idPrefixes.ticket;
  const tableName = isTicket ? environment.issuingTable : environment.accountsTable;
  const found = await readBatchOf(
    { tableName, consistent: true },
    keys.map(({ pk, sk }) => ({ pk, sk })),
  );
  return keys
    .filter(({ pk }) => found.some((item) => item.pk === pk))
    .map(({ tenantId }) => ({ text: `${title} ${id} of ${tenantId}`, href: hrefOfId(tenantId) }));
}

/** Undefined for ids of other kinds. */
export async function findOfProgram(id: string, programId: string): Promise<Link[] | undefined> {
  if (prefixOf(id) === idPrefixes.evidence) return findEvidence(id, programId);
  const [title, keyOf] = ofPrograms.get(prefixOf(id)) ?? [];
  if (keyOf === undefined) return undefined;
  const found = await readBatch([keyOf(programId, id)]);
  return found.map(() => ({ text: `${title} ${id} of ${programId}`, href: hrefOf(["programs", programId]) }));
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
