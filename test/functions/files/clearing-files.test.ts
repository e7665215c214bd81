import { beforeAll, describe, expect, it } from "vitest";
import { toAuthorizationId, toFirstKeys } from "../../../shared/adapters/authorization-identity.ts";
import { TransactionType } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { connections } from "../../../shared/tenancy/connections/connection.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { setAttributes } from "../../harness/given-network.ts";
import { storedItems } from "../../harness/stored.ts";
import { type Cleared, clearingFileOf } from "../../shared/adapters/clearing-records.ts";
import { usageOf } from "../processor-events/usage-of.ts";
import { type GivenFiles, givenFiles } from "./given-files.ts";
import { givenNumber } from "./given-number.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const feed = (...records: Cleared[]) =>
  files.feed("clearing", clearingFileOf(newId("event").slice(-20), ...records));

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

  it("settles authorizations, wholly or in part, and posts what has none", async () => {
    const { apply, recordOf, balances, records } = await givenNumber();
    const elements = {
      retrievalReference: "RRN000000001",
      systemTrace: "000042",
      acquirer: "123456",
      transmittedAt: "1123120000",
    };
    const authorizationId = toAuthorizationId(elements);
    await apply({ kind: "authorization", authorizationId, amount: 3000 });
    const part = { ...elements, amount: 1000, extent: "P" };
    const report = await feed(recordOf(1, part));
    expect(report).toMatchObject({ status: "applied", records: 1, applied: 1, rejected: [] });
    expect(await balances()).toEqual([7000, 2000, 9000]);
    await feed(recordOf(2, { ...elements, amount: 1500 }), recordOf(3, { amount: 100 }));
    expect(await balances()).toEqual([7400, 0, 7400]);
    await feed(recordOf(4, { ...elements, systemTrace: "000043", amount: 200 }));
    await feed(recordOf(5, { direction: "C", amount: 50, srcCurrency: "978", srcAmount: 45 }));
    expect(await balances()).toEqual([7250, 0, 7250]);
    const settled = (await records()).filter(({ transType }) => transType !== TransactionType.authorization);
    expect(settled.map(({ transType }) => transType)).toContain(TransactionType.refund);
    expect(settled.at(-1)).toMatchObject({ merchantName: "CORNER SHOP", mcc: "5411", srcAmountMinor: 45 });
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

  it("rejects a record of a Program with another processor, which settles it itself", async () => {
    const { programId, recordOf, balances } = await givenNumber();
    const connection = { connectionId: newId("connection"), port: "processor", adapter: "marqeta" } as const;
    await connections.at(programId, "processor").createNow(connection);
    const record = recordOf(1);
    const reason = "12-30: the Card's Program is connected to another processor";
    const rejected = [{ record: 1, line: 2, reason }];
    expect(await feed(record)).toMatchObject({ status: "applied", applied: 0, rejected });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    const { items } = await operate("list-refused", { limit: 100 });
    expect(items.filter((one) => one.programId === programId)).toMatchObject([{ port: "clearing" }]);
    await connections.at(programId, "processor").deleteNow();
    expect(await feed(record)).toMatchObject({ applied: 1, rejected: [] });
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

  it("applies a record once: in the file, in later files, and in two files at once", async () => {
    const { recordOf, balances } = await givenNumber();
    const within = await feed(recordOf(1), recordOf(1), recordOf(2));
    expect(within).toMatchObject({ records: 3, applied: 2, duplicates: 1 });
    expect(await feed(recordOf(2), recordOf(3))).toMatchObject({ applied: 1, duplicates: 1 });
    const both = await Promise.all(
      ["A", "B"].map((id) =>
        files.put("clearing", clearingFileOf(id, recordOf(4), recordOf(5), recordOf(6))),
      ),
    );
    await Promise.all(both.map(({ message }) => files.handOver(message)));
    const reports = both.map(({ name }) => files.report("clearing", name));
    expect(reports.map(({ applied, duplicates }) => applied + duplicates)).toEqual([3, 3]);
    expect(reports.map(({ applied }) => applied).reduce((sum, one) => sum + one)).toBe(3);
    expect(await balances()).toEqual([4000, 0, 4000]);
  });

  it("keeps records that have the reference of another one and say something else", async () => {
    const { recordOf, balances } = await givenNumber();
    const other = await givenNumber();
    const reference = recordOf(1);
    const { cardNumber } = other.recordOf(1);
    const changes: Partial<Cleared>[] = [
      { direction: "C" },
      { amount: 1001 },
      { extent: "P" },
      { merchant: "OTHER SHOP" },
      { interchange: "+000000000001" },
      { systemTrace: "000042" },
    ];
    const records = [reference, ...changes.map((change) => ({ ...reference, ...change }))];
    const reason = "102-124: another record has this reference and says something else";
    const rejected = changes.map((_, index) => ({ record: index + 2, reason }));
    const report = await feed(...records);
    expect(report).toMatchObject({ applied: 1, duplicates: 0, rejected });
    // Records of different Cards are applied side by side: this one would be first or second.
    const ofOther = await feed({ ...reference, cardNumber });
    expect(ofOther).toMatchObject({ applied: 0, duplicates: 0, rejected: [{ record: 1, reason }] });
    expect(await feed(...records.toReversed(), reference)).toMatchObject({ applied: 0, duplicates: 2 });
    expect(await balances()).toEqual([9000, 0, 9000]);
    expect(await other.balances()).toEqual([10_000, 0, 10_000]);
  });

  it("leaves the reference of a rejected record to one that says something else", async () => {
    const { recordOf, balances } = await givenNumber();
    const record = recordOf(1);
    const rejected = [{ record: 1, reason: expect.stringContaining("45-47") }];
    expect(await feed({ ...record, currency: "978" })).toMatchObject({ applied: 0, rejected });
    expect(await feed({ ...record, amount: 700 })).toMatchObject({ applied: 1, rejected: [] });
    expect(await feed(record)).toMatchObject({ applied: 0, duplicates: 0, rejected: [{ record: 1 }] });
    expect(await balances()).toEqual([9300, 0, 9300]);
  });

  it("rejects a record whose reference code an event of the network has settled, and keeps it", async () => {
    const { apply, recordOf, balances } = await givenNumber();
    const { referenceCode } = recordOf(1);
    await apply({ kind: "clearing", amount: 500, referenceCode });
    const rejected = [{ record: 1, reason: "the record cannot be applied: REFERENCE_EXISTS" }];
    expect(await feed(recordOf(1), recordOf(2))).toMatchObject({ applied: 1, rejected });
    expect(await feed(recordOf(1))).toMatchObject({ applied: 0, rejected });
    expect(await balances()).toEqual([8500, 0, 8500]);
  });

  it("is a duplicate with the same content, under any name", async () => {
    const { recordOf, balances } = await givenNumber();
    const content = clearingFileOf("SAME", recordOf(1));
    expect(await files.feed("clearing", content)).toMatchObject({ status: "applied", applied: 1 });
    expect(await files.feed("clearing", content)).toMatchObject({ status: "duplicate", duplicates: 1 });
    expect(await balances()).toEqual([9000, 0, 9000]);
  });

  it("rejects records of unknown numbers and other currencies alone, which can come again", async () => {
    const { programId, cardId, recordOf, balances } = await givenNumber();
    const report = await feed(
      recordOf(1, { cardNumber: "4111111111111111" }),
      recordOf(2),
      recordOf(3, { currency: "978" }),
      recordOf(4, { amount: 0 }),
    );
    expect(report).toMatchObject({
      status: "applied",
      applied: 1,
      rejected: [
        { record: 1, line: 2, reason: "12-30 is not the number of a Card" },
        { record: 3, line: 4, reason: "45-47 is 978, the Card's currency is 840" },
        { record: 4, line: 5, reason: "33-44 must be an amount from 1 to 100000000000" },
      ],
    });
    const { items } = await operate("list-refused", { limit: 10 });
    const kept = items.filter(({ reason }) => reason.includes(report.file));
    expect(kept).toHaveLength(3);
    for (const { refusedId } of kept) {
      const { input } = await operate("view-refused", { refusedId });
      expect(input).toMatch(/^DET\*+ /);
    }
    expect(await feed(recordOf(1), recordOf(3))).toMatchObject({ applied: 2 });
    expect(await balances()).toEqual([7000, 0, 7000]);
    await setAttributes(programId, cardId, { issuerCardStatus: 3 });
    expect(await feed(recordOf(5))).toMatchObject({ applied: 1 });
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
