import type { ExternalAccountStatus } from "../contract/external-accounts.ts";
import type { TransitionTable } from "../platform/table/transition.ts";

export type ExternalAccountTrigger =
  | "verify"
  | "match"
  | "mismatch"
  | "confirm"
  | "exhaust"
  | "bounce"
  | "expire"
  | "return"
  | "archive";

/** Every legal change of an external account's status. */
export const externalAccountTransitions = [
  { from: "new", trigger: "verify", to: "pending" },
  { from: "failed", trigger: "verify", to: "pending" },
  { from: "suspended", trigger: "verify", to: "pending" },
  { from: "pending", trigger: "match", to: "verified" },
  { from: "pending", trigger: "mismatch", to: "failed" },
  { from: "pending", trigger: "confirm", to: "verified" },
  { from: "pending", trigger: "exhaust", to: "failed" },
  { from: "pending", trigger: "bounce", to: "failed" },
  { from: "pending", trigger: "expire", to: "failed" },
  { from: "verified", trigger: "return", to: "suspended" },
  { from: "new", trigger: "archive", to: "archived" },
  { from: "pending", trigger: "archive", to: "archived" },
  { from: "verified", trigger: "archive", to: "archived" },
  { from: "failed", trigger: "archive", to: "archived" },
  { from: "suspended", trigger: "archive", to: "archived" },
] as const satisfies TransitionTable<ExternalAccountStatus, ExternalAccountTrigger>;

/** Undefined if its status does not permit the step. */
export function nextStatus(
  from: ExternalAccountStatus,
  trigger: ExternalAccountTrigger,
): ExternalAccountStatus | undefined {
  return externalAccountTransitions.find((one) => one.from === from && one.trigger === trigger)?.to;
}
