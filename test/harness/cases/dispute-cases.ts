import { mostEvidence } from "../../../shared/contract/evidence.ts";
import type { EventOptions } from "../api-event.ts";
import { type CaseRequest, type EndpointCases, externalIdTaken, type Preparation } from "./case.ts";
import { again, purchased } from "./network-cases.ts";

/** A purchase, and a dispute of a part of it. */
export const disputable: Preparation = async (program) => {
  const { body } = await purchased(program);
  const { transId } = body as { transId: string };
  return { body: { referenceCode: transId, reason: "not_received", amount: 1_000, note: "It never came." } };
};

const disputed: Preparation = async (program) => {
  const answer = await program.call("POST /disputes", await disputable(program));
  return { path: { disputeId: answer.body.data.disputeId as string } };
};

/** A dispute that the network has taken to a status. */
const inStatus =
  (...statuses: string[]): Preparation =>
  async (program) => {
    const request = await disputed(program);
    await program.call("POST /disputes/{disputeId}/submit", request);
    for (const status of statuses)
      await program.call("POST /disputes/{disputeId}/outcome", { ...request, body: { status } });
    return request;
  };

const withBody =
  (first: Preparation, body: object): Preparation =>
  async (program): Promise<CaseRequest> => ({ ...(await first(program)), body });

const receipt = { fileName: "receipt.png", contentType: "image/png" };

const evidence = async (program: Parameters<Preparation>[0], request: CaseRequest): Promise<string> =>
  (await program.call("POST /disputes/{disputeId}/evidence", { ...request, body: receipt })).body.data
    .evidenceId;

const withEvidence =
  (pieces: number): Preparation =>
  async (program) => {
    const request = await disputed(program);
    for (let count = 0; count < pieces; count += 1) await evidence(program, request);
    return request;
  };

const step = (
  route: EventOptions["route"] & EndpointCases["route"],
  success: Preparation,
): EndpointCases => ({
  route,
  success,
  refusals: { ILLEGAL_TRANSITION: again(route, success) },
});

export const disputeCases: readonly EndpointCases[] = [
  {
    route: "POST /disputes",
    success: disputable,
    refusals: {
      NOT_FOUND: withBody(disputable, { referenceCode: "R-0", reason: "other" }),
      // A refund cannot be disputed.
      ILLEGAL_TRANSITION: async (program) => {
        const { path, body } = await purchased(program);
        const refund = await program.call("POST /cards/{cardId}/refunds", {
          path,
          body: { amount: (body as { amount: number }).amount },
        });
        return { body: { referenceCode: refund.body.data.transId, reason: "other" } };
      },
      AMOUNT_EXCEEDED: again("POST /disputes", disputable),
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /disputes", disputable),
    },
  },
  {
    route: "GET /disputes",
    success: async (program) => {
      await disputed(program);
      return {};
    },
  },
  { route: "GET /disputes/{disputeId}", success: disputed },
  {
    route: "PUT /disputes/{disputeId}",
    success: withBody(disputed, { reason: "defective", amount: 1_100 }),
    refusals: {
      ILLEGAL_TRANSITION: withBody(inStatus(), { amount: 900 }),
      AMOUNT_EXCEEDED: withBody(disputed, { amount: 1_201 }),
      EXTERNAL_ID_EXISTS: externalIdTaken("PUT /disputes/{disputeId}", disputed),
      VALIDATION_FAILED: withBody(disputed, { amount: 0 }),
    },
  },
  {
    route: "POST /disputes/{disputeId}/submit",
    success: disputed,
    refusals: {
      ILLEGAL_TRANSITION: again("POST /disputes/{disputeId}/submit", disputed),
      EVIDENCE_REQUIRED: inStatus("pending_customer"),
    },
  },
  step("POST /disputes/{disputeId}/escalate", inStatus("representment", "pre_arbitration")),
  step("POST /disputes/{disputeId}/write-off", inStatus()),
  step("POST /disputes/{disputeId}/withdraw", inStatus()),
  {
    route: "POST /disputes/{disputeId}/evidence",
    success: withBody(disputed, receipt),
    refusals: {
      ILLEGAL_TRANSITION: withBody(inStatus(), receipt),
      LIMIT_REACHED: withBody(withEvidence(mostEvidence), receipt),
      VALIDATION_FAILED: withBody(disputed, { ...receipt, contentType: "image/gif" }),
    },
  },
  {
    route: "GET /disputes/{disputeId}/evidence",
    success: withEvidence(1),
  },
  {
    route: "GET /disputes/{disputeId}/evidence/{evidenceId}",
    success: async (program) => {
      const request = await disputed(program);
      return { path: { ...request.path, evidenceId: await evidence(program, request) } };
    },
  },
  { route: "GET /disputes/{disputeId}/events", success: inStatus("representment") },
  step("POST /disputes/{disputeId}/outcome", withBody(inStatus(), { status: "won" })),
];
