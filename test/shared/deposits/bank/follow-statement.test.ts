import { expect, it } from "vitest";
import type { BankStatement } from "../../../../shared/contract/bank.ts";
import { followStatement } from "../../../../shared/deposits/bank/follow-statement.ts";
import { firstCalls, injectFaults } from "../../../harness/faults.ts";
import { refusedOf } from "../../../harness/refused.ts";
import { givenBank } from "./given-bank.ts";

/** `2:500>400`: of 2 November, from 5.00 to 4.00; `1-2:500>400`: the opening has another date. */
function toStatement(written: string, account: string): BankStatement {
  const [, begun, ended = "", opens = "", closes = ""] =
    /^(?:(\d+)-)?(\d+):(-?\d*)>(-?\d*|\?)$/.exec(written) ?? [];
  const [from, date] = [begun ?? ended, ended].map((day) => `2026-11-${day.padStart(2, "0")}`) as [
    string,
    string,
  ];
  const amount = closes === "?" ? undefined : Number(closes);
  return {
    ...{ account, currency: "USD", statement: `${ended}${opens && closes}`, input: written },
    ...(opens !== "" && { opening: { date: from, amount: Number(opens) } }),
    ...(closes !== "" && { closing: { date, ...(amount !== undefined && { amount }) } }),
  };
}

const [one, two, three, four, five] = [
  "1:100>500",
  "2:500>400",
  "3:400>900",
  "4:900>-50",
  "5:-50>700",
] as const;

it.each([
  ["in order", [one, two, three, four, five], []],
  ["without one", [one, two, four], [four]],
  ["without two", [one, four, five], [four]],
  ["before the first that came", [two, one, three], []],
  ["in another order", [one, three, two], []],
  ["with one late of two", [one, four, two], [four]],
  ["with two late", [one, four, two, three], []],
  ["with two late, the other way round", [one, four, three, two], []],
  ["backwards", [five, four, three, two, one], []],
  ["again", [one, one, two, two, one, four, four], [four]],
  ["with the opening of the day before", [one, "1-2:500>400", "2-3:400>900"], []],
  ["without one, with the opening of the day before", [one, "2-3:400>900"], ["2-3:400>900"]],
  ["twice a day", [one, "2:500>450", "2:450>400", three], []],
  ["twice a day, the later one first", [one, "2:450>400", "2:500>450", three], []],
  ["without the later one of a day", [one, "2:500>450", three], [three]],
  ["without the earlier one of a day", [one, "2:450>400", three], ["2:450>400"]],
  ["of the day so far", [one, "2:500>450", two, three], []],
  ["of days, and of a month", [one, two, three, "1-3:100>900", four], []],
  ["in pages", [one, "2:500>", "2:>400", three], []],
  ["in pages, the last one first", [one, "2:>400", "2:500>", three], []],
  ["in pages, without one", [one, "3:400>", "3:>900", four], ["3:400>"]],
  ["where one closes unclearly", [one, "2:500>?", three], []],
] as const)("statements %s: %j, of which the operator is told %j", async (_, sent, told) => {
  const { programId, account } = await givenBank();
  for (const statement of sent) await followStatement(toStatement(statement, account), "file.xml");
  expect((await refusedOf({ programId })).map(({ input }) => input)).toEqual(told);
});
/** `2:a/S:1`: made on 2 November, with two names, page 1; `!`: the last one; `2:`: whole. */
function toPage(written: string, account: string): BankStatement {
  const [day = "", names = "", number = ""] = written.split(":");
  const page = {
    ...{ names: names.split("/"), number: Number.parseInt(number, 10) },
    ...{ isFirst: number.startsWith("1"), isLast: number.endsWith("!") },
  };
  const common = { account, currency: "USD", statement: written, input: written, made: `2026-11-0${day}` };
  return { ...common, ...(number !== "" && { page }) };
}

it.each([
  ["in order", ["1:a:1", "1:a:2", "1:a:3!", "2:"], ""],
  ["backwards", ["1:a:3!", "1:a:2", "1:a:1", "2:"], ""],
  ["again, and one of them alone", ["1:a:1", "1:a:2!", "1:a:2!", "1:a:1", "2:", "2:a:2!"], ""],
  ["without one", ["1:a:1", "1:a:3!"], "2"],
  ["without two", ["1:a:1", "1:a:4!", "1:b:1"], "2, 3"],
  ["without one that comes late", ["1:a:1", "1:a:3!", "2:", "1:a:2"], ""],
  ["without the first", ["1:a:2!"], "1"],
  ["without the last, of which nothing says that it will not come", ["1:a:1", "1:a:2"], ""],
  ["without the last, before another day's", ["1:a:1", "1:a:2", "2:"], "the last"],
  ["without the last, before another day's pages", ["1:a:1", "1:a:2", "2:b:1"], "the last"],
  ["without the last, after another day's", ["2:b:1", "2:b:2!", "1:a:1"], "the last"],
  ["without the last, which comes late", ["1:a:1", "2:", "1:a:2!"], ""],
  ["without the last, with one sent again", ["1:a:1", "1:a:2", "2:", "1:a:2"], "the last"],
  ["without the last, before another one of that day", ["1:a:1", "1:a:2", "2:", "1:"], "the last"],
  ["without one, and without the last", ["1:a:1", "1:a:3", "2:"], "2, the last"],
  ["backwards, without the first", ["1:a:3!", "1:a:2"], "1"],
  ["without another one than was told", ["1:a:1", "1:a:2", "2:", "1:a:4!"], "3"],
  ["each with a name of its own", ["1:a:1", "1:b:2", "1:c:3!", "2:"], ""],
  ["each with a name of its own, without one", ["1:a:1", "1:c:3!", "2:d:1", "2:e:2!"], "2"],
  ["of two statements a day", ["1:a:1", "1:b:1", "1:b:2!", "1:a:2!", "2:"], ""],
  ["of two statements a day of one id", ["1:a/S:1", "1:a/S:2!", "1:b/S:1", "1:b/S:3!"], "2"],
])("pages %s: %j, of which the operator is told %j", async (_, sent, told) => {
  const { programId, account } = await givenBank();
  for (const one of sent) await followStatement(toPage(one, account), "file.xml");
  const reasons = (await refusedOf({ programId })).map(({ reason }) => reason);
  const missing = reasons.map((one) => /have not come: (.*)\. If/.exec(one)?.[1]);
  expect(missing.join("; ")).toBe(told);
});

it("says what does not follow from what; other currencies and accounts are no concern of it", async () => {
  const { programId, account } = await givenBank();
  for (const [written, currency] of [
    [one, "EUR"],
    [four, "GBP"],
  ] as const) {
    const statement = toStatement(written, account);
    for (const given of [statement, { ...statement, currency }, { ...statement, account: "DE00" }])
      await followStatement(given, "file.xml");
  }
  const reason =
    "file.xml: Bal: it opens with 9.00 USD on 2026-11-04, but the statement before closed with 5.00 USD on 2026-11-01. One between them is missing. If it comes, this record goes.";
  expect(await refusedOf({ programId })).toMatchObject([{ port: "bank", reason, input: four }]);
});

it("tells once of one that comes several times at once", async () => {
  const { programId, account } = await givenBank();
  await followStatement(toStatement(one, account), "file.xml");
  const sent = [four, four, four, five].map((each) =>
    followStatement(toStatement(each, account), "file.xml"),
  );
  await Promise.all(sent);
  expect((await refusedOf({ programId })).map(({ input }) => input)).toEqual([four]);
});

it("tells once where the answer to its commit is lost, and where its file is read again", async () => {
  const { programId, account } = await givenBank();
  const follow = (written: string) => followStatement(toStatement(written, account), "file.xml");
  await follow(one);
  {
    using _ = injectFaults(firstCalls(2, "timeout-after-commit"));
    await follow(four);
  }
  {
    using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
    await expect(follow(two)).rejects.toThrow();
  }
  for (const again of [two, four, two, four]) await follow(again);
  expect((await refusedOf({ programId })).map(({ input }) => input)).toEqual([four]);
  await follow(three);
  expect(await refusedOf({ programId })).toEqual([]);
});
