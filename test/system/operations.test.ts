import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import { newId } from "../../shared/platform/id.ts";
import { givenCard } from "../harness/given-cards.ts";
import type { LiveProgram } from "../harness/given-live-program.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { sendEvents } from "../tools/prove/network-queue.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const soon = { timeout: 60_000, interval: 20 };

type Line = Record<string, unknown>;

interface Series {
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly sum: number;
}

/** The logs and metrics of every deployed function. */
describe("the operations of the running platform", () => {
  let given: GivenPlatform;
  let logs: string;
  let receiver: Receiver;
  let platform: Platform;
  let program: LiveProgram;
  let cardId: string;
  let secret: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    given = await givenPlatform({ receivers: [receiver.origin] });
    ({ platform, program } = given);
    logs = path.join(given.directory, "logs");
    ({ cardId } = await givenCard(program));
    await program.call("POST /cards/{cardId}/deposits", {
      path: { cardId },
      body: { amount: 100_000, pending: false },
    });
    const url = `${receiver.origin}/hook`;
    const registered = await program.call("POST /webhooks", { body: { url, eventTypes: [1] } });
    ({ secret } = registered.body.data);
  });
  afterAll(async () => {
    await given?.stop();
    await receiver?.stop();
  });

  const linesOf = (service: string): Line[] =>
    readFileSync(path.join(logs, `${service}.log`), "utf8")
      .split("\n")
      .filter((text) => text.startsWith("{"))
      .map((text) => JSON.parse(text));
  const lineOf = (service: string, message: string, ids: Line): Line | undefined =>
    linesOf(service).find(
      (line) => line.message === message && Object.entries(ids).every(([name, id]) => line[name] === id),
    );
  /** A line can reach the file after the lines of its effects. */
  const written = (service: string, message: string, ids: Line): Promise<Line> =>
    vi.waitFor(() => {
      const line = lineOf(service, message, ids);
      if (!line) throw new Error(`${service} does not say "${message}".`);
      return line;
    }, soon);
  const sumOf = async (name: string, by: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${platform.connection.controlUrl}/metrics`);
    const { metrics, faults } = (await response.json()) as { metrics: Series[]; faults: string[] };
    expect(faults).toEqual([]);
    const dimensions = JSON.stringify({ environment: "local", ...by });
    return metrics.find((one) => one.name === name && JSON.stringify(one.dimensions) === dimensions)?.sum;
  };

  /** The way of an event from the relay to its receiver, by what it goes back to. */
  const follow = async (ids: Line) => {
    const { eventId, ...fannedOut } = await written("outbox-relay", "The event is fanned out.", ids);
    expect(eventId).toEqual(expect.stringMatching(/^evt_/));
    expect(fannedOut).toMatchObject({ kind: "hold.placed", messages: 1 });
    const sent = await written("callback-delivery", "Delivery attempted.", { ...ids, eventId });
    expect(sent).toMatchObject({ status: 204, attempt: 1 });
    const [received] = receiver.received.filter(({ headers }) => headers["webhook-id"] === sent.messageId);
    expect(JSON.parse(received?.body.toString() ?? "")).toMatchObject({ CardId: cardId });
  };

  it("a request is followed by its id from its answer to the webhook at the receiver", async () => {
    const { headers } = await program.call("POST /cards/{cardId}/authorizations", {
      path: { cardId },
      body: { amount: 2_500, merchantName: "Nobody's Business" },
    });
    const requestId = headers["x-request-id"];
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    await follow({ requestId });
    const route = "POST /cards/{cardId}/authorizations";
    await written("sandbox", "The event is applied.", { requestId, route });
    expect(await written("sandbox", "The request is answered.", { requestId, route })).toMatchObject({
      status: 200,
    });
  });

  it("an event of the network is followed by its own id", async () => {
    const processorEventId = newId("event");
    const { programId } = program;
    const authorization = { kind: "authorization", authorizationId: newId("hold"), amount: 100 } as const;
    await sendEvents(platform.connection, [
      { ...authorization, eventId: processorEventId, programId, cardId },
    ]);
    await follow({ processorEventId });
    await written("processor-events", "The event is applied.", { processorEventId });
  });

  it("a passcode's callback can be traced in the same way, and a rejected request has its code in the log", async () => {
    const webhookUrl = `${receiver.origin}/otp`;
    await program.call("POST /otp/listeners", { body: { cardId, webhookUrl } });
    const { headers } = await program.call("POST /cards/{cardId}/three-ds-challenges", {
      path: { cardId },
      body: { amount: 100 },
    });
    const requestId = headers["x-request-id"];
    const { eventId } = await written("outbox-relay", "The event is on the bus.", { requestId });
    const sent = await written("alert-delivery", "Delivery attempted.", { requestId, eventId });
    expect(sent).toMatchObject({ status: 204 });
    const refused = await program.call("GET /wallets/{walletId}", { path: { walletId: newId("wallet") } });
    const ids = { requestId: refused.headers["x-request-id"] };
    expect(await written("wallets", "The request is answered.", ids)).toMatchObject({ code: "NOT_FOUND" });
  });

  it("authorizations and deliveries are measured, each once", async () => {
    const declined = await program.call("POST /cards/{cardId}/authorizations", {
      path: { cardId },
      body: { amount: 1_000_000 },
    });
    expect(declined.body.data.approved).toBe(false);
    await vi.waitFor(async () => expect(await sumOf("Authorizations")).toBe(3), soon);
    expect(await sumOf("AuthorizationsApproved")).toBe(2);
    expect(await sumOf("DeliveryAttempts", { function: "callback-delivery" })).toBe(2);
    expect(await sumOf("DeliveryFailures", { function: "alert-delivery" })).toBe(0);
    expect(await sumOf("DeliveryAttempts", { function: "alert-delivery" })).toBe(1);
    const lagMs = (await sumOf("DeliveryLag", { function: "callback-delivery" })) ?? 0;
    expect(lagMs).toBeGreaterThan(0);
    expect(lagMs).toBeLessThan(90_000);
  });

  it("no line contains a credential or text that a caller wrote; nor is there, or in the trace, what was searched for", async () => {
    const { programApiKey, tenantApiKey, controlUrl } = platform.connection;
    const sought = ["Seekerson", "seeker@example.org", "+4915199988877", "0417"];
    const [name = "", email = "", phone = "", lastFour = ""] = sought;
    const searches: [string, Record<string, string>][] = [
      ["GET /cardholders", { name }],
      ["GET /cardholders", { email }],
      ["GET /cardholders", { phone }],
      ["GET /cardholders", { name, orderBy: email }],
      ["GET /cardholders", { [phone]: name }],
      ["GET /cards", { name, lastFour }],
      ["GET /wallets", { name, email }],
      ["GET /wallets/search", { name }],
    ];
    const statuses: number[] = [];
    for (const [route, query] of searches)
      statuses.push((await program.call(route as never, { query } as never)).status);
    expect(statuses).toEqual([200, 200, 200, 422, 422, 200, 422, 200]);
    const traced = async () => await (await fetch(`${controlUrl}/trace`)).text();
    await vi.waitFor(async () => expect(await traced()).toContain('/wallets/search"'), soon);
    const refused = () => linesOf("cardholders").filter(({ code }) => code === "VALIDATION_FAILED");
    await vi.waitFor(() => expect(refused()).toHaveLength(2), soon);
    const written = readdirSync(logs).map((file) => readFileSync(path.join(logs, file), "utf8"));
    expect(written.join("")).toContain("The event is applied.");
    for (const untold of [programApiKey, tenantApiKey, secret, "Nobody's Business", "Lovelace"])
      expect(written.join("").includes(untold), untold).toBe(false);
    // The trace's page shows merchants. Four digits may stand in any number.
    const all = [...written, await traced()].join("");
    for (const untold of [programApiKey, tenantApiKey, secret, name, email, phone, encodeURIComponent(email)])
      expect(all.includes(untold), untold).toBe(false);
  });
});
