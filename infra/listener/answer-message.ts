import { answerWith, responseCode, toAnswer } from "../../shared/adapters/iso8583/answer.ts";
import {
  describeFault,
  encodeMessage,
  type Fault,
  type Message,
  readMessage,
} from "../../shared/adapters/iso8583/codec.ts";
import type { Dialect } from "../../shared/adapters/iso8583/dialect.ts";
import {
  type Checked,
  type Proved,
  type ResolvedCard,
  toEvent,
  toEventId,
  toMessageKey,
  toRequestHash,
} from "../../shared/adapters/iso8583/event.ts";
import { type CardRequest, orFaulty, readRequest } from "../../shared/adapters/iso8583/request.ts";
import { nameRepeated, withoutSensitiveData } from "../../shared/adapters/iso8583/sensitive.ts";
import type { EntryMode, FailedCheck } from "../../shared/contract/card-network.ts";
import type { ProcessorEvent, ProcessorResult } from "../../shared/contract/processor.ts";
import type { CodeSource, VaultCommand, VaultInput, VaultOutput } from "../../shared/contract/vault.ts";
import { pause } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";

/** What the listener needs of the platform. */
export interface ListenerPorts {
  askVault<C extends VaultCommand>(command: C, input: VaultInput<C>): Promise<VaultOutput<C>>;
  /** Whether the network is the Program's processor. */
  isServed(programId: string): Promise<boolean>;
  apply(event: ProcessorEvent): Promise<ProcessorResult>;
  keepRefused(refused: Refused & { readonly identity: string }): Promise<unknown>;
  now(): Date;
}

interface Refused {
  readonly reason: string;
  readonly input: Uint8Array;
  readonly programId?: string;
}

/** Other messages than those about a card's money: a row of `message-kinds.ts`. */
export interface MessageKind<Read extends object = object> {
  takes(message: Message): boolean;
  /** @throws Missing */
  read(message: Message, dialect: Dialect, now: Date): Read;
  answer(asked: Asked<Read>, by: MessageHandler): Promise<Message>;
}

interface Asked<Read> {
  readonly message: Message;
  readonly read: Read;
  /** The bytes that came. */
  readonly input: Uint8Array;
}

/** The bytes are no message: the connection is of no use. */
export class NoMessage extends Error {}

/** Answers messages. Copies that come at the same moment share one answer. */
export class MessageHandler {
  readonly ports: ListenerPorts;
  readonly #dialect: Dialect;
  readonly #kinds: readonly MessageKind[];
  readonly #results = new Map<string, Promise<ProcessorResult | undefined>>();

  constructor(ports: ListenerPorts, dialect: Dialect, kinds: readonly MessageKind[]) {
    this.ports = ports;
    this.#dialect = dialect;
    this.#kinds = kinds;
  }

  /** Keeps the bytes once, without track data, PIN block, security code and data of the chip. */
  readonly keepRefused = ({ input, ...refused }: Refused): Promise<unknown> =>
    this.ports.keepRefused({
      ...refused,
      input: withoutSensitiveData(input, this.#dialect),
      identity: nameRepeated(input, this.#dialect),
    });

  /**
   * The answer, or undefined if the message is an answer itself.
   * @throws NoMessage
   */
  async answer(bytes: Uint8Array): Promise<Uint8Array | undefined> {
    const { message, faults } = readMessage(bytes, this.#dialect);
    const [fault] = faults;
    const answer = await (fault ? this.#refuse(message, fault, bytes) : this.#answerMessage(message, bytes));
    return answer && encodeMessage(answer, this.#dialect);
  }

  async #answerMessage(message: Message, bytes: Uint8Array): Promise<Message | undefined> {
    const [dialect, now] = [this.#dialect, this.ports.now()];
    const kind = this.#kinds.find((one) => one.takes(message));
    if (kind) {
      const read = orFaulty(() => kind.read(message, dialect, now));
      if ("fault" in read) return this.#refuse(message, read.fault, bytes);
      return kind.answer({ message, read, input: bytes }, this);
    }
    const request = readRequest(message, dialect, now);
    switch (request.is) {
      case "answer":
        // Nothing was asked: it may say that an answer to it came too late (0190).
        if (!message.mti.startsWith("08"))
          await this.keepRefused({ reason: `${message.mti} answers nothing that was asked.`, input: bytes });
        return undefined;
      case "management":
        return answerWith(message, responseCode.approved);
      case "unsupported":
        await this.keepRefused({ reason: `Not supported: ${request.what}.`, input: bytes });
        return answerWith(message, responseCode.notSupported);
      case "faulty":
        return this.#refuse(message, request.fault, bytes);
      default:
        return this.#answerRequest(message, request, bytes);
    }
  }

  async #refuse(message: Message, fault: Fault, input: Uint8Array): Promise<Message> {
    if (!isIdentified(message)) throw new NoMessage(describeFault(fault));
    await this.keepRefused({ reason: describeFault(fault), input });
    return answerWith(message, responseCode.formatError);
  }

  /**
   * The Card, if a Program of this network has it. A declined authorization moves no money; a
   * report, as an advice or reversal, says that it has moved: it is kept.
   */
  async findCard(
    { cardNumber, expiry, track }: Pick<CardRequest, "cardNumber" | "expiry" | "track">,
    isReport: boolean,
    input: Uint8Array,
  ): Promise<FoundCard | undefined> {
    const read = readExpiry(expiry ?? track?.expiry ?? "");
    const found = await this.ports.askVault("resolve", { cardNumber, ...read });
    const isFound = found.outcome === "found";
    if (isFound && (await this.ports.isServed(found.programId))) return found;
    const reason = isFound ? "Its Program is connected to another processor." : "There is no such card.";
    if (isReport) await this.keepRefused({ reason, input, ...(isFound && { programId: found.programId }) });
    return undefined;
  }

  async #answerRequest(message: Message, request: CardRequest, input: Uint8Array): Promise<Message> {
    const isReport = request.is !== "authorization";
    const found = await this.findCard(request, isReport, input);
    if (!found) return answerWith(message, responseCode.noSuchCard);
    const answer = toAnswer(message, request, await this.#applyOnce(request, found));
    const code = answer.fields[39];
    const reason = "It does not fit the state of its authorization, or the card's currency.";
    if (code === responseCode.notSupported || (isReport && code !== responseCode.approved))
      await this.keepRefused({ reason, input, programId: found.programId });
    return answer;
  }

  #applyOnce(request: CardRequest, card: FoundCard): Promise<ProcessorResult | undefined> {
    const eventId = toEventId(request, card);
    const hash = toRequestHash(request);
    const key = `${card.programId}:${eventId}:${hash}`;
    // A repetition may have another time than the message under way, and be the first to get here.
    const messageKey = toMessageKey(request, card);
    const similar = messageKey && `${card.programId}:${messageKey}:${hash}`;
    const again = similar && `${similar}:again`;
    const running =
      this.#results.get(key) ?? this.#results.get((request.isRepeated ? similar : again) ?? key);
    if (running) return running;
    const keys = [key, similar, request.isRepeated ? again : undefined].filter((one) => one !== undefined);
    const result = this.#apply(request, card, messageKey ?? eventId).finally(() => {
      for (const one of keys) if (this.#results.get(one) === result) this.#results.delete(one);
    });
    for (const one of keys) this.#results.set(one, result);
    return result;
  }

  /** `attemptId`: a repetition with another time is the same try of PIN and code. */
  async #apply(request: CardRequest, card: FoundCard, attemptId: string) {
    const isAsked = request.is === "authorization";
    const [checked, proved] = await Promise.all([
      isAsked ? this.#check(request, card, attemptId) : undefined,
      isAsked ? this.#prove(request, card) : undefined,
    ]);
    const event = toEvent(request, card, checked, proved);
    return event && this.#applyFound(event);
  }

  /**
   * An increment's authorization may await its decision, a reversal the increment that comes at the
   * same moment, and a decline what it is of, also at another listener. What is unknown at last
   * stays so.
   */
  async #applyFound(event: ProcessorEvent): Promise<ProcessorResult> {
    const isIncrement = event.kind === "authorization_incremental";
    if ("ifKnown" in event) {
      const start = `${event.programId}:${event.originalEventId}:`;
      await Promise.allSettled([...this.#results].map(([key, result]) => key.startsWith(start) && result));
    }
    if (!isIncrement && event.kind !== "authorization_reversal") return this.ports.apply(event);
    for (const waitMs of [100, 200, 400]) {
      const result = await this.ports.apply(event);
      if (result.outcome !== "refused" || result.code !== "NOT_FOUND") return result;
      await pause(waitMs);
    }
    return this.ports.apply(isIncrement ? { ...event, lastAttempt: true } : event);
  }

  /** An increment stays with its authorization. */
  async #prove({ cavv, original }: CardRequest, { programId, cardId }: FoundCard): Promise<Proved> {
    if (cavv === undefined || original) return {};
    const found = await this.ports.askVault("verify-cavv", { programId, cardId, cavv });
    return found.outcome === "matches" ? { authenticationId: found.authenticationId } : { threeDS: "failed" };
  }

  async #check(request: CardRequest, card: FoundCard, attemptId: string): Promise<Checked> {
    const { cardNumber, pinBlock } = request;
    const wrongTrack = await this.#checkTrack(request, card, attemptId);
    if (wrongTrack) return { failedCheck: wrongTrack };
    const printed = await this.checkPrinted(request, card, attemptId);
    if (printed.failedCheck || pinBlock === undefined) return printed;
    const { outcome } = await this.ports.askVault("verify-pin", { attemptId, cardNumber, pinBlock });
    // A Closed Card has no PIN to compare with: its status declines.
    if (outcome === "verified") return { ...printed, pin: "match" };
    if (outcome === "card-closed") return printed;
    if (outcome === "unreadable") log.warn("A PIN block is not of this zone or card.");
    return { ...printed, failedCheck: outcome === "blocked" ? "PIN_BLOCKED" : "PIN_WRONG" };
  }

  /** What a terminal has read of stripe or chip: a copy of a card would lack the right code. */
  async #checkTrack(
    { cardNumber, track, entryMode }: CardRequest,
    { expiryMonth, expiryYear }: FoundCard,
    attemptId: string,
  ): Promise<FailedCheck | undefined> {
    const from = entryMode && codeSources[entryMode];
    if (!track || !from) return undefined;
    const given = readExpiry(track.expiry ?? "");
    if (!given || given.expiryMonth !== expiryMonth || given.expiryYear !== expiryYear) return "EXPIRY_WRONG";
    const { code: cvv, serviceCode } = track;
    if (cvv === undefined || serviceCode === undefined) return "CVV_WRONG";
    const asked = { attemptId, cardNumber, ...given, cvv, from, serviceCode };
    const { outcome } = await this.ports.askVault("verify-cvv", asked);
    return outcome === "matches" ? undefined : "CVV_WRONG";
  }

  /** Expiry and code. A guesser elsewhere stops neither terminals nor payments that recur. */
  async checkPrinted(
    { cardNumber, expiry, cvv, entryMode }: Pick<CardRequest, "cardNumber" | "expiry" | "cvv" | "entryMode">,
    { expiryMonth, expiryYear }: FoundCard,
    attemptId: string,
  ): Promise<Pick<Checked, "failedCheck" | "plasticId">> {
    const given = expiry === undefined ? undefined : readExpiry(expiry);
    if (expiry !== undefined && !given) return { failedCheck: "EXPIRY_WRONG" };
    const isExpiry = !given || (given.expiryMonth === expiryMonth && given.expiryYear === expiryYear);
    const isTyped = expiry !== undefined && !withoutCode.has(entryMode);
    if (isExpiry && cvv === undefined && !isTyped) return {};
    const asked = { attemptId, cardNumber, ...given, ...(cvv !== undefined && { cvv }) };
    const found = await this.ports.askVault("verify-cvv", asked);
    if (found.outcome === "matches") return { plasticId: found.plasticId };
    // Once blocked, the answer does not tell which of them is wrong.
    const isCode = cvv !== undefined && (isExpiry || found.outcome === "blocked");
    return { failedCheck: isCode ? "CVV_WRONG" : "EXPIRY_WRONG" };
  }
}

const codeSources: Readonly<Partial<Record<EntryMode, CodeSource>>> = {
  chip: "chip",
  contactless: "chip",
  magstripe: "stripe",
};

/** Where a right date without a code is accepted. */
const withoutCode: ReadonlySet<EntryMode | undefined> = new Set([
  "chip",
  "contactless",
  "magstripe",
  "recurring",
]);

/** DE14: the year before the month. Undefined for an impossible month. */
function readExpiry(expiry: string): { expiryMonth: number; expiryYear: number } | undefined {
  const [, year, month] = /^(\d\d)(0[1-9]|1[0-2])$/.exec(expiry) ?? [];
  return month === undefined ? undefined : { expiryMonth: Number(month), expiryYear: 2000 + Number(year) };
}

export type FoundCard = Extract<VaultOutput<"resolve">, { outcome: "found" }> & ResolvedCard;

/** Whether the network can tell to which message an answer belongs. */
function isIdentified({ mti, fields }: Message): boolean {
  return mti !== "" && Number(mti[2]) % 2 === 0 && fields[7] !== undefined && fields[11] !== undefined;
}
