import { toTokenNetwork } from "../../../contract/card-numbers.ts";
import type { ProcessorEvent, ProcessorResult } from "../../../contract/processor.ts";
import { defined } from "../../../platform/pick.ts";
import { toTokenId } from "../../../platform/token-id.ts";
import { type Identity, toAuthorizationId, toTime } from "../../authorization-identity.ts";
import { type TokenDetails, walletOfRequestor } from "../../tokens.ts";
import { answerWith, responseCode } from "../answer.ts";
import type { Message } from "../codec.ts";
import type { Dialect } from "../dialect.ts";
import { type Checked, type ResolvedCard, toPlastic } from "../event.ts";
import { de, Missing, requireFrom } from "../fields.ts";
import {
  readParts,
  readPointOfSale,
  readToken,
  readTokenReference,
  toLimitedText,
} from "../point-of-sale.ts";

/** A wallet's request for a digital wallet token, or its notice of what it has done with one. */
export interface TokenMessage extends TokenDetails {
  readonly is: "token_request" | "token_notice";
  readonly mti: "0100" | "0620";
  readonly cardNumber: string;
  /** Its own, by which a repetition is known. */
  readonly identity: Identity;
  readonly occurredAt: Date;
  /** What a notice says. */
  readonly notice?: "suspend" | "resume" | "delete";
  /** As the Cardholder has typed them into the wallet. */
  readonly expiry?: string;
  readonly cvv?: string;
}

type Fields = Message["fields"];

/** DE3 of a 0100. */
const processingCode = "33";

/** The last digit of its type is odd in a repetition. */
export function isOfToken({ mti, fields }: Message): boolean {
  return /^062[01]$/.test(mti) || (/^010[01]$/.test(mti) && fields[3]?.slice(0, 2) === processingCode);
}

const notices: Readonly<Record<string, TokenMessage["notice"]>> = { S: "suspend", R: "resume", D: "delete" };

/** @throws Missing */
export function readTokenMessage({ mti, fields }: Message, dialect: Dialect, now: Date): TokenMessage {
  const required = requireFrom(fields);
  const transmittedAt = required(7);
  const occurredAt = toTime(transmittedAt, now);
  if (!occurredAt) throw new Missing(7, "is no time");
  const systemTrace = required(11);
  const cardNumber = required(2);
  if (!/^\d{12,19}$/.test(cardNumber)) throw new Missing(2, "is no card number");
  const identity = { acquirer: required(32), retrievalReference: required(37), systemTrace, transmittedAt };
  const details = readDetails(fields, cardNumber);
  const isNotice = mti.startsWith("06");
  const common = { cardNumber, identity, occurredAt, ...details };
  if (isNotice) return { is: "token_notice", mti: "0620", ...common, notice: readNotice(fields) };
  const { cvv } = readPointOfSale(fields, dialect);
  return { is: "token_request", mti: "0100", ...common, ...defined({ expiry: fields[14], cvv }) };
}

function readNotice(fields: Fields): TokenMessage["notice"] {
  const notice = notices[readParts(fields[de.device]).get("07") ?? ""];
  if (notice === undefined) throw new Missing(de.device, "does not say in subfield 07 what was done");
  return notice;
}

/** Details that do not fit are left out: without them, the token can still be decided. */
function readDetails(fields: Fields, cardNumber: string): TokenDetails {
  const named = readToken(fields);
  const { tokenReference } = readTokenReference(fields);
  const requestorId = toLimitedText(named.get("06"), 32);
  if (tokenReference === undefined)
    throw new Missing(de.additional, "does not name a token in subelement 33, subfield 09");
  if (requestorId === undefined)
    throw new Missing(de.additional, "has no requestor in subelement 33, subfield 06");
  const number = named.get("02")?.trim() ?? "";
  const said = readParts(fields[de.device]);
  const device = readDevice(said);
  const risk = risks[said.get("06") ?? ""];
  return {
    network: toTokenNetwork(cardNumber),
    wallet: walletOfRequestor(requestorId),
    requestorId,
    tokenReference,
    // The rest of the token's number is read by nothing.
    ...(/^\d{12,19}$/.test(number) && { tokenLastFour: number.slice(-4) }),
    ...defined({ device, risk }),
  };
}

const risks: Readonly<Record<string, TokenDetails["risk"]>> = { G: "green", Y: "yellow", R: "red" };

type Device = NonNullable<TokenDetails["device"]>;
const deviceTypes: Readonly<Record<string, Device["type"]>> = { P: "phone", W: "watch", T: "tablet" };

function readDevice(said: ReadonlyMap<string, string>): Device | undefined {
  const given = defined({
    id: toLimitedText(said.get("02"), 64),
    name: toLimitedText(said.get("03"), 64),
    language: toLimitedText(said.get("04"), 35),
    ip: toLimitedText(said.get("05"), 45),
  });
  const type = said.get("01");
  if (type === undefined && Object.keys(given).length === 0) return undefined;
  return { type: deviceTypes[type ?? ""] ?? "other", ...given };
}

/** What a wallet asks or says of a token. */
export function toTokenEvent(
  message: TokenMessage,
  card: ResolvedCard,
  checks: Checked = {},
): ProcessorEvent {
  const { programId, cardId } = card;
  const { failedCheck } = checks;
  const { is: kind, mti, identity, occurredAt, notice } = message;
  const { network, wallet, requestorId, tokenReference, tokenLastFour, device, risk } = message;
  const eventId = [mti, toAuthorizationId(identity), cardId].join(":");
  const common = { eventId, programId, cardId, occurredAt: occurredAt.toISOString() };
  if (kind === "token_notice" && notice)
    return { kind, ...common, tokenId: toTokenId(programId, network, tokenReference), event: notice };
  return {
    ...{ kind: "token_request", ...common, network, wallet, requestorId, tokenReference },
    ...defined({ tokenLastFour, device, risk }),
    ...toPlastic(card, checks),
    ...(failedCheck && { failedCheck }),
  };
}

const tokenCodes = {
  approved: responseCode.approved,
  step_up: responseCode.noReasonToDecline,
  declined: responseCode.declined,
} as const;

/** What the network is answered about a token. */
export function toTokenAnswer(message: Message, { is }: TokenMessage, result: ProcessorResult): Message {
  const isNotice = is === "token_notice";
  if (result.outcome === "applied")
    return answerWith(
      message,
      isNotice ? responseCode.approved : tokenCodes[result.tokenOutcome ?? "declined"],
    );
  if (result.code !== "NOT_FOUND") return answerWith(message, responseCode.notSupported);
  return answerWith(message, isNotice ? responseCode.noOriginal : responseCode.noSuchCard);
}
