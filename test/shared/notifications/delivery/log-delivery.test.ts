import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { logAttempt } from "../../../../shared/notifications/delivery/consume-deliveries.ts";
import { Delivery } from "../../../../shared/notifications/delivery/delivery.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { log } from "../../../../shared/platform/log.ts";

/** What was measured of the last line. */
let measured: Record<string, unknown>;

beforeEach(() => {
  // Not before the real time: the ids of a process never go back.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  vi.spyOn(log, "measured").mockImplementation((_, facts) => {
    const { DeliveryAttempts, DeliveryFailures, DeliveryLag, RetriedDeliveryLag } = facts;
    measured = { DeliveryAttempts, DeliveryFailures, DeliveryLag, RetriedDeliveryLag };
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const delivery = (deliveryId: string, made: object) =>
  Delivery.parse({ kind: "certificate.expiring", tenantId: "", reminderId: "", deliveryId, ...made });

const measure = (made: { attempt: number; deferrals?: number }, status: number) => {
  const deliveryId = newId("event");
  vi.setSystemTime(Date.now() + 1_500);
  logAttempt(delivery(deliveryId, made), { status, latencyMs: 20 });
  return measured;
};

const delivered = { DeliveryAttempts: 1, DeliveryFailures: 0 };

describe("the measurement of a delivery", () => {
  it("has the lag from the event to the answer at the first attempt", () => {
    expect(measure({ attempt: 1 }, 204)).toEqual({ ...delivered, DeliveryLag: 1_500 });
  });

  it.each([{ attempt: 2 }, { attempt: 1, deferrals: 1 }])(
    "counts apart what the receiver let wait: %o",
    (made) => {
      expect(measure(made, 200)).toEqual({ ...delivered, RetriedDeliveryLag: 1_500 });
    },
  );

  it("has no lag of what was not taken", () => {
    expect(measure({ attempt: 1 }, 500)).toEqual({ DeliveryAttempts: 1, DeliveryFailures: 1 });
  });

  it("measures nothing, and throws no error, for an event's id without a time", () => {
    measured = {};
    expect(() => logAttempt(delivery("?", {}), { status: 200, latencyMs: 1 })).not.toThrow();
    expect(measured).toEqual({});
  });
});
