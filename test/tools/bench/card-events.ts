import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import { progress, type Row } from "./report.ts";
import { costRow } from "./round-trips.ts";

/** One transaction, after at most one round of reads. */
const roundTripLimit = 2;

/** What each kind of card event costs in DynamoDB, on a card that the worker has met. */
export async function costsOfCardEvents(): Promise<Row[]> {
  const network = await givenNetwork({ availableMinor: 1_000_000 });
  const rows: Row[] = [];
  const cost = async (name: string, event: Told | ProcessorEvent, limit = roundTripLimit) => {
    progress(name);
    const measured = await measure(() => network.apply(event as Told));
    rows.push(costRow(name, measured.cost, limit));
    return measured.result;
  };
  await network.apply({ kind: "balance_inquiry" });
  const hold = { authorizationId: "A" };
  await cost("authorization", { kind: "authorization", ...hold, amount: 100 });
  const tooMuch = { kind: "authorization", authorizationId: "B", amount: 2_000_000 } as const;
  const { approved } = await cost("authorization, declined", tooMuch);
  if (approved) throw new Error("It was approved.");
  await cost("increment", { kind: "authorization_incremental", ...hold, amount: 20 });
  await cost("advice", { kind: "authorization_advice", ...hold, amount: 5 });
  await cost("reversal", { kind: "authorization_reversal", ...hold, amount: 5 });
  await cost("clearing", { kind: "clearing", ...hold, amount: 50, final: false });
  await cost("expiry", { kind: "authorization_expiry", ...hold });
  const { transId = "" } = await cost("force post", { kind: "clearing", amount: 50 });
  const refund = await cost("refund", { kind: "refund", amount: 10 });
  await cost("refund reversal", { kind: "refund_reversal", transId: refund.transId ?? "" });
  await cost("ATM withdrawal", { kind: "atm_withdrawal", amount: 10 });
  const { feeId = "" } = await cost("fee", { kind: "fee", feeType: 5, amount: 3 });
  await cost("fee reversal", { kind: "fee_reversal", feeId });
  await cost("balance inquiry", { kind: "balance_inquiry" });
  const { chargebackId = "" } = await cost("chargeback", { kind: "chargeback", transId });
  // A third: the disputed transaction is read after the dispute.
  await cost("chargeback outcome", { kind: "chargeback_outcome", chargebackId, status: 2 }, 3);
  await network.setProgram({ feeSchedule: [{ feeType: 4, amount: 1, basisPoints: 0 }] });
  const abroad = { srcAmount: 40, srcCurrency: "978" };
  await cost("settlement with conversion", { kind: "clearing", amount: 50, ...abroad });
  for (const kind of ["deposit_cleared", "deposit_reversed"] as const) {
    const { depositId = "" } = await cost("deposit pending", depositOn(network));
    const settled = { kind, eventId: newId("event"), programId: network.programId, depositId };
    await cost(kind.replace("_", " "), settled);
  }
  return rows;
}

function depositOn({ programId, cardId }: { programId: string; cardId: string }): ProcessorEvent {
  const account = { programId, accountType: 1, accountId: cardId } as const;
  return { kind: "deposit_pending", eventId: newId("event"), ...account, amount: 40, channel: "crypto" };
}
