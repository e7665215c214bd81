import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import type { CardEvent } from "./card-event.ts";
import type { CardPlan, CardSubject, OfAccount, Rejected } from "./plan.ts";

/** Whether the answer to an approval has the balances after it. */
export function hasBalances(event: CardEvent): boolean {
  return "withBalances" in event && event.withBalances === true;
}

/** The commit then requires the balances from which those after it were computed. */
export function withBalances(
  subject: CardSubject & OfAccount,
  plan: CardPlan | Rejected,
): CardPlan | Rejected {
  const { event, account, card } = subject;
  if ("rejected" in plan || !hasBalances(event) || !plan.result.approved || !account) return plan;
  const { availableMinor, ledgerMinor } = account;
  const change = balanceChanges(plan.postings).get(card.cardId) ?? zeroBalances;
  const after = {
    availableBalance: availableMinor + change.availableMinor,
    ledgerBalance: ledgerMinor + change.ledgerMinor,
  };
  return {
    ...plan,
    balances: { ...plan.balances, availableMinor, ledgerMinor },
    result: { ...plan.result, ...after, currency: card.currency },
  };
}
