import { type Notification, readNotification } from "../../../client/src/card-issuing.ts";
import { toDecimal } from "../../../shared/contract/currencies.ts";
import { TransactionType } from "../../../shared/contract/enums.ts";

/** Type, amount in the currency's units, what it is about, and what became of that. */
export function describeNotification(body: string): string {
  const { type, amountMinor, subject = "", what = "" } = readFacts(readNotification(body));
  const amount = amountMinor === undefined ? "" : toDecimal(amountMinor);
  return `${type.padEnd(26)} ${amount.padStart(10)}  ${subject.padEnd(30)}  ${what.padEnd(26)}`;
}

interface Facts {
  readonly type: string;
  readonly amountMinor?: number | undefined;
  readonly subject?: string | undefined;
  readonly what?: string | undefined;
}

function readFacts(received: Notification): Facts {
  switch (received.kind) {
    case "transaction": {
      const { SpData, TransAmount, CardId, TransType } = received.notification;
      const what = transactionNames.get(TransType);
      return { type: SpData.MsgType, amountMinor: TransAmount, subject: CardId, what };
    }
    case "change": {
      const { type, data, subjectId } = received.notification;
      const found: Readonly<Record<string, unknown>> = data;
      const amounts = amountNames.map((name) => found[name]).filter((one) => typeof one === "number");
      return {
        type,
        amountMinor: amounts[0],
        subject: typeof found.cardId === "string" ? found.cardId : subjectId,
        what: typeof found.status === "string" ? found.status : undefined,
      };
    }
    default:
      return { type: received.kind };
  }
}

const transactionNames = new Map(Object.entries(TransactionType).map(([name, code]) => [Number(code), name]));

/** The first that a body has says what it is about. */
const amountNames = ["amount", "requestedAmount", "availableBalance"];
