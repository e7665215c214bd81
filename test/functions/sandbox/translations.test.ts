import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CardStatus } from "../../../shared/contract/enums.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import type { Answer } from "../../harness/replay.ts";
import { readTable } from "../../harness/rules-table.ts";
import { eventsIn } from "../../harness/stored.ts";
import { givenSandbox } from "./given-sandbox.ts";

async function play([steps = "", answer = "", balances = "", recorded = ""]: readonly string[]) {
  const sandbox = await givenSandbox();
  const ids: Record<string, string> = { cardId: sandbox.cardId };
  let last: Answer | undefined;
  for (const step of steps.split("; ")) {
    const [verb = "", ...rest] = step.split(" ");
    const text = rest.join(" ").replace(/"\{(\w+)\}"/g, (_, name: string) => `"${ids[name]}"`);
    if (verb === "status") await sandbox.setStatus(Number(text) as CardStatus);
    else if (verb === "program") await sandbox.setProgram(JSON.parse(text));
    else if (verb === "another") ids.cardId = await givenStoredCard(sandbox.programId);
    else {
      last = await sandbox.post(verb, ids, text === "" ? undefined : JSON.parse(text));
      Object.assign(ids, last.body.data);
    }
  }
  const { status = 0, body } = last ?? {};
  if (answer.startsWith("{")) expect([status, body.data]).toEqual([200, withIds(JSON.parse(answer))]);
  else {
    const [{ path, code } = { path: "", code: "" }] = body.errors ?? [];
    expect(`${status} ${status === 422 ? `${path} ${code}` : body.code}`).toBe(answer);
  }
  expect((await sandbox.balances()).join(" ")).toBe(balances);
  if (recorded) expect(await sandbox.record(body.data.transId)).toMatchObject(JSON.parse(recorded));
}

/** Any id instead of its prefix alone. */
function withIds(answer: Record<string, unknown>): Record<string, unknown> {
  const any = (value: unknown) =>
    /^[a-z]{3}_$/.test(String(value)) ? expect.stringMatching(new RegExp(`^${value}`)) : value;
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, any(value)]));
}

const rules = readTable(readFileSync(new URL("translations.txt", import.meta.url), "utf8"));

describe.each(rules)("$of", ({ rows }) => {
  it.each(rows)("%s", (_, ...row) => play(row));
});

it("a deposit's details are published", async () => {
  const { cardId, onCard, everything } = await givenSandbox();
  const details = { chain: "bitcoin", asset: "BTC", txHash: "ab" };
  const { depositId } = (await onCard("deposits", { amount: 30, ...details })).body.data;
  const [told] = eventsIn(await everything()).filter(({ kind }) => kind === "deposit.pending");
  expect(told?.detail).toMatchObject({ depositId, cardId, amountMinor: 30, ...details });
});

it("events of the same moment are answered each with its own balances", async () => {
  const { onCard } = await givenSandbox();
  const crowd = Array.from({ length: 20 }, (_, index) => index);
  const deposit = (key: number) =>
    onCard("deposits", { amount: 1, pending: false }, { "Idempotency-Key": `${key}` });
  const answers = await Promise.all(crowd.map(deposit));
  const balances = answers.map(({ body }) => body.data.availableBalance);
  expect(balances.toSorted((one, other) => one - other)).toEqual(crowd.map((index) => 10_001 + index));
});
