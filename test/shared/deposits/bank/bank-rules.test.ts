import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeIban } from "../../../../infra/development/iban.ts";
import { DepositStatus } from "../../../../shared/contract/enums.ts";
import { applyBankEvent } from "../../../../shared/deposits/bank/apply-bank-event.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { readTable } from "../../../harness/rules-table.ts";
import { givenBank, statusOf } from "./given-bank.ts";

const rules = readTable(readFileSync(new URL("bank-rules.txt", import.meta.url), "utf8"));
const group = ["deposit msg=M", "deposit msg=M ref=2 300"];

describe.each(rules)("$of", ({ rows }) => {
  it.each(rows)("%s", async (_, steps = "", left = "", special = "") => {
    const all = [...(special === "group" ? group : []), ...steps.split(", ")];
    const orders = special === "any order" ? [all, all.toReversed()] : [all];
    // A race is run several times.
    for (const order of steps.includes("&") ? [all, all, all] : orders) {
      const { take, expectLeft } = await givenBanks();
      for (const step of order) await take(step);
      await expectLeft(left);
      if (special !== "any order") continue;
      // Sent again, each changes nothing.
      for (const step of order) await take(step);
      await expectLeft(left);
    }
  });
});

/** Two Programs, whose deposits may have the same references. */
async function givenBanks() {
  const [mine, other] = [await givenBank(), await givenBank()];
  const accounts: Record<string, string> = {};

  /** What the words of a step say of an event. */
  function read(words: readonly string[], account: string): object {
    const named: Readonly<Record<string, string>> = Object.fromEntries(words.map((word) => word.split("=")));
    const amount = words.find((word) => /^\d+$/.test(word));
    const currency = words.find((word) => /^[A-Z]{3}$/.test(word)) ?? (amount && "USD");
    const reference = (name: string) =>
      named[name] === "-" ? undefined : `${named[name]}-${mine.bankReference}`;
    const [content = "", statement, entry, page] = named.at?.split(":") ?? [];
    return {
      bankReference: "ref" in named ? reference("ref") : mine.bankReference,
      account: named.account === undefined ? account : accounts[named.account],
      ...("e2e" in named && { endToEndId: reference("e2e") }),
      ...("msg" in named && { references: { message: reference("msg") } }),
      ...("id" in named && { returnId: named.id }),
      ...("group" in named && { group: named.group === "-" ? {} : { transactions: Number(named.group) } }),
      ...("at" in named && {
        content: content.padEnd(64, "0"),
        report: words.includes("statement") ? "camt.053" : "camt.054",
        place: { statement, entry: Number(entry), ...(page && { page }) },
      }),
      ...(amount && { amount: Number(amount) }),
      ...(currency && { currency }),
    };
  }

  function report(text: string) {
    const words = text.split(" ");
    const bank = words[0] === "other" ? other : mine;
    const details = read(words, bank.account);
    if (words[0] === "announce") return bank.announce({ ...details, account: undefined });
    const event = words.includes("deposit") ? bank.arrived(details) : bank.returned(details);
    const from = words.find((word) => word.startsWith("from="));
    const origin = from ? `${mine.programId}-${from}` : newId("event");
    if (words[0] === "told") return applyBankEvent({ event, origin, programId: mine.programId });
    return bank.report(event, origin);
  }

  async function expectLeft(text: string): Promise<void> {
    const [available, second] = text.split(" ").flatMap((word) => (/^\d+$/.test(word) ? [Number(word)] : []));
    expect(await mine.availableIn()).toBe(available);
    if (text.includes("returned")) expect((await mine.depositOf()).status).toBe(DepositStatus.returned);
    if (text.includes("cleared"))
      expect(await mine.depositOf()).toMatchObject({ status: DepositStatus.cleared, returnedMinor: second });
    else if (second !== undefined) expect(await other.availableIn()).toBe(second);
  }

  async function take(step: string): Promise<void> {
    if (step.startsWith("=")) return expectLeft(step.slice(1));
    const [verb, name = ""] = step.split(" ");
    if (verb === "collect") {
      accounts[name] = await mine.collectOn(makeIban(newId("program")));
      return;
    }
    const [sent = "", expected = ""] = step.split(" > ");
    const outcomes = await Promise.all(sent.split(" & ").map(report));
    const statuses = outcomes.map(statusOf).toSorted().join(" ");
    const [, wanted = "", reason] =
      /^((?:(?:applied|duplicate|rejected|suspense) ?)*)(.*)$/.exec(expected) ?? [];
    if (wanted !== "") expect([step, statuses]).toEqual([step, wanted.trim()]);
    if (reason) expect(outcomes[0]).toMatchObject({ reason: expect.stringContaining(reason) });
  }

  return { take, expectLeft };
}
