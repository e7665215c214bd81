import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { CaseRequest } from "../harness/cases/case.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { type GivenProgram, givenProgram } from "../harness/given-cards.ts";
import { readTable } from "../harness/rules-table.ts";
import { storedItems } from "../harness/stored.ts";

const rules = readTable(readFileSync(new URL("wrong-requests.txt", import.meta.url), "utf8"));
const succeeding = contractCases().filter(({ code }) => code === "OK");

function changed(request: CaseRequest, change: string): CaseRequest {
  if (change.startsWith("raw")) return { ...request, body: change.slice(4) };
  if (change === "-query") return { ...request, query: {} };
  if (change.startsWith("?"))
    return { ...request, query: { ...request.query, ...Object.fromEntries(new URLSearchParams(change)) } };
  const body = request.body as Record<string, unknown>;
  if (change.startsWith("-")) return { ...request, body: { ...body, [change.slice(1)]: undefined } };
  const named = change.replace(/"\{(\w+)\}"/g, (_, name: string) => JSON.stringify(body[name]));
  return { ...request, body: { ...body, ...JSON.parse(named) } };
}

describe.each(rules)("$of", ({ of, rows }) => {
  let program: GivenProgram;
  let request: CaseRequest;

  beforeAll(async () => {
    const one = succeeding.find(({ route }) => `${route.method} ${route.path}` === of);
    if (!one) throw new Error(`The contract has no ${of}.`);
    program = await givenProgram({ settings: { issuanceApproval: one.manualIssuance ? 1 : 0 } });
    request = await one.prepare(program);
  });

  it.each(rows)("%s: %s", async (change = "", expected = "") => {
    const before = await storedItems(program.programId);
    const { status, body } = await program.call(of as `POST /${string}`, changed(request, change));
    const places = new Set(body.errors?.map(({ path }: { path: string }) => path));
    expect(status).toBe(expected === "400" ? 400 : 422);
    if (status === 422) expect([...places].toSorted()).toEqual(expected.split(" ").toSorted());
    expect(await storedItems(program.programId)).toEqual(before);
  });
});
