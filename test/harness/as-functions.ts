import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, expect, vi } from "vitest";
import type { FunctionName } from "../../infra/constructs/service-function.ts";
import { tableRights } from "../../infra/constructs/table-rights.ts";
import { noteUsedGrant } from "../../infra/local/access/access-control.ts";
import { type Touched, touched } from "../../infra/local/access/requested.ts";
import { table } from "../../shared/platform/table/client.ts";

/**
 * Runs before each file that calls handlers: what a handler asks of DynamoDB, it must have the right to, as on a platform; what a test does beside is
 * nobody's. So that a right which a rare path alone needs cannot be missing, nor seem to be of no use.
 */
const running = new AsyncLocalStorage<FunctionName>();
const denied: string[] = [];

for (const name of Object.keys(tableRights) as FunctionName[]) {
  vi.doMock(`../../functions/${name}/handler.ts`, async (importOriginal) => {
    const { handler } = await importOriginal<{ handler: (...input: unknown[]) => unknown }>();
    return { handler: (...input: unknown[]) => running.run(name, () => handler(...input)) };
  });
}

table.middlewareStack.add(
  (next) => async (args) => {
    const name = running.getStore();
    if (name !== undefined)
      check(name, args.request as { headers: Record<string, string>; body: Uint8Array });
    return next(args);
  },
  { step: "build", name: "rights" },
);

afterEach(() => expect(denied.splice(0)).toEqual([]));

function check(name: FunctionName, { headers, body }: { headers: Record<string, string>; body: Uint8Array }) {
  const operation = headers["x-amz-target"]?.split(".")[1] ?? "";
  for (const one of touched(operation, JSON.parse(new TextDecoder().decode(body)))) {
    const isIssuing = one.table === process.env.ISSUING_TABLE;
    const right = rightOf(one);
    if (!tableRights[name][isIssuing ? "issuing" : "accounts"]?.some((each) => each === right)) {
      denied.push(`${name}: ${right} on ${String(one.table)}`);
      throw Object.assign(new Error(denied.at(-1)), { name: "AccessDeniedException" });
    }
    const on = `${isIssuing ? "IssuingTable" : "AccountsTable"}${one.index ? `/index/${one.index}` : ""}`;
    note({ function: name, action: `dynamodb:${one.action}`, on });
  }
}

function rightOf({ action, index }: Touched): string {
  return index === undefined ? action : `${action} ${index}`;
}

const noted = new Set<string>();

function note(grant: Parameters<typeof noteUsedGrant>[0]): void {
  const key = JSON.stringify(grant);
  if (noted.has(key)) return;
  noted.add(key);
  noteUsedGrant(grant);
}
