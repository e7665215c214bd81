import { describe, expect, it } from "vitest";
import { createPinBlock0 } from "../../functions/vault/pin-block.ts";
import type { DialectName } from "../../shared/adapters/iso8583/dialects.ts";
import { Currency } from "../../shared/contract/enums.ts";
import type { VaultCard } from "../../shared/contract/vault.ts";
import { newId } from "../../shared/platform/id.ts";
import { encryptForVault, givenDevice } from "../harness/given-device.ts";
import { vault } from "../harness/given-vault.ts";
import { givenConnection } from "./given-connection.ts";

/** A plastic with its codes, as the bureau makes it. */
async function givenPlastic(dialect: DialectName = "default") {
  const connection = await givenConnection({ dialect, availableMinor: 100_000 });
  const { programId, cardId, cardNumber, expiry, purchase, send } = connection;
  const stored = (await connection.everything()).find(({ sk }) => sk === "CARD") as never as VaultCard;
  const { bin, lastFour, expiryMonth, expiryYear } = stored;
  const card: VaultCard = { programId, cardId, bin, lastFour, expiryMonth, expiryYear };
  const bureau = await givenDevice();
  const produced = { ...card, nameOnCard: "ADA LOVELACE", shippingAddress: {} };
  const batch = { batchId: "batch", publicKey: bureau.publicKey, cards: [produced] };
  const answer = await vault("export-production", batch);
  if (answer.outcome !== "exported") throw new Error(answer.outcome);
  const { serviceCode, stripeCvv, chipCvv, cvv } = (await bureau.open(answer.jwe)).content.cards[0];
  const track2 = (code: string, { service = serviceCode, date = expiry } = {}) =>
    `${cardNumber}=${date}${service}00000${code}`;
  const track1 = (code: string) => `B${cardNumber}^LOVELACE/ADA^${expiry}${serviceCode}00000${code}`;
  /** DE39 of a purchase. */
  const answered = async (fields: Record<number, string>) => (await send(purchase(100, fields))).fields[39];
  return { ...connection, card, cvv, stripeCvv, chipCvv, track2, track1, answered };
}

const stripe = { 22: "901" };
const chip = { 22: "051" };
const other = (code: string) => String((Number(code) + 1) % 1_000).padStart(3, "0");

describe("what a terminal reads of a card", () => {
  it.each(["default", "mastercard", "visa"] as const)("has the code of its place (%s)", async (dialect) => {
    const { stripeCvv, chipCvv, track2, track1, answered } = await givenPlastic(dialect);
    expect(await answered({ ...stripe, 35: track2(stripeCvv) })).toBe("00");
    expect(await answered({ ...stripe, 45: track1(stripeCvv) })).toBe("00");
    expect(await answered({ ...chip, 35: track2(chipCvv) })).toBe("00");
    expect(await answered({ 22: "071", 35: track2(chipCvv) })).toBe("00");
    const emv = (code: string, before: string) => {
      const equivalent = track2(code).replace("=", "D");
      const length = (equivalent.length / 2).toString(16).padStart(2, "0");
      return `5F2A0208409F1A020840${before}57${length}${equivalent}`;
    };
    // Zeros between objects mean nothing (EMV, book 3, B1). Tags and lengths may have three bytes.
    for (const before of ["", "00", "000000", "DF81290130", "9F1082000106"]) {
      expect(await answered({ ...chip, 55: emv(chipCvv, before) }), before).toBe("00");
      expect(await answered({ ...chip, 55: emv(other(chipCvv), before) }), before).toBe("82");
    }
  });

  it("declines a copy: of the chip on a stripe, of the stripe, or of what is printed", async () => {
    const { stripeCvv, chipCvv, cvv, track2, answered } = await givenPlastic();
    for (const [mode, code] of [
      [stripe, chipCvv],
      [stripe, cvv],
      [chip, stripeCvv],
      [chip, other(chipCvv)],
    ] as const)
      if (code !== (mode === stripe ? stripeCvv : chipCvv))
        expect(await answered({ ...mode, 35: track2(code) }), JSON.stringify(mode)).toBe("82");
  });

  it("declines a stripe whose service code or date was changed, or without a code", async () => {
    const { stripeCvv, track2, cardNumber, expiry, answered } = await givenPlastic();
    expect(await answered({ ...stripe, 35: track2(stripeCvv, { service: "101" }) })).toBe("82");
    expect(await answered({ ...stripe, 35: track2(stripeCvv, { date: "4912" }) })).toBe("54");
    expect(await answered({ ...stripe, 35: `${cardNumber}=${expiry}201` })).toBe("82");
    expect(await answered({ ...stripe, 35: `4111111111111111=${expiry}20100000${stripeCvv}` })).toBe("30");
  });

  it("counts wrong codes of a stripe for themselves: neither chip nor e-commerce stops", async () => {
    const { stripeCvv, chipCvv, cvv, track2, answered } = await givenPlastic();
    for (let wrong = 1; wrong <= 5; wrong += 1) {
      const code = String((Number(stripeCvv) + wrong) % 1_000).padStart(3, "0");
      expect(await answered({ ...stripe, 35: track2(code) })).toBe("82");
    }
    expect(await answered({ ...stripe, 35: track2(stripeCvv) })).toBe("82");
    expect(await answered({ ...chip, 35: track2(chipCvv) })).toBe("00");
    expect(await answered({ 22: "810", 48: `R9203${cvv}` })).toBe("00");
  });
});

describe("a PIN block of eight bytes", () => {
  async function givenPin(dialect?: DialectName) {
    const plastic = await givenPlastic(dialect);
    const { card, cardNumber } = plastic;
    const record = {
      cardholderId: newId("cardholder"),
      currency: Currency.usd,
      transId: newId("transaction"),
    };
    const jwe = await encryptForVault({ pin: "8271", nonce: newId("event") });
    expect(await vault("set-pin", { ...card, ...record, jwe })).toEqual({ outcome: "set" });
    const { tdesPinKey } = await vault("local-pin-key", {});
    const blockOf = (pin: string) =>
      createPinBlock0(pin, Buffer.from(tdesPinKey, "hex"), cardNumber).toString("hex").toUpperCase();
    return { ...plastic, blockOf };
  }

  it.each([
    ["default", undefined],
    ["mastercard", "9701100001000000"],
    ["visa", "2001010100000000"],
  ] as const)("is of format 0, under the zone's key of triple DES (%s)", async (dialect, control) => {
    const { answered, blockOf } = await givenPin(dialect);
    const told: Record<number, string> = control === undefined ? {} : { 53: control };
    expect(await answered({ ...told, 52: blockOf("8271") })).toBe("00");
    expect(await answered({ ...told, 52: blockOf("8272") })).toBe("55");
    expect(await answered({ ...told, 52: blockOf("82710") })).toBe("55");
    expect(await answered({ ...told, 52: blockOf("8270") })).toBe("55");
    expect(await answered({ ...told, 52: blockOf("8271") })).toBe("75");
  });

  it("is not opened as format 0 if DE53 names another one", async () => {
    const { answered, blockOf, ports } = await givenPin();
    expect(await answered({ 52: blockOf("8271"), 53: "2001030100000000" })).toBe("30");
    expect(ports.refused.at(-1)?.reason).toContain("DE53");
    expect(await answered({ 52: blockOf("8271"), 53: "2001010100000000" })).toBe("00");
  });
});
