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

  it.each([
    [{ outcome: "match" }, { status: "verified", nameCheck: "match" }],
    [
      { outcome: "close_match", name: "A. Lovelace" },
      {
        ...{ status: "failed", statusReason: "NAME_MISMATCH" },
        ...{ nameCheck: "close_match", suggestedName: "A. Lovelace" },
      },
    ],
    [
      { outcome: "no_match", name: "Somebody Else" },
      { status: "failed", statusReason: "NAME_MISMATCH", nameCheck: "no_match" },
    ],
    [
      { outcome: "unavailable" },
      { status: "failed", statusReason: "CHECK_UNAVAILABLE", nameCheck: "unavailable" },
    ],
  ])("with %j ends so", async (body, expected) => {
    const { check, view } = await givenPending();
    const { data } = (await check(body)).body;
    expect(data).toMatchObject(expected);
    if (body.outcome !== "close_match") expect(data).not.toHaveProperty("suggestedName");
    if (body.outcome === "match") expect(data).not.toHaveProperty("statusReason");
    expect(await view()).toEqual(data);
    expect((await check({ outcome: "match" })).body.code).toBe("ILLEGAL_TRANSITION");
  });

  it("needs an account that is new, failed or suspended", async () => {
    const { verify, check, archive } = await givenPending();
    expect((await verify()).body.code).toBe("ILLEGAL_TRANSITION");
    await check({ outcome: "match" });
    expect((await verify()).body.code).toBe("ILLEGAL_TRANSITION");
    await archive();
    expect((await verify()).body.code).toBe("ILLEGAL_TRANSITION");
    expect((await check({ outcome: "match" })).body.code).toBe("ILLEGAL_TRANSITION");
  });

  it("leaves nothing of the one before", async () => {
    const { verify, check } = await givenPending();
    await check({ outcome: "close_match", name: "A. Lovelace" });
    const { data } = (await verify()).body;
    expect(data).toMatchObject({ status: "pending" });
    for (const name of ["statusReason", "nameCheck", "suggestedName"]) expect(data).not.toHaveProperty(name);
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

describe("at most three verifications in 30 days", () => {
  it("also of an account that is archived and added again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const program = await givenProgram();
    const first = await givenAccount(program);
    for (let count = 0; count < 2; count += 1) {
      expect((await first.verify()).status).toBe(200);
      await first.check({ outcome: "no_match" });
    }
    await first.archive();
    const second = await givenAccount(program, first.iban);
    expect((await second.verify()).status).toBe(200);
    await second.check({ outcome: "no_match" });
    const refused = await second.verify();
    expect([refused.status, refused.body.code]).toEqual([409, "LIMIT_REACHED"]);
    vi.setSystemTime(Date.now() + 30 * dayMs);
    expect((await second.verify()).status).toBe(200);
  });
});

describe("14 days", () => {
  it("end a verification, not earlier, and only one that is pending", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const [waiting, done] = [await givenPending(), await givenPending()];
    await done.check({ outcome: "match" });
    vi.setSystemTime(Date.now() + 14 * dayMs - 1_000);
    await sweepDeadlines();
    expect((await waiting.view()).status).toBe("pending");
    vi.setSystemTime(Date.now() + 2_000);
    await sweepDeadlines();
    expect(await waiting.view()).toMatchObject({ status: "failed", statusReason: "EXPIRED" });
    expect((await done.view()).status).toBe("verified");
    expect((await waiting.check({ outcome: "match" })).body.code).toBe("ILLEGAL_TRANSITION");
  });

  it("or an outcome at the same moment: one wins", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { check, view } = await givenPending();
    vi.setSystemTime(Date.now() + 14 * dayMs + 1);
    const [answer] = await Promise.all([check({ outcome: "match" }), sweepDeadlines()]);
    const { status } = await view();
    expect(status).toBe(answer.status === 200 ? "verified" : "failed");
  });
});
