import { expect } from "vitest";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { deliverAlerts } from "../../harness/given-alerts.ts";
import { type GivenProgram, givenCardholder, givenProgram } from "../../harness/given-cards.ts";
import type { givenCustomer } from "../../harness/given-customer.ts";
import { refusedOf } from "../../harness/refused.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";
import { type GivenConnection, givenConnection } from "./given-connection.ts";

type Customer = ReturnType<typeof givenCustomer>;

/** A Program whose provider is at a path of its own. */
export async function givenReview(customer: Customer, details: object = {}) {
  const program = await givenProgram();
  const path = `/kyc/${program.programId}`;
  const url = `${customer.receiver.origin}${path}`;
  const connection = await givenConnection(program, { port: "compliance", adapter: "http", url });
  const cardholderId = await givenCardholder(program, details);
  const requests = () => customer.receiver.received.filter((one) => one.path === path);
  const bodies = () => requests().map(({ body }) => JSON.parse(body.toString()));
  return {
    program,
    connection,
    cardholderId,
    requests,
    bodies,
    ...reviewCalls(program, cardholderId, connection),
  };
}

export function reviewCalls(program: GivenProgram, cardholderId: string, connection: GivenConnection) {
  const path = { cardholderId };
  return {
    submit: async (body: object = {}) =>
      (await program.call("POST /cardholders/{cardholderId}/submit", { path, body })).body.data,
    view: async () => (await program.call("GET /cardholders/{cardholderId}", { path })).body.data,
    send: (body: object | string, at = now(), secret = connection.secret) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const id = typeof body === "string" ? "m" : ((body as { eventId?: string }).eventId ?? "m");
      return connection.post(text, signatureHeaders(id, Buffer.from(text), [secret], at));
    },
    refused: () => refusedOf(program),
  };
}

export const answerWith = ({ receiver }: Customer, status: number, body: object | string = "") =>
  receiver.behave((_, response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body)),
  );
/** As the bus delivers them: without the applicant. */
export async function deliverRequests({ programId }: GivenProgram): Promise<void> {
  const events = eventsIn(await storedItems(programId)).filter(({ kind }) => kind === "kyc.requested");
  expect(events.length).toBeGreaterThan(0);
  const ids = events.map(({ eventId, kind, detail }) => {
    const { cardholderId, sessionId } = detail as Record<string, unknown>;
    return { eventId, kind, programId, cardholderId, sessionId, cause: { requestId: "request" } };
  });
  const delivered = await deliverAlerts(ids.map((detail) => ({ detail })));
  expect(delivered).toEqual({ batchItemFailures: [] });
}

export const kycUrl = "https://kyc.provider.example/s/1";
export const outcome = (sessionId: string, decided: string, eventId = `e-${decided}`) => ({
  type: "kyc.outcome",
  eventId,
  sessionId,
  outcome: decided,
});
