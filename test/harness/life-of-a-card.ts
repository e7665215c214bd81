import { settledKinds } from "../../shared/network-events/card-event.ts";
import { newId } from "../../shared/platform/id.ts";
import type { Network, Told } from "./given-network.ts";

/** An event of each kind and each branch, in an order in which all are applied. */
export async function lifeOfACard({ apply, setStatus }: Pick<Network, "apply" | "setStatus">) {
  const told: { readonly event: Told; readonly result: unknown }[] = [];
  const tell = async (event: Told) => {
    const identified = { ...event, eventId: newId("event") };
    const result = await apply(identified);
    told.push({ event: identified, result });
    return result;
  };
  const authorizationOf = async (authorizationId: string, amount: number) =>
    tell({ kind: "authorization", authorizationId, amount });
  await authorizationOf("cleared", 1_000);
  await tell({ kind: "authorization_incremental", authorizationId: "cleared", amount: 200 });
  await tell({ kind: "authorization_advice", authorizationId: "cleared", amount: 50 });
  await tell({ kind: "authorization_reversal", authorizationId: "cleared", amount: 100 });
  await tell({ kind: "clearing", authorizationId: "cleared", amount: 500, final: false });
  await tell({ kind: "clearing", authorizationId: "cleared", amount: 700 });
  await authorizationOf("reversed", 300);
  await tell({ kind: "authorization_reversal", authorizationId: "reversed" });
  await authorizationOf("expired", 300);
  await tell({ kind: "authorization_expiry", authorizationId: "expired" });
  await authorizationOf("declined", 999_999);
  await tell({ kind: "authorization_incremental", authorizationId: "reversed", amount: 1 });
  await tell({ kind: "clearing", authorizationId: "early", amount: 40, final: false });
  await authorizationOf("early", 90);
  const { transId: purchase = "" } = await tell({ kind: "clearing", amount: 800 });
  const { transId: refund = "" } = await tell({ kind: "refund", amount: 300 });
  await tell({ kind: "refund_reversal", transId: refund });
  await tell({ kind: "atm_withdrawal", amount: 400, feeAmount: 20 });
  const { feeId = "" } = await tell({ kind: "fee", feeType: 2, amount: 30 });
  await tell({ kind: "fee_reversal", feeId });
  await tell({ kind: "balance_inquiry" });
  await tell({ kind: "refund_authorization", amount: 700 });
  const { chargebackId = "" } = await tell({ kind: "chargeback", transId: purchase });
  await tell({ kind: "chargeback_outcome", chargebackId, status: 1 });
  await tell({ kind: "dispute_outcome", disputeId: chargebackId, status: "lost" });
  const isTold = (kind: string) => told.some(({ event }) => event.kind === kind);
  for (const kind of settledKinds.filter((one) => !isTold(one))) await tell({ kind, amount: 15 });
  await setStatus(2);
  await authorizationOf("on-hold", 1);
  return told;
}
