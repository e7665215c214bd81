import { beforeAll, describe, expect, it, vi } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import { toAuthorizationId } from "../../../shared/adapters/authorization-identity.ts";
import { holds } from "../../../shared/authorizations/holds/hold.ts";
import { newId } from "../../../shared/platform/id.ts";
import { log } from "../../../shared/platform/log.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { type Cleared, clearingFileOf } from "../../shared/adapters/clearing-records.ts";
import { notificationOf } from "../../shared/adapters/iso20022/camt.ts";
import { givenBankFiles } from "./given-bank-files.ts";
import { type GivenFiles, givenFiles } from "./given-files.ts";
import { givenNumber } from "./given-number.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const incomplete = "A file was replaced or deleted before its end.";
const newFile = (...records: Cleared[]) => clearingFileOf(newId("event").slice(-20), ...records);

/** A second notification in the same file. */
const ofAccount = (account: string, entry: string) =>
  `<Ntfctn><Id>N2</Id><Acct><Id><IBAN>${account}</IBAN></Id></Acct>${entry}</Ntfctn>`;

/** Elements of an authorization that no clearing may name: a withdrawal at an ATM. */
const withdrawn = {
  retrievalReference: "RRN000000009",
  systemTrace: "000042",
  acquirer: "123456",
  transmittedAt: "1123120000",
};

/** Other tests of this process have refused inputs too. */
async function allRefused(before?: string): Promise<{ port: string; reason: string }[]> {
  const { items } = await operate("list-refused", { limit: 100, before });
  const last = items.at(-1);
  return last ? [...items, ...(await allRefused(last.refusedId))] : [];
}

describe("a file that is fed again", () => {
  it("goes on where the first one was not applied to its end", async () => {
    const { recordOf, balances } = await givenNumber();
    const content = newFile(...[1, 2, 3, 4].map((number) => recordOf(number)));
    const { message } = await files.put("clearing", content);
    {
      let calls = 0;
      using _ = injectFaults(({ command }) =>
        command === "TransactWriteItems" && ++calls > 2 ? "lost" : undefined,
      );
      expect(await files.handOver(message)).toBe(false);
    }
    expect(await balances()).toEqual([8000, 0, 8000]);
    const again = await files.feed("clearing", content);
    expect(again).toMatchObject({ status: "applied", records: 4, rejected: [] });
    expect(again.applied + again.duplicates).toBe(4);
    expect(await balances()).toEqual([6000, 0, 6000]);
    // The first one's message comes again, too.
    await files.handOverAll(message);
    expect(await files.feed("clearing", content)).toMatchObject({ status: "duplicate", duplicates: 4 });
    expect(await balances()).toEqual([6000, 0, 6000]);
  });

  it("applies the records that were rejected, once their cause is mended, and no other again", async () => {
    const { programId, account, creditOf, available, feed } = await givenBankFiles(files);
    const later = makeIban(newId("program"));
    await feed(creditOf(1));
    const content = notificationOf(account, creditOf(1)).replace(
      "</Ntfctn>",
      `</Ntfctn>${ofAccount(later, creditOf(2))}`,
    );
    for (const applied of [0, 0, 1]) {
      if (applied > 0) await operate("set-bank-account", { programId, bankAccount: later });
      expect(await files.feed("bank", content)).toMatchObject({
        ...{ status: "applied", applied, duplicates: 1 },
        rejected: applied > 0 ? [] : [{ record: 2, reason: `No Program collects on ${later}.` }],
      });
    }
    expect(await files.feed("bank", content)).toMatchObject({ status: "duplicate", duplicates: 2 });
    expect(await available()).toBe(200);
  });

  it("is applied anew where it is another version under the same name", async () => {
    const { recordOf, balances } = await givenNumber();
    const name = newId("event");
    const first = await files.put("clearing", newFile(recordOf(1), recordOf(2)), name);
    {
      let calls = 0;
      using _ = injectFaults(({ command }) =>
        command === "TransactWriteItems" && ++calls > 1 ? "lost" : undefined,
      );
      expect(await files.handOver(first.message)).toBe(false);
    }
    const second = await files.put("clearing", newFile(recordOf(3), recordOf(4), recordOf(5)), name);
    using logged = vi.spyOn(log, "error");
    await files.handOverAll(first.message);
    expect(files.isThere(`in/clearing/${name}`)).toBe(true);
    await files.handOverAll(second.message);
    await files.handOverAll(second.message);
    expect(logged.mock.calls).toEqual([[incomplete, { file: `in/clearing/${name}`, etag: first.etag }]]);
    expect(files.report("clearing", name)).toMatchObject({
      ...{ etag: second.etag, records: 3, applied: 3, duplicates: 0 },
    });
    expect(files.progress("clearing", name)).toEqual([]);
    expect(await balances()).toEqual([6000, 0, 6000]);
  });

  it("is reported and kept where it was replaced before its first record, whichever message comes first", async () => {
    const { recordOf, balances } = await givenNumber();
    for (const order of [0, 1]) {
      const name = newId("event");
      const first = await files.put("clearing", newFile(recordOf(order)), name);
      const second = await files.put("clearing", newFile(recordOf(order + 2)), name);
      const messages = [first.message, second.message];
      using logged = vi.spyOn(log, "error");
      for (const message of order === 0 ? messages : messages.toReversed()) await files.handOverAll(message);
      await files.handOverAll(first.message);
      expect(logged).toHaveBeenCalledOnce();
      const gone = {
        file: name,
        etag: first.etag,
        status: "incomplete",
        records: 0,
        applied: 0,
        rejected: [],
      };
      expect(files.report("clearing", name, first.etag)).toMatchObject(gone);
      const done = { file: name, etag: second.etag, status: "applied", applied: 1 };
      expect(files.report("clearing", name)).toMatchObject(done);
      expect(files.report("clearing", name, second.etag)).toMatchObject(done);
      const kept = (await allRefused()).filter(({ reason }) =>
        reason.startsWith(`${name}, version ${first.etag}: `),
      );
      expect(kept).toMatchObject([{ port: "clearing" }]);
      expect(files.progress("clearing", name)).toEqual([]);
    }
    expect(await balances()).toEqual([8000, 0, 8000]);
  });

  it("is kept once where it was replaced, also if it is killed before its report", async () => {
    const { recordOf } = await givenNumber();
    const first = await files.put("clearing", newFile(recordOf(1)), newId("event"));
    await files.put("clearing", newFile(recordOf(2)), first.name);
    for (const _ of ["killed", "again"]) {
      await files.handOverAll(first.message);
      files.removeReport("clearing", first.name, first.etag);
    }
    const { items } = await operate("list-refused", { limit: 100 });
    const kept = items.filter(({ reason }) => reason.startsWith(`${first.name}, version ${first.etag}: `));
    expect(kept).toMatchObject([
      {
        reason: expect.stringContaining("If its records are still meant, feed it again under another name."),
      },
    ]);
  });

  it("has a report of its own where another version under its name is done", async () => {
    const { account, creditOf, available } = await givenBankFiles(files);
    const first = await files.put("bank", notificationOf(account, creditOf(1)), newId("event"));
    await files.handOverAll(first.message);
    const content = notificationOf(account, creditOf(1), creditOf(2));
    const second = await files.put("bank", content, first.name);
    await files.handOverAll(second.message);
    expect(files.report("bank", first.name)).toMatchObject({ etag: second.etag, applied: 1, duplicates: 1 });
    expect(files.report("bank", first.name, first.etag)).toMatchObject({ etag: first.etag, applied: 1 });
    expect(await available()).toBe(200);
  });
});

describe("a clearing record that was rejected", () => {
  it("leaves its reference to a corrected one, which counts once", async () => {
    const { programId, apply, recordOf, balances } = await givenNumber();
    const authorizationId = toAuthorizationId(withdrawn);
    await apply({ kind: "authorization", authorizationId, amount: 1000 });
    const withdrawal = { transId: newId("transaction"), amountMinor: 1000, disputable: [], isCleared: true };
    await holds.at(programId, authorizationId).updateNow({ set: { withdrawal } });
    const wrong = newFile(recordOf(1, withdrawn));
    for (const _ of [1, 2]) {
      const report = await files.feed("clearing", wrong);
      expect(report).toMatchObject({ applied: 0, rejected: [{ record: 1, line: 2 }] });
    }
    const corrected = recordOf(1, { amount: 700 });
    const both = await Promise.all([1, 2].map(() => files.put("clearing", newFile(corrected))));
    const ended = await Promise.all(both.map(({ message }) => files.handOver(message)));
    // Of two that meet at one record, one may fail. Its message comes again.
    const failed = both.filter((_, index) => !ended[index]);
    for (const { message } of failed) expect(await files.handOver(message)).toBe(true);
    const reports = both.map(({ name }) => files.report("clearing", name));
    expect(reports.map(({ applied }) => applied).toSorted()).toEqual([0, 1]);
    // It says something else than the one that counts.
    const rejected = [{ record: 1, reason: expect.stringContaining("another record") }];
    expect(await files.feed("clearing", wrong)).toMatchObject({ applied: 0, duplicates: 0, rejected });
    expect((await balances())[2]).toBe(9300);
  });
});
