import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type ActiveControl,
  cardholderRulebooks,
  cardRulebooks,
  endLease,
  heldProgramControls,
  leaseMs,
  noCardControls,
  noProgramControls,
  programRulebooks,
  readNarrowerControls,
  readProgramControls,
  renewLeaseAhead,
} from "../../../shared/controls/rulebooks.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { injectFaults } from "../../harness/faults.ts";
import { setProgramSettings } from "../../harness/given-network.ts";
import { givenStoredProgram } from "../../harness/given-stored.ts";

const control: ActiveControl = {
  controlId: newId("control"),
  countsFrom: timestamp(),
  velocity: { amount: 10_000, count: 5, window: "day" },
  merchants: { mcc: { allow: ["5541", "5500-5599"] }, country: { block: ["US"] } },
};

/** What is in force without controls, which need no time zone. */
const nothing = { ...noProgramControls, timeZone: "Etc/UTC" };

const putProgramControls = (programId: string, version: number) =>
  transact([
    programRulebooks
      .at(programId)
      .put({ version, controls: [control], hasNarrower: true, most: { 1: version } }),
  ]);

describe("a Program's rulebook", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("is empty before the first control", async () => {
    expect(await readProgramControls(newId("program"))).toEqual(nothing);
  });

  it("has the rules as they were stored, and the Program's time zone", async () => {
    const programId = await givenStoredProgram();
    await setProgramSettings(programId, { timeZone: "Europe/Berlin" });
    await putProgramControls(programId, 3);
    expect(await readProgramControls(programId)).toEqual({
      version: 3,
      controls: [control],
      hasNarrower: true,
      most: { 1: 3 },
      timeZone: "Europe/Berlin",
    });
  });

  it("is read once for all that need it within the lease", async () => {
    const programId = newId("program");
    using faults = injectFaults(() => undefined);
    await Promise.all(Array.from({ length: 5 }, () => readProgramControls(programId)));
    await putProgramControls(programId, 1);
    expect(await readProgramControls(programId)).toEqual(nothing);
    expect(faults.calls.filter(({ command }) => command === "GetItem")).toHaveLength(1);
  });

  const afterLease = {
    "the clock": () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + leaseMs });
    },
    "a clock that was set back": () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 });
    },
    "the monotonic clock": () => {
      const startMs = performance.now();
      vi.spyOn(performance, "now").mockImplementation(() => startMs + leaseMs + 1);
    },
  };

  it.each(Object.keys(afterLease) as (keyof typeof afterLease)[])("is read again by %s", async (clock) => {
    const programId = newId("program");
    if (clock === "the monotonic clock") vi.spyOn(performance, "now").mockReturnValue(performance.now());
    await readProgramControls(programId);
    await putProgramControls(programId, 1);
    afterLease[clock]();
    expect((await readProgramControls(programId)).version).toBe(1);
  });

  it("is renewed by a busy process before the lease ends, and not waited for", async () => {
    const programId = newId("program");
    const startMs = performance.now();
    const elapsed = vi.spyOn(performance, "now");
    elapsed.mockReturnValue(startMs);
    await readProgramControls(programId);
    await renewLeaseAhead(programId);
    await putProgramControls(programId, 1);
    elapsed.mockReturnValue(startMs + leaseMs - 100);
    await Promise.all([renewLeaseAhead(programId), renewLeaseAhead(programId)]);
    elapsed.mockReturnValue(startMs + 2 * leaseMs - 200);
    using faults = injectFaults(() => undefined);
    expect((await readProgramControls(programId)).version).toBe(1);
    expect(faults.calls).toHaveLength(0);
    elapsed.mockReturnValue(startMs + 2 * leaseMs - 99);
    await readProgramControls(programId);
    expect(faults.calls.length).toBeGreaterThan(0);
  });

  it("is not renewed by what was read before it was known to be out of date", async () => {
    const programId = newId("program");
    const startMs = performance.now();
    const elapsed = vi.spyOn(performance, "now");
    elapsed.mockReturnValue(startMs);
    await readProgramControls(programId);
    elapsed.mockReturnValue(startMs + leaseMs - 100);
    const renewing = renewLeaseAhead(programId);
    endLease(programId);
    await renewing;
    expect(heldProgramControls(programId)).toBeUndefined();
  });

  it("is read again after a read that failed", async () => {
    const programId = newId("program");
    {
      using _ = injectFaults(({ command }) => (command === "GetItem" ? "lost" : undefined));
      await expect(readProgramControls(programId)).rejects.toThrow();
    }
    expect(await readProgramControls(programId)).toEqual(nothing);
  });
});

describe("the rulebooks of a Card and its Cardholder", () => {
  it("are found in one read, whichever exist", async () => {
    const programId = newId("program");
    const owner = { cardId: newId("card"), cardholderId: newId("cardholder") };
    const cardholder = { version: 2, controls: [control], cards: { 1: 4 } };
    await transact([cardholderRulebooks.at(programId, owner.cardholderId).put(cardholder)]);
    using faults = injectFaults(() => undefined);
    expect(await readNarrowerControls(programId, owner)).toEqual({ card: noCardControls, cardholder });
    expect(faults.calls).toHaveLength(1);
    const card = { version: 7, controls: [control] };
    await transact([cardRulebooks.at(programId, owner.cardId).put(card)]);
    expect(await readNarrowerControls(programId, owner)).toEqual({ card, cardholder });
  });
});
