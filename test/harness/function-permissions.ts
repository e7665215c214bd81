import { AsyncLocalStorage } from "node:async_hooks";
import type { FunctionName } from "../../infra/constructs/table-permissions.ts";
import { tablePermissions } from "../../infra/constructs/table-permissions.ts";
import { recordUsedGrant } from "../../infra/local/access/access-control.ts";
import { type Touched, touched } from "../../infra/local/access/requested.ts";
import { table } from "../../shared/platform/table/client.ts";

const running = new AsyncLocalStorage<FunctionName>();

/** What handlers asked of DynamoDB without the permission to it. */
export const denied: string[] = [];

/** The test's own access to the tables is not restricted. */
export function runAs<T>(name: FunctionName, work: () => T): T {
  return running.run(name, work);
}

table.middlewareStack.add(
  (next) => async (args) => {
    const name = running.getStore();
    if (name !== undefined)
      check(name, args.request as { headers: Record<string, string>; body: Uint8Array });
    return next(args);
  },
  { step: "build", name: "permissions" },
);

function check(name: FunctionName, { headers, body }: { headers: Record<string, string>; body: Uint8Array }) {
  const operation = headers["x-amz-target"]?.split(".")[1] ?? "";
  for (const one of touched(operation, JSON.parse(new TextDecoder().decode(body)))) {
    const isIssuing = one.table === process.env.ISSUING_TABLE;
    const permission = permissionOf(one);
    const granted = tablePermissions[name][isIssuing ? "issuing" : "accounts"] ?? [];
    const isGranted = granted.some(
      (each) => each === permission || (each === "PutItem #AUDIT" && isAuditPut(one)),
    );
    if (!isGranted) {
      denied.push(`${name}: ${permission} on ${String(one.table)}`);
      throw Object.assign(new Error(denied.at(-1)), { name: "AccessDeniedException" });
    }
    const on = `${isIssuing ? "IssuingTable" : "AccountsTable"}${one.index ? `/index/${one.index}` : ""}`;
    note({ function: name, action: `dynamodb:${one.action}`, on });
  }
}

function permissionOf({ action, index }: Touched): string {
  return index === undefined ? action : `${action} ${index}`;
}

function isAuditPut({ action, partition }: Touched): boolean {
  return action === "PutItem" && partition?.endsWith("#AUDIT") === true;
}

const noted = new Set<string>();

function note(grant: Parameters<typeof recordUsedGrant>[0]): void {
  const key = JSON.stringify(grant);
  if (noted.has(key)) return;
  noted.add(key);
  recordUsedGrant(grant);
}
