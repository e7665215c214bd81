import { describe, expect, it, vi } from "vitest";
import { isLuhnValid } from "../../../shared/contract/luhn.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenDevice, givenVaultCard, revealTo } from "../../harness/given-device.ts";
import { vault } from "../../harness/given-vault.ts";

describe("reveal", () => {
  it("encrypts number, expiry and code for the device's key alone, for a minute", async () => {
    const card = givenVaultCard();
    const device = await givenDevice();
    const before = Date.now();
    const answer = await vault("reveal", { ...card, publicKey: device.publicKey });
    if (answer.outcome !== "revealed") throw new Error(answer.outcome);
    const { header, content } = await device.open(answer.jwe);
    expect(content).toEqual({
      cardNumber: expect.stringMatching(new RegExp(`^${card.bin}\\d{6}${card.lastFour}$`)),
      expiryMonth: 11,
      expiryYear: 2029,
      cvv: expect.stringMatching(/^\d{3}$/),
    });
    expect(isLuhnValid(content.cardNumber)).toBe(true);
    expect(header).toMatchObject({
      alg: "ECDH-ES",
      enc: "A256GCM",
      exp: Date.parse(answer.expiresAt) / 1000,
    });
    expect(Date.parse(answer.expiresAt) - before).toBeGreaterThan(58_000);
    expect(Date.parse(answer.expiresAt)).toBeLessThanOrEqual(Date.now() + 60_000);
    await expect((await givenDevice()).open(answer.jwe)).rejects.toThrow();
  });

  it("serves a key once, for all Cards, however it is spelled", async () => {
    const { publicKey } = await givenDevice();
    expect(await vault("reveal", { ...givenVaultCard(), publicKey })).toMatchObject({ outcome: "revealed" });
    // The last character of 32 bytes has two bits that mean nothing.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(publicKey.x.at(-1) ?? "");
    const respelled = { ...publicKey, x: publicKey.x.slice(0, -1) + alphabet[last + 1] };
    for (const key of [publicKey, respelled])
      expect(await vault("reveal", { ...givenVaultCard(), publicKey: key })).toEqual({ outcome: "key-used" });
  });

  it("refuses what is no point of the curve, and draws no number for it", async () => {
    const card = givenVaultCard();
    const { publicKey } = await givenDevice();
    const other = (await givenDevice()).publicKey;
    const offCurve = { ...publicKey, y: other.y };
    expect(await vault("reveal", { ...card, publicKey: offCurve })).toEqual({ outcome: "key-invalid" });
  });

  it("gives a Card one number, also if it is first needed many times at once", async () => {
    const card = givenVaultCard();
    const revealed = await Promise.all(Array.from({ length: 8 }, () => revealTo(card)));
    expect(new Set(revealed.map((one) => JSON.stringify(one))).size).toBe(1);
    const { cardNumber } = revealed[0] ?? { cardNumber: "" };
    expect(await vault("resolve", { cardNumber })).toEqual({
      outcome: "found",
      programId: card.programId,
      cardId: card.cardId,
      expiryMonth: 11,
      expiryYear: 2029,
    });
  });

  it("draws no number that another Card has", async () => {
    const one = givenVaultCard();
    const numbers = await Promise.all(
      Array.from({ length: 40 }, () => revealTo(givenVaultCard({ bin: one.bin, lastFour: one.lastFour }))),
    );
    expect(new Set(numbers.map(({ cardNumber }) => cardNumber)).size).toBe(40);
    expect(new Set(numbers.map(({ cvv }) => cvv)).size).toBeGreaterThan(20);
  });

  it("ends with one number after a draw whose answer was lost", async () => {
    const card = givenVaultCard();
    using faults = injectFaults(({ command, number }) =>
      command === "TransactWriteItems" && number < 4 ? "timeout-after-commit" : undefined,
    );
    const first = await revealTo(card);
    expect(await revealTo(card)).toEqual(first);
    expect(faults.calls.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(0);
  });

  it("reveals a Card ten times in any minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const card = givenVaultCard();
    const outcomes = async (count: number) => {
      const found = [];
      for (let index = 0; index < count; index += 1) {
        const { publicKey } = await givenDevice();
        found.push((await vault("reveal", { ...card, publicKey })).outcome);
      }
      return found;
    };
    expect(await outcomes(6)).toEqual(Array(6).fill("revealed"));
    vi.setSystemTime(Date.now() + 30_000);
    expect(await outcomes(5)).toEqual([...Array(4).fill("revealed"), "limited"]);
    vi.setSystemTime(Date.now() + 30_000);
    expect(await outcomes(7)).toEqual([...Array(6).fill("revealed"), "limited"]);
    vi.useRealTimers();
  });
});

describe("resolve", () => {
  it("knows no number that no Card has", async () => {
    expect(await vault("resolve", { cardNumber: "4111111111111111" })).toEqual({ outcome: "unknown-card" });
  });
});

describe("verify-cvv", () => {
  async function givenCode() {
    const { cardNumber, cvv } = await revealTo(givenVaultCard());
    let questions = 0;
    const verify = async (offset = 0, given: object = {}) => {
      const code = String((Number(cvv) + offset) % 1000).padStart(3, "0");
      const asked = { attemptId: `question ${++questions}`, cardNumber, expiryMonth: 11, expiryYear: 2029 };
      return (await vault("verify-cvv", { ...asked, cvv: code, ...given })).outcome;
    };
    return { verify };
  }

  it("compares the code of number and expiry", async () => {
    const { verify } = await givenCode();
    expect(await verify()).toBe("matches");
    expect(await verify(1)).toBe("differs");
    expect(await verify(0, { expiryMonth: 10 })).toBe("differs");
    expect(await verify(0, { expiryYear: 2030 })).toBe("differs");
    expect(await verify(0, { cardNumber: "4111111111111111" })).toBe("unknown-card");
  });

  it("takes five wrong ones in any 24 hours, whatever is right between them", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { verify } = await givenCode();
    for (const offset of [1, 0, 2, 3, 0, 4]) await verify(offset);
    expect([await verify(5), await verify(6), await verify()]).toEqual(["differs", "blocked", "blocked"]);
    vi.setSystemTime(Date.now() + 24 * 3_600_000 + 1);
    expect(await verify()).toBe("matches");
    vi.useRealTimers();
  });

  it("answers five wrong ones at most at the same moment", async () => {
    const { verify } = await givenCode();
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => verify(index + 1)));
    expect(outcomes.filter((outcome) => outcome === "differs")).toHaveLength(5);
  });

  it("counts a repetition once, but not another code under its id", async () => {
    const { verify } = await givenCode();
    const attemptId = "one";
    for (const offset of [1, 1, 1, 1, 1, 1]) expect(await verify(offset, { attemptId })).toBe("differs");
    for (const offset of [2, 3, 4, 5]) expect(await verify(offset, { attemptId })).toBe("differs");
    expect([await verify(6, { attemptId }), await verify(1, { attemptId })]).toEqual(["blocked", "differs"]);
  });
});

describe("export-production", () => {
  it("gives the bureau numbers that a reveal shows too", async () => {
    const card = givenVaultCard();
    const bureau = await givenDevice();
    const address = { line1: "1 High Street", city: "London", postalCode: "N1", country: "GB" };
    const answer = await vault("export-production", {
      batchId: "batch",
      publicKey: bureau.publicKey,
      cards: [{ ...card, nameOnCard: "ADA LOVELACE", shippingAddress: address }],
    });
    if (answer.outcome !== "exported") throw new Error(answer.outcome);
    const { content } = await bureau.open(answer.jwe);
    const { cardNumber, cvv } = await revealTo(card);
    const code = expect.stringMatching(/^\d{3}$/);
    expect(content).toEqual({
      batchId: "batch",
      cards: [
        {
          ...{ cardId: card.cardId, cardNumber, expiryMonth: 11, expiryYear: 2029, cvv },
          ...{ serviceCode: "201", stripeCvv: code, chipCvv: code },
          ...{ nameOnCard: "ADA LOVELACE", shippingAddress: address },
        },
      ],
    });
  });
});
