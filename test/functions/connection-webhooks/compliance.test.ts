import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { deliverWaiting } from "../../harness/given-alerts.ts";
import { givenCardholder, givenProgram } from "../../harness/given-cards.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { givenConnection } from "./given-connection.ts";
import { answerWith, deliverRequests, givenReview, kycUrl, outcome, reviewCalls } from "./given-review.ts";

const customer = givenCustomer();

const given = (details?: object) => givenReview(customer, details);
type Given = Awaited<ReturnType<typeof given>>;
const answer = (status: number, body?: object | string) => answerWith(customer, status, body);

describe("a submission", () => {
  it("asks the provider, signed, and answers where the Cardholder continues", async () => {
    const { connection, cardholderId, requests, bodies, submit, view } = await given();
    answer(200, { kycUrl });
    expect(await submit()).toMatchObject({ status: 3, kycUrl });
    expect(await view()).toMatchObject({ status: 3, kycUrl });
    const [request] = requests();
    const [body] = bodies();
    expect(body).toMatchObject({
      type: "kyc.requested",
      eventId: `kyc-${body.sessionId}`,
      cardholderId,
      applicant: { firstName: expect.any(String), dateOfBirth: expect.any(String), address: {} },
    });
    expect(body).not.toHaveProperty("kycToken");
    const { headers = {}, body: bytes = "" } = request ?? {};
    expect(() => new Webhook(connection.secret).verify(bytes, headers)).not.toThrow();
  });

  it("sends the token in the token-based flow, and answers no address", async () => {
    const { bodies, submit, view } = await given({ altKycEnabled: 1 });
    answer(200, { kycUrl });
    expect(await submit({ kycToken: "share-token" })).not.toHaveProperty("kycUrl");
    expect(bodies()).toMatchObject([{ kycToken: "share-token" }]);
    expect(JSON.stringify(await view())).not.toContain("share-token");
  });

  it.each([
    ["is down", 500, ""],
    ["is gone for a while", 410, ""],
    ["answers what cannot be read", 200, "<html>"],
    ["answers no address", 200, JSON.stringify({ kycUrl: "javascript:alert(1)" })],
  ])("is kept if the provider %s, which is asked again with the same eventId", async (_, status, body) => {
    const { program, requests, bodies, submit, view } = await given();
    answer(status, body);
    const submitted = await submit();
    expect(submitted.status).toBe(3);
    expect(submitted).not.toHaveProperty("kycUrl");
    await deliverRequests(program);
    // The submission may still wait for its answer.
    expect(requests()).toHaveLength(1);
    await deliverWaiting(customer.queues);
    expect(requests()).toHaveLength(2);
    answer(200, { kycUrl });
    expect((await deliverWaiting(customer.queues)).length).toBe(1);
    expect(requests()).toHaveLength(3);
    expect(new Set(requests().map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(bodies().map(({ eventId }) => eventId)).size).toBe(1);
    expect(await view()).toMatchObject({ status: 3, kycUrl });
    await deliverRequests(program);
    await deliverWaiting(customer.queues);
    expect(requests()).toHaveLength(3);
  });

  it("asks nobody without a provider's URL: the request waits on the bus", async () => {
    const program = await givenProgram();
    const connection = await givenConnection(program, { port: "compliance", adapter: "http" });
    const cardholderId = await givenCardholder(program);
    const { submit } = reviewCalls(program, cardholderId, connection);
    const before = customer.receiver.received.length;
    expect((await submit()).kycUrl).toMatch(/^https:\/\/kyc\.issuing\.example\/sessions\//);
    await deliverRequests(program);
    expect(customer.queues.take("alerts")).toEqual([]);
    expect(customer.receiver.received).toHaveLength(before);
  });
});

describe("an outcome", () => {
  it.each([
    ["without a signature", 401, (text: string, { connection }: Given) => connection.post(text, {})],
    [
      "with an old signature",
      401,
      (text: string, { send }: Given) => send(text, new Date(Date.now() - 301_000)),
    ],
    ["that is no JSON", 400, (_: string, { send }: Given) => send("{")],
  ])("%s is refused: %i", async (_, status, post) => {
    const one = await given();
    answer(200, { kycUrl });
    await one.submit();
    const text = JSON.stringify(outcome(one.bodies()[0].sessionId, "approved"));
    expect((await post(text, one)).status).toBe(status);
    expect(await one.view()).toMatchObject({ status: 3 });
    expect(await one.refused()).toHaveLength(status === 400 ? 1 : 0);
  });
});

afterEach(() => void vi.useRealTimers());

describe("without an outcome", () => {
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
    await sweepDeadlines();
    expect(await silent.view()).toMatchObject({ status: 3 });
    vi.setSystemTime("2031-01-31T00:00:00.000Z");
    await sweepDeadlines();
    expect(await silent.view()).toMatchObject({ status: 6 });
    expect(await asked.view()).toMatchObject({ status: 3 });
    vi.setSystemTime("2031-02-19T00:00:00.000Z");
    await sweepDeadlines();
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
    await sweepDeadlines();
    expect(await view()).toMatchObject({ status: 3, kycUrl });
    vi.setSystemTime("2032-02-19T00:00:00.000Z");
    await sweepDeadlines();
    expect(await view()).toMatchObject({ status: 6 });
    expect((await send(outcome(bodies()[0].sessionId, "approved"))).status).toBe(409);
  });
});
