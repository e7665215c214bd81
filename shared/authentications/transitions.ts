import type { AuthenticationState } from "../contract/authentications.ts";
import type { TransitionTable } from "../platform/table/transition.ts";

export type AuthenticationTrigger = "pass" | "fail" | "expire";

/** Every legal change of a challenge. What is decided without one never changes its state. */
export const authenticationTransitions = [
  { from: "challenged", trigger: "pass", to: "authenticated" },
  { from: "challenged", trigger: "fail", to: "failed" },
  { from: "challenged", trigger: "expire", to: "expired" },
] as const satisfies TransitionTable<AuthenticationState, AuthenticationTrigger>;

/** What a request comes to at once. */
export type FirstDecision = "approve" | "challenge" | "decline" | "attempt";

/** An approval for an exemption that was asked for is no authentication. */
export function firstState(decision: FirstDecision, hasExemption: boolean): AuthenticationState {
  switch (decision) {
    case "approve":
      return hasExemption ? "exempted" : "authenticated";
    case "challenge":
      return "challenged";
    case "decline":
      return "rejected";
    case "attempt":
      return "attempted";
  }
}
