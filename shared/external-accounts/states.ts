import type { ExternalAccountStatus } from "../contract/external-accounts.ts";
import { leadsTo, type TransitionTable } from "../platform/table/transition.ts";

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
] as const satisfies TransitionTable<ExternalAccountStatus, string>;

type ExternalAccountTrigger = (typeof externalAccountTransitions)[number]["trigger"];

/** Undefined if its status does not permit the step. */
export function nextStatus(from: ExternalAccountStatus, trigger: ExternalAccountTrigger) {
  return leadsTo<ExternalAccountStatus, ExternalAccountTrigger>(externalAccountTransitions, from, trigger);
}
