import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import { findProgramOfAccount } from "../../../shared/tenancy/programs/collecting-account.ts";
import { operate } from "../../harness/administration.ts";
import { postTo as post } from "../../harness/scenarios/deeds.ts";
import { givenAccount } from "../account/given-account.ts";
import { expectRejected } from "./expect-rejected.ts";

const day = 86_400_000;
let now: Date;
const advance = (days: number) => {
  now = new Date(now.getTime() + days * day);
  vi.setSystemTime(now);
};
beforeEach(() => {
  now = new Date();
  vi.useFakeTimers({ toFake: ["Date"], now });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

async function givenPrograms() {
  const account = await givenAccount();
  const [first, second] = [await account.newProgram(), await account.newProgram()];
  const set = (programId: string, bankAccount: string) =>
    account.call("PUT /account/programs/{programId}/settings", {
      path: { programId },
      body: { bankAccount },
    });
  const settings = async (programId: string) =>
    (await account.call("GET /account/programs/{programId}/settings", { path: { programId } })).body.data;
  const connect = (programId: string, body: object) =>
    account.call("POST /account/programs/{programId}/connections", { path: { programId }, body });
  const connectionOf = async (programId: string, port: string) =>
    (
      await account.call("GET /account/programs/{programId}/connections", { path: { programId } })
    ).body.items.find((one: { port: string }) => one.port === port);
  const collectsOn = async (bankAccount: string) => (await findProgramOfAccount(bankAccount))?.programId;
  const waiting = async (programId: string) =>
    (await operate("list-requests", { limit: 100 })).requests.filter((one) => one.programId === programId);
  return { account, first, second, set, settings, connect, connectionOf, collectsOn, waiting };
}

describe("a collecting account that is replaced", () => {
  test("is the Program's for 90 days more, then another one's who claims it", async () => {
    const { first, second, set, collectsOn } = await givenPrograms();
    const [old, next] = [makeIban(`${first}-old`), makeIban(`${first}-next`)];
    await set(first, old);
    expect((await set(first, next)).status).toBe(200);
    advance(89);
    expect((await set(second, old)).body.errors[0].code).toBe("account_in_use");
    expect(await collectsOn(old)).toBe(first);
    advance(2);
    expect(await collectsOn(old)).toBe(first);
    expect((await set(second, old)).status).toBe(200);
    expect([await collectsOn(old), await collectsOn(next)]).toEqual([second, first]);
    expect((await set(second, next)).status).toBe(422);
    expect((await set(first, old)).status).toBe(422);
  });

  test("can be had back; five are held, and a sixth only when one is free", async () => {
    const { first, set, collectsOn } = await givenPrograms();
    const accounts = [...Array(7).keys()].map((number) => makeIban(`${first}-${number}`));
    const statuses = [];
    for (const one of accounts) statuses.push((await set(first, one)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 422]);
    expect((await set(first, accounts[0] ?? "")).status).toBe(200);
    advance(91);
    expect((await set(first, accounts[6] ?? "")).status).toBe(200);
    expect(await collectsOn(accounts[0] ?? "")).toBe(first);
  });
});

describe("the operator", () => {
  test("moves an account from the Program that has it, which is left without", async () => {
    const { account, first, second, set, settings, collectsOn } = await givenPrograms();
    const bankAccount = makeIban(first);
    await set(first, bankAccount);
    const moved = await operate("set-bank-account", { programId: second, bankAccount });
    expect(moved).toEqual({ programId: second, bankAccount, movedFrom: first });
    expect(await collectsOn(bankAccount)).toBe(second);
    expect(await settings(first)).not.toHaveProperty("bankAccount");
    expect(await settings(second)).toMatchObject({ bankAccount });
    expect((await set(first, bankAccount)).status).toBe(422);
    const entries = (await account.audit()).filter(({ actor }) => String(actor).startsWith("operator:"));
    expect(entries.map(({ subjectId }) => subjectId).toSorted()).toEqual(
      expect.arrayContaining([first, second].toSorted()),
    );
  });

  test("moves one that is held for its former Program", async () => {
    const { first, second, set, collectsOn } = await givenPrograms();
    const [old, next] = [makeIban(`${first}-old`), makeIban(`${first}-next`)];
    await set(first, old);
    await set(first, next);
    await operate("set-bank-account", { programId: second, bankAccount: old });
    expect([await collectsOn(old), await collectsOn(next)]).toEqual([second, first]);
  });

  test("releases an account, which anyone can claim then", async () => {
    const { first, second, set, settings, collectsOn } = await givenPrograms();
    const bankAccount = makeIban(first);
    await set(first, bankAccount);
    await expectRejected("release-bank-account", { programId: second, bankAccount });
    await operate("release-bank-account", { programId: first, bankAccount });
    expect(await collectsOn(bankAccount)).toBeUndefined();
    expect(await settings(first)).not.toHaveProperty("bankAccount");
    expect((await set(second, bankAccount)).status).toBe(200);
  });
});

describe("without a sandbox", () => {
  beforeEach(() => void vi.stubEnv("SELF_SERVICE", "false"));

  test("a collecting account takes effect when the operator approves it", async () => {
    const { first, second, set, settings, collectsOn, waiting } = await givenPrograms();
    const bankAccount = makeIban(first);
    const asked = await set(first, bankAccount);
    expect([asked.status, asked.body.data.requestedBankAccount]).toEqual([202, bankAccount]);
    expect((await set(first, bankAccount)).status).toBe(202);
    expect(asked.body.data).not.toHaveProperty("bankAccount");
    await set(second, bankAccount);
    expect(await collectsOn(bankAccount)).toBeUndefined();
    expect(await waiting(first)).toEqual([expect.objectContaining({ subject: "bank_account", bankAccount })]);
    await expectRejected("approve-bank-account", { programId: first, bankAccount: makeIban("another") });
    await operate("approve-bank-account", { programId: first, bankAccount });
    expect(await collectsOn(bankAccount)).toBe(first);
    expect(await settings(first)).toMatchObject({ bankAccount });
    expect([await waiting(first), (await waiting(second)).length]).toEqual([[], 1]);
    expect((await set(first, bankAccount)).status).toBe(200);
    await expectRejected("approve-bank-account", { programId: second, bankAccount });
    const reason = "It is another Program's";
    await operate("reject-request", { programId: second, subject: "bank_account", reason });
    expect(await settings(second)).not.toHaveProperty("requestedBankAccount");
  });

  test("the settings of a new Program ask for its account too", async () => {
    const { account, settings, collectsOn } = await givenPrograms();
    const bankAccount = makeIban(`${account.tenantId}-new`);
    const programId = await account.newProgram({ settings: { bankAccount } });
    expect(await settings(programId)).toMatchObject({ requestedBankAccount: bankAccount });
    expect(await collectsOn(bankAccount)).toBeUndefined();
  });

  test.each([
    ["bank", "iso20022"],
    ["custodian", "deposits"],
    ["processor", "marqeta"],
    ["compliance", "http"],
  ])(
    "a connection to a %s takes effect when the operator approves it, who alone sees the secret",
    async (port, adapter) => {
      const { account, first, connect, connectionOf, waiting } = await givenPrograms();
      const before = await connectionOf(first, port);
      const asked = await connect(first, { port, adapter });
      expect([asked.status, JSON.stringify(asked.body).includes("whsec_")]).toEqual([202, false]);
      const { requested, ...inForce } = asked.body.data;
      expect(inForce).toEqual(before);
      const named = { programId: first, connectionId: requested.connectionId };
      expect((await post(first, requested.connectionId, "{}")).status).toBe(404);
      expect(await waiting(first)).toEqual([expect.objectContaining({ ...named, subject: port, adapter })]);

      const approved = await operate("approve-connection", named);
      expect(approved).toMatchObject({ ...named, port, adapter, secret: expect.stringContaining("whsec_") });
      expect(await waiting(first)).toEqual([]);
      expect((await post(first, requested.connectionId, "{}")).status).toBe(401);
      expect(await connectionOf(first, port)).toMatchObject({ connectionId: requested.connectionId });
      const again = await operate("approve-connection", named);
      expect(again.secret).not.toBe(approved.secret);
      expect(JSON.stringify(await account.audit())).not.toContain("whsec_");
      await operate("end-connection", { programId: first, connectionId: again.connectionId });
      expect((await post(first, again.connectionId, "{}")).status).toBe(404);
    },
  );

  test("a request is replaced by the next one, withdrawn, or rejected", async () => {
    const { account, first, connect, connectionOf, waiting } = await givenPrograms();
    const body = { port: "bank", adapter: "iso20022" };
    const early = (await connect(first, body)).body.data.requested;
    const late = (await connect(first, body)).body.data.requested;
    expect((await connectionOf(first, "bank")).requested).toEqual(late);
    await expectRejected("approve-connection", { programId: first, connectionId: early.connectionId });
    const path = { programId: first, connectionId: late.connectionId };
    const route = "DELETE /account/programs/{programId}/connections/{connectionId}";
    const withdrawn = await account.call(route, { path });
    expect([withdrawn.status, withdrawn.body.data.requested]).toEqual([200, undefined]);
    expect((await account.call(route, { path })).status).toBe(404);
    await connect(first, body);
    await operate("reject-request", { programId: first, subject: "bank", reason: "Unknown bank" });
    expect(await waiting(first)).toEqual([]);
    const { action, after } = (await account.audit()).at(-1) ?? {};
    expect([action, after]).toEqual(["request.reject", { reason: "Unknown bank" }]);
    await expectRejected("reject-request", { programId: first, subject: "bank", reason: "x" });
  });
});
