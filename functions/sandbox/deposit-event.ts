import type { z } from "zod";
import type { DestinationType } from "../../shared/contract/enums.ts";
import type { ProcessorEvent } from "../../shared/contract/processor.ts";
import type { SandboxDeposit } from "../../shared/contract/sandbox.ts";
import { newId } from "../../shared/platform/id.ts";

type NewDepositEvent = Extract<ProcessorEvent, { kind: "deposit_pending" | "deposit_cleared" }>;

/** The processor's event of a new digital-asset deposit: pending, or cleared without having been pending. */
export function depositEvent(
  programId: string,
  account: { accountType: DestinationType; accountId: string },
  { pending, ...details }: z.output<typeof SandboxDeposit>,
): NewDepositEvent {
  return {
    kind: pending ? "deposit_pending" : "deposit_cleared",
    eventId: newId("event"),
    programId,
    channel: "crypto",
    ...account,
    ...details,
  };
}
