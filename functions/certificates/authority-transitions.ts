import type { AuthorityStatus } from "../../shared/contract/authority.ts";
import type { TransitionTable } from "../../shared/platform/table/transition.ts";

/**
 * - trust: the operator takes back that it was removed
 * - issue: it signs from now on
 * - supersede: another one does
 * - remove: it leaves the truststore
 */
export type AuthorityTrigger = "trust" | "issue" | "supersede" | "remove";

/** Every legal change of a certificate authority's status. The first one comes to issue, every other one to be trusted. */
export const authorityTransitions = [
  { from: "removed", trigger: "trust", to: "trusted" },
  { from: "trusted", trigger: "issue", to: "issuing" },
  { from: "issuing", trigger: "supersede", to: "trusted" },
  { from: "trusted", trigger: "remove", to: "removed" },
] as const satisfies TransitionTable<AuthorityStatus, AuthorityTrigger>;
