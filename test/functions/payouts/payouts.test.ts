import { afterEach, expect, it, vi } from "vitest";
import { findPayment, readPending } from "../../../shared/payments/payment.ts";
import { givenPayouts } from "../../harness/given-payouts.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

// Measurements are written at every level.
process.env.LOG_LEVEL = "ERROR";

afterEach(() => void vi.useRealTimers());

it("a payout is found by its name, however it is written", async () => {
  const { created, program } = await givenPayouts();
  const { payoutId } = await created();
  const [waiting] = await readPending(program.programId, "pain.001", 10);
  expect(waiting?.paymentId).toBe(payoutId);
  expect(await findPayment(` pay ${payoutId.slice(4)}`.toLowerCase())).toEqual(waiting);
  expect(await findPayment(payoutId.slice(4))).toEqual(waiting);
  expect(await findPayment("PAY01K5Q2T4C0X7M2Z9V6B3N8D1FR")).toBeUndefined();
});

it("there is an alarm of a payout without a report for five business days", async () => {
  const lines: string[] = [];
  const { created, send } = await givenPayouts();
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2027-03-03T10:00:00Z") });
  const { payoutId } = await created();
  await send(payoutId);
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  const alarms = async (at: string) => {
    vi.setSystemTime(new Date(at));
    await sweepDeadlines();
    return lines.filter((line) => line.includes("PaymentsUnreported") && line.includes(payoutId)).length;
  };
  expect(await alarms("2027-03-09T23:00:00Z")).toBe(0);
  expect(await alarms("2027-03-10T00:01:00Z")).toBe(1);
  spy.mockRestore();
});
