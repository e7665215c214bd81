import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { isPaymentPending, makeFiles } from "../../../shared/payments/make-files.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { withoutPrefix } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { type GivenFiles, givenFiles } from "../files/given-files.ts";
import { givenBank, statusFile } from "./given-bank.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});
afterEach(() => void vi.useRealTimers());

/** As one that is killed before the upload. */
async function killMaker(programId: string): Promise<void> {
  const write = vi.spyOn(filesBucket, "write").mockRejectedValueOnce(new Error("killed"));
  await expect(makeFiles(programId)).rejects.toThrow("killed");
  write.mockRestore();
}

describe("a file of payments", () => {
  it("is ended by the next one who comes, if its maker was killed before the upload", async () => {
    const { programId, created, view } = await givenBank(files);
    const payout = await created();
    await killMaker(programId);
    const { fileId } = await view(payout.payoutId);
    const later = await created({ amount: 77 });
    const made = await makeFiles(programId);
    expect(made.map((one) => [one.fileId, one.count])).toEqual([
      [fileId, 1],
      [expect.any(String), 1],
    ]);
    const { xml } = await operate("view-payment-file", { fileId: fileId ?? "" });
    expect([xml.includes(payout.endToEndId), xml.includes(later.endToEndId)]).toEqual([true, false]);
  });

  it("is ended within minutes after a kill, also by a Program with an hour of its own", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 2, 4, 16, 20) });
    const { program, programId, created, view } = await givenBank(files);
    const path = { programId };
    await program.call("PUT /account/programs/{programId}/settings", { path, body: { cutOff: 16 } });
    const { payoutId } = await created();
    vi.setSystemTime(Date.UTC(2031, 2, 5, 16, 1));
    await killMaker(programId);
    expect(await view(payoutId)).toMatchObject({ status: "sent" });
    vi.setSystemTime(Date.UTC(2031, 2, 5, 16, 5));
    await sweepDeadlines();
    expect((await operate("list-payment-files", { programId })).items).toMatchObject([{ count: 1 }]);
  });

  it("is made minutes after it failed at the Program's hour, not a day", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 2, 4, 15, 20) });
    const { program, programId, created, view } = await givenBank(files);
    const path = { programId };
    await program.call("PUT /account/programs/{programId}/settings", { path, body: { cutOff: 16 } });
    const { payoutId } = await created();
    vi.setSystemTime(Date.UTC(2031, 2, 4, 16, 0, 30));
    {
      using _ = injectFaults(({ command, input }) =>
        command === "TransactWriteItems" && JSON.stringify(input).includes("PAYMENT_FILE")
          ? "lost"
          : undefined,
      );
      await sweepDeadlines();
    }
    expect(await view(payoutId)).toMatchObject({ status: "pending" });
    vi.setSystemTime(Date.UTC(2031, 2, 4, 16, 5));
    await sweepDeadlines();
    expect(await view(payoutId)).toMatchObject({ status: "sent" });
  });

  it("has a payment that an earlier version left pending, without the time since when", async () => {
    const { programId, created, view } = await givenBank(files);
    const { payoutId } = await created();
    const TableName = environment.issuingTable;
    const Key = { pk: `${programId}#PENDING_PAYMENTS#pain.001`, sk: `PENDING#${withoutPrefix(payoutId)}` };
    const ConditionExpression = "attribute_exists(sinceMs)";
    const removal = { UpdateExpression: "REMOVE sinceMs", ConditionExpression };
    await table.send(new UpdateCommand({ TableName, Key, ...removal }));
    expect(await isPaymentPending(programId)).toBe(true);
    expect(await makeFiles(programId)).toMatchObject([{ count: 1 }]);
    expect(await view(payoutId)).toMatchObject({ status: "sent" });
  });
});

describe("a status", () => {
  async function given(count: number) {
    const bank = await givenBank(files);
    const made: Awaited<ReturnType<typeof bank.created>>[] = [];
    for (let number = 0; number < count; number += 1) made.push(await bank.created({ amount: 100 }));
    const [file] = await makeFiles(bank.programId);
    const message = file?.fileId.slice(4) ?? "";
    /** The status of the first, or of what it is called, changed to a file's text. */
    const said = async (change: (text: string) => string, status: string, name = made[0]?.endToEndId) => {
      const report = await files.feed("bank", change(statusFile(name ?? "", status)));
      const statuses = made.map(async ({ payoutId }) => (await bank.view(payoutId)).status);
      return { report, statuses: await Promise.all(statuses) };
    };
    const group = (more: string) => (text: string) =>
      text.replace(
        "<OrgnlPmtInf",
        `<OrgnlGrpInfAndSts><OrgnlMsgId>${message}</OrgnlMsgId>${more}</OrgnlGrpInfAndSts>$&`,
      );
    return { made, file, message, group, said };
  }

  it("of the group is that of all its payments, more than a part has", async () => {
    const { file, group, said } = await given(15);
    expect(file).toMatchObject({ count: 15, sumMinor: 1_500, parts: 2 });
    const { statuses } = await said(group("<GrpSts>RJCT</GrpSts>"), "ACSC");
    expect(statuses).toEqual(["completed", ...Array(14).fill("rejected")]);
  });

  it("of a payment that is not known says nothing of the others of its file", async () => {
    const { group, said } = await given(1);
    const { report, statuses } = await said(group(""), "RJCT", "PAY0CUTBYTHEBANK");
    expect(report).toMatchObject({ applied: 0, rejected: [expect.anything()] });
    expect(statuses).toEqual(["sent"]);
  });

  it("of a group leaves those that have a status of their own, however they are written", async () => {
    const { made, message, said } = await given(2);
    const spaced = made[0]?.endToEndId.toLowerCase().replace(/(.{4})/g, "$1 ");
    const rejecting = (text: string) =>
      text
        .replace("<TxInf", "<PmtInfSts>RJCT</PmtInfSts><TxInf")
        .replace(">X<", `>${message.toLowerCase()}-1<`);
    expect((await said(rejecting, "ACSP", spaced)).statuses).toEqual(["sent", "rejected"]);
  });
});
