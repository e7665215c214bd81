import { describe, expect, it } from "vitest";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import { cards } from "../../shared/cards/card.ts";
import { CardStatus, Currency } from "../../shared/contract/enums.ts";
import type { VaultCard } from "../../shared/contract/vault.ts";
import { newId } from "../../shared/platform/id.ts";
import { overwrite } from "../harness/given-cards.ts";
import { encryptForVault } from "../harness/given-device.ts";
import { vault } from "../harness/given-vault.ts";
import { createPinBlock } from "../harness/pin-block.ts";
import { again, givenConnection, later, toAmount } from "./given-connection.ts";

describe("PIN and security code", () => {
  async function givenPin() {
    const connection = await givenConnection();
    const { programId, cardId, cardNumber, purchase, code } = connection;
    const stored = (await connection.everything()).find(({ sk }) => sk === "CARD") as never as VaultCard;
    const { bin, lastFour, expiryMonth, expiryYear } = stored;
    const jwe = await encryptForVault({ pin: "8271", nonce: newId("event") });
    await vault("set-pin", {
      ...{ programId, cardId, bin, lastFour, expiryMonth, expiryYear, jwe, currency: Currency.usd },
      ...{ cardholderId: newId("cardholder"), transId: newId("transaction") },
    });
    const key = Buffer.from((await vault("local-pin-key", {})).pinKey, "hex");
    /** A purchase with the PIN. */
    const typed = (pin: string, more: Message["fields"] = {}) => {
      const block = createPinBlock(pin, key, cardNumber, Buffer.alloc(8, 0x5a)).toString("hex").toUpperCase();
      return purchase(100, { ...more, 52: block });
    };
    const answered = async (...messages: (Message | string)[]) => {
      const codes: (string | undefined)[] = [];
      for (const one of messages) codes.push(await code(typeof one === "string" ? typed(one) : one));
      return codes.join(" ");
    };
    return { ...connection, typed, answered };
  }

  it("declines a wrong PIN, blocks after three, and counts a repetition once", async () => {
    const { typed, answered, balances } = await givenPin();
    const wrong = typed("1470");
    const repeated = { ...wrong, mti: "0101" };
    expect(await answered("8271", wrong, repeated, repeated)).toBe("00 55 55 55");
    expect(await answered("1470", "1470", "8271")).toBe("55 55 75");
    expect(await balances()).toEqual([9_900, 100, 10_000]);
  });

  it("counts a wrong PIN once for the message and its repetitions with times of their own", async () => {
    const { typed, answered, balances } = await givenPin();
    const wrong = typed("1470");
    const all = [wrong, again(wrong), again(wrong, 2), again(wrong, 90)];
    expect(await answered(...all, "8271")).toBe("55 55 55 55 00");
    expect(await balances()).toEqual([9_900, 100, 10_000]);
  });

  it("counts each wrong PIN of messages whose trace is a filler", async () => {
    const { typed, answered } = await givenPin();
    const filled = typed("1470", { 11: "000000" });
    await answered(...[1, 2, 3].map((seconds) => ({ ...again(filled, seconds), mti: "0100" })));
    expect(await answered("8271")).toBe("75");
  });

  it("declines a closed Card for its status, before and after its PIN is deleted", async () => {
    const { programId, cardId, answered } = await givenPin();
    await overwrite(cards.key(programId, cardId), { issuerCardStatus: CardStatus.closed });
    expect(await answered("1470", "8271")).toBe("55 46");
    await vault("forget-pin", { programId, cardId });
    expect(await answered("8271", "1470")).toBe("46 46");
  });

  it("declines a wrong security code of DE48", async () => {
    const { purchase, code, cvv } = await givenConnection();
    const other = String((Number(cvv) + 1) % 1_000).padStart(3, "0");
    expect(await code(purchase(100, { 48: `R9203${cvv}` }))).toBe("00");
    expect(await code(purchase(100, { 48: `R9203${other}` }))).toBe("82");
  });
});

describe("wrong expiry dates", () => {
  const typed = { 22: "010" };

  it("count as tries, with a code or without: after five, neither is told apart from a right one", async () => {
    const { purchase, code: answered, cvv, balances } = await givenConnection();
    const code = { 48: `R9203${cvv}` };
    const answers = async (...messages: Record<number, string>[]) => {
      const found: (string | undefined)[] = [];
      for (const more of messages) found.push(await answered(purchase(100, more)));
      return found;
    };
    const wrong = ["9901", "9902", "9903", "9904"].map((date) => ({ ...typed, 14: date }));
    const tries = await answers(typed, ...wrong, { ...code, 14: "9905" });
    expect(tries).toEqual(["00", "54", "54", "54", "54", "54"]);
    expect(await answers(typed, { ...typed, 14: "9906" })).toEqual(["54", "54"]);
    expect(await answers(code, { ...code, 14: "9907" })).toEqual(["82", "82"]);
    // E-commerce is stopped too. Terminals are not, nor payments that recur: they have no code.
    const [ecommerce, recurring] = [{ 22: "810" }, { 22: "100", 61: "0004" }];
    expect(await answers(ecommerce, recurring, { ...recurring, 14: "9908" })).toEqual(["54", "00", "54"]);
    expect(await answers({})).toEqual(["00"]);
    expect(await balances()).toEqual([9_700, 300, 10_000]);
  });

  it("count once if the network repeats them, and cannot be of an impossible month", async () => {
    const { purchase, code } = await givenConnection();
    const wrong = purchase(100, { ...typed, 14: "9901" });
    for (const mti of ["0100", "0101", "0101", "0101", "0101", "0101"])
      expect(await code({ ...wrong, mti })).toBe("54");
    for (const seconds of [1, 2, 3, 4, 5]) expect(await code(again(wrong, seconds))).toBe("54");
    expect(await code(purchase(100, typed))).toBe("00");
    for (const month of ["13", "00"])
      expect(await code(purchase(100, { ...typed, 14: `99${month}` }))).toBe("54");
  });
});

describe("cash and balance inquiries", () => {
  it("posts a withdrawal at once, and gives it back with its fee", async () => {
    const { purchase, send, code, setProgram, balances } = await givenConnection();
    await setProgram({ feeSchedule: [{ feeType: 3, amount: 250, basisPoints: 0 }] });
    const cash = purchase(1_000, { 3: "010000" });
    const answer = await send(cash);
    const [available, , ledger] = await balances();
    expect(answer.fields[54]).toBe(`0001840C${toAmount(ledger ?? 0)}0002840C${toAmount(available ?? 0)}`);
    expect(ledger).toBeLessThanOrEqual(9_000);
    expect(await code(later("0400", cash))).toBe("00");
    expect(await code(later("0400", cash))).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("follows the advices of a withdrawal, and gives its fee back after a reversal that was interrupted", async () => {
    const { purchase, code, setProgram, balances, ports, apply } = await givenConnection();
    await setProgram({ feeSchedule: [{ feeType: 3, amount: 250, basisPoints: 0 }] });
    const cash = purchase(1_000, { 3: "010000" });
    expect(await code(later("0120", cash, { 4: toAmount(1_500), 39: "00" }))).toBe("00");
    expect(await code(cash)).toBe("00");
    expect(await balances()).toEqual([8_250, 0, 8_250]);
    // Of the interrupted one, this much has happened.
    const [{ authorizationId }] = ports.events as never as [{ authorizationId: string }];
    await apply({ kind: "authorization_reversal", authorizationId });
    expect(await balances()).toEqual([9_750, 0, 9_750]);
    for (const mti of ["0420", "0400"]) expect(await code(later(mti, cash))).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("answers an inquiry with both balances", async () => {
    const { purchase, send } = await givenConnection();
    await send(purchase(2_500));
    const answer = await send(purchase(0, { 3: "310000" }));
    expect(answer.fields).toMatchObject({
      39: "00",
      54: `0001840C${toAmount(10_000)}0002840C${toAmount(7_500)}`,
    });
  });
});
