import { beforeAll, describe, expect, it, vi } from "vitest";
import { readBankFiles } from "../../../functions/files/bank-files.ts";
import { iso20022 } from "../../../shared/adapters/iso20022/iso20022.ts";
import type { BankStatement } from "../../../shared/contract/bank.ts";
import { applyBankEvent } from "../../../shared/deposits/bank/apply-bank-event.ts";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { log } from "../../../shared/platform/log.ts";
import { refusedFor, refusedOf } from "../../harness/refused.ts";
import { storedItems } from "../../harness/stored.ts";
import {
  amountOf,
  collectedOn,
  detailsOf,
  entryOf,
  entryOfAmount,
  notificationOf,
  refsOf,
  returnOf,
  statementOf,
  textOf,
} from "../../shared/adapters/iso20022/camt.ts";
import { givenBankFiles } from "./given-bank-files.ts";
import { type GivenFiles, givenFiles } from "./given-files.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const givenBank = () => givenBankFiles(files);

describe("a bank's file", () => {
  it("has its statements followed in order of each account, and accounts at once", async () => {
    const sent = ["A1", "A2", "B1"];
    const toStatement = (written: string): BankStatement => ({
      ...{ account: written.charAt(0), currency: "USD", statement: written, input: written },
    });
    const readFile: typeof iso20022.readFile = (_, note) => {
      for (const one of sent) note?.(toStatement(one));
      return [];
    };
    const begun: string[] = [];
    const both = Promise.withResolvers<void>();
    const follow = async ({ statement }: BankStatement) => {
      begun.push(statement);
      if (begun.length === 2) both.resolve();
      await both.promise;
    };
    vi.spyOn(filesBucket, "read").mockResolvedValueOnce(new Uint8Array(1));
    const file = { kind: "bank", name: "f", key: "in/bank/f", etag: "e", bytes: 1 } as const;
    const format = readBankFiles({ ...iso20022, readFile }, vi.fn(), follow);
    const opened = await format.open(file, undefined, () => false);
    if (!opened || !("end" in opened)) throw new Error("It is not open.");
    await opened.end?.();
    expect(begun).toEqual(["A1", "B1", "A2"]);
  });

  it("is applied once, reported, and deleted", async () => {
    const { account, creditOf, available, feed } = await givenBank();
    const report = await feed(creditOf(1), creditOf(2), creditOf(3, "nobody"));
    expect(report).toEqual({
      file: report.file,
      etag: expect.any(String),
      status: "applied",
      records: 3,
      applied: 2,
      duplicates: 0,
      suspense: 1,
      rejected: [],
      sums: [
        {
          currency: "USD",
          entries: { count: 3, amount: 300 },
          booked: { count: 2, amount: 200 },
          suspense: { count: 1, amount: 100 },
          refused: { count: 0, amount: 0 },
          known: { count: 0, amount: 0 },
        },
      ],
      addsUp: true,
    });
    expect(files.isThere(`in/bank/${report.file}`)).toBe(false);
    expect(files.progress("bank", report.file)).toEqual([]);
    const again = await feed(creditOf(1), creditOf(2), creditOf(3, "nobody"));
    expect(again).toMatchObject({ status: "duplicate", records: 3, applied: 0, duplicates: 3 });
    const overlapping = await files.feed("bank", notificationOf(account, creditOf(2), creditOf(4)));
    expect(overlapping).toMatchObject({ status: "applied", applied: 1, duplicates: 1 });
    expect(await available()).toBe(300);
  });

  it("rejects single records with their place and reason, and keeps them", async () => {
    const { creditOf, available, feed } = await givenBank();
    const report = await feed(creditOf(1), entryOf().replace("12.50", "0"), creditOf(2));
    expect(report).toMatchObject({
      status: "applied",
      applied: 2,
      rejected: [{ record: 2, line: 5, reason: 'Amt is not allowed: "0".' }],
    });
    expect(await available()).toBe(200);
    const [kept] = await refusedFor(`${report.file}, record 2, line 5: Amt`);
    expect(kept).toMatchObject({ port: "bank" });
  });

  it("keeps a record whose fault is longer than an item, and applies the others", async () => {
    const { creditOf, available, feed } = await givenBank();
    const report = await feed(creditOf(1), entryOf().replace("12.50", "9".repeat(500_000)), creditOf(2));
    expect(report).toMatchObject({ status: "applied", applied: 2, rejected: [{ record: 2 }] });
    expect(await available()).toBe(200);
    const [kept] = await refusedFor(`${report.file}, record 2, line 5: Amt`);
    expect(kept).toMatchObject({ port: "bank", isCut: true });
  });

  it("keeps for the operator that a statement does not follow from the one before, until that comes", async () => {
    const { programId, account } = await givenBank();
    const bank = (type: string, amount: string, day: number) =>
      `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-0${day}</Dt></Dt></Bal>`;
    const feed = (day: number) => {
      const balances = bank("OPBD", `${day}.00`, day) + bank("CLBD", `${day + 1}.00`, day);
      const text = notificationOf(account, balances, entryOf().replace("12.50", "1.00"));
      return files.feed("bank", text.replace("camt.054", "camt.053").replaceAll("Ntfctn>", "Stmt>"));
    };
    await feed(1);
    expect(await feed(3)).toMatchObject({ status: "applied", records: 1, rejected: [] });
    const [kept, ...others] = await refusedOf({ programId });
    expect(kept?.reason).toContain(
      "it opens with 3.00 USD on 2026-11-03, but the statement before closed with 2.00 USD",
    );
    expect(others).toEqual([]);
    await feed(2);
    expect(await refusedOf({ programId })).toEqual([]);
  });

  it.each(["of a record", "of the file"])(
    "keeps a fault %s once, though two invocations have its message",
    async (of) => {
      const { account, creditOf, available } = await givenBank();
      const text = notificationOf(account, creditOf(1), entryOf().replace("12.50", "0"));
      const whole = of === "of a record";
      const { name, message } = await files.put("bank", whole ? text : text.replace("</Document>", ""));
      const done = await Promise.all([1, 2, 3].map(() => files.handOver(message)));
      expect(done).toEqual([true, true, true]);
      expect(files.report("bank", name)).toMatchObject({ status: whole ? "applied" : "refused" });
      expect(await refusedFor(name)).toHaveLength(1);
      expect(await available()).toBe(whole ? 100 : 0);
    },
  );

  it("is refused whole if it is not well-formed, moves nothing, and can be fed again when it is mended", async () => {
    const { programId, account, creditOf, available } = await givenBank();
    const good = notificationOf(account, creditOf(1), creditOf(2));
    const before = await storedItems(programId);
    const report = await files.feed("bank", good.replace("</Document>", ""));
    expect(report).toMatchObject({ status: "refused", records: 0, applied: 0, rejected: [{ record: 3 }] });
    expect(await storedItems(programId)).toEqual(before);
    expect(await refusedFor(report.file)).toHaveLength(1);
    expect(await files.feed("bank", good)).toMatchObject({ status: "applied", applied: 2 });
    expect(await available()).toBe(200);
  });

  it("returns deposits", async () => {
    const { account, reference, creditOf, available, feed } = await givenBank();
    await feed(creditOf(1), creditOf(2));
    const returned = (number: number) =>
      `<OrgnlTxId>${reference}-${number}</OrgnlTxId>${collectedOn(account)}`;
    const report = await files.feed("bank", returnOf(returned(1), returned(9), returned(1)));
    expect(report).toMatchObject({ applied: 1, duplicates: 1, rejected: [{ record: 2 }] });
    expect(await available()).toBe(100);
    // Remembered: it is returned as it comes.
    expect(await feed(creditOf(9))).toMatchObject({ applied: 1 });
    expect(await available()).toBe(100);
  });

  it.each([
    { announced: undefined, outcomes: { applied: 2, suspense: 0 }, left: 200 },
    { announced: 200, outcomes: { applied: 0, suspense: 2 }, left: 200 },
    { announced: 100, outcomes: { applied: 1, duplicates: 1, suspense: 0 }, left: 200 },
  ])(
    "credits each transaction that repeats its entry's reference, unless a webhook has ($announced)",
    async ({ announced: amount, outcomes, left }) => {
      const { programId, wallet, reference, available, feed } = await givenBank();
      const part = refsOf(reference) + amountOf("1.00") + textOf(wallet);
      const content = entryOf(`<AcctSvcrRef>${reference}</AcctSvcrRef>`, detailsOf(part, part));
      if (amount !== undefined) {
        const references = { accountServicer: reference };
        const kind = "deposited" as const;
        const event = { kind, references, remittance: [wallet], amount, currency: "USD" };
        expect(await applyBankEvent({ event, origin: "webhook:1", programId })).toMatchObject({
          status: "applied",
        });
      }
      expect(await feed(content)).toMatchObject(outcomes);
      // In another file of the same records, each is known.
      expect(await feed(content, "<!-- -->")).toMatchObject({ applied: 0, duplicates: 2, suspense: 0 });
      expect(await available()).toBe(left);
    },
  );

  it("has its first report when its message comes again, also after it is done", async () => {
    const { account, creditOf, available } = await givenBank();
    const { name, message } = await files.put("bank", notificationOf(account, creditOf(1)));
    expect(await Promise.all([1, 2, 3].map(() => files.handOver(message)))).toContain(true);
    await files.handOver(message);
    expect(files.report("bank", name)).toMatchObject({ status: "applied", applied: 1, duplicates: 0 });
    expect(await available()).toBe(100);
  });

  it("has two notifications of one name: what is equal in both may be one credit", async () => {
    const { account, wallet, reference, available } = await givenBank();
    const feed = (references: string, blank = "") => {
      const details = detailsOf(references + amountOf("1.00") + textOf(wallet));
      const text = notificationOf(account, entryOf(details) + blank);
      return files.feed("bank", text.replace(/<Ntfctn>.*<\/Ntfctn>/s, "$&$&"));
    };
    expect(await feed("")).toMatchObject({ applied: 1, suspense: 1, duplicates: 0 });
    expect(await feed("", " ")).toMatchObject({ applied: 0, suspense: 0, duplicates: 2 });
    expect(await feed(refsOf(reference))).toMatchObject({ applied: 1, duplicates: 1 });
    expect(await available()).toBe(200);
  });

  it.each([true, false])(
    "may have the sum of what another one tells in parts: it waits (parts first: %s)",
    async (isPartsFirst) => {
      const { account, wallet, reference, available } = await givenBank();
      const day = "<BookgDt><Dt>2026-11-24</Dt></BookgDt>";
      const parts = [1, 2, 3].map(
        (number) => refsOf(`${reference}-${number}`) + amountOf("1.00") + textOf(wallet),
      );
      const sum = `<AcctSvcrRef>S${reference}</AcctSvcrRef><AddtlNtryInf>${wallet}</AddtlNtryInf>`;
      const told = notificationOf(account, entryOf(day, detailsOf(...parts)));
      const whole = statementOf(notificationOf(account, entryOfAmount("3.00", day, sum)));
      const other = whole
        .replace("24<", "25<")
        .replace("S1<", "S2<")
        .replace(`S${reference}`, `T${reference}`);
      const [one, two] = isPartsFirst ? [told, whole] : [whole, told];
      expect(await files.feed("bank", one)).toMatchObject({ applied: isPartsFirst ? 3 : 1 });
      expect(await files.feed("bank", two)).toMatchObject({ applied: 0, suspense: isPartsFirst ? 1 : 3 });
      expect(await available()).toBe(300);
      expect(await files.feed("bank", other)).toMatchObject({ applied: 1, suspense: 0 });
    },
  );

  it("is left alone where it lies in no known folder", async () => {
    using logged = vi.spyOn(log, "warn");
    for (const folder of ["other", "bank/2026"]) {
      const { name, message } = await files.put(folder as never, "text");
      expect(await files.handOver(message)).toBe(true);
      const file = `in/${folder}/${name}`;
      expect(logged).toHaveBeenLastCalledWith(expect.any(String), { file });
      expect([files.isThere(file), files.isThere(`reports/${folder}`)]).toEqual([true, false]);
    }
  });

  it("is refused unread if it is too large", async () => {
    const { name, message } = await files.put("bank", "x");
    const { detail } = message as { detail: { object: object } };
    Object.assign(detail.object, { size: 32 * 1024 * 1024 + 1 });
    expect(await files.handOver(message)).toBe(true);
    const reason = "The file is larger than 33554432 bytes.";
    expect(files.report("bank", name)).toMatchObject({ status: "refused", rejected: [{ reason }] });
  });
});
