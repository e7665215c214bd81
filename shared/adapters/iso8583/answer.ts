import { numericCurrency } from "../../contract/enums.ts";
import type { Applied, ProcessorResult } from "../../contract/processor.ts";
import type { AuthorizationDeclineReason } from "../../contract/transactions.ts";
import { sha256 } from "../../platform/sha256.ts";
import { toAuthorizationId } from "../authorization-identity.ts";
import type { Message } from "./codec.ts";
import { de, readBilling } from "./fields.ts";
import type { CardRequest } from "./request.ts";

/** DE39. */
export const responseCode = {
  approved: "00",
  partiallyApproved: "10",
  notSupported: "12",
  noSuchCard: "14",
  noOriginal: "25",
  formatError: "30",
  stolen: "43",
  /** The account is verified; a token needs a passcode first. */
  noReasonToDecline: "85",
  declined: "05",
} as const;

const declineCodes: Readonly<Record<AuthorizationDeclineReason, string>> = {
  INSUFFICIENT_FUNDS: "51",
  CARD_ON_HOLD: "62",
  CARD_BLOCKED: "62",
  CARD_CLOSED: "46",
  CARD_NOT_ACTIVATED: "78",
  CARD_PENDING: "78",
  CARD_EXPIRED: "54",
  EXPIRY_WRONG: "54",
  PLASTIC_REPLACED: "54",
  PLASTIC_STOPPED: "41",
  SPEND_LIMIT: "61",
  CONTROL_DECLINED: "57",
  RECEIVER_DECLINED: "05",
  STAND_IN_DECLINED: "05",
  AUTHORIZATION_FINISHED: "05",
  AUTHORIZATION_FULL: "05",
  PIN_WRONG: "55",
  PIN_BLOCKED: "75",
  CVV_WRONG: "82",
  TOKEN_NOT_ACTIVE: "05",
  NOT_FOUND: "14",
  LIMIT_REACHED: "05",
  RULE_DECLINED: "05",
  VERIFICATION_FAILED: "05",
  VERIFICATION_EXPIRED: "05",
};

/** The data elements of a request that its answer has too. */
const echoed = [2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 25, 32, 33, 37, 41, 42, 49, 50, 51, 70, 90, 95];

/** An answer with nothing but the response code. */
export function answerWith(request: Message, code: string): Message {
  const { mti, fields } = request;
  const kept = echoed.flatMap((field) =>
    fields[field] === undefined ? [] : [[field, fields[field]] as const],
  );
  return {
    mti: `${mti.slice(0, 2)}${Number(mti[2]) + 1}0`,
    fields: { ...Object.fromEntries(kept), [de.response]: code },
  };
}

/**
 * What the network is answered. It follows from the request and the stored result alone, so a
 * repetition is answered with the same bytes.
 */
export function toAnswer(
  message: Message,
  request: CardRequest,
  result: ProcessorResult | undefined,
): Message {
  const code = toResponseCode(request, result);
  const applied = result?.outcome === "applied" ? result : undefined;
  const plain = answerWith(message, code);
  const answer = { ...plain, fields: { ...plain.fields, ...toVerified(request, applied) } };
  if (!approvals.has(code)) return answer;
  return {
    ...answer,
    fields: {
      ...answer.fields,
      ...(code === responseCode.partiallyApproved && toAmounts(message, applied?.amount ?? 0)),
      [de.approval]: message.fields[de.approval] ?? approvalCode(request, applied),
      ...(applied && toBalances(request, message, applied)),
    },
  };
}

/** DE48: subelement 83 says whether the address fits, 87 whether the security code does. */
function toVerified(
  { is, purpose, category, asksAddress, asksCode, cvv }: CardRequest,
  result: Applied | undefined,
): Record<number, string> {
  if (is !== "authorization" || !result || !(asksAddress || asksCode)) return {};
  const { avs = "U", declineReason } = result;
  const isUnread = cvv === undefined || declineReason === "EXPIRY_WRONG";
  const code = declineReason === "CVV_WRONG" ? "N" : isUnread ? "P" : "M";
  const address = purpose === "purchase" ? avs : "U";
  const answered = `${asksAddress ? `8301${address}` : ""}${asksCode ? `8701${code}` : ""}`;
  return { [de.additional]: `${category}${answered}` };
}

const approvals: ReadonlySet<string> = new Set([
  responseCode.approved,
  responseCode.partiallyApproved,
  responseCode.noReasonToDecline,
]);

function toResponseCode(request: CardRequest, result: ProcessorResult | undefined) {
  const { is, purpose, original, amount, standIn } = request;
  const isUnknown = result?.outcome === "refused" && result.code === "NOT_FOUND";
  // An advice of what moves nothing: a stand-in's decline, or a balance inquiry.
  if (!result || (isUnknown && standIn === "declined")) return responseCode.approved;
  if (result.outcome === "applied") {
    if (result.stoppedFor === "stolen") return responseCode.stolen;
    if (result.declineReason) return declineCodes[result.declineReason];
    const isVerification = is === "authorization" && purpose !== "inquiry" && amount === 0;
    if (isVerification) return responseCode.noReasonToDecline;
    const isPart = is === "authorization" && purpose !== "inquiry" && (result.amount ?? 0) < amount;
    return isPart ? responseCode.partiallyApproved : responseCode.approved;
  }
  if (isUnknown) return is !== "advice" && original ? responseCode.noOriginal : responseCode.noSuchCard;
  return responseCode.notSupported;
}

/** DE38: the same in every message of an authorization, and in a repetition with another time. */
function approvalCode({ original, identity }: CardRequest, applied: Applied | undefined): string {
  return sha256(applied?.authorizationId ?? applied?.transId ?? toAuthorizationId(original ?? identity))
    .slice(0, 6)
    .toUpperCase();
}

/** DE4 and DE6 of a partial approval. */
function toAmounts({ fields }: Message, approved: number): Record<number, string> {
  const transaction = fields[de.amount];
  const billing = readBilling(fields);
  if (billing === undefined) return { [de.amount]: toAmount(approved) };
  if (transaction === undefined) return { [de.billingAmount]: toAmount(approved) };
  const inTransaction = Math.round((approved * Number(transaction)) / Number(billing));
  return { [de.amount]: toAmount(inTransaction), [de.billingAmount]: toAmount(approved) };
}

/** DE54: ledger (01) and available balance (02), after the message. */
function toBalances({ is }: CardRequest, { fields }: Message, result: Applied): Record<number, string> {
  const { ledgerBalance, availableBalance, currency } = result;
  if (is !== "authorization" || ledgerBalance === undefined || availableBalance === undefined) return {};
  const account = fields[3]?.slice(2, 4) ?? "00";
  const amounts = [
    ["01", ledgerBalance],
    ["02", availableBalance],
  ] as const;
  return {
    [de.additionalAmounts]: amounts
      .map(([type, amount]) => {
        const sign = amount < 0 ? "D" : "C";
        return `${account}${type}${numericCurrency[currency ?? 0]}${sign}${toAmount(Math.abs(amount))}`;
      })
      .join(""),
  };
}

function toAmount(minor: number): string {
  return String(minor).padStart(12, "0");
}
