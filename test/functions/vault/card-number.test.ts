import { randomInt } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { completeNumber, hashNumber } from "../../../functions/vault/card-number.ts";
import { numberIndex } from "../../../functions/vault/items.ts";
import { isLuhnValid } from "../../../shared/contract/luhn.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { givenDevice, givenVaultCard, revealTo } from "../../harness/given-device.ts";
import { vault } from "../../harness/given-vault.ts";

const newBin = () => `4${String(randomInt(10_000_000)).padStart(7, "0")}`;

/** All valid numbers of a BIN with the same last four digits. */
function everyNumber(bin: string, lastFour: string): string[] {
  const middle = 16 - bin.length - 4;
  const all = Array.from({ length: 10 ** middle }, (_, one) => String(one).padStart(middle, "0"));
  return all.map((digits) => bin + digits + lastFour).filter(isLuhnValid);
}

async function give(numbers: readonly string[]) {
  const other = { programId: newId("program"), cardId: newId("card") };
  const item = { ...other, key: "unused", expiryMonth: 1, expiryYear: 2030 };
  for (let index = 0; index < numbers.length; index += 100) {
    const some = numbers.slice(index, index + 100);
    await transact(
      await Promise.all(some.map(async (one) => numberIndex.at(await hashNumber(one)).put(item))),
    );
  }
}

/** What the vault measures of the numbers that it draws, in its log lines. */
function watchMetrics() {
  const lines: Record<string, unknown>[] = [];
  vi.stubEnv("LOG_LEVEL", "INFO");
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((line) => lines.push(JSON.parse(String(line))) > 0);
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  const sum = (name: string) => lines.reduce((total, line) => total + Number(line[name] ?? 0), 0);
  return { lines, sum };
}

describe("a card number", () => {
  it.each(["400000", "40000012"])("has the BIN %s, the last four digits, and passes Luhn's check", (bin) => {
    for (let count = 0; count < 500; count += 1) {
      const lastFour = String(randomInt(10_000)).padStart(4, "0");
      const number = completeNumber(bin, lastFour);
      expect(number).toMatch(new RegExp(`^${bin}\\d{${12 - bin.length}}${lastFour}$`));
      expect(isLuhnValid(number)).toBe(true);
    }
  });

  it("is drawn from the whole range that its BIN leaves, each number as likely", () => {
    const counts = new Map(everyNumber("40000012", "0042").map((number) => [number, 0]));
    expect(counts.size).toBe(1_000);
    for (let count = 0; count < 50_000; count += 1) {
      const number = completeNumber("40000012", "0042");
      counts.set(number, (counts.get(number) ?? Number.NaN) + 1);
    }
    expect(counts.size).toBe(1_000);
    // Of a mean of 50, a thousand draws are within 7 standard deviations of it.
    for (const [number, count] of counts) expect(Math.abs(count - 50), number).toBeLessThan(50);
  });

  it("of a BIN of eight digits is given, shown and found again", async () => {
    const card = givenVaultCard({ bin: newBin() });
    const { cardNumber } = await revealTo(card);
    expect(cardNumber).toMatch(new RegExp(`^${card.bin}\\d{4}${card.lastFour}$`));
    expect(await vault("resolve", { cardNumber })).toMatchObject({ outcome: "found", cardId: card.cardId });
  });

  it("is drawn again while another Card has it, and that is measured", async () => {
    const card = givenVaultCard({ bin: newBin() });
    const numbers = everyNumber(card.bin, card.lastFour);
    await give(numbers.filter((_, index) => index % 2 === 0));
    const { sum } = watchMetrics();
    const revealed = await Promise.all(
      Array.from({ length: 30 }, () => revealTo(givenVaultCard({ bin: card.bin, lastFour: card.lastFour }))),
    );
    for (const { cardNumber } of revealed) expect(numbers.indexOf(cardNumber) % 2).toBe(1);
    expect(sum("NumbersDrawn")).toBe(30);
    // One taken for each that is free, give or take.
    expect(sum("NumberCollisions")).toBeGreaterThan(8);
    expect(sum("NumbersExhausted")).toBe(0);
  });

  it("is refused, not sought for ever, where none is left; the operator is told", async () => {
    const card = givenVaultCard({ bin: newBin() });
    const numbers = everyNumber(card.bin, card.lastFour);
    await give(numbers);
    const { lines, sum } = watchMetrics();
    const { publicKey } = await givenDevice();
    await expect(vault("reveal", { ...card, publicKey })).rejects.toMatchObject({ name: "Unavailable" });
    expect(sum("NumbersExhausted")).toBe(1);
    expect(sum("NumbersDrawn")).toBe(0);
    expect(lines.some((line) => line.NumbersExhausted && line.cardId === card.cardId)).toBe(true);
    for (const number of numbers) expect(JSON.stringify(lines)).not.toContain(number);
    const other = givenVaultCard({
      bin: card.bin,
      lastFour: String((Number(card.lastFour) + 1) % 10_000).padStart(4, "0"),
    });
    expect((await revealTo(other)).cardNumber).toMatch(new RegExp(`^${card.bin}`));
  });
});
