import { type Notification, readNotification } from "../../../client/src/card-issuing.ts";
import { toDecimal } from "../../../shared/contract/currencies.ts";

/** Type, amount in the currency's units and Card, of what has them. */
export function describeNotification(body: string): string {
  const { type, amountMinor, cardId } = readFacts(readNotification(body));
  const amount = amountMinor === undefined ? "" : toDecimal(amountMinor);
  return `${type.padEnd(26)} ${amount.padStart(10)}  ${(cardId ?? "").padEnd(30)}`.trimEnd();
}

interface Facts {
  readonly type: string;
  readonly amountMinor?: number | undefined;
  readonly cardId?: string | undefined;
}

function readFacts(received: Notification): Facts {
  switch (received.kind) {
    case "transaction": {
      const { SpData, TransAmount, CardId } = received.notification;
      return { type: SpData.MsgType, amountMinor: TransAmount, cardId: CardId };
    }
    case "change": {
      const { type, data } = received.notification;
      const found: Readonly<Record<string, unknown>> = data;
      const amounts = amountNames.map((name) => found[name]).filter((one) => typeof one === "number");
      return {
        type,
        amountMinor: amounts[0],
        cardId: typeof found.cardId === "string" ? found.cardId : undefined,
      };
    }
    default:
      return { type: received.kind };
  }
}

/** The first that a body has says what it is about. */
const amountNames = ["amount", "requestedAmount", "availableBalance"];
