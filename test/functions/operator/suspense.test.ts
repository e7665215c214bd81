import { beforeAll, describe, expect, it } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { DepositStatus, SuspenseStatus } from "../../../shared/contract/enums.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import { suspenseItems } from "../../../shared/deposits/suspense.ts";
import { newId } from "../../../shared/platform/id.ts";
import { readProgram } from "../../../shared/tenancy/programs/program.ts";
import { operate } from "../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { storedEvents } from "../../harness/stored.ts";
import { holdCall } from "../../shared/lists/given-list.ts";
import { expectRejected, unknownProgram } from "./expect-rejected.ts";

let tenant: GivenTenant;
let programId: string;
let otherProgramId: string;

beforeAll(async () => {
  tenant = await givenTenant(2);
  [programId = "", otherProgramId = ""] = tenant.programIds;
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
  it("lists open items, oldest first, in pages", async () => {
    const { depositId, suspenseId, accountId } = await suspended("deposit_pending");
    const next = await suspended();
    const { items } = await operate("list-suspense", { programId });
    expect(items.find((item) => item.suspenseId === suspenseId)).toEqual({
      suspenseId,
      depositId,
      amount: 100,
      currency: "USD",
      channel: "bank",
      status: 0,
      reason: "CARD_CLOSED",
      accountId,
      dateCreated: expect.any(String),
    });
    expect(await openIds({ after: suspenseId, limit: 1 })).toEqual([next.suspenseId]);
    expect((await operate("list-suspense", { programId: otherProgramId })).items).toEqual([]);
  });

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
  it("credits a Wallet, which gets the deposit's later events too", async () => {
    const walletId = await givenStoredWallet(programId);
    const { depositId, suspenseId } = await suspended();
    expect(await operate("assign-suspense", { programId, suspenseId, walletId })).toEqual({
      suspenseId,
      depositId,
    });
    expect(balancesIn(await expectBooksInOrder(programId), walletId)).toMatchObject({
      availableMinor: 100,
      ledgerMinor: 100,
    });
    expect(await openIds()).not.toContain(suspenseId);
    expect(await deposits.at(programId, depositId).get()).toMatchObject({
      account: { kind: "wallet", accountId: walletId },
      status: DepositStatus.cleared,
    });
    expect(await send({ kind: "deposit_returned", depositId })).toEqual({ outcome: "applied", depositId });
    expect(balancesIn(await expectBooksInOrder(programId), walletId).ledgerMinor).toBe(0);
  });

  it("credits a Card, with its statement and the notification of a cleared deposit", async () => {
    const cardId = await givenStoredCard(programId);
    const { depositId, suspenseId } = await suspended();
    await operate("assign-suspense", { programId, suspenseId, cardId });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, cardId).availableMinor).toBe(100);
    const told = items.find(({ kind, detail }) => {
      return kind === "deposit.cleared" && (detail as { depositId: string }).depositId === depositId;
    });
    expect(told?.detail).toMatchObject({ cardId, notificationIds: [expect.any(String)] });
  });

  it.each([
    ["its id alone", false],
    ["the details that announced it", true],
  ])(
    "leaves what is pending pending, until an event with %s clears it on its new account",
    async (_, full) => {
      const walletId = await givenStoredWallet(programId);
      const { depositId, suspenseId, announced } = await suspended("deposit_pending");
      await operate("assign-suspense", { programId, suspenseId, walletId });
      expect(balancesIn(await expectBooksInOrder(programId), walletId)).toMatchObject({
        availableMinor: 0,
        pendingDepositMinor: 100,
      });
      const clearing = { ...(full && announced), kind: "deposit_cleared", depositId } as const;
      expect(await send(clearing)).toEqual({ outcome: "applied", depositId });
      expect(balancesIn(await expectBooksInOrder(programId), walletId).availableMinor).toBe(100);
    },
  );

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

  it("rejects a Card or Wallet that does not exist or accepts no deposits, and leaves the item open", async () => {
    const { suspenseId } = await suspended();
    const closed = await givenStoredCard(programId, 3);
    for (const to of [{ walletId: newId("wallet") }, { cardId: newId("card") }, { cardId: closed }, {}])
      await expectRejected("assign-suspense", { programId, suspenseId, ...to });
    const both = { walletId: await givenStoredWallet(programId), cardId: await givenStoredCard(programId) };
    await expectRejected("assign-suspense", { programId, suspenseId, ...both });
    expect(await openIds()).toContain(suspenseId);
  });

  it("rejects another Program's item and a settled one", async () => {
    const { suspenseId } = await suspended();
    const walletId = await givenStoredWallet(otherProgramId);
    await expectRejected("assign-suspense", { programId: otherProgramId, suspenseId, walletId });
    await operate("return-suspense", { programId, suspenseId });
    const own = await givenStoredWallet(programId);
    await expectRejected("assign-suspense", { programId, suspenseId, walletId: own });
    await expectRejected("return-suspense", { programId, suspenseId });
  });
});

describe("return-suspense", () => {
  it("returns a cleared deposit to its sender, permanently", async () => {
    const { depositId, suspenseId } = await suspended();
    expect(await operate("return-suspense", { programId, suspenseId })).toEqual({ suspenseId, depositId });
    expect((await suspenseItems.at(programId, depositId).get())?.status).toBe(SuspenseStatus.returned);
    expect((await storedEvents(programId)).at(-1)).toEqual({
      kind: "suspense.returned",
      detail: expect.objectContaining({ suspenseId, depositId, amountMinor: 100 }),
    });
    expect(await send({ kind: "deposit_returned", depositId })).toMatchObject({ outcome: "refused" });
    await expectBooksInOrder(programId);
    expect(await openIds()).not.toContain(suspenseId);
  });

  it("rejects a pending deposit until the bank has cleared it", async () => {
    const { depositId, suspenseId } = await suspended("deposit_pending");
    await expectRejected("return-suspense", { programId, suspenseId });
    expect(await send({ kind: "deposit_cleared", depositId })).toEqual({
      outcome: "applied",
      depositId,
      suspenseId,
    });
    expect(await operate("return-suspense", { programId, suspenseId })).toEqual({ suspenseId, depositId });
    await expectBooksInOrder(programId);
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
