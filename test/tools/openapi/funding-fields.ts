import type { Field } from "./field-descriptions.ts";

const time = "2026-07-10T09:30:00.000Z";

/** What payouts, pulls, mandates and external accounts have. */
export const fundingFields: Readonly<Record<string, Field>> = {
  externalAccountId: ["The external account's id.", "exa_01J9ZC3P2V8Q4N6T0B5W7XKD1N"],
  holderName: ["Who the bank account belongs to.", "Ada Lovelace"],
  holderType: ["Whether a person or a business holds the account.", "person"],
  iban: ["The account, in ISO 13616. Spaces and case do not matter.", "DE89370400440532013000"],
  accountNumber: ["The account's number, where the country has no IBAN.", "000123456789"],
  routingNumber: ["The bank's nine digits in the United States.", "021000021"],
  nickname: ["What the caller names the account.", "Rent"],
  statusReason: ["Why it has its status.", "NAME_MISMATCH"],
  amounts: ["Two amounts, in minor units.", [7, 32]],
  payoutId: ["The payout's id.", "pay_01J9ZC3P2V8Q4N6T0B5W7XKD1N"],
  fee: ["The Program's fee, in minor units.", 50],
  approvalAbove: ["Payouts of more wait for a second person, in minor units.", 100_000],
  singleMax: ["The most that one may be, in minor units.", 500_000],
  endToEndId: ["How the bank names it.", "PAY01J9ZC3P2V8Q4N6T0B5W7XKD1N"],
  reasonCode: ["The bank's reason, of ISO 20022.", "AM04"],
  returnedAmount: ["What came back, in minor units.", 24_500],
  by: ["Who brought it: an API user, the bank or the platform.", "apu_01J9ZC3P2V8Q4N6T0B5W7XKD1N"],
  dateSent: ["When a file took it.", time],
  dateCompleted: ["When the bank had done it.", time],
  dateReturned: ["When it came back.", time],
  createdBy: ["The API user who made it.", "apu_01J9ZC3P2V8Q4N6T0B5W7XKD1M"],
  approvedBy: ["The API user who approved it.", "apu_01J9ZC3P2V8Q4N6T0B5W7XKD1N"],
  payouts: ["What holds for payouts: replaced as a whole."],
  dailyMax: ["The most that all of a day may come to, in minor units.", 2_000_000],
  dateSettled: ["When the money had come.", time],
  cutOff: ["The hour of the Program's day at which files are made. Without it, each hour.", 16],
  creditorId: ["The SEPA identifier of who collects.", "DE98ZZZ09999999999"],
  sum: ["What the payments come to, in minor units.", 25_000],
  xml: ["The file, as the bank has it.", "<Document>…</Document>"],
};
