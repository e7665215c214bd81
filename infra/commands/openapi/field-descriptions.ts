import { type IdKind, idPrefixes } from "../../../shared/contract/identifiers.ts";
import type { Json } from "./schemas.ts";

type Field = readonly [description: string, example?: unknown];

const id = (what: string, kind: IdKind): Field => [
  `The ${what}'s id.`,
  `${idPrefixes[kind]}_01J9ZC3P2V8Q4N6T0B5W7XKD1M`,
];

/** Fields and parameters with one meaning everywhere. The contract's own texts take precedence. */
const fields: Readonly<Record<string, Field>> = {
  amount: ["In minor units of `currency`: 1050 is 10.50.", 1050],
  availableBalance: ["The spendable balance, in minor units: 1050 is 10.50.", 1050],
  ledgerBalance: [
    "The booked balance, in minor units: 1050 is 10.50. Includes pending deposits; holds do not reduce it.",
    1050,
  ],
  requestedAmount: ["The requested amount, in minor units.", 2500],
  transferredAmount: ["The transferred amount, in minor units. 0 for a declined transfer.", 2500],
  srcAmount: ["The billed amount, in hundredths of `srcCurrency`: 999 is 9.99.", 999],
  srcCurrency: [
    "The billed currency, as an ISO 4217 numeric code. The card's own currency if no conversion took place.",
    "978",
  ],
  dateCreated: ["When it was created (ISO 8601, UTC).", "2026-07-09T07:00:00.000Z"],
  createdDatetime: ["When it was created (ISO 8601, UTC).", "2026-07-09T07:00:00.000Z"],
  dateUpdated: ["When it last changed (ISO 8601, UTC).", "2026-07-09T07:00:00.000Z"],
  dateRevoked: ["When it was revoked. Absent while it is valid.", "2026-07-09T07:00:00.000Z"],
  dateRotated: ["When its key was last rotated.", "2026-07-09T07:00:00.000Z"],
  dateSubmitted: ["When it was last submitted for review.", "2026-07-09T07:00:00.000Z"],
  dateReviewed: ["When it was approved or rejected.", "2026-07-09T07:00:00.000Z"],
  cardId: id("Card", "card"),
  cardholderId: id("Cardholder", "cardholder"),
  walletId: id("Wallet", "wallet"),
  programId: id("Program", "program"),
  depositId: id("deposit", "deposit"),
  transferId: id("transfer", "transfer"),
  transId: id("transaction", "transaction"),
  feeId: id("fee", "fee"),
  webhookId: id("webhook endpoint", "webhook"),
  ticketId: id("ticket", "ticket"),
  apiUserId: id("API user", "apiUser"),
  certificateId: id("certificate", "certificate"),
  transIdSc: ["The notification's id: `TransId_SC` in its body."],
  sourceWalletId: ["The Wallet that is debited."],
  sourceCardId: ["The Card that is debited."],
  destinationId: ["The Wallet or Card that receives the transfer, depending on `destinationType`."],
  externalId: ["Your own identifier, up to 64 characters.", "order-4711"],
  memo: ["Your own note, up to 140 characters.", "July allowance"],
  reference: ["The bank transfer's reference, up to 140 characters.", "Invoice 4711"],
  nationality: ["Two letters, ISO 3166-1 alpha-2.", "DE"],
  phone: ["E.164: a plus sign and up to 15 digits.", "+4930901820"],
  dateOfBirth: ["A day between 1900-01-01 and today.", "1990-04-23"],
  mcc: ["The merchant category, ISO 18245: four digits.", "5411"],
  merchantName: ["The merchant's name, as the network sends it.", "Corner Shop"],
  merchantId: ["The merchant's identifier in the network."],
  merchantCity: ["The merchant's city.", "Berlin"],
  merchantCountry: ["The merchant's country, ISO 3166-1 alpha-2.", "DE"],
  referenceCode: ["Identifies the settlement in statements and disputes."],
  expiryMonth: ["1 to 12.", 7],
  expiryYear: ["Four digits.", 2029],
  lastFour: ["The last four digits of the card number.", "1234"],
  sweepToWalletId: ["The Wallet that receives the remaining balance."],
  cardType: ["The design slot: 0, 1 or 2.", 0],
  imageUrl: ["The design's image, by HTTPS.", "https://cdn.example.com/design.png"],
  webhookUrl: ["The URL for the callback: HTTPS and a public host.", "https://hooks.example.com/otp"],
  url: ["The URL of the receiver: HTTPS and a public host.", "https://hooks.example.com/card-events"],
  latencyMs: ["The receiver's response time, in milliseconds.", 120],
  chain: ["The blockchain.", "ethereum"],
  asset: ["The asset on its blockchain.", "USDC"],
  txHash: ["The blockchain transaction's hash."],
  approved: ["Whether at least a part of the amount is approved."],
  proven: ["Whether every identity holds."],
  provenAt: ["When the proof was calculated."],
  journalEntries: ["The number of journal entries."],
  checkpoint: [
    "What the proof continued: a sum of the older journal entries. Absent if all entries were read.",
  ],
  token: ["The subscription's token. Treat it as a credential."],
};

const parameters: Readonly<Record<string, Field>> = {
  ...fields,
  orderBy: ["The field to sort by."],
  sort: ["`asc`: smallest or oldest first. `desc`: largest or newest first."],
  before: ["Only records created before this time, in Unix seconds.", 1783580400],
  after: ["Only records created after this time, in Unix seconds.", 1783494000],
  limit: ["The maximum number of rows, 1 to 200.", 50],
  offset: ["The number of rows to skip.", 0],
};

export function describeFields(schemas: Json, paths: Readonly<Record<string, Json>>): void {
  for (const schema of Object.values(schemas) as Json[]) {
    for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
      const [description, example] = fields[name] ?? [];
      if (!description || property.description !== undefined) continue;
      property.description = description;
      // One name may have two types: the example must match the schema's.
      if (typeof example === (property.type === "integer" ? "number" : property.type))
        property.examples = [example];
    }
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as Json[]);
  for (const parameter of operations.flatMap((operation) => operation.parameters as Json[])) {
    const [description, example] = parameters[String(parameter.name)] ?? [];
    if (!description || parameter.description !== undefined) continue;
    parameter.description = description;
    if (example !== undefined && parameter.in === "query") parameter.example = example;
  }
}
