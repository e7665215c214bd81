import { describe, expect, it } from "vitest";
import { createPinBlock } from "../../../functions/vault/pin-block.ts";
import { Currency } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { injectFaults } from "../../harness/faults.ts";
import { encryptForVault, givenVaultCard, revealTo } from "../../harness/given-device.ts";
import { vault } from "../../harness/given-vault.ts";

let nonces = 0;
const newNonce = () => `nonce ${newId("card")} ${++nonces}`;

const account = { cardholderId: newId("cardholder"), currency: Currency.usd };
const setWith = (
  card: ReturnType<typeof givenVaultCard>,
  jwe: string,
  transId: string = newId("transaction"),
) => vault("set-pin", { ...card, ...account, jwe, transId });

async function set(card: ReturnType<typeof givenVaultCard>, pin: unknown, nonce: unknown = newNonce()) {
  const jwe = await encryptForVault({ pin, nonce });
  return setWith(card, jwe);
}

async function givenPin(pin: string) {
  const card = givenVaultCard();
  await set(card, pin);
  const { cardNumber } = await revealTo(card);
  const { pinKey } = await vault("local-pin-key", {});
  const blockOf = (one: string) =>
    createPinBlock(
      one,
      Buffer.from(pinKey, "hex"),
      cardNumber,
      Buffer.from("0123456789abcdef", "hex"),
    ).toString("hex");
  const verify = (one: string, attemptId = newNonce()) =>
    vault("verify-pin", { attemptId, cardNumber, pinBlock: blockOf(one) });
  return { card, cardNumber, pinKey, blockOf, verify };
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
