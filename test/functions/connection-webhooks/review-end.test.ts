import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as sweepDeadlines } from "../../../functions/deadlines/handler.ts";
import { deliverWaiting } from "../../harness/given-alerts.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { lambdaContext } from "../../harness/replay.ts";
import { answerWith, deliverRequests, givenReview, kycUrl, outcome } from "./given-review.ts";

const customer = givenCustomer();
afterEach(() => void vi.useRealTimers());

const given = (details?: object) => givenReview(customer, details);
const answer = (status: number, body?: object | string) => answerWith(customer, status, body);

describe("without an outcome", () => {
  const sweep = () => sweepDeadlines({}, { ...lambdaContext, getRemainingTimeInMillis: () => 60_000 });

  it("a review ends after 30 days with 6 Error; documents that are asked for begin them anew", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime("2031-01-01T00:00:00.000Z");
    answer(200, { kycUrl });
    const [silent, asked] = [await given(), await given()];
    await silent.submit();
    await asked.submit();
    vi.setSystemTime("2031-01-20T00:00:00.000Z");
    const { sessionId } = asked.bodies()[0];
    expect((await asked.send(outcome(sessionId, "documents_required"))).status).toBe(200);
    vi.setSystemTime("2031-01-30T23:59:59.000Z");
    await sweep();
    expect(await silent.view()).toMatchObject({ status: 3 });
    vi.setSystemTime("2031-01-31T00:00:00.000Z");
    await sweep();
    expect(await silent.view()).toMatchObject({ status: 6 });
    expect(await asked.view()).toMatchObject({ status: 3 });
    vi.setSystemTime("2031-02-19T00:00:00.000Z");
    await sweep();
    expect(await asked.view()).toMatchObject({ status: 6 });
    expect((await asked.send(outcome(sessionId, "approved"))).status).toBe(409);
  });

  it("the 30 days begin with the request that the provider takes, however late", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime("2032-01-01T00:00:00.000Z");
    const { program, bodies, submit, view, send } = await given();
    answer(500);
    await submit();
    await deliverRequests(program);
    answer(200, { kycUrl });
    vi.setSystemTime("2032-01-20T00:00:00.000Z");
    expect((await deliverWaiting(customer.queues)).length).toBe(1);
    vi.setSystemTime("2032-02-18T23:59:59.000Z");
    await sweep();
    expect(await view()).toMatchObject({ status: 3, kycUrl });
    vi.setSystemTime("2032-02-19T00:00:00.000Z");
    await sweep();
    expect(await view()).toMatchObject({ status: 6 });
    expect((await send(outcome(bodies()[0].sessionId, "approved"))).status).toBe(409);
  });
});
