import type { TokenState, TokenTrigger } from "../contract/tokens.ts";
import { leadsTo, type TransitionTable } from "../platform/table/transition.ts";

/** What changes a token that is there: the others begin one. */
export type TokenStepTrigger = Exclude<TokenTrigger, "approve" | "step_up" | "decline">;

/** Every legal step of a token; the code and the documentation read this one table. */
export const tokenTransitions = [
  { from: "verifying", trigger: "confirm", to: "active" },
  { from: "verifying", trigger: "fail", to: "declined" },
  { from: "verifying", trigger: "expire", to: "declined" },
  { from: "active", trigger: "suspend", to: "suspended" },
  { from: "suspended", trigger: "resume", to: "active" },
  { from: "active", trigger: "delete", to: "deleted" },
  { from: "suspended", trigger: "delete", to: "deleted" },
  { from: "verifying", trigger: "delete", to: "deleted" },
  { from: "active", trigger: "close", to: "deleted" },
  { from: "suspended", trigger: "close", to: "deleted" },
  { from: "verifying", trigger: "close", to: "deleted" },
] as const satisfies TransitionTable<TokenState, TokenStepTrigger>;

/** Undefined if the state does not permit it. */
export function nextTokenState(from: TokenState, trigger: TokenStepTrigger): TokenState | undefined {
  return leadsTo<TokenState, TokenStepTrigger>(tokenTransitions, from, trigger);
}

/** Those that count among the tokens of a Card, and that a closed Card loses. */
export function isLive(state: TokenState): boolean {
  return state !== "declined" && state !== "deleted";
}
