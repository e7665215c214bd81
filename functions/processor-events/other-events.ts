import { passcodeEvents } from "../../shared/authentications/passcode-events.ts";
import { kycEvents } from "../../shared/cardholders/kyc-events.ts";
import { cardEvents } from "../../shared/cards/card-events.ts";
import { applyOnce } from "../../shared/changes/apply-once.ts";
import type { Change } from "../../shared/changes/change.ts";
import {
  type Applied,
  type ProcessorEvent,
  ProcessorResult,
  type RejectionCode,
} from "../../shared/contract/processor.ts";
import { type DepositEvent, depositEvents } from "../../shared/deposits/deposit-events.ts";
import { accountEvents } from "../../shared/external-accounts/account-changes.ts";
import { plasticEvents } from "../../shared/plastics/plastic-events.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { applyTokenRequest } from "../../shared/tokens/ask-token.ts";
import { tokenChanges } from "../../shared/tokens/token-events.ts";

/** What an event changes that is not of the card network: each kind is its capability's. */
export const otherChanges = {
  ...kycEvents,
  ...cardEvents,
  ...plasticEvents,
  ...depositEvents,
  ...passcodeEvents,
  ...tokenChanges,
  ...accountEvents,
};

export type OtherEvent = Extract<ProcessorEvent, { readonly kind: keyof typeof otherChanges }> &
  Pick<DepositEvent, "suspendUnknown">;

/** @throws ContendedError when the time for retries is up */
export async function applyOther(event: OtherEvent): Promise<ProcessorResult> {
  if (event.kind === "token_request") return applyTokenRequest(event);
  const change: unknown = otherChanges[event.kind];
  const sent = event.kind in depositEvents ? { ...event, requestHash: hashMoves(event) } : event;
  const result = await applyOnce(change as Change<OtherEvent, object, Applied, RejectionCode>, sent);
  // Without the words of a first refusal, which its record has not: a repetition gets the same.
  return ProcessorResult.parse(result);
}

/** A deposit's event that moves other money under the same id is no repetition. */
function hashMoves(event: Readonly<Record<string, unknown>>): string {
  const moves = ["kind", "depositId", "accountId", "amount", "currency"].map((name) => event[name]);
  return sha256(JSON.stringify(moves)).slice(0, 16);
}
