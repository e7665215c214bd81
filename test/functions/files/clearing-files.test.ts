import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import { toAuthorizationId, toFirstKeys } from "../../../shared/adapters/authorization-identity.ts";
import { holds } from "../../../shared/authorizations/holds/hold.ts";
import { TransactionType } from "../../../shared/contract/enums.ts";
import { fileAttempts } from "../../../shared/contract/file-report.ts";
import { newId } from "../../../shared/platform/id.ts";
import { log } from "../../../shared/platform/log.ts";
import { connections } from "../../../shared/tenancy/connections/connection.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { printedOn, replacePlastic } from "../../harness/given-plastics.ts";
import { refusedFor } from "../../harness/refused.ts";
import { storedItems } from "../../harness/stored.ts";
import {
  type Cleared,
  clearingFileOf,
  detailOf,
  fileOf,
  headerOf,
  trailerOf,
} from "../../shared/adapters/clearing-records.ts";
import { notificationOf } from "../../shared/adapters/iso20022/camt.ts";
import { usageOf } from "../processor-events/usage-of.ts";
import { givenBankFiles } from "./given-bank-files.ts";
import { type GivenFiles, givenFiles } from "./given-files.ts";
import { givenNumber } from "./given-number.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const newFile = (...records: Cleared[]) => clearingFileOf(newId("event").slice(-20), ...records);
const feed = (...records: Cleared[]) => files.feed("clearing", newFile(...records));

describe("a clearing file", () => {
  it("counts in the usage of spend controls", async () => {
    const { programId, cardId, recordOf } = await givenNumber();
    const rules = { velocity: { amount: 50_000, window: "day" } } as const;
    const controls = await givenActiveControls({ programId, cardId }, [
      { owner: "program", rules },
      { owner: "card", rules },
    ]);
    expect(await feed(recordOf(1), recordOf(2))).toMatchObject({ status: "applied", applied: 2 });
    for (const controlId of controls)
      expect(await usageOf(programId, controlId)).toMatchObject({ used: { amount: 2_000, count: 2 } });
  });

  it("settles on the Card by the number that was lost: its hold, and what has none", async () => {
    const { programId, cardId, apply, cardNumber, recordOf, balances, records } = await givenNumber();
    const elements = {
      ...{ retrievalReference: "RRN000000009", systemTrace: "000049" },
      ...{ acquirer: "123456", transmittedAt: "1123120000" },
    };
    await apply({ kind: "authorization", authorizationId: toAuthorizationId(elements), amount: 3_000 });
    const made = await replacePlastic({ programId, cardId }, { reason: "lost" });
    const next = await printedOn({ programId, cardId }, made.plasticId);
    expect(next.cardNumber).not.toBe(cardNumber);
    expect(await feed(recordOf(1, { ...elements, amount: 3_000 }))).toMatchObject({ applied: 1 });
    expect(await balances()).toEqual([7_000, 0, 7_000]);
    const both = [recordOf(2, { amount: 100 }), recordOf(3, { amount: 50, cardNumber: next.cardNumber })];
    expect(await feed(...both)).toMatchObject({ applied: 2, rejected: [] });
    expect(await balances()).toEqual([6_850, 0, 6_850]);
    expect(await feed(recordOf(4, { direction: "C", amount: 70 }))).toMatchObject({ applied: 1 });
    expect(await balances()).toEqual([6_920, 0, 6_920]);
    const purchase = (await records()).find(
      ({ transType }) => transType === TransactionType.authorization_clearing,
    );
    const transId = String(purchase?.transId);
    expect(await apply({ kind: "chargeback", transId })).toMatchObject({ chargebackId: expect.any(String) });
    expect(await balances()).toEqual([9_920, 0, 9_920]);
  });

  it("settles an authorization that it names by another reference, or by the time of a repetition", async () => {
    const { apply, cardId, recordOf, balances } = await givenNumber();
    const at = (seconds: number) =>
      new Date(Date.now() + seconds * 1_000).toISOString().replace(/\D/g, "").slice(4, 14);
    const elements = { retrievalReference: "RRN000000002", systemTrace: "000052", acquirer: "123456" };
    const sent = { ...elements, transmittedAt: at(0) };
    for (const id of [sent, { ...sent, systemTrace: "000053" }].map(toAuthorizationId)) {
      const message = { key: toFirstKeys(id, cardId, 3000)[0], id, at: new Date().toISOString() };
      await apply({ kind: "authorization", authorizationId: id, amount: 3000, message });
    }
    await feed(recordOf(1, { ...sent, retrievalReference: "OWN000000001" }));
    expect(await balances()).toEqual([6000, 3000, 9000]);
    await feed(recordOf(2, { ...elements, systemTrace: "000053", transmittedAt: at(5) }));
    expect(await balances()).toEqual([8000, 0, 8000]);
    await feed(recordOf(3, { ...elements, systemTrace: "000054", transmittedAt: at(0) }));
    expect(await balances()).toEqual([7000, 0, 7000]);
  });

  it("knows a record that was applied before the Program changed its processor", async () => {
    const { programId, recordOf, balances } = await givenNumber();
    await feed(recordOf(1));
    const content = clearingFileOf("CHANGED", recordOf(2), recordOf(3), recordOf(1), recordOf(4));
    const { name, message } = await files.put("clearing", content);
    const connection = { connectionId: newId("connection"), port: "processor", adapter: "marqeta" } as const;
    {
      // Two records of the file are applied, then the invocation is killed.
      let commits = 0;
      using _ = injectFaults(({ command }) =>
        command === "TransactWriteItems" && ++commits > 2 ? "lost" : undefined,
      );
      expect(await files.handOver(message)).toBe(false);
    }
    await connections.at(programId, "processor").createNow(connection);
    const rejected = [{ record: 4, reason: expect.stringContaining("connected to another processor") }];
    expect(await files.handOver(message)).toBe(true);
    expect(files.report("clearing", name)).toMatchObject({ applied: 2, duplicates: 1, rejected });
    expect(await files.feed("clearing", content)).toMatchObject({ applied: 0, duplicates: 3, rejected });
    expect(await balances()).toEqual([7000, 0, 7000]);
  });

  it("is read with what a system puts behind it, or without its last line feed", async () => {
    const { recordOf, balances } = await givenNumber();
    for (const content of [`${newFile(recordOf(1))}\r\n`, newFile(recordOf(2)).slice(0, -1)])
      expect(await files.feed("clearing", content)).toMatchObject({ status: "applied", applied: 1 });
    expect(await balances()).toEqual([8000, 0, 8000]);
  });

  it("is refused whole if its trailer disagrees, and moves nothing", async () => {
    const { programId, recordOf } = await givenNumber();
    const before = await storedItems(programId);
    const content = clearingFileOf("F", recordOf(1), recordOf(2)).replace("TRL00000002", "TRL00000003");
    expect(await files.feed("clearing", content)).toMatchObject({
      status: "refused",
      records: 0,
      rejected: [{ record: 4, line: 4, reason: "the trailer counts 3 records, the file has 2" }],
    });
    expect(await storedItems(programId)).toEqual(before);
  });

  it("is finished by the same message after a failure anywhere, each record once and counted as applied", async () => {
    for (const command of ["TransactWriteItems", "PutItem"]) {
      for (const fault of ["lost", "timeout-after-commit"] as const) {
        const { recordOf, balances } = await givenNumber();
        const records = [1, 2, 3, 4, 5].map((number) => recordOf(number));
        const { name, message } = await files.put("clearing", clearingFileOf("FAULTY", ...records));
        {
          let calls = 0;
          using _ = injectFaults((call) => {
            if (call.command === command) calls += 1;
            return call.command === command && calls > 3 ? fault : undefined;
          });
          expect(await files.handOver(message)).toBe(false);
        }
        expect(await files.handOver(message)).toBe(true);
        const counted = { status: "applied", applied: 5, duplicates: 0, rejected: [] };
        expect(files.report("clearing", name)).toMatchObject(counted);
        expect(await balances()).toEqual([5000, 0, 5000]);
      }
    }
  });
});

const incomplete = "A file was replaced or deleted before its end.";

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
      expect(await refusedFor(`${name}, version ${first.etag}: `)).toMatchObject([{ port: "clearing" }]);
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
    expect(await refusedFor(`${first.name}, version ${first.etag}: `)).toMatchObject([
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

afterEach(() => {
  vi.restoreAllMocks();
});

const now = performance.now.bind(performance);

/** The time for records is up after the first write of each invocation. */
function shortInvocations() {
  let jumpedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + jumpedMs);
  return injectFaults(({ command }) => {
    if (command === "TransactWriteItems") jumpedMs += 9_000;
    return undefined;
  });
}

describe("a large file", () => {
  it("is handed over within a part, each invocation comes further, and each record counts once", async () => {
    const { recordOf, balances } = await givenNumber();
    const records = Array.from({ length: 12 }, (_, index) => recordOf(index, { amount: 1 }));
    const { name, message } = await files.put("clearing", clearingFileOf("LONG", ...records));
    {
      using _ = shortInvocations();
      expect(await files.handOver(message)).toBe(true);
      expect(files.progress("clearing", name)).toMatchObject([{ records: 12, done: 1, applied: 1 }]);
      const [next] = files.queue.take("files");
      expect(next?.body).toEqual({ ...(message as object), steps: 1 });
      expect(await files.handOverAll(message)).toBeGreaterThan(8);
    }
    expect(files.report("clearing", name)).toMatchObject({ records: 12, applied: 12, duplicates: 0 });
    expect(await balances()).toEqual([9988, 0, 9988]);
  });

  it("is handed over within its verification, which ends whatever its length", async () => {
    const lines = 12_000;
    const detail = detailOf(1, { referenceCode: "R", amount: 1 });
    const details = Array.from({ length: lines }, () => detail);
    const content = fileOf(headerOf("LARGE"), ...details, trailerOf(lines, lines + 1));
    const { name, message } = await files.put("clearing", content);
    let calls = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now() + 9_000 * calls++);
    expect(await files.handOver(message)).toBe(true);
    expect(files.progress("clearing", name)).toMatchObject([{ done: 0, verified: { read: 5_000 } }]);
    files.queue.take("files");
    expect(await files.handOverAll(message)).toBe(2);
    const reason = "the trailer's sum is 12001, the records' 12000";
    expect(files.report("clearing", name)).toMatchObject({
      status: "refused",
      rejected: [{ record: lines + 2, line: lines + 2, reason }],
    });
  });

  it("lists a thousand of its rejected records, and counts the others", async () => {
    const records = Array.from({ length: 1_003 }, (_, index) => ({
      referenceCode: `${newId("event").slice(-15)}${index}`,
      amount: 0,
    }));
    const report = await files.feed("clearing", clearingFileOf("WRONG", ...records));
    expect(report).toMatchObject({ status: "applied", records: 1_003, rejectedUnlisted: 3 });
    expect(report.rejected).toHaveLength(1_000);
    expect(report.rejected.at(-1)).toMatchObject({ record: 1_000, line: 1_001 });
  });
});

describe("a file that fails", () => {
  it("notes each attempt, and that the last one was the last, until a redrive ends it", async () => {
    const { recordOf, balances } = await givenNumber();
    const { name, message } = await files.put("clearing", clearingFileOf("FAILS", recordOf(1), recordOf(2)));
    for (const attempt of [1, fileAttempts]) {
      using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
      expect(await files.handOver(message, attempt)).toBe(false);
      const failure = { attempt, reason: expect.any(String), isFinal: attempt === fileAttempts };
      expect(files.progress("clearing", name)).toMatchObject([{ failure }]);
    }
    await files.handOverAll(message);
    expect(files.report("clearing", name)).toMatchObject({ status: "applied", applied: 2 });
    expect(files.progress("clearing", name)).toEqual([]);
    expect(await balances()).toEqual([8000, 0, 8000]);
  });

  it("without an end becomes a dead letter, and nothing of it is lost", async () => {
    const { recordOf, balances } = await givenNumber();
    const { name, message } = await files.put(
      "clearing",
      clearingFileOf("ENDLESS", recordOf(1, { amount: 1 })),
    );
    expect(await files.handOver({ ...(message as object), steps: 1_000_000 })).toBe(false);
    expect(files.isThere(`in/clearing/${name}`)).toBe(true);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await files.handOver({ ...(message as object), steps: 999_999 })).toBe(true);
    expect(files.report("clearing", name)).toMatchObject({ applied: 1 });
  });
});
