import { ScanCommand, type ScanCommandOutput } from "@aws-sdk/lib-dynamodb";
import { readEndpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { environment } from "../../shared/platform/environment.ts";
import { idStart } from "../../shared/platform/id.ts";
import { table } from "../../shared/platform/table/client.ts";
import { readAllItems, readItems, toPartitionQuery } from "../../shared/platform/table/query.ts";
import { allowedIps } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import { apiUsers } from "../../shared/tenancy/api-keys/api-user.ts";
import { tenantCertificates } from "../../shared/tenancy/certificates/certificate.ts";
import { connections } from "../../shared/tenancy/connections/connection.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { requests } from "../../shared/tenancy/requests.ts";
import { suspensions, tenants } from "../../shared/tenancy/tenant.ts";
import { tickets, toTicketView } from "../../shared/tenancy/tickets/ticket.ts";
import { commandSection, programCommands, requestCommands, tenantCommands } from "./commands.ts";
import { counted } from "./labels.ts";
import { shownLists, toListTitle } from "./list-views.ts";
import {
  type Item,
  type Link,
  linkOn,
  NotFound,
  type Page,
  type Query,
  type Table,
  toHref,
  toLinks,
} from "./page.ts";
import { itemTable, toFields, toNames } from "./record-fields.ts";
import { tenantTrail } from "./trails.ts";
import { hrefOfId } from "./values.ts";
import { volumePlots } from "./volume-plots.ts";

const pageSize = 50;
/** Pages of 1 MB. Beside Tenants, the table has keys, certificates and audit logs. */
const patience = 20;

interface Found {
  readonly items: readonly Item[];
  readonly next: string | undefined;
}

/** Tenants or Programs, wherever they are in the accounts table: it has no index of them. */
export async function scanAccounts(sk: "TENANT" | "PROGRAM", from: string, limit = pageSize): Promise<Found> {
  const items: Item[] = [];
  let next: string | undefined = from;
  for (let read = 0; read < patience && next !== undefined && items.length < limit; read += 1) {
    const { Items = [], LastEvaluatedKey }: ScanCommandOutput = await table.send(
      new ScanCommand({
        TableName: environment.accountsTable,
        FilterExpression: "sk = :sk",
        ExpressionAttributeValues: { ":sk": sk },
        ...(next !== "" && { ExclusiveStartKey: JSON.parse(next) }),
      }),
    );
    items.push(...Items);
    next = LastEvaluatedKey && JSON.stringify(LastEvaluatedKey);
  }
  return { items, next };
}

const requestColumns = toNames("requestedAt subject bankAccount adapter url connectionId programId");

export async function tenantsPage(query: Query): Promise<Page> {
  const from = query.get("from") ?? "";
  const { items, next } = await scanAccounts("TENANT", from);
  const more = linkOn("More Tenants", [], next);
  const waiting = from === "" ? await requests.first(pageSize) : [];
  return {
    title: "Tenants",
    trail: [],
    sections: [
      ...(waiting.length > 0
        ? [toRows("Waiting for approval", [...requestColumns, "tenantId"], waiting)]
        : []),
      toRows("Tenants", toNames("name createdAt tenantId"), items, more),
    ],
  };
}

/** A Tenant or a Program, which its name leads to. */
const leadsToOwner = (id: string) => /^(tnt|prg)_/.test(id);

function toRows(
  title: string,
  columns: readonly string[],
  items: readonly Item[],
  more?: readonly Link[],
): Table {
  const name = (item: Item) => {
    const id = columns.map((one) => String(item[one])).find(leadsToOwner);
    return id === undefined ? undefined : { text: String(item.name ?? "–"), href: hrefOfId(id) };
  };
  const summary = `${counted(items.length, "item")}.`;
  return itemTable(title, { kind: title }, columns, items, { cells: { name }, summary, more });
}

const keyColumns = toNames("name level role operations createdAt rotatedAt revokedAt programId apiUserId");
const withRole = (key: Item) => ({ role: "everything", ...key });

const certificateColumns = toNames("notAfter revokedAt domains programIds serialNumber certificateId");
const tenantFields = toNames("tenantId name contactEmail suspendedAt createdBy createdAt");

export async function tenantPage(environmentName: string, tenantId: string): Promise<Page> {
  const of = (pk: string, begin: string) =>
    readAllItems(toPartitionQuery(pk, begin, environment.accountsTable));
  const ranges = allowedIps.key(tenantId, "", "");
  const [tenant, suspended, ofTenant, keys, certificates, allowed, raised] = await Promise.all([
    tenants.at(tenantId).get(),
    suspensions.at(tenantId).get(),
    of(tenantId, "PROGRAM#"),
    of(tenantId, apiUsers.key(tenantId, "").sk),
    of(tenantId, tenantCertificates.key(tenantId, "").sk),
    of(ranges.pk, ""),
    newestTickets(tenantId, pageSize),
  ]);
  if (!tenant) throw new NotFound(`There is no Tenant ${tenantId}.`);
  const shown = { ...tenant, suspendedAt: suspended?.tenantAt };
  return {
    title: `Tenant ${tenant.name}`,
    trail: [],
    sections: [
      toFields("Tenant", tenantFields, shown, { kind: "tenants" }),
      ...toLinks("What belongs to it", [
        { text: "Audit log", href: toHref(["tenants", tenantId, "audit-log"]) },
      ]),
      toRows("Programs", ["name", "currency", "dateCreated", "programId"], ofTenant),
      toRows("API users", keyColumns, keys.map(withRole)),
      toRows("Certificates", certificateColumns, certificates),
      toRows("Allowed addresses", ["cidr", "createdAt", "programId", "entryId"], allowed),
      toRows(
        "Newest tickets",
        ["dateUpdated", "subject", "priority", "status", "ticketId"],
        raised.map((item) => toTicketView(tickets.parse(item))),
      ),
      ...commandSection(environmentName, tenantCommands(tenantId, suspended?.tenantAt !== undefined)),
    ],
  };
}

const programFields = toNames(`programId tenantId name currency defaultWalletId suspendedAt
  settings.issuanceApproval settings.clearingDelaySeconds settings.partialApproval settings.settlementFiles
  settings.threeDSecure settings.autoRenew settings.renewalReminder settings.timeZone settings.bankAccount
  formerBankAccounts settings.feeSchedule rateLimits createdBy createdAt`);
const endpointColumns = toNames(`url active disabledReason failingSince failures nextProbeAt eventTypes
  webhookId`);

export async function programPage(environmentName: string, programId: string): Promise<Page> {
  const program = await programs.at(programId).get();
  if (!program) throw new NotFound(`There is no Program ${programId}.`);
  const { tenantId } = program;
  const [suspended, connected, endpoints, asked] = await Promise.all([
    suspensions.at(tenantId).get(),
    connections.list(programId),
    readEndpoints(programId),
    requests.list(programId),
  ]);
  const suspendedAt = suspended?.programs[programId];
  const receivers = endpoints.map(({ endpoint, health }) => ({ ...health, ...endpoint }));
  const link = (name: string, text: string, query = {}) => ({
    text,
    href: toHref(["programs", programId, "lists", name], query),
  });
  return {
    title: `Program ${program.name}`,
    trail: await tenantTrail(tenantId),
    sections: [
      ...(await volumePlots([program])),
      toFields("Program", programFields, { ...program, suspendedAt }, { kind: "programs", programId }),
      ...toLinks("What belongs to it", [
        ...shownLists.map(({ name }) => link(name, toListTitle(name))),
        link("authorizations", "Open holds", { status: "pending", sort: "asc" }),
        link("open-suspense", "Open suspense"),
        { text: "Deadlines", href: toHref(["deadlines"], { ownerId: programId }) },
        { text: "Audit log", href: toHref(["tenants", tenantId, "audit-log"], { programId }) },
      ]),
      toRows("Webhook endpoints", endpointColumns, receivers),
      toRows("Connections", ["port", "adapter", "url", "createdAt", "connectionId"], connected),
      ...(asked.length > 0 ? [toRows("Waiting for approval", requestColumns, asked)] : []),
      ...commandSection(environmentName, [
        ...programCommands(programId, tenantId, suspendedAt !== undefined),
        ...asked.flatMap(requestCommands),
      ]),
    ],
  };
}

/** The newest first. */
async function newestTickets(tenantId: string, most: number): Promise<Item[]> {
  const { pk, sk } = tickets.key(tenantId, idStart("ticket"));
  const found: Item[] = [];
  for await (const item of readItems({ ...toPartitionQuery(pk, sk), ScanIndexForward: false, Limit: most })) {
    found.push(item);
    if (found.length === most) break;
  }
  return found;
}
