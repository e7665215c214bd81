import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { readTable } from "../../harness/rules-table.ts";
import {
  amountOf,
  detailsOf,
  entryOfAmount,
  notificationOf,
  statementOf,
} from "../../shared/adapters/iso20022/camt.ts";
import { type GivenFiles, givenFiles } from "../files/given-files.ts";
import {
  debitOf,
  givenPull,
  givenTwo,
  namesOf,
  reportOf,
  returnInfo,
  statusFile,
  sumsOf,
  toldOf,
} from "./given-bank.ts";

const rules = readTable(readFileSync(new URL("report-rules.txt", import.meta.url), "utf8"));

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

/** The texts of an entry's words. */
async function givenEntries(bank: Awaited<ReturnType<typeof givenTwo>>, hasPull: boolean) {
  const pull = hasPull ? await givenPull(bank) : undefined;
  const ends: Readonly<Record<string, string | undefined>> = {
    ...{ one: bank.one.endToEndId, other: bank.other.endToEndId, pull: pull?.endToEndId },
  };

  function textOf(words: readonly string[]): string {
    const named: Readonly<Record<string, string>> = Object.fromEntries(words.map((word) => word.split("=")));
    const [kind = "", amount = ""] = words;
    const end = words.map((word) => ends[word]).find((one) => one !== undefined) ?? named.fill ?? "";
    const inCurrency = (text: string) => (words.includes("EUR") ? text.replaceAll('"USD"', '"EUR"') : text);
    if (kind === "report") return inCurrency(reportOf(end, amount));
    if (kind === "status") return statusFile(end, amount);
    const servicer = named.ref ?? named.fill;
    const reference = servicer ? `<AcctSvcrRef>${servicer}</AcctSvcrRef>` : "";
    const instruction = named.fill ? `<InstrId>${named.fill}</InstrId>` : "";
    const details = [
      `<Refs>${reference}${instruction}<EndToEndId>${end}</EndToEndId></Refs>`,
      ...(kind === "credit" || words.includes("back") || named.of ? [amountOf(named.of ?? amount)] : []),
      ...(words.includes("back") ? [returnInfo] : []),
      ...(named.charged ? [`<Chrgs><Rcrd>${amountOf(named.charged)}</Rcrd></Chrgs>`] : []),
    ];
    const both = [bank.one, bank.other].map(
      ({ endToEndId, amount: minor }) => namesOf(endToEndId) + amountOf((minor / 100).toFixed(2)),
    );
    const parts = words.includes("batch")
      ? [reference, bank.batch]
      : words.includes("each")
        ? [reference, detailsOf(...both)]
        : [detailsOf(details.join(""))];
    const entry = kind === "debit" ? debitOf(amount, ...parts) : entryOfAmount(amount, ...parts);
    return inCurrency(
      words.includes("reversed") ? entry.replace("<Sts>", "<RvslInd>true</RvslInd><Sts>") : entry,
    );
  }
  return { textOf, pull };
}

describe.each(rules)("$of", ({ rows }) => {
  it.each(rows)("%s", async (_, steps = "", ends = "", left = "", suspense = "", told = "") => {
    const bank = await givenTwo(files);
    const { textOf, pull } = await givenEntries(bank, steps.includes("pull"));
    const feed = (text: string) => {
      const texts = text.split(" & ").map((one) => textOf(one.split(" ")));
      if (/^(report|status) /.test(text)) return files.feed("bank", texts.join(""));
      if (!text.includes(" statement")) return bank.feed(...texts);
      return files.feed("bank", statementOf(notificationOf(bank.account, ...texts)));
    };
    for (const step of steps.split("; ")) {
      const [fed = "", expected] = step.split(" > ");
      const isTwice = fed.startsWith("twice ");
      const reports = await Promise.all((isTwice ? [fed.slice(6), fed.slice(6)] : [fed]).map(feed));
      if (!expected) continue;
      const [[, ...sums] = []] = reports.flatMap(sumsOf);
      expect([step, sums.join(" ")]).toEqual([step, expected]);
    }
    expect([...(await bank.statuses()), ...(pull ? [await pull.status()] : [])].join(" ")).toBe(ends);
    const [available, held, ledger] = left.split(" ").map(Number);
    expect(await bank.balances()).toEqual({ available, held, ledger });
    expect((await bank.suspense()).join(" ")).toBe(suspense);
    if (told === "") return;
    const [times = "", ...words] = told.split(" ");
    const reasons = await toldOf(bank.programId);
    expect(reasons).toHaveLength(Number(times));
    expect(reasons.join("\n")).toContain(words.join(" "));
  });
});
