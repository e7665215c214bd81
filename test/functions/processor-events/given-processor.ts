import { handler } from "../../../functions/processor-events/handler.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";

/** An event but for its id and Program. */
export type Unsent<E = ProcessorEvent> = E extends ProcessorEvent ? Omit<E, "eventId" | "programId"> : never;

/** A Program with a Wallet, and a processor that speaks of deposits in it by direct invocation. */
export async function givenProcessor() {
  const programId = await givenStoredProgram();
  const wallet = await givenStoredWallet(programId);
  const send = (event: Unsent, eventId = newId("event")) => handler({ programId, eventId, ...event });
  const pending = (depositId?: string, amount = 100): Unsent => ({
    kind: "deposit_pending",
    accountType: 0,
    accountId: wallet,
    amount,
    channel: "crypto",
    ...(depositId && { depositId }),
  });
  const cleared = (depositId: string): Unsent => ({ kind: "deposit_cleared", depositId });
  const reversed = (depositId: string): Unsent => ({ kind: "deposit_reversed", depositId });
  const returned = (depositId: string): Unsent => ({ kind: "deposit_returned", depositId });
  return { programId, wallet, send, pending, cleared, reversed, returned };
}

/** The answers if a state forbids the event, and if its record does not exist. */
export const illegal = { outcome: "refused", code: "ILLEGAL_TRANSITION" };
export const unknown = { outcome: "refused", code: "NOT_FOUND" };
