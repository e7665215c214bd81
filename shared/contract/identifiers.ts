/** Prefixes of identifiers. The rest is a ULID, so ids sort by creation. */
export const idPrefixes = {
  tenant: "tnt",
  program: "prg",
  apiUser: "apu",
  certificate: "crt",
  cardholder: "chd",
  card: "crd",
  plastic: "plc",
  token: "tok",
  accountUpdate: "upd",
  wallet: "wlt",
  transfer: "trf",
  walletTransaction: "wtx",
  deposit: "dep",
  suspense: "sus",
  payout: "pay",
  pull: "pul",
  mandate: "mnd",
  microDeposit: "mdp",
  paymentFile: "pmf",
  hold: "hld",
  transaction: "txn",
  fee: "fee",
  dispute: "cbk",
  evidence: "evd",
  journalEntry: "jrn",
  event: "evt",
  notification: "ntf",
  challenge: "chl",
  authentication: "ath",
  control: "ctl",
  webhook: "whk",
  replay: "rpl",
  simulation: "sim",
  allowedIp: "ipa",
  ticket: "tkt",
  comment: "cmt",
  audit: "aud",
  connection: "cnn",
  refused: "rfd",
  externalAccount: "exa",
  batch: "bat",
  bulk: "blk",
  longFile: "stf",
  report: "rpt",
  reportSchedule: "rps",
} as const;

export type IdKind = keyof typeof idPrefixes;

export const ulidAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
export const checkLength = 4;
/** The largest prime below four digits of a ULID: another character, or two in turn, is found. */
const checkPrime = 1_048_573;

/** Computes them from a ULID without its check characters. */
export function computeCheck(kind: IdKind, body: string): string {
  let check = 0;
  for (const character of idPrefixes[kind] + body)
    check = (check * 37 + character.charCodeAt(0)) % checkPrime;
  let characters = "";
  for (let place = 0; place < checkLength; place += 1, check = Math.floor(check / 32))
    characters = ulidAlphabet.charAt(check % 32) + characters;
  return characters;
}

/** The id of this kind that a ULID is of. Undefined if its check characters do not fit. */
export function toId(kind: IdKind, ulid: string): string | undefined {
  const isOf = ulid.endsWith(computeCheck(kind, ulid.slice(0, -checkLength)));
  return isOf ? `${idPrefixes[kind]}_${ulid}` : undefined;
}
