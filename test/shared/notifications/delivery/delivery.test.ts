import { describe, expect, it } from "vitest";
import { nextDelayMs, parseDelivery } from "../../../../shared/notifications/delivery/delivery.ts";

const common = { deliveryId: "evt_1", attempt: 2, deferrals: 0 };
const ids = { programId: "prg_1", messageId: "ntf_1", endpointId: "whk_1" };
const cause = { requestId: "r-1" };
const event = {
  eventId: "evt_1",
  kind: "otp.challenged",
  programId: "prg_1",
  occurredAt: "2026-01-01T00:00:00.000Z",
  cause,
  detail: { listenerId: "l", challengeId: "chl_1" },
};
const alert = { kind: "otp.challenged", programId: "prg_1", listenerId: "l", challengeId: "chl_1", cause };
const parse = (message: object) => parseDelivery(JSON.stringify(message));

describe("a message of a delivery queue", () => {
  it("is read as it was written", () => {
    expect(parse({ kind: "notification", ...ids, ...common })).toEqual({
      kind: "notification",
      ...ids,
      ...common,
    });
  });

  it("is the first attempt of an alert if it is an event of the bus", () => {
    const fromBus = { version: "0", id: "i", "detail-type": "otp.challenged", detail: event };
    expect(parse(fromBus)).toEqual({ ...alert, ...common, attempt: 1 });
  });

  it.each([
    {},
    { ...ids, ...common },
    { kind: "notification", ...ids, attempt: 0 },
    { kind: "unknown" },
    { detail: { kind: "card.swept" } },
  ])("is rejected if it is none: %j", (message) => expect(() => parse(message)).toThrow());
});

describe("the wait for the next attempt", () => {
  const at = new Date("2026-01-01T00:00:00.000Z");
  const waits = (message: object, until?: Date) =>
    Array.from({ length: 12 }, (_, index) =>
      nextDelayMs({ ...parse(message), attempt: index + 1 }, at, until),
    );

  it("follows the schedule of the kind, a tenth later at most, and ends with it", () => {
    const expected = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    const found = waits({ kind: "notification", ...ids, ...common });
    expect(found.slice(9)).toEqual([undefined, undefined, undefined]);
    for (const [index, seconds] of expected.entries()) {
      expect(found[index]).toBeGreaterThanOrEqual(seconds * 1_000);
      expect(found[index]).toBeLessThanOrEqual(seconds * 1_100);
    }
  });

  it("repeats a passcode's last wait until the passcode expires", () => {
    const hour = new Date(at.getTime() + 3_600_000);
    expect(
      waits({ detail: event }, hour)
        .slice(8)
        .every((wait) => (wait ?? 0) >= 900_000),
    ).toBe(true);
    expect(
      waits({ detail: event }, new Date(at.getTime() + 60_000)).map((wait) => wait !== undefined),
    ).toEqual([true, true, true, true, ...Array(8).fill(false)]);
  });
});
