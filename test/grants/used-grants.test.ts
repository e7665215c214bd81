import { existsSync, readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { ensureFreshAssembly } from "../../infra/development/fresh-assembly.ts";
import { readAssembly } from "../../infra/local/assembly.ts";
import {
  grantText,
  type NamedGrant,
  namedGrants,
  nameGrant,
  readUsedGrant,
} from "../harness/named-grants.ts";
import { sourceGrants } from "../harness/source-permissions.ts";
import { type UnusedGrants, unusedGrants } from "./unused-grants.ts";

/**
 * Runs last. Compares the grants that all tests used with the template: an unused grant needs a
 * reason.
 */
const assembly = readAssembly(await ensureFreshAssembly({ say: () => {} }), {
  parameters: { DnsServers: "", AllowedReceivers: "" },
  queueEndpoint: "http://127.0.0.1",
});
const granted = namedGrants(assembly);
const notes = inject("usedGrants");
const lines = existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : [];
const used = new Set([
  ...lines.map((line) => readUsedGrant(assembly, line)),
  // What Lambda needs of a function to read its sources: a mapping without these is rejected.
  ...sourceGrants(assembly).map((grant) => grantText(nameGrant(assembly, grant))),
]);
const isUsed = (grant: NamedGrant) => used.has(grantText(grant));
const covers = ({ functions, actions, on = "", via }: UnusedGrants, grant: NamedGrant) =>
  actions.includes(grant.action) &&
  grant.on.includes(on) &&
  (via === undefined || grant.via === via) &&
  (functions?.some((name) => name === grant.function) ?? true);

test("what was needed is granted by the template that is looked at", () => {
  expect([...used].filter((text) => !granted.some((grant) => grantText(grant) === text))).toEqual([]);
});

test("every grant is needed by some test, or has a reason", () => {
  const unused = granted.filter((grant) => !isUsed(grant));
  console.log(report(unused));
  const withoutReason = unused.filter((grant) => !unusedGrants.some((each) => covers(each, grant)));
  expect(
    withoutReason.map(grantText),
    "No test of this run needs these grants. If this was the whole suite, take them away, write a test, or give a reason in test/grants/unused-grants.ts",
  ).toEqual([]);
});

test("every reason is one for grants that are there, and that nothing needs", () => {
  const faults = unusedGrants.flatMap((each) =>
    each.actions.flatMap((action) =>
      (each.functions ?? [undefined]).flatMap((name) => {
        const one = { ...each, actions: [action], ...(name && { functions: [name] }) };
        const covered = granted.filter((grant) => covers(one, grant));
        if (covered.length === 0) return [`${name ?? "any function"}: ${action} is not granted`];
        return covered.filter(isUsed).map((grant) => `${grantText(grant)} is needed`);
      }),
    ),
  );
  expect(faults).toEqual([]);
});

function report(unused: readonly NamedGrant[]): string {
  const reasons = unusedGrants.flatMap((each) => {
    const count = unused.filter((grant) => covers(each, grant)).length;
    const functions = each.functions?.join(", ") ?? "all functions";
    return [`  ${count} of ${functions}: ${each.actions.join(", ")}`, `    ${each.reason}`];
  });
  const needed = granted.length - unused.length;
  return [`Of ${granted.length} grants, tests needed ${needed}. The others:`, ...reasons].join("\n");
}
