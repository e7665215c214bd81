import { afterEach, describe, expect, it, vi } from "vitest";
import { Processors, staleMs } from "../../infra/listener/platform.ts";
import { newId } from "../../shared/platform/id.ts";
import { connections } from "../../shared/tenancy/connections/connection.ts";
import { measure } from "../harness/measure.ts";
import { givenConnection, later } from "./given-connection.ts";

afterEach(() => void vi.useRealTimers());

/** Another processor than the network, as the account function stores it. */
function connectMarqeta(programId: string) {
  const connection = { connectionId: newId("connection"), port: "processor", adapter: "marqeta" } as const;
  return connections.at(programId, "processor").createNow(connection);
}

describe("a Program with another processor", () => {
  it("is not served: messages are answered 14 and move nothing, and advices and reversals are kept", async () => {
    const { programId, purchase, send, balances, ports } = await givenConnection();
    const before = purchase(1_000);
    expect((await send(before)).fields[39]).toBe("00");
    await connectMarqeta(programId);
    const messages = [
      purchase(500),
      purchase(500, { 3: "010000" }),
      purchase(0, { 3: "310000" }),
      later("0120", before),
      later("0400", before),
    ];
    for (const message of messages) expect((await send(message)).fields[39]).toBe("14");
    expect(await balances()).toEqual([9_000, 1_000, 10_000]);
    const reason = "Its Program is connected to another processor.";
    expect(ports.refused).toMatchObject([
      { reason, programId },
      { reason, programId },
    ]);
    await connections.at(programId, "processor").deleteNow();
    expect((await send(later("0400", before))).fields[39]).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("is found by one read of one attribute, which the next messages do not repeat", async () => {
    const programId = newId("program");
    await connectMarqeta(programId);
    const processors = new Processors();
    const { cost, result } = await measure(async () => [
      await processors.isServed(programId),
      await processors.isServed(programId),
    ]);
    expect(result).toEqual([false, false]);
    expect(cost.calls).toEqual(["GetItem"]);
    expect(await connections.at(programId, "processor").getOnly("adapter")).toEqual({ adapter: "marqeta" });
  });
});

describe("what is known of a Program's processor", () => {
  const fake = () => vi.useFakeTimers({ toFake: ["performance"] });

  it("is renewed while messages go on with it", async () => {
    fake();
    const later = Promise.withResolvers<boolean>();
    const read = vi.fn().mockResolvedValueOnce(true).mockReturnValueOnce(later.promise);
    const processors = new Processors(read);
    expect(await processors.isServed("one")).toBe(true);
    vi.advanceTimersByTime(11_000);
    expect(await processors.isServed("one")).toBe(true);
    expect(await processors.isServed("one")).toBe(true);
    expect(read).toHaveBeenCalledTimes(2);
    later.resolve(false);
    await later.promise;
    await Promise.resolve();
    expect(await processors.isServed("one")).toBe(false);
  });

  it("is not used for longer than 30 seconds, even if it cannot be read", async () => {
    fake();
    const read = vi.fn().mockResolvedValueOnce(true).mockRejectedValue(new Error("down"));
    const processors = new Processors(read);
    expect(await processors.isServed("one")).toBe(true);
    vi.advanceTimersByTime(staleMs - 1);
    expect(await processors.isServed("one")).toBe(true);
    vi.advanceTimersByTime(1);
    await expect(processors.isServed("one")).rejects.toThrow("down");
    read.mockResolvedValueOnce(true);
    expect(await processors.isServed("one")).toBe(true);
  });
});
