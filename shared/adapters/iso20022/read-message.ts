import * as z from "zod";
import { type BankMessage, isFiller } from "../../contract/bank.ts";
import { withoutCardNumbers } from "../../contract/card-numbers.ts";
import { positiveAmount, text } from "../../contract/primitives.ts";

const bankReference = text(64).refine((one) => !isFiller(one), "must identify the deposit");
const common = { eventId: text(64), bankReference };

const Message = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("deposit.announced"),
    ...common,
    reference: text(500).optional(),
    amount: positiveAmount,
    currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code"),
  }),
  z.object({ type: z.literal("deposit.returned"), ...common }),
]);

/** A webhook of a bank. */
export function readMessage(body: string): BankMessage {
  const read = Message.safeParse(parseJson(body));
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
    return { reason: faults.join("; ") };
  }
  const { eventId } = read.data;
  const bankReference = withoutCardNumbers(read.data.bankReference);
  const references = { accountServicer: bankReference };
  if (read.data.type === "deposit.returned") return { eventId, event: { kind: "returned", references } };
  const { reference, amount, currency } = read.data;
  const remittance = reference === undefined ? [] : [withoutCardNumbers(reference)];
  return {
    eventId,
    event: { kind: "deposited", references, remittance, amount, currency },
  };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
