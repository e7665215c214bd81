import { applied, isUsable, type Outcome, reasonOf } from "./answers.ts";
import type { Card } from "./card.ts";
import { plasticReason } from "./plastics.ts";

export interface Token {
  readonly first: Outcome;
  state: "verifying" | "active" | "suspended" | "declined" | "deleted";
}

type TokenRequest = {
  readonly reference: number;
  readonly steppedUp: boolean;
  readonly plastic?: number | undefined;
};

/** By the Program's rules. What was asked for before gets the first answer. */
export function requestToken(card: Card, { reference, steppedUp, plastic }: TokenRequest): Outcome {
  const before = card.tokens.get(reference);
  if (before) return before.first;
  const ofPlastic = plastic === undefined ? undefined : plasticReason(card, plastic);
  const isInMail = card.plastics.awaits && ofPlastic === "CARD_NOT_ACTIVATED";
  const refused = isUsable(card) ? (isInMail ? undefined : ofPlastic) : reasonOf(card);
  const [tokenOutcome, state] = refused
    ? (["declined", "declined"] as const)
    : steppedUp || isInMail
      ? (["step_up", "verifying"] as const)
      : (["approved", "active"] as const);
  const declineReason = refused === undefined ? {} : { declineReason: refused };
  const first = applied({ tokenOutcome, tokenState: state, decidedBy: "platform", ...declineReason });
  card.tokens.set(reference, { first, state });
  return first;
}

export type TokenStep = "confirm" | "fail" | "expire" | "suspend" | "resume" | "delete";

/** Whatever its Card's plastics are. */
export function stepToken({ tokens }: Card, reference: number, step: TokenStep): Outcome {
  const token = tokens.get(reference);
  if (!token) return { code: "NOT_FOUND" };
  const isVerifying = token.state === "verifying";
  const next = {
    confirm: isVerifying ? "active" : undefined,
    fail: isVerifying ? "declined" : undefined,
    // Its time is not up.
    expire: undefined,
    suspend: token.state === "active" ? "suspended" : undefined,
    resume: token.state === "suspended" ? "active" : undefined,
    delete: token.state === "deleted" || token.state === "declined" ? undefined : "deleted",
  } as const;
  const state = next[step];
  if (!state) return { code: "ILLEGAL_TRANSITION" };
  token.state = state;
  return { state };
}

/** Why nothing can be paid with it: for the Card's own reason, or for the token. */
export function tokenReason(card: Card, reference: number | undefined): string | undefined {
  if (reference === undefined) return undefined;
  const token = card.tokens.get(reference);
  if (token?.state === "active") return undefined;
  if (!isUsable(card)) return reasonOf(card);
  return token ? "TOKEN_NOT_ACTIVE" : "NOT_FOUND";
}
