import { beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { reconcile } from "../../../shared/settlements/reconcile.ts";
import { newTally } from "../../../shared/settlements/tally.ts";
import { type Cleared, clearingFileOf } from "../../shared/adapters/clearing-records.ts";
import { type GivenFiles, givenFiles } from "../files/given-files.ts";
import { givenNumber } from "../files/given-number.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

/** The date in the header of the files. */
const date = "2026-11-23";
const fileOf = (...records: Cleared[]) => clearingFileOf(newId("event").slice(-20), ...records);

/** The report of the files' date, and of today, when they were posted. */
async function reportsOf(programId: string) {
  const at = Date.now();
  const [start, end] = [new Date(at - 3_600_000), new Date(at + 60_000)];
  const report = async (day: { date: string; start: Date; end: Date }) => {
    const tally = newTally();
    await reconcile(
      { programId, currency: 0, ...day },
      tally,
      async () => undefined,
      Number.POSITIVE_INFINITY,
    );
    return tally;
  };
  const long = { start: new Date(0), end: new Date(1) };
  return {
    ofFile: await report({ date, ...long }),
    ofPosting: await report({ date: "2031-01-01", start, end }),
    both: await report({ date, start, end }),
  };
}

describe("a clearing file", () => {
  it("is the network's side of its date, whenever it was posted", async () => {
    const { programId, recordOf } = await givenNumber();
    await files.feed(
      "clearing",
      fileOf(recordOf(1, { interchange: "+000000000012" }), recordOf(2, { direction: "C" })),
    );
    const { ofFile, both } = await reportsOf(programId);
    expect(ofFile).toMatchObject({ otherDay: 2, transactions: 0, missing: [], doubled: [], differing: [] });
    expect(ofFile.files).toMatchObject([{ records: 2 }]);
    expect(both).toMatchObject({
      matched: 2,
      interchange: 12,
      gross: 0,
      missing: [],
      doubled: [],
      differing: [],
    });
  });

  it("says no more when it is fed again, though only a part of it was rejected", async () => {
    const { programId, recordOf } = await givenNumber();
    const content = fileOf(recordOf(1), recordOf(2, { currency: "978" }));
    for (let times = 1; times <= 2; times += 1) await files.feed("clearing", content);
    const { both } = await reportsOf(programId);
    expect(both.files).toMatchObject([{ records: 2 }]);
    expect(both).toMatchObject({ matched: 1, doubled: [], differing: [] });
    expect(both.missing).toMatchObject([
      { side: "ledger", currency: "978", reason: "45-47 is 978, the Card's currency is 840" },
    ]);
  });

  it("has doubled records: within it, and of another file", async () => {
    const { programId, recordOf } = await givenNumber();
    await files.feed("clearing", fileOf(recordOf(1), recordOf(2), recordOf(1)));
    await files.feed("clearing", fileOf(recordOf(2)));
    const { both } = await reportsOf(programId);
    expect(both.doubled.map(({ referenceCode }) => referenceCode).toSorted()).toEqual(
      [1, 2].map((number) => recordOf(number).referenceCode),
    );
    expect(both).toMatchObject({ matched: 2, missing: [], differing: [] });
  });

  it("takes back what it said was missing once the record comes corrected", async () => {
    const { programId, recordOf } = await givenNumber();
    await files.feed("clearing", fileOf(recordOf(1, { currency: "978" })));
    expect((await reportsOf(programId)).both.missing).toHaveLength(1);
    await files.feed("clearing", fileOf(recordOf(1)));
    expect((await reportsOf(programId)).both).toMatchObject({
      matched: 1,
      missing: [],
      doubled: [],
      differing: [],
    });
  });

  it("settles an over-capture and parts of an authorization, and each matches", async () => {
    const { programId, recordOf, apply } = await givenNumber();
    await apply({
      kind: "authorization",
      authorizationId: "123456.RRN000000001.000042.1123120000",
      amount: 1_000,
    });
    const elements = {
      ...{ retrievalReference: "RRN000000001", systemTrace: "000042" },
      ...{ acquirer: "123456", transmittedAt: "1123120000" },
    };
    const parts = [
      recordOf(1, { ...elements, amount: 600, extent: "P" }),
      recordOf(2, { ...elements, amount: 900 }),
    ];
    await files.feed("clearing", fileOf(...parts));
    const { both } = await reportsOf(programId);
    expect(both).toMatchObject({ matched: 2, gross: 1_500, missing: [], doubled: [], differing: [] });
    expect(both.matching).toMatchObject({ settlements: 2 });
  });

  it("is missing what events have posted", async () => {
    const { programId, recordOf, apply } = await givenNumber();
    await files.feed("clearing", fileOf(recordOf(1)));
    const { transId } = await apply({ kind: "clearing", amount: 70 });
    const { both, ofPosting } = await reportsOf(programId);
    expect(both.missing).toMatchObject([{ side: "network", transId, amount: 70 }]);
    // Without a file of the day, the events are the network's side.
    expect(ofPosting).toMatchObject({ matched: 2, missing: [] });
  });
});
