import { expect, it, onTestFinished } from "vitest";
import { cardNumbers, numberIndex, pins } from "../../../functions/vault/items.ts";
import { createPinBlock } from "../../../functions/vault/pin-block.ts";
import { Currency } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { encryptForVault, givenVaultCard, revealTo } from "../../harness/given-device.ts";
import { vault } from "../../harness/given-vault.ts";

const replaced = ["NUMBER_KEY", "CVV_KEY"] as const;

/** The vault's settings name other keys from now on, as after a deployment. */
function replaceKeys() {
  const before = Object.fromEntries(replaced.map((name) => [name, process.env[name]]));
  onTestFinished(() => void Object.assign(process.env, before, { CARD_KEY_INDEX: "1" }));
  for (const name of replaced) process.env[name] = process.env[`NEXT_${name}`];
  process.env.CARD_KEY_INDEX = "2";
  return before;
}

async function givenPin() {
  const card = givenVaultCard();
  const set = async (pin: string) => {
    const record = {
      cardholderId: newId("cardholder"),
      currency: Currency.usd,
      transId: newId("transaction"),
    };
    const jwe = await encryptForVault({ pin, nonce: newId("event") });
    return vault("set-pin", { ...card, ...record, jwe });
  };
  await set("8271");
  const revealed = await revealTo(card);
  const { cardNumber } = revealed;
  const { pinKey } = await vault("local-pin-key", {});
  const blockOf = (pin: string) =>
    createPinBlock(pin, Buffer.from(pinKey, "hex"), cardNumber, Buffer.alloc(8)).toString("hex");
  const verify = async (pin: string) =>
    (await vault("verify-pin", { attemptId: newId("event"), cardNumber, pinBlock: blockOf(pin) })).outcome;
  return { card, revealed, set, verify };
}

it("reads and compares with the keys that were used, and uses new ones for what is new", async () => {
  const { card, revealed, set, verify } = await givenPin();
  const old = replaceKeys();
  expect(await revealTo(card)).toEqual(revealed);
  const { cardNumber, cvv } = revealed;
  const code = { attemptId: newId("event"), cardNumber, cvv, expiryMonth: 11, expiryYear: 2029 };
  expect(await vault("verify-cvv", code)).toEqual({ outcome: "matches" });
  expect([await verify("8271"), await verify("8272")]).toEqual(["verified", "wrong"]);
  const stored = await cardNumbers.at(card.programId, card.cardId).require();
  expect([stored.number.key, stored.keyIndex]).toEqual([old.NUMBER_KEY, 1]);
  await set("4096");
  expect([await verify("4096"), await verify("8271")]).toEqual(["verified", "wrong"]);
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
  const { hashNumber } = await import("../../../functions/vault/card-number.ts");
  const index = await numberIndex.at(await hashNumber(revealed.cardNumber)).require();
  expect(index).toMatchObject({ cardId: card.cardId, key: process.env.NUMBER_INDEX_KEY });
});
