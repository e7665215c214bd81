/** Kinds of identifiers and their prefixes. The rest of an identifier is a ULID: ordering by id is ordering by creation. */
export const idPrefixes = {
  tenant: "tnt",
  program: "prg",
  apiUser: "apu",
  certificate: "crt",
  cardholder: "chd",
  card: "crd",
  wallet: "wlt",
  transfer: "trf",
  walletTransaction: "wtx",
  deposit: "dep",
  suspense: "sus",
  hold: "hld",
  transaction: "txn",
  fee: "fee",
  chargeback: "cbk",
  journalEntry: "jrn",
  event: "evt",
  notification: "ntf",
  challenge: "chl",
  webhook: "whk",
  allowedIp: "ipa",
  ticket: "tkt",
  comment: "cmt",
  audit: "aud",
} as const;

export type IdKind = keyof typeof idPrefixes;
