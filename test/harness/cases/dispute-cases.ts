import { mostEvidence } from "../../../shared/contract/evidence.ts";
import {
  after,
  again,
  and,
  called,
  created,
  type EndpointCases,
  externalIdTaken,
  type Preparation,
} from "./case.ts";
import { purchased } from "./network-cases.ts";

/** A purchase, and a dispute of a part of it. */
export const disputable: Preparation = async (program) => {
  const { body } = await purchased(program);
  const { transId } = body as { transId: string };
  return { body: { referenceCode: transId, reason: "not_received", amount: 1_000, note: "It never came." } };
};

const disputed = created("POST /disputes", disputable, "disputeId");

/** A dispute that the network has taken to a status. */
const inStatus = (...statuses: string[]): Preparation =>
  statuses.reduce(
    (before, status) => called("POST /disputes/{disputeId}/outcome", before, { status }),
    called("POST /disputes/{disputeId}/submit", disputed),
  );

const receipt = { fileName: "receipt.png", contentType: "image/png" };
const evidence = "POST /disputes/{disputeId}/evidence";
const withEvidence = (pieces: number) => called(evidence, disputed, receipt, pieces);

export const disputeCases: EndpointCases = {
  "POST /disputes": [
    disputable,
    {
      NOT_FOUND: and(disputable, { body: { referenceCode: "R-0", reason: "other" } }),
      // A refund cannot be disputed.
      ILLEGAL_TRANSITION: async (program) => {
        const { path, body } = await purchased(program);
        const { amount } = body as { amount: number };
        const refund = await program.call("POST /cards/{cardId}/refunds", { path, body: { amount } });
        return { body: { referenceCode: refund.body.data.transId, reason: "other" } };
      },
      AMOUNT_EXCEEDED: again(),
    },
  ],
  "GET /disputes": after(disputed, {}),
  "GET /disputes/{disputeId}": disputed,
  "PUT /disputes/{disputeId}": [
    and(disputed, { body: { reason: "defective", amount: 1_100 } }),
    {
      ILLEGAL_TRANSITION: and(inStatus(), { body: { amount: 900 } }),
      AMOUNT_EXCEEDED: and(disputed, { body: { amount: 1_201 } }),
      EXTERNAL_ID_EXISTS: externalIdTaken(disputed),
      VALIDATION_FAILED: and(disputed, { body: { amount: 0 } }),
    },
  ],
  "POST /disputes/{disputeId}/submit": [disputed, { EVIDENCE_REQUIRED: inStatus("pending_customer") }],
  "POST /disputes/{disputeId}/escalate": inStatus("representment", "pre_arbitration"),
  "POST /disputes/{disputeId}/write-off": inStatus(),
  "POST /disputes/{disputeId}/withdraw": inStatus(),
  [evidence]: [
    and(disputed, { body: receipt }),
    {
      ILLEGAL_TRANSITION: and(inStatus(), { body: receipt }),
      LIMIT_REACHED: and(withEvidence(mostEvidence), { body: receipt }),
      VALIDATION_FAILED: and(disputed, { body: { ...receipt, contentType: "image/gif" } }),
    },
  ],
  "GET /disputes/{disputeId}/evidence": withEvidence(1),
  "GET /disputes/{disputeId}/evidence/{evidenceId}": async (program) => {
    const { path } = await disputed(program);
    const { evidenceId } = (await program.call(evidence, { path, body: receipt })).body.data;
    return { path: { ...path, evidenceId } };
  },
  "GET /disputes/{disputeId}/events": inStatus("representment"),
  "POST /disputes/{disputeId}/outcome": and(inStatus(), { body: { status: "won" } }),
};
