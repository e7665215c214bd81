import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import type { FunctionName, TablePermission } from "../../infra/constructs/table-permissions.ts";
import {
  tablePermissions,
  toPartitions,
  vaultPermissions,
} from "../../infra/constructs/table-permissions.ts";
import { type Touched, touched } from "../../infra/local/access/requested.ts";
import { table } from "../../shared/platform/table/client.ts";
import { grantText, type NamedGrant } from "./named-grants.ts";

const running = new AsyncLocalStorage<FunctionName>();

/** What handlers asked of DynamoDB without the permission to it. */
export const denied: string[] = [];

/** The test's own access to the tables is not restricted. */
export function runAs<T>(name: FunctionName, work: () => T): T {
  return running.run(name, work);
}

// Within `packItems`: it sees what is sent.
table.middlewareStack.add(
  (next, context) => async (args) => {
    const name = running.getStore();
    const operation = String(context.commandName).replace(/Command$/, "");
    if (name !== undefined) check(name, touched(operation, args.input as Readonly<Record<string, unknown>>));
    return next(args);
  },
  { step: "initialize", priority: "low", name: "permissions" },
);

function check(name: FunctionName, all: ReturnType<typeof touched>) {
  for (const one of all) {
    const permission = permissionOf(one);
    const { logicalId, granted } = tableOf(name, one.table);
    const isGranted = granted.some((each) => each === permission || isInto(each, one));
    if (!isGranted) {
      denied.push(`${name}: ${permission} on ${String(one.table)}`);
      throw Object.assign(new Error(denied.at(-1)), { name: "AccessDeniedException" });
    }
    const on = `${logicalId}${one.index ? `/index/${one.index}` : ""}`;
    note({ function: name, action: `dynamodb:${one.action}`, on });
  }
}

function tableOf(
  name: FunctionName,
  table: unknown,
): { logicalId: string; granted: readonly TablePermission[] } {
  const { issuing = [], accounts = [] } = tablePermissions[name];
  if (table === process.env.ISSUING_TABLE) return { logicalId: "IssuingTable", granted: issuing };
  if (table === process.env.ACCOUNTS_TABLE) return { logicalId: "AccountsTable", granted: accounts };
  return { logicalId: "VaultTable", granted: name === "vault" ? vaultPermissions : [] };
}

function permissionOf({ action, index }: Touched): string {
  return index === undefined ? action : `${action} ${index}`;
}

function isInto(permission: TablePermission, { action, partition = "" }: Touched): boolean {
  const [granted] = permission.split(" ");
  const [start = "", end] = toPartitions(permission)?.split("*") ?? [];
  return granted === action && end !== undefined && partition.startsWith(start) && partition.endsWith(end);
}

const noted = new Set<string>();

/** Beside what the platform itself records there. */
function note(grant: NamedGrant): void {
  const text = grantText(grant);
  if (noted.has(text)) return;
  const file = process.env.LOCAL_USED_GRANTS;
  if (!file) return;
  noted.add(text);
  appendFileSync(file, `${text}\n`);
}
