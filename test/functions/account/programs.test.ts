import { HDKey } from "@scure/bip32";
import { beforeAll, describe, expect, test } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import { programRulebooks } from "../../../shared/controls/rulebooks.ts";
import { readProgram } from "../../../shared/tenancy/programs/program.ts";
import { wallets } from "../../../shared/wallets/wallet.ts";
import { storedItem } from "../../harness/stored.ts";
import { type GivenAccount, givenAccount, unchanged } from "./given-account.ts";

let account: GivenAccount;
let other: GivenAccount;
beforeAll(async () => {
  [account, other] = [await givenAccount(), await givenAccount()];
});

let seeds = 0;
/** Keys of their own. */
function freshKeys() {
  seeds += 1;
  const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(seeds));
  const below = (path: string) => master.derive(path).publicExtendedKey;
  return { bitcoin: below("m/84'/0'/0'"), ethereum: below("m/44'/60'/0'"), tron: below("m/44'/195'/0'") };
}

/** The same key at another path: its derived addresses are equal. */
function relabelled(key: string): string {
  const { publicKey, chainCode } = HDKey.fromExtendedKey(key);
  if (!publicKey || !chainCode) throw new Error("no key");
  return new HDKey({ publicKey, chainCode, depth: 1, index: 7, parentFingerprint: 1 }).publicExtendedKey;
}

const readSettings = async (of: GivenAccount, programId: string) =>
  (await of.call("GET /account/programs/{programId}/settings", { path: { programId } })).body.data;
const putSettings = (of: GivenAccount, programId: string, body: object) =>
  of.call("PUT /account/programs/{programId}/settings", { path: { programId }, body });

describe("POST /account/programs", () => {
  test("200: a Program in its currency, with its default Wallet, listed and viewed by its Tenant alone", async () => {
    const { status, body } = await account.call("POST /account/programs", {
      body: { name: "Sterling", currency: 2 },
    });
    expect(status).toBe(200);
    const { programId, walletId } = body.data;
    expect(body.data).toEqual({
      programId,
      walletId,
      name: "Sterling",
      currency: 2,
      dateCreated: expect.any(String),
    });
    expect(await storedItem(wallets.key(programId, walletId))).toMatchObject({
      currency: 2,
      ledgerMinor: 0,
    });
    const path = { programId };
    expect((await account.call("GET /account/programs/{programId}", { path })).body.data).toEqual(body.data);
    expect((await account.call("GET /account/programs")).body.items).toContainEqual(body.data);
    expect((await other.call("GET /account/programs")).body.total).toBe(0);
  });

  test("200: a Program without extended public keys gets its own from the platform", async () => {
    const ids = [await account.newProgram(), await account.newProgram()];
    const keys = await Promise.all(
      ids.map(async (id) => (await readSettings(account, id)).extendedPublicKeys),
    );
    expect(new Set(keys.flatMap((one) => Object.values(one))).size).toBe(6);
  });

  test("422: without extended public keys where the environment has none to give", async () => {
    const given = process.env.CUSTODY_KEYS;
    process.env.CUSTODY_KEYS = "";
    const body = { name: "x", currency: 0 };
    expect(await unchanged(() => account.call("POST /account/programs", { body }))).toEqual([
      422,
      "VALIDATION_FAILED",
      true,
    ]);
    process.env.CUSTODY_KEYS = given;
  });

  test("422: keys that are none, each named", async () => {
    const { bitcoin, ethereum, tron } = freshKeys();
    const extendedPublicKeys = {
      bitcoin: `${bitcoin.slice(0, -1)}${bitcoin.endsWith("1") ? "2" : "1"}`,
      ethereum,
      tron: `xpub${"1".repeat(2_000_000)}`,
    };
    const body = { name: "x", currency: 0, settings: { extendedPublicKeys } };
    const answer = await account.call("POST /account/programs", { body });
    expect(answer.body.errors).toMatchObject([
      { path: "body.settings.extendedPublicKeys.bitcoin", code: "invalid_key" },
      { path: "body.settings.extendedPublicKeys.tron", code: "invalid_key" },
    ]);
    expect(tron).toMatch(/^xpub/);
  });

  test("422: keys of another Program, also under another label, and after that one has changed to others", async () => {
    const keys = freshKeys();
    const owner = await account.newProgram({ settings: { extendedPublicKeys: keys } });
    await putSettings(account, owner, { extendedPublicKeys: freshKeys() });
    const taken = { ...freshKeys(), tron: relabelled(keys.tron) };
    const body = { name: "x", currency: 0, settings: { extendedPublicKeys: taken } };
    for (const of of [account, other]) {
      const answer = await of.call("POST /account/programs", { body });
      expect(answer.body.errors).toMatchObject([
        { path: "body.settings.extendedPublicKeys.tron", code: "key_in_use" },
      ]);
    }
    expect((await other.call("GET /account/programs")).body.total).toBe(0);
  });
});

describe("PUT /account/programs/{programId}/settings", () => {
  test("200: changes what it names and nothing else, and once more changes nothing", async () => {
    const programId = await account.newProgram();
    const before = await readSettings(account, programId);
    const change = { issuanceApproval: 1, feeSchedule: [{ feeType: 3, amount: 150, basisPoints: 50 }] };
    const { status, body } = await putSettings(account, programId, change);
    expect([status, body.data]).toEqual([200, { ...before, ...change }]);
    expect(await readSettings(account, programId)).toEqual(body.data);
    expect(await unchanged(() => putSettings(account, programId, change))).toEqual([200, "OK", true]);
  });

  test("200: the BINs are shown, and not a Tenant's to set or change", async () => {
    const programId = await account.newProgram({ settings: { cardBin: "555555" } });
    await putSettings(account, programId, { cardBin: "555555", partialApproval: true });
    expect((await readProgram(programId))?.settings.cardBin).toBe("400000");
    const shown = await readSettings(account, programId);
    expect(shown).toMatchObject({ bins: ["400000"] });
    expect(shown).not.toHaveProperty("cardBin");
  });

  test("the clearing delay is shown, and not a Tenant's to set or change", async () => {
    const programId = await account.newProgram({ settings: { clearingDelaySeconds: 0 } });
    const wrong = await putSettings(account, programId, { clearingDelaySeconds: 1, partialApproval: true });
    expect([wrong.status, wrong.body.errors]).toMatchObject([
      422,
      [{ path: "body.clearingDelaySeconds", code: "read_only" }],
    ]);
    const shown = { clearingDelaySeconds: 86_400, partialApproval: true };
    expect((await putSettings(account, programId, shown)).status).toBe(200);
    expect(await readSettings(account, programId)).toMatchObject(shown);
  });

  test("200: its own keys again, and changes that race are all made", async () => {
    const keys = freshKeys();
    const programId = await account.newProgram({ settings: { extendedPublicKeys: freshKeys() } });
    const changes = [
      { extendedPublicKeys: keys },
      { partialApproval: true },
      { threeDSecure: true },
      { issuanceApproval: 1 },
    ];
    const answers = await Promise.all(changes.map((change) => putSettings(account, programId, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await readSettings(account, programId)).toMatchObject(Object.assign({}, ...changes));
    const entries = (await account.audit()).filter(
      (entry) => entry.programId === programId && entry.action === "program.settings.update",
    );
    // Each entry begins where the one before ended: nothing is missing between them.
    expect(entries).toHaveLength(4);
    for (const [index, { before }] of entries.slice(1).entries())
      expect(before).toEqual(entries[index]?.after);
  });

  test("200: the time zone, which is UTC by default", async () => {
    const programId = await account.newProgram({ settings: { timeZone: "Asia/Kolkata" } });
    expect(await readSettings(account, programId)).toMatchObject({ timeZone: "Asia/Kolkata" });
    const other = await account.newProgram();
    expect(await readSettings(account, other)).toMatchObject({ timeZone: "Etc/UTC" });
    const { status, body } = await putSettings(account, other, { timeZone: "America/New_York" });
    expect([status, body.data]).toEqual([200, expect.objectContaining({ timeZone: "America/New_York" })]);
    expect(await readSettings(account, other)).toEqual(body.data);
  });

  test("200: another time zone, which is beside the controls from then on: limits of Cards read it there", async () => {
    const programId = await account.newProgram({ settings: { timeZone: "Asia/Kolkata" } });
    const rulebook = programRulebooks.at(programId);
    await putSettings(account, programId, { timeZone: "Asia/Kolkata", renewalReminder: true });
    expect(await rulebook.get()).toBeUndefined();
    await putSettings(account, programId, { timeZone: "Asia/Tokyo" });
    const first = { version: 1, controls: [], laterTimeZone: "Asia/Tokyo" };
    expect(await rulebook.get()).toMatchObject(first);
    const controls = [{ controlId: "con_1", countsFrom: "2026-01-01T00:00:00.000Z" }];
    await rulebook.updateNow({ set: { controls, version: 2 } });
    await putSettings(account, programId, { timeZone: "Etc/UTC" });
    expect(await rulebook.get()).toMatchObject({ version: 3, controls, laterTimeZone: "Etc/UTC" });
  });

  test("200: a bank account, which stays the Program's for a while", async () => {
    const [first, second] = [await account.newProgram(), await account.newProgram()];
    const bankAccount = makeIban(first);
    for (const change of [{ bankAccount }, { bankAccount: makeIban(`${first}+`) }, { bankAccount }]) {
      const { status, body } = await putSettings(account, first, change);
      expect([status, body.data]).toEqual([200, expect.objectContaining(change)]);
      expect(await readSettings(account, first)).toEqual(body.data);
    }
    const taken = { path: "body.bankAccount", code: "account_in_use" };
    for (const one of [bankAccount, makeIban(`${first}+`)]) {
      const answer = await putSettings(account, second, { bankAccount: one });
      expect([answer.status, answer.body.errors]).toEqual([422, [expect.objectContaining(taken)]]);
    }
    expect(await readSettings(account, second)).not.toHaveProperty("bankAccount");
    const body = { name: "x", currency: 0, settings: { bankAccount } };
    const created = await account.call("POST /account/programs", { body });
    expect([created.status, created.body.errors[0]?.path]).toEqual([422, "body.settings.bankAccount"]);
  });

  test.each(["DE89370400440532013001", "DE89 3704 0044 0532 0130 00", "de89370400440532013000", ""])(
    "422: %s is no IBAN",
    async (bankAccount) => {
      const programId = await account.newProgram();
      const answer = await putSettings(account, programId, { bankAccount });
      expect([answer.status, answer.body.errors[0]?.path]).toEqual([422, "body.bankAccount"]);
    },
  );

  test.each(["Europe/Atlantis", "UTC", "CET", "+01:00", "Etc/GMT+5", "Europe", ""])(
    "422: %s is no region's time zone",
    async (timeZone) => {
      const programId = await account.newProgram();
      const answer = await putSettings(account, programId, { timeZone });
      expect([answer.status, answer.body.errors[0]?.path]).toEqual([422, "body.timeZone"]);
      const body = { name: "x", currency: 0, settings: { timeZone } };
      const created = await account.call("POST /account/programs", { body });
      expect([created.status, created.body.errors[0]?.path]).toEqual([422, "body.settings.timeZone"]);
    },
  );

  test("422: another Program's keys, and values that make no sense", async () => {
    const keys = freshKeys();
    await other.newProgram({ settings: { extendedPublicKeys: keys } });
    const programId = await account.newProgram();
    const fees = [{ feeType: 1, amount: 1 }];
    for (const body of [
      { extendedPublicKeys: keys },
      { feeSchedule: [...fees, ...fees] },
      { issuanceApproval: 2 },
    ]) {
      expect(await unchanged(() => putSettings(account, programId, body))).toEqual([
        422,
        "VALIDATION_FAILED",
        true,
      ]);
    }
  });
});
