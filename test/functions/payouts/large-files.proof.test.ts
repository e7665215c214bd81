import { LambdaClient } from "@aws-sdk/client-lambda";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { readExternalAccount } from "../../../shared/external-accounts/external-account.ts";
import { applyReport } from "../../../shared/payments/apply-report.ts";
import { makeFiles } from "../../../shared/payments/make-files.ts";
import {
  fileParts,
  openFiles,
  type PaymentFile,
  paymentFiles,
  toPieces,
  type Upload,
} from "../../../shared/payments/payment-file.ts";
import { uploadFile } from "../../../shared/payments/upload-file.ts";
import { now, timestamp } from "../../../shared/platform/clock.ts";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { newId } from "../../../shared/platform/id.ts";
import { inLanes } from "../../../shared/platform/in-lanes.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { TimeUpError, withinTime } from "../../../shared/platform/time-budget.ts";
import { operate } from "../../harness/administration.ts";
import { interruptEach } from "../../harness/faults.ts";
import { type GivenFiles, givenFiles } from "../files/given-files.ts";
import { debitOf, givenBank, statusFile } from "./given-bank.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

/** More, to measure: `PAYMENTS=10000`. */
const many = Number(process.env.PAYMENTS ?? 300);
const sizes = new Set<number>();

async function readWhole(fileId: string): Promise<string> {
  let xml = "";
  for (let from: number | undefined = 0; from !== undefined; ) {
    const read: { xml: string; next?: number } = await operate("view-payment-file", { fileId, from });
    sizes.add(read.xml.length);
    xml += read.xml;
    from = read.next;
  }
  return xml;
}

/** How many parts of files the work reads. */
async function countParts(work: () => Promise<unknown>): Promise<number> {
  let parts = 0;
  const name = "count-parts";
  table.middlewareStack.add(
    (next) => (given) => {
      const { RequestItems = {} } = given.input as {
        RequestItems?: Record<string, { Keys?: { pk: string }[] }>;
      };
      const keys = Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys);
      parts += keys.filter(({ pk }) => pk.endsWith("#PARTS")).length;
      return next(given);
    },
    { step: "initialize", name },
  );
  try {
    await work();
    return parts;
  } finally {
    table.middlewareStack.remove(name);
  }
}

const day = (number: number) => timestamp(new Date(Date.UTC(2031, 2, 4 + number))).slice(0, 10);

/** A closed file whose payments are in its parts alone: writing it reads nothing else. */
async function givenClosed(parts: number, days = 2): Promise<PaymentFile> {
  const { programId, externalAccountId, account } = await givenBank(files);
  const { sealed } = await readExternalAccount(programId, externalAccountId);
  const fileId = newId("paymentFile");
  const orderOf = (number: number) => ({
    ...{ paymentId: `p${number}`, endToEndId: `PAY${number}E`, instrId: `${number}`, amountMinor: 100 },
    ...{ date: day((number + 1) % days), name: "Ana", country: "DE" },
    ...{ externalAccountId, sealed, reference: `${number} `.padEnd(140, "REFERENCE ") },
  });
  const numbers = Array.from({ length: parts }, (_, part) => part + 1);
  await inLanes(numbers, (number) => {
    const orders = Array.from({ length: 12 }, (_, index) => orderOf((number - 1) * 12 + index));
    return transact([fileParts.at(fileId, number).create({ programId, orders })]);
  });
  const file = {
    ...({ programId, fileId, kind: "pain.001", status: "closed", name: "A Program", account } as const),
    ...{ currency: "EUR", date: "2031-03-04", createdAt: timestamp(now()) },
    ...{ count: parts * 12, sumMinor: parts * 1_200, parts },
  };
  await transact([
    paymentFiles.at(programId, fileId).create(file),
    openFiles.at(programId, "pain.001").put({ fileId }),
  ]);
  return file;
}

describe("a file that is longer than one upload", () => {
  it("goes on where it was killed, begins anew where its upload is lost, and is the same bytes", async () => {
    const file = await givenClosed(1_300);
    const noted: Upload[] = [];
    const note = async (upload: Upload) => void noted.push(upload);
    await expect(withinTime(-1, () => uploadFile(file, note))).rejects.toThrow(TimeUpError);
    const complete = vi.spyOn(filesBucket, "completeUpload").mockRejectedValueOnce(new Error("killed"));
    await expect(uploadFile(file, note)).rejects.toThrow("killed");
    complete.mockRestore();
    expect(noted).toMatchObject([{ next: expect.any(Number), tags: [expect.any(String)] }]);
    await expect(operate("view-payment-file", { fileId: file.fileId })).rejects.toThrow("not ready");

    const write = vi.spyOn(filesBucket, "writePart");
    const [upload] = noted as [Upload];
    await transact([paymentFiles.at(file.programId, file.fileId).put({ ...file, upload })]);
    expect(await makeFiles(file.programId)).toMatchObject([{ fileId: file.fileId, status: "ready" }]);
    expect(write.mock.calls.map(([, { number }]) => number)).toEqual([2]);
    write.mockRestore();
    expect(await paymentFiles.at(file.programId, file.fileId).get()).not.toHaveProperty("upload");
    const xml = await readWhole(file.fileId);
    expect(xml.length).toBeGreaterThan(5_500_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000_000);
    const names = xml.match(/(?<=<EndToEndId>)[^<]*/g) ?? [];
    expect([names.length, new Set(names).size]).toEqual([15_600, 15_600]);
    expect(xml.match(/(?<=<NbOfTxs>)[^<]*/g)).toEqual(["15600", "7800", "7800"]);
    expect(xml.endsWith("</PmtInf></CstmrCdtTrfInitn></Document>\n")).toBe(true);

    await uploadFile({ ...file, upload: { uploadId: "lost", next: 30, tags: ["lost"] } }, note);
    expect((await readWhole(file.fileId)) === xml).toBe(true);
    await Promise.all([uploadFile(file, note), uploadFile(file, note)]);
    expect((await readWhole(file.fileId)) === xml).toBe(true);
    const past = { fileId: file.fileId, from: 100_000_000 };
    await expect(operate("view-payment-file", past)).rejects.toThrow("ends before");
  }, 900_000);
});

describe("a file of payments of many days", () => {
  it("asks the vault once for the accounts of many of its batches", async () => {
    const { programId } = await givenClosed(25, 100);
    const invoked = vi.spyOn(LambdaClient.prototype, "send");
    expect(await makeFiles(programId)).toMatchObject([{ status: "ready", count: 300 }]);
    expect(invoked.mock.calls.length).toBe(1);
    invoked.mockRestore();
  });

  it("keeps the names of 1,000 batches, and makes more anew: they would have no room in its item", async () => {
    const { programId, fileId } = await givenClosed(84, 1_008);
    const [ready] = await makeFiles(programId);
    expect([ready?.count, ready?.batchIds]).toEqual([1_008, undefined]);
    const { batchIds } = await toPieces(await paymentFiles.at(programId, fileId).require());
    expect(batchIds[`${day(1_007)} true `]).toBe(`${fileId.slice(4)}-1008`);
  }, 120_000);
});

describe("a file of hundreds of payments", () => {
  it("has each once, and the same bytes, after a kill before each of its commits", async () => {
    const { programId, created } = await givenBank(files);
    const made = await inLanes(
      Array.from({ length: 30 }, () => 0),
      () => created({ amount: 1 }),
      4,
    );
    let ready: PaymentFile[] = [];
    let kills = 0;
    // Each turn ends before its second commit, so that all together end before each of them.
    while (ready.length === 0 && kills < 20) {
      let commits = 0;
      using _kill = interruptEach(
        (command) => command.startsWith("TransactWrite"),
        async () => {
          commits += 1;
          if (commits > 1) throw new Error("Killed.");
        },
      );
      ready = await makeFiles(programId).catch((error: Error) => {
        expect(error.message).toBe("Killed.");
        return [];
      });
      kills += ready.length === 0 ? 1 : 0;
    }
    // It is begun, gets three parts, is closed, and is ready.
    expect(kills).toBe(5);
    expect(ready).toMatchObject([{ count: 30, sumMinor: 30, parts: 3 }]);
    const xml = await readWhole(ready[0]?.fileId ?? "");
    const names = xml.match(/(?<=<EndToEndId>)[^<]*/g) ?? [];
    expect(names.toSorted()).toEqual(made.map(({ endToEndId }) => endToEndId).toSorted());
    expect(await makeFiles(programId)).toEqual([]);
    expect((await operate("list-payment-files", { programId })).items).toHaveLength(1);
    if (ready[0]) await uploadFile(ready[0], async () => undefined);
    expect(await readWhole(ready[0]?.fileId ?? "")).toBe(xml);
  });

  it("has each once although its time is up again and again, and is claimed by one entry in several turns", async () => {
    const { programId, created, view, feed, balances } = await givenBank(files);
    const numbers = Array.from({ length: many }, (_, index) => index);
    const made = await inLanes(numbers, () => created({ amount: 1 }), 4);
    // The time is up early: the next one goes on, and has more, so that a slow machine ends.
    let ready: PaymentFile[] = [];
    let turns = 0;
    const started = process.hrtime.bigint();
    while (ready.length === 0) {
      ready = await withinTime(turns * 60, () => makeFiles(programId));
      turns += 1;
    }
    const [file] = ready;
    const took = Number(process.hrtime.bigint() - started) / 1e9;
    console.info(`${many} payments: ${took} s, ${process.memoryUsage.rss() / 1e6} MB`);
    expect(turns).toBeGreaterThan(1);
    expect(file).toMatchObject({ count: many, sumMinor: many });
    const fileId = file?.fileId ?? "";
    const xml = await readWhole(fileId);
    const names = xml.match(/(?<=<EndToEndId>)[^<]*/g) ?? [];
    expect(names.toSorted()).toEqual(made.map(({ endToEndId }) => endToEndId).toSorted());
    expect(await makeFiles(programId)).toEqual([]);

    const batch = `${fileId.slice(4)}-1`;
    const entry = {
      kind: "status",
      status: "completed",
      references: { message: batch.slice(0, -2) },
    } as const;
    const report = { event: entry, origin: "file#1", programId } as never;
    await expect(withinTime(-1, () => applyReport(report))).rejects.toThrow(TimeUpError);
    expect(await view(made[0]?.payoutId ?? "")).toMatchObject({ status: "sent" });
    const amount = (many / 100).toFixed(2);
    const debit = debitOf(amount, `<NtryDtls><Btch><PmtInfId>${batch}</PmtInfId></Btch></NtryDtls>`);
    const told = statusFile("X", "PDNG")
      .replace("<TxInf", "<PmtInfSts>ACSC</PmtInfSts><TxInf")
      .replace(">X<", `>${batch}<`);
    const { parts } = await paymentFiles.at(programId, fileId).require();
    const read = await countParts(async () =>
      expect(await feed(debit)).toMatchObject({ applied: 1, rejected: [], addsUp: true }),
    );
    expect(read).toBe(parts);
    expect(await countParts(() => files.feed("bank", told))).toBe(parts);
    expect(await feed(debit, debit)).toMatchObject({ duplicates: 1, rejected: [{}] });
    for (const one of [made[0], made.at(-1)])
      expect(await view(one?.payoutId ?? "")).toMatchObject({ status: "completed" });
    expect(await balances()).toMatchObject({ held: 0, ledger: 10_000 - many });
  }, 240_000);
});
