import { beforeAll, describe, expect, it } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { newId } from "../../../shared/platform/id.ts";
import { readProgram } from "../../../shared/tenancy/programs/program.ts";
import { operate } from "../../harness/administration.ts";
import { expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { holdCall } from "../../shared/lists/given-list.ts";
import { expectRejected, unknownProgram } from "./expect-rejected.ts";

let tenant: GivenTenant;
let programId: string;

beforeAll(async () => {
  tenant = await givenTenant(1);
  [programId = ""] = tenant.programIds;
});

const send = (event: object) => processor({ programId, eventId: newId("event"), ...event });

/** A deposit of 100 for a closed Card. */
async function suspended(kind: "deposit_pending" | "deposit_cleared" = "deposit_cleared") {
  const accountId = await givenStoredCard(programId, 3);
  const details = { accountType: 1, accountId, amount: 100, channel: "bank" };
  const { depositId, suspenseId } = (await send({ kind, ...details })) as Record<string, string>;
  return {
    programId,
    depositId: depositId ?? "",
    suspenseId: suspenseId ?? "",
    accountId,
    announced: details,
  };
}

const openIds = async (query: object = {}) =>
  (await operate("list-suspense", { programId, ...query })).items.map(({ suspenseId }) => suspenseId);

describe("list-suspense", () => {
  it("leaves out items that are settled while it reads, and continues after them", async () => {
    const after = (await suspended()).suspenseId;
    const settled = await suspended();
    const next = await suspended();
    const held = holdCall((input) => input.includes("RequestItems"));
    const listing = openIds({ after, limit: 1 });
    await held.reached;
    await operate("return-suspense", { programId, suspenseId: settled.suspenseId });
    held.release();
    expect(await listing).toEqual([next.suspenseId]);
  });

  it("rejects an unknown Program", () => expectRejected("list-suspense", { programId: unknownProgram }));
});

describe("assign-suspense", () => {
  it("is done once when operators, returns and the bank race", async () => {
    const wallets = await Promise.all([givenStoredWallet(programId), givenStoredWallet(programId)]);
    const { depositId, suspenseId } = await suspended("deposit_pending");
    const commands = [
      ...wallets.map((walletId) => operate("assign-suspense", { programId, suspenseId, walletId })),
      operate("return-suspense", { programId, suspenseId }),
    ];
    const [outcomes] = await Promise.all([
      Promise.allSettled(commands),
      send({ kind: "deposit_cleared", depositId }),
    ]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expectBooksInOrder(programId);
    expect(await openIds()).not.toContain(suspenseId);
  });
});

describe("set-clearing-delay", () => {
  it("sets the delay alone, and writes it down", async () => {
    const before = (await readProgram(programId))?.settings;
    expect(await operate("set-clearing-delay", { programId, seconds: 60 })).toEqual({
      programId,
      seconds: 60,
    });
    expect((await readProgram(programId))?.settings).toEqual({ ...before, clearingDelaySeconds: 60 });
    for (const seconds of [-1, 2_592_001, 1.5])
      await expectRejected("set-clearing-delay", { programId, seconds });
    await expectRejected("set-clearing-delay", { programId: unknownProgram, seconds: 0 });
  });
});

describe("set-card-bin", () => {
  it("takes six or eight digits for new Cards, and writes it down", async () => {
    const before = (await readProgram(programId))?.settings;
    for (const cardBin of ["51000012", "510000"]) {
      expect(await operate("set-card-bin", { programId, cardBin })).toEqual({ programId, cardBin });
      expect((await readProgram(programId))?.settings).toEqual({ ...before, cardBin });
    }
    for (const cardBin of ["51000", "5100001", "510000123", "110000", "51000a"])
      await expectRejected("set-card-bin", { programId, cardBin });
    await expectRejected("set-card-bin", { programId: unknownProgram, cardBin: "510000" });
  });
});

describe("set-bins", () => {
  const settingsOf = async (of: string) => (await readProgram(of))?.settings;

  it("sets them all, the default first; set-card-bin replaces the default alone", async () => {
    const bins = ["520000", "52000199", "530000"];
    expect(await operate("set-bins", { programId, bins })).toEqual({ programId, bins });
    expect(await settingsOf(programId)).toMatchObject({ cardBin: "520000", moreBins: bins.slice(1) });
    await operate("set-card-bin", { programId, cardBin: "530000" });
    expect(await settingsOf(programId)).toMatchObject({ cardBin: "530000", moreBins: ["52000199"] });
    await operate("set-bins", { programId, bins: ["540000"] });
    expect(await settingsOf(programId)).toMatchObject({ cardBin: "540000", moreBins: [] });
  });

  it("rejects one that another Program has or had, whole or in part; the test range is everyone's", async () => {
    const other = await givenStoredProgram();
    await operate("set-bins", { programId, bins: ["550000", "56000011"] });
    await operate("set-bins", { programId, bins: ["570000"] });
    const before = await settingsOf(other);
    for (const bin of ["550000", "55000012", "56000011", "560000", "570000"]) {
      await expectRejected("set-bins", { programId: other, bins: ["580000", bin] });
      await expectRejected("set-card-bin", { programId: other, cardBin: bin });
    }
    expect(await settingsOf(other)).toEqual(before);
    const bins = ["56000012", "400000", "580000"];
    expect(await operate("set-bins", { programId: other, bins })).toEqual({ programId: other, bins });
    await operate("set-bins", { programId, bins: ["550000", "400000"] });
  });

  it("gives one to one of two Programs that ask at once", async () => {
    const both = [programId, await givenStoredProgram()];
    const answers = await Promise.allSettled(
      both.map((of) => operate("set-bins", { programId: of, bins: ["590000"] })),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("rejects none, eleven, one twice, and what is no BIN", async () => {
    const eleven = Array.from({ length: 11 }, (_, index) => `6000${10 + index}`);
    for (const bins of [[], eleven, ["610000", "610000"], ["61000"], ["110000"]])
      await expectRejected("set-bins", { programId, bins });
    await expectRejected("set-bins", { programId: unknownProgram, bins: ["610000"] });
  });
});
