import * as z from "zod";
import { type BankMessage, isFiller } from "../../contract/bank.ts";
import { withoutCardNumbers } from "../../contract/card-numbers.ts";
import { positiveAmount, text } from "../../contract/primitives.ts";
import { readShape } from "../read-json.ts";

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
  ...(["payout", "pull"] as const).map((of) =>
    z.object({
      type: z.literal(`${of}.updated`),
      eventId: text(64),
      endToEndId: text(35).refine((one) => !isFiller(one), "must identify the payment"),
      status: z.enum([of === "payout" ? "completed" : "collected", "rejected", "returned"]),
      amount: positiveAmount.optional(),
      reasonCode: z
        .string()
        .regex(/^[A-Z0-9]{4}$/)
        .optional(),
    }),
  ),
]);

/** What a bank's webhook says. */
export function readMessage(body: string): BankMessage {
  const read = readShape(Message, body);
  const { eventId } = read;
  if ("endToEndId" in read) {
    const { type, endToEndId: endToEnd, status, amount, reasonCode } = read;
    const of = type === "payout.updated" ? "payout" : "pull";
    const said = { ...(amount !== undefined && { amount }), ...(reasonCode !== undefined && { reasonCode }) };
    return { eventId, event: { kind: "status", of, references: { endToEnd }, status, ...said } };
  }
  const references = { accountServicer: withoutCardNumbers(read.bankReference) };
  if (read.type === "deposit.returned") return { eventId, event: { kind: "returned", references } };
  const { reference, amount, currency } = read;
  const remittance = reference === undefined ? [] : [withoutCardNumbers(reference)];
  return { eventId, event: { kind: "deposited", references, remittance, amount, currency } };
}
