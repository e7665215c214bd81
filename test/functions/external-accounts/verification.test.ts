import { afterEach, describe, expect, it, vi } from "vitest";
import { newIban } from "../../harness/bank-accounts.ts";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { storedEvents } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

afterEach(() => void vi.useRealTimers());

const dayMs = 86_400_000;

const callsOf = (program: GivenProgram, externalAccountId: string) => ({
  view: async () =>
    (await program.call("GET /external-accounts/{externalAccountId}", { path: { externalAccountId } })).body
      .data,
  verify: () =>
    program.call("POST /external-accounts/{externalAccountId}/verification", {
      path: { externalAccountId },
      body: { method: "bank_check" },
    }),
  check: (body: object) =>
    program.call("POST /external-accounts/{externalAccountId}/check", { path: { externalAccountId }, body }),
  archive: () =>
    program.call("DELETE /external-accounts/{externalAccountId}", { path: { externalAccountId } }),
});

async function givenAccount(program: GivenProgram, iban = newIban()) {
  const body = { holderName: "Ada Lovelace", holderType: "person", iban };
  const answer = await program.call("POST /external-accounts", { body });
  const { externalAccountId } = answer.body.data;
  return { program, iban, externalAccountId, ...callsOf(program, externalAccountId) };
}

async function givenPending() {
  const account = await givenAccount(await givenProgram());
  expect((await account.verify()).body.data).toMatchObject({ status: "pending" });
  return account;
}

describe("the bank's check", () => {
  it("is asked for once, without the account's number", async () => {
    const { program, iban, externalAccountId } = await givenPending();
    const asked = (await storedEvents(program.programId)).filter(({ kind }) => kind === "account.check");
    expect(asked).toMatchObject([
      { detail: { externalAccountId, holderName: "Ada Lovelace", country: "DE", lastFour: iban.slice(-4) } },
    ]);
    expect(JSON.stringify(asked)).not.toContain(iban.slice(4));
  });

  it("begins once, and ends once, of many at once", async () => {
    const account = await givenAccount(await givenProgram());
    const begun = await Promise.all(Array.from({ length: 5 }, account.verify));
    expect(begun.filter(({ status }) => status === 200)).toHaveLength(1);
    const ended = await Promise.all(
      ["match", "no_match", "match", "no_match"].map((outcome) => account.check({ outcome })),
    );
    const won = ended.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(await account.view()).toEqual(won[0]?.body.data);
  });
});

describe("14 days", () => {
  it("or an outcome at the same moment: one wins", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { check, view } = await givenPending();
    vi.setSystemTime(Date.now() + 14 * dayMs + 1);
    const [answer] = await Promise.all([check({ outcome: "match" }), sweepDeadlines()]);
    const { status } = await view();
    expect(status).toBe(answer.status === 200 ? "verified" : "failed");
  });
});
