import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { deliverWaiting } from "../../harness/given-alerts.ts";
import { givenCardholder, givenProgram } from "../../harness/given-cards.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { givenConnection } from "./given-connection.ts";
import { answerWith, deliverRequests, givenReview, kycUrl, outcome, reviewCalls } from "./given-review.ts";

const customer = givenCustomer();

const given = (details?: object) => givenReview(customer, details);
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
  async function submitted() {
    const one = await given();
    answer(200, { kycUrl });
    await one.submit();
    return { ...one, sessionId: one.bodies()[0].sessionId as string };
  }

  it.each([
    ["approved", 1],
    ["declined", 2],
    ["error", 6],
  ])("%s sets the status %i; a repetition is accepted and changes nothing", async (decided, status) => {
    const { program, cardholderId, sessionId, send, view } = await submitted();
    expect((await send(outcome(sessionId, decided))).status).toBe(200);
    expect(await view()).toMatchObject({ status });
    expect(await view()).not.toHaveProperty("kycUrl");
    const before = await storedItems(program.programId);
    expect((await send(outcome(sessionId, decided))).status).toBe(200);
    expect(await storedItems(program.programId)).toEqual(before);
    const stored = before.find(({ entityId, sk }) => entityId === cardholderId && sk === "CARDHOLDER");
    expect(Object.keys(stored ?? {}).filter((name) => name.startsWith("kyc"))).toEqual([]);
    expect(before.filter(({ sk }) => sk === "DEADLINE")).toEqual([]);
  });

  it("documents_required leaves it under review, and says so", async () => {
    const { sessionId, send, view } = await submitted();
    expect((await send(outcome(sessionId, "documents_required"))).status).toBe(200);
    expect(await view()).toMatchObject({ status: 3, kycUrl, kycRequirement: "documents" });
    expect((await send(outcome(sessionId, "approved"))).status).toBe(200);
    const decided = await view();
    expect(decided.status).toBe(1);
    expect(decided).not.toHaveProperty("kycRequirement");
  });

  it("of a provider that replaced another may have the same eventId", async () => {
    const { program, sessionId, submit, bodies, requests, send, view } = await submitted();
    expect((await send(outcome(sessionId, "error", "1"))).status).toBe(200);
    const url = `${customer.receiver.origin}${requests()[0]?.path}`;
    const successor = await givenConnection(program, { port: "compliance", adapter: "http", url });
    await submit();
    const text = JSON.stringify(outcome(bodies().at(-1).sessionId, "approved", "1"));
    const headers = signatureHeaders("1", Buffer.from(text), [successor.secret], now());
    expect((await successor.post(text, headers)).status).toBe(200);
    expect(await view()).toMatchObject({ status: 1 });
  });

  it("409 for a review that is over, and for an earlier one: kept", async () => {
    const { sessionId, submit, bodies, send, view, refused } = await submitted();
    await send(outcome(sessionId, "declined"));
    const late = await send(outcome(sessionId, "approved", "late"));
    expect([late.status, late.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
    expect((await send(outcome(sessionId, "documents_required"))).status).toBe(409);
    await submit();
    expect(bodies().at(-1).sessionId).not.toBe(sessionId);
    expect((await send(outcome(sessionId, "approved", "later"))).status).toBe(409);
    expect(await view()).toMatchObject({ status: 3 });
    expect(await refused()).toMatchObject([{ port: "compliance" }, {}, {}]);
  });

  it.each([
    ["no signature", undefined],
    ["another secret", "whsec_b3RoZXI="],
    ["an old signature", "old"],
  ])("401 with %s", async (_, how) => {
    const { connection, sessionId, send, view, refused } = await submitted();
    const body = outcome(sessionId, "approved");
    const at = new Date(now().getTime() - 301_000);
    const sent =
      how === undefined
        ? connection.post(JSON.stringify(body), {})
        : how === "old"
          ? send(body, at)
          : send(body, now(), how);
    expect((await sent).status).toBe(401);
    expect(await view()).toMatchObject({ status: 3 });
    expect(await refused()).toEqual([]);
  });

  it.each([
    [400, "{"],
    [400, "[]"],
    [422, outcome("nothing", "approved")],
    [422, outcome(`${"0".repeat(25)}A-${"a".repeat(24)}`, "approved")],
    [422, { type: "kyc.outcome" }],
    [422, outcome("x", "perhaps")],
  ])("%i, and kept: %j", async (status, body) => {
    const { send, refused } = await submitted();
    expect((await send(body)).status).toBe(status);
    expect(await refused()).toMatchObject([{ port: "compliance" }]);
  });

  it("of another Program's session is unknown", async () => {
    const [{ sessionId, view }, other] = [await submitted(), await submitted()];
    expect((await other.send(outcome(sessionId, "approved"))).status).toBe(422);
    expect(await view()).toMatchObject({ status: 3 });
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
