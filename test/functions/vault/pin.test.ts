import { describe, expect, it, onTestFinished, vi } from "vitest";
import { hashNumber } from "../../../functions/vault/card-number.ts";
import { cardNumbers, numberIndex, pins } from "../../../functions/vault/items.ts";
import { getCard } from "../../../shared/cards/card.ts";
import { Currency } from "../../../shared/contract/enums.ts";
import type { VaultCard } from "../../../shared/contract/vault.ts";
import { newId } from "../../../shared/platform/id.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { encryptForVault, givenVaultCard, revealTo } from "../../harness/given-device.ts";
import { vault, vaultFault } from "../../harness/given-vault.ts";
import { createPinBlock } from "../../harness/pin-block.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

let nonces = 0;
const newNonce = () => `nonce ${newId("card")} ${++nonces}`;

const account = { cardholderId: newId("cardholder"), currency: Currency.usd };
const setWith = (card: VaultCard, jwe: string, transId: string = newId("transaction")) =>
  vault("set-pin", { ...card, ...account, jwe, transId });

async function set(card: VaultCard, pin: unknown, nonce: unknown = newNonce()) {
  return setWith(card, await encryptForVault({ pin, nonce }));
}

async function givenPin(pin = "8271", card: VaultCard = givenVaultCard()) {
  expect(await set(card, pin)).toEqual({ outcome: "set" });
  const revealed = await revealTo(card);
  const { cardNumber } = revealed;
  const { pinKey } = await vault("local-pin-key", {});
  const salt = Buffer.from("0123456789abcdef", "hex");
  const blockOf = (one: string) =>
    createPinBlock(one, Buffer.from(pinKey, "hex"), cardNumber, salt).toString("hex");
  const verify = (one: string, attemptId = newNonce()) =>
    vault("verify-pin", { attemptId, cardNumber, pinBlock: blockOf(one) });
  const outcomeOf = async (one: string) => (await verify(one)).outcome;
  return { card, revealed, cardNumber, pinKey, blockOf, verify, outcomeOf };
}

describe("set-pin", () => {
  it.each(["8271", "0427"])("sets %s", async (pin) => {
    const { verify } = await givenPin(pin);
    expect(await verify(pin)).toEqual({ outcome: "verified" });
  });

  it.each(["1111", "1234", "4321", "012345", "90210", "999999", "123", "1234567", "12a4", "", 1470])(
    "rejects %j",
    async (pin) => {
      expect(await set(givenVaultCard(), pin)).toMatchObject({ outcome: "invalid", field: "pin" });
    },
  );

  it.each(["", undefined, 5, "x".repeat(256)])("rejects the nonce %j", async (nonce) => {
    const jwe = await encryptForVault({ pin: "8271", ...(nonce !== undefined && { nonce }) });
    const answer = await setWith(givenVaultCard(), jwe);
    expect(answer).toMatchObject({ outcome: "invalid", field: "nonce" });
  });

  it("uses a nonce once, on any Card, and answers a repetition of the first use like it", async () => {
    const card = givenVaultCard();
    const jwe = await encryptForVault({ pin: "8271", nonce: newNonce() });
    const transId = newId("transaction");
    for (let count = 0; count < 2; count += 1)
      expect(await setWith(card, jwe, transId)).toEqual({ outcome: "set" });
    expect(await setWith(card, jwe)).toEqual({ outcome: "nonce-used" });
    expect(await setWith(givenVaultCard(), jwe)).toEqual({ outcome: "nonce-used" });
    expect(await setWith(givenVaultCard(), jwe, transId)).toEqual({ outcome: "nonce-used" });
  });

  it("sets the PIN of the Card that the device named, and of no other", async () => {
    const card = givenVaultCard();
    const nonce = newNonce();
    const jwe = await encryptForVault({ pin: "8271", nonce, cardId: card.cardId });
    for (const other of [givenVaultCard(), givenVaultCard({ programId: card.programId })])
      expect(await setWith(other, jwe)).toEqual({
        outcome: "invalid",
        field: "cardId",
        reason: "must be this Card",
      });
    expect(await setWith(card, jwe)).toEqual({ outcome: "set" });
    const malformed = await encryptForVault({ pin: "8271", nonce: newNonce(), cardId: 5 });
    expect(await setWith(card, malformed)).toMatchObject({ outcome: "invalid", field: "cardId" });
  });

  it("rejects what was changed, compressed or encrypted for another key", async () => {
    const jwe = await encryptForVault({ pin: "8271", nonce: newNonce() });
    const parts = jwe.split(".");
    const shortTag = [
      ...parts.slice(0, 4),
      Buffer.from(parts[4] ?? "", "base64url")
        .subarray(0, 4)
        .toString("base64url"),
    ];
    const changed = [...parts.slice(0, 3), `${parts[3]}A`, parts[4]];
    for (const one of [shortTag.join("."), changed.join(".")])
      expect(await setWith(givenVaultCard(), one)).toEqual({
        outcome: "unreadable",
      });
  });
});

describe("verify-pin", () => {
  it("is blocked after three wrong ones, until a PIN is set", async () => {
    const { card, verify } = await givenPin("8271");
    expect([await verify("8272"), await verify("8272"), await verify("8272")]).toEqual(
      [2, 1, 0].map((triesLeft) => ({ outcome: "wrong", triesLeft })),
    );
    expect(await verify("8271")).toEqual({ outcome: "blocked" });
    await set(card, "4096");
    expect(await verify("8271")).toEqual({ outcome: "wrong", triesLeft: 2 });
    expect(await verify("4096")).toEqual({ outcome: "verified" });
  });

  it("counts for each number of a Card: a new one has neither the PIN nor its block", async () => {
    const { card, verify } = await givenPin("8271");
    for (const pin of ["0000", "0001", "0002"]) await verify(pin);
    expect(await verify("8271")).toEqual({ outcome: "blocked" });
    const plasticId = newId("plastic");
    const next = {
      ...card,
      plasticId,
      numberId: plasticId,
      lastFour: String((Number(card.lastFour) + 1) % 10_000).padStart(4, "0"),
    };
    const { cardNumber } = await revealTo(next);
    expect(
      await vault("verify-pin", { attemptId: newNonce(), cardNumber, pinBlock: "0".repeat(16) }),
    ).toEqual({
      outcome: "not-set",
    });
    const other = await givenPin("4096", next);
    expect(await other.verify("8271")).toEqual({ outcome: "wrong", triesLeft: 2 });
    expect(await other.verify("4096")).toEqual({ outcome: "verified" });
    expect(await verify("8271")).toEqual({ outcome: "blocked" });
  });

  it("starts to count again after a right one", async () => {
    const { verify } = await givenPin("8271");
    for (const pin of ["0001", "0000", "8271", "0000"]) await verify(pin);
    expect(await verify("0000")).toEqual({ outcome: "wrong", triesLeft: 1 });
  });

  it("takes three guesses at most, also at the same moment", async () => {
    const { verify } = await givenPin("8271");
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify("0000")));
    expect(answers.filter(({ outcome }) => outcome === "wrong")).toHaveLength(3);
    expect(answers.filter(({ outcome }) => outcome === "blocked")).toHaveLength(17);
  });

  it("counts a repetition once, but not another PIN under its id", async () => {
    const { verify } = await givenPin("8271");
    const wrong = { outcome: "wrong", triesLeft: 2 };
    expect([await verify("0000", "first"), await verify("0000", "first")]).toEqual([wrong, wrong]);
    expect(await verify("0001", "first")).toEqual({ outcome: "wrong", triesLeft: 1 });
    expect(await verify("0000", "first")).toEqual(wrong);
    const last = { outcome: "wrong", triesLeft: 0 };
    expect([await verify("0002", "third"), await verify("0002", "third")]).toEqual([last, last]);
    expect(await verify("8271", "third")).toEqual({ outcome: "blocked" });
  });

  it("counts a try once whose write's answer was lost", async () => {
    const { verify } = await givenPin("8271");
    await verify("0001");
    await verify("0002");
    let lost = 0;
    using _ = injectFaults(({ command }) =>
      command === "UpdateItem" && ++lost === 1 ? "timeout-after-commit" : undefined,
    );
    expect(await verify("8271")).toEqual({ outcome: "verified" });
    lost = 0;
    expect(await verify("0003")).toEqual({ outcome: "wrong", triesLeft: 2 });
    expect(lost).toBeGreaterThan(1);
  });

  it("counts no try for a block of another key or number", async () => {
    const { cardNumber, blockOf, verify } = await givenPin("8271");
    const otherCard = givenVaultCard();
    await set(otherCard, "8271");
    const { cardNumber: other } = await revealTo(otherCard);
    expect(
      await vault("verify-pin", { attemptId: newNonce(), cardNumber: other, pinBlock: blockOf("8271") }),
    ).toEqual({
      outcome: "unreadable",
    });
    expect(
      await vault("verify-pin", { attemptId: newNonce(), cardNumber, pinBlock: "00".repeat(16) }),
    ).toEqual({
      outcome: "unreadable",
    });
    expect(await verify("0000")).toEqual({ outcome: "wrong", triesLeft: 2 });
  });

  it("says that there is no PIN, or no such number", async () => {
    const { blockOf, cardNumber, pinKey } = await givenPin("8271");
    expect(
      await vault("verify-pin", {
        attemptId: newNonce(),
        cardNumber: "4111111111111111",
        pinBlock: blockOf("8271"),
      }),
    ).toEqual({
      outcome: "unknown-card",
    });
    const { cardNumber: without } = await revealTo(givenVaultCard());
    const block = createPinBlock("8271", Buffer.from(pinKey, "hex"), without, Buffer.alloc(8));
    expect(
      await vault("verify-pin", {
        attemptId: newNonce(),
        cardNumber: without,
        pinBlock: block.toString("hex"),
      }),
    ).toEqual({
      outcome: "not-set",
    });
    expect(cardNumber).not.toBe(without);
  });
});

it("imports a zone's key that the network has encrypted", async () => {
  const { cardNumber } = await givenPin("8271");
  const key = Buffer.from("C1D0F8FB4958670DBA40AB1F3752EF0D", "hex");
  expect(await vault("import-pin-key", { jwe: await encryptForVault({ pinKey: "00" }) })).toEqual({
    outcome: "unreadable",
  });
  const jwe = await encryptForVault({ pinKey: key.toString("hex") });
  expect(await vault("import-pin-key", { jwe })).toEqual({ outcome: "imported" });
  const pinBlock = createPinBlock("8271", key, cardNumber, Buffer.alloc(8)).toString("hex");
  expect(await vault("verify-pin", { attemptId: newNonce(), cardNumber, pinBlock })).toEqual({
    outcome: "verified",
  });
});

async function givenCardWithPin() {
  const program = await givenProgram();
  const { programId } = program;
  const { cardId } = await givenCard(program);
  const { bin, lastFour, expiryMonth, expiryYear } = await getCard(programId, cardId);
  const { card, cardNumber, outcomeOf } = await givenPin("8271", {
    ...{ programId, cardId, bin, lastFour, expiryMonth, expiryYear },
  });
  return {
    ...{ programId, cardId, cardNumber },
    verify: () => outcomeOf("8271"),
    close: () => program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} }),
    /** With the card's checks done before it was closed. */
    setLate: async () => (await set(card, "8271")).outcome,
  };
}

describe("the PIN of a Card that is closed", () => {
  it("is deleted by the next sweep; its number still finds the Card, for refunds and reversals", async () => {
    const { programId, cardId, cardNumber, verify, close } = await givenCardWithPin();
    expect(await verify()).toBe("verified");
    expect((await close()).status).toBe(200);
    await sweepDeadlines();
    expect(await verify()).toBe("card-closed");
    expect(Object.keys((await pins.at(programId, cardId).get()) ?? {}).toSorted()).toEqual([
      "attempts",
      "setAt",
    ]);
    expect(await vault("resolve", { cardNumber })).toMatchObject({ outcome: "found", cardId });
  });

  it("is not set again by a request that began before", async () => {
    const { verify, close, setLate } = await givenCardWithPin();
    await close();
    await sweepDeadlines();
    expect(await setLate()).toBe("card-closed");
    expect(await verify()).toBe("card-closed");
  });

  it("is deleted later if the vault does not answer, and once if its answer is lost", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    for (const fault of ["before", "after"] as const) {
      const { verify, close } = await givenCardWithPin();
      await close();
      vaultFault.next = fault;
      await sweepDeadlines();
      expect(await verify()).toBe(fault === "before" ? "verified" : "card-closed");
      vi.setSystemTime(Date.now() + 120_000);
      await sweepDeadlines();
      expect(await verify()).toBe("card-closed");
    }
    vi.useRealTimers();
  });

  it("stays while the Card is open, whatever the caller says", async () => {
    const { programId, cardId, verify } = await givenCardWithPin();
    expect(await vault("forget-pin", { programId, cardId })).toEqual({ outcome: "card-open" });
    expect(await vault("forget-pin", { programId, cardId: newId("card") })).toEqual({ outcome: "card-open" });
    expect(await verify()).toBe("verified");
  });

  it("stays if the Card could not be closed", async () => {
    const { verify, close } = await givenCardWithPin();
    using faults = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
    expect((await close()).status).toBe(503);
    faults[Symbol.dispose]();
    await sweepDeadlines();
    expect(await verify()).toBe("verified");
  });
});

const replaced = ["NUMBER_KEY", "CVV_KEY"] as const;

/** The vault's settings name other keys from now on, as after a deployment. */
function replaceKeys() {
  const before = Object.fromEntries(replaced.map((name) => [name, process.env[name]]));
  onTestFinished(() => void Object.assign(process.env, before, { CARD_KEY_INDEX: "1" }));
  for (const name of replaced) process.env[name] = process.env[`NEXT_${name}`];
  process.env.CARD_KEY_INDEX = "2";
  return before;
}

it("reads and compares with the keys that were used, and uses new ones for what is new", async () => {
  const { card, revealed, outcomeOf } = await givenPin();
  const old = replaceKeys();
  expect(await revealTo(card)).toEqual(revealed);
  const { cardNumber, cvv } = revealed;
  const code = { attemptId: newId("event"), cardNumber, cvv, expiryMonth: 11, expiryYear: 2029 };
  expect(await vault("verify-cvv", code)).toEqual({ outcome: "matches" });
  expect([await outcomeOf("8271"), await outcomeOf("8272")]).toEqual(["verified", "wrong"]);
  const stored = await cardNumbers.at(card.programId, card.cardId).require();
  expect([stored.number.key, stored.keyIndex]).toEqual([old.NUMBER_KEY, 1]);
  await set(card, "4096");
  expect([await outcomeOf("4096"), await outcomeOf("8271")]).toEqual(["verified", "wrong"]);
  expect(await pins.at(card.programId, card.cardId).get()).toMatchObject({ keyIndex: 2 });
  const next = givenVaultCard();
  const { cvv: nextCode, cardNumber: nextNumber } = await revealTo(next);
  expect(await cardNumbers.at(next.programId, next.cardId).require()).toMatchObject({ keyIndex: 2 });
  const asked = { attemptId: newId("event"), cardNumber: nextNumber, cvv: nextCode };
  expect(await vault("verify-cvv", { ...asked, expiryMonth: 11, expiryYear: 2029 })).toEqual({
    outcome: "matches",
  });
});

it("says with which key a number was hashed", async () => {
  const { card, revealed } = await givenPin();
  const index = await numberIndex.at(await hashNumber(revealed.cardNumber)).require();
  expect(index).toMatchObject({ cardId: card.cardId, key: process.env.NUMBER_INDEX_KEY });
});
