import { lostByStandIn } from "../../questions/question.ts";
import type { Verdict } from "./decision.ts";

/** The process that asked did not decide in time. */
export const lost: Verdict = { ...lostByStandIn, approvedMinor: 0 };

/** Its reversal came first: a withdrawal is not paid out. */
export const reversed: Verdict = {
  decidedBy: "platform",
  approvedMinor: 0,
  reason: "AUTHORIZATION_FINISHED",
};

/** Another transaction settled with the withdrawal's reference code while it was asked about. */
export const referenceTaken: Verdict = { ...reversed, reason: "REFERENCE_EXISTS" };
