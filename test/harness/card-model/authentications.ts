import { isUsable, type Outcome } from "./answers.ts";
import type { Card } from "./card.ts";
import { plasticReason } from "./plastics.ts";

export interface Proof {
  state: "authenticated" | "challenged" | "rejected" | "failed" | "expired";
  /** The authorization that has it for itself. */
  usedBy?: number | undefined;
}

export type ChallengeEnd = "approved" | "declined" | "expired";

/** `token`: which one pays in the place of the number. */
export function authenticate(card: Card, challenged: boolean, token: number | undefined): Outcome {
  const found = token === undefined ? undefined : card.tokens.get(token);
  if (token !== undefined && !found) return { code: "NOT_FOUND" };
  const isGood = found ? found.state === "active" : plasticReason(card, undefined) === undefined;
  const canPay = isUsable(card) && isGood;
  const state = !canPay ? "rejected" : challenged ? "challenged" : "authenticated";
  card.proofs.push({ state });
  return { state };
}

/** Whatever has become of its Card. It ends once. */
export function endChallenge({ proofs }: Card, nth: number, end: ChallengeEnd): Outcome {
  const proof = proofs[nth];
  const isOpen = proof?.state === "challenged";
  if (end === "expired") {
    if (isOpen) proof.state = "expired";
    return {};
  }
  if (!isOpen) return { code: proof ? "ILLEGAL_TRANSITION" : "NOT_FOUND" };
  proof.state = end === "approved" ? "authenticated" : "failed";
  return { state: proof.state };
}

interface Presented {
  readonly proof?: number | undefined;
  readonly cavv?: "right" | "wrong" | undefined;
  readonly cvc?: "match" | "mismatch" | undefined;
}

/** Which authentication is named: a wrong CAVV names none. */
export function namedProof({ proof, cavv }: Presented): number | undefined {
  return cavv === "wrong" ? undefined : proof;
}

/** Whether a control that looks at them allows what was verified. */
export function isVerified({ proofs }: Card, presented: Presented, slot: number): boolean {
  const { cavv, cvc } = presented;
  const nth = namedProof(presented);
  const found = nth === undefined ? undefined : proofs[nth];
  const isGood = found?.state === "authenticated" && [undefined, slot].includes(found.usedBy);
  return cvc !== "mismatch" && cavv !== "wrong" && (!found || isGood);
}

/** Of several purchases that name it, one has it: until it is declined. */
export function takeProof({ proofs }: Card, nth: number | undefined, slot: number): number | undefined {
  const found = nth === undefined ? undefined : proofs[nth];
  if (found?.state !== "authenticated" || found.usedBy !== undefined) return undefined;
  found.usedBy = slot;
  return nth;
}
