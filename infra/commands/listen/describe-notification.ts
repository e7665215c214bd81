import { type Notification, readNotification } from "../../../client/src/card-issuing.ts";
import { toDecimal } from "../../../shared/contract/currencies.ts";

/** Type, amount in the currency's units, and the Card or what else it is about, if it has them. */
export function describeNotification(body: string): string {
  const { type, amountMinor, subject = "" } = readFacts(readNotification(body));
  const amount = amountMinor === undefined ? "" : toDecimal(amountMinor);
  return `${type.padEnd(26)} ${amount.padStart(10)}  ${subject.padEnd(30)}`;
}

interface Facts {
  readonly type: string;
  readonly amountMinor?: number | undefined;
  readonly subject?: string | undefined;
}

function readFacts(received: Notification): Facts {
  switch (received.kind) {
    case "transaction": {
      const { SpData, TransAmount, CardId } = received.notification;
      return { type: SpData.MsgType, amountMinor: TransAmount, subject: CardId };
    }
    case "change": {
      const { type, data, subjectId } = received.notification;
      const found: Readonly<Record<string, unknown>> = data;
      const amounts = amountNames.map((name) => found[name]).filter((one) => typeof one === "number");
      return {
        type,
        amountMinor: amounts[0],
        subject: typeof found.cardId === "string" ? found.cardId : subjectId,
      };
    }
    default:
      return { type: received.kind };
  }
}

/** The first that a body has says what it is about. */
const amountNames = ["amount", "requestedAmount", "availableBalance"];
