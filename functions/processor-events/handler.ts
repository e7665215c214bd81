import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { deferredHandler } from "../../shared/platform/deferred-handler.ts";
import type { Entrances } from "./consume-events.ts";

/** What the inputs change, imported with the first of their kind. */
const others: Omit<Entrances, "network" | "mayBeAsked"> = {
  other: async (event) => (await withHotWallets(import("./other-events.ts"))).applyOther(event),
  bank_report: async (report) => {
    const { applyReport } = await withHotWallets(import("../../shared/payments/apply-report.ts"));
    return applyReport(report);
  },
  custody_report: async (report) => {
    const { applyCustodyEvent } = await withHotWallets(
      import("../../shared/deposits/custody/apply-custody-event.ts"),
    );
    return applyCustodyEvent(report);
  },
};

export const handler = deferredHandler(async () => {
  const [{ consumeEvents }, { mayHaveEndpoint: mayBeAsked }, { applyEvent }, { cardChanges }] =
    await Promise.all([
      import("./consume-events.ts"),
      import("../../shared/questions/endpoint.ts"),
      withHotWallets(import("../../shared/network-events/apply/execute-event.ts")),
      withHotWallets(import("../../shared/network-events/apply/card-changes.ts")),
    ]);
  const network: Entrances["network"] = (event, known) => applyEvent(cardChanges, event, known);
  return (input: unknown) => consumeEvents(input, { ...others, network, mayBeAsked });
});
