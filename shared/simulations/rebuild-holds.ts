import type { Hold } from "../authorizations/holds/hold.ts";
import { TransactionStatus } from "../contract/enums.ts";
import { noCardControls, noCardholderControls, noProgramControls } from "../controls/rulebooks.ts";
import type { CardEvent } from "../network-events/card-event.ts";
import type { Movement, StoredMovement } from "./movement.ts";
import type { CardStart } from "./simulated-card.ts";
import { type RunRules, SimulationRun } from "./simulation-run.ts";

const noControls = {
  program: { ...noProgramControls, timeZone: "Etc/UTC" },
  cardholder: noCardholderControls,
  card: noCardControls,
};

/** More than any Card needs: only what was declined is declined again. */
const plentyMinor = 1e14;

/** The holds that these records led to: their events happen again, decided as they were. */
export function rebuildHolds(
  { programId, settings }: Pick<RunRules, "programId" | "settings">,
  card: Pick<CardStart, "cardId" | "cardholderId" | "currency">,
  records: readonly StoredMovement[],
): (authorizationId: string) => Hold | undefined {
  const run = new SimulationRun({ programId, settings, controlId: "", sinceMs: Number.POSITIVE_INFINITY });
  run.addCard({ ...card, availableMinor: plentyMinor, holds: [] }, noControls);
  for (const record of records) run.take(asDecided(record));
  return (authorizationId) => run.findHold(authorizationId);
}

function asDecided({ movement, decided }: StoredMovement): Movement {
  const { event, declineReason, approvedMinor } = movement;
  if (!event || !decided) return movement;
  const again = { ...movement, dueAt: undefined, declineReason: undefined };
  const isDeclined = decided.transStatus === TransactionStatus.declined;
  // Cash after its reversal is declined again, and so is what was asked about.
  const isReversed = event.kind === "atm_withdrawal" && declineReason === "AUTHORIZATION_FINISHED";
  const isForced = isDeclined && !isReversed && approvedMinor === undefined;
  if (isForced) return { ...again, event: { ...event, failedCheck: "PIN_WRONG" } as CardEvent };
  const isPart = event.kind === "authorization" && !isDeclined;
  return isPart ? { ...again, event: { ...event, amount: decided.amountMinor } } : again;
}
