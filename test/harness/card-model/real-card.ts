import { handler as cards } from "../../../functions/cards/handler.ts";
import { handler as controls } from "../../../functions/controls/handler.ts";
import { expireHold } from "../../../functions/deadlines/due-network-events.ts";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import type { AuthorizationQuestion } from "../../../shared/contract/authorization-endpoint.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { layOutUsage } from "../../../shared/domain/controls/lay-out-usage.ts";
import { readProgramScope } from "../../../shared/domain/controls/read-controls.ts";
import { usageParts } from "../../../shared/domain/controls/usage.ts";
import type { Reply as ReceiverReply } from "../../../shared/domain/decisions/ask.ts";
import { lapse } from "../../../shared/domain/network/decide-question.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../administration.ts";
import { apiEvent, type EventOptions } from "../api-event.ts";
import { givenActiveControls } from "../given-active-controls.ts";
import { givenNetwork } from "../given-network.ts";
import { givenReceiver } from "../given-receiver.ts";
import { replay } from "../replay.ts";
import type { Outcome, Resolved } from "./answers.ts";
import type { Control } from "./card.ts";
import type { Question, Reply } from "./commands.ts";
import { partOf, standIn } from "./model.ts";

/** What a card shows of itself. */
export interface Shown {
  readonly available: number;
  readonly ledger: number;
  readonly held: number;
  readonly lines: readonly string[];
  readonly fees: readonly string[];
  /** What each control has counted. */
  readonly used: readonly object[];
}

/** A real card, used over the processor's events and looked at over the API. */
export class RealCard {
  readonly #network: Awaited<ReturnType<typeof givenNetwork>>;
  readonly #controlIds: readonly string[];
  /** What each event was answered, ids included. */
  readonly answers = new Map<string, Record<string, unknown>>();

  private constructor(network: Awaited<ReturnType<typeof givenNetwork>>, controlIds: readonly string[]) {
    this.#network = network;
    this.#controlIds = controlIds;
  }

  static async open(
    openingMinor: number,
    partialApproval: boolean,
    given: readonly Control[],
    hasReceiver: boolean,
  ): Promise<RealCard> {
    const network = await givenNetwork({ availableMinor: openingMinor });
    if (partialApproval) await network.setProgram({ partialApproval });
    const controlIds = await givenActiveControls(
      network,
      given.map(({ owner, ...velocity }) => ({ owner, rules: { velocity } })),
    );
    const card = new RealCard(network, controlIds);
    const answer = (question: AuthorizationQuestion) => card.#answer(question);
    if (hasReceiver) await givenReceiver(network.programId, answer, { standIn, deadlineMs: 600_000 });
    return card;
  }

  /** By the event's id: what the receiver answers, once it may. */
  readonly #questions = new Map<string, { reply: Reply; asked: () => void; mayAnswer: Promise<unknown> }>();

  async #answer({
    eventId,
    amount,
    partialApprovalSupported,
  }: AuthorizationQuestion): Promise<ReceiverReply> {
    const question = this.#questions.get(eventId);
    if (!question) throw new Error(`The event ${eventId} is asked about again.`);
    this.#questions.delete(eventId);
    question.asked();
    await question.mayAnswer;
    const { reply } = question;
    if (reply === "decline") return { kind: reply };
    if (reply === "approve" || reply === "part") {
      const isPart = reply === "part" && partialApprovalSupported;
      return { kind: "approve", amountMinor: isPart ? partOf(amount) : amount };
    }
    return { kind: reply, detail: "as the sequence says" };
  }

  /** Sends an authorization. `asked` resolves once its receiver is asked. */
  ask(command: Question["command"], id: string) {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    this.#questions.set(id, { reply: command.reply, asked: asked.resolve, mayAnswer: answer.promise });
    const answered = this.#send(command, id);
    // A kill is expected.
    for (const end of [answer.promise, answered]) end.catch(() => {});
    return {
      asked: asked.promise,
      answered,
      answer: () => answer.resolve(),
      kill: () => answer.reject(new Error("killed")),
      lapse: () => lapse(this.#network.programId, id),
    };
  }

  /** Sends the command with its event's id, and returns the answer without ids. */
  async happen(command: Resolved, id: string): Promise<Outcome> {
    const { programId, cardId } = this.#network;
    if (command.do === "deadline") {
      const inAMonth = new Date(Date.now() + 30 * 86_400_000);
      return { expired: await expireHold(programId, slotName(command.slot), inAMonth) };
    }
    if (command.do === "split") {
      const own = await usageParts.at(programId, 0).get();
      await layOutUsage(programId, await readProgramScope(programId, own), command.room);
      return {};
    }
    if (command.do === "block") {
      // Its answer has the state at the read, which another command may have changed.
      await operate(command.blocked ? "block-card" : "unblock-card", { programId, cardId });
      return {};
    }
    if (command.do === "status") {
      const path = { cardId };
      return {
        status: (await this.#call("PUT /cards/{cardId}/status", { path, body: { status: command.to } }))
          .status,
      };
    }
    const isKnown = this.#questions.has(id) || this.answers.has(id);
    if ("reply" in command && !isKnown)
      this.#questions.set(id, { reply: command.reply, asked: () => {}, mayAnswer: Promise.resolve() });
    return this.#send(command, id);
  }

  /** Sends another request under an earlier one's id. */
  async happenAgain(command: EventCommand, id: string): Promise<Outcome> {
    const event = this.#toEvent(command, id);
    return (await processor(JSON.parse(JSON.stringify({ ...event, requestHash: "another" })))) as never;
  }

  #toEvent(command: EventCommand, eventId: string) {
    const { programId, cardId } = this.#network;
    const requestHash = hasHash(command) ? { requestHash: "one" } : {};
    return { ...toEvent(command, cardId, this.answers), ...requestHash, programId, cardId, eventId };
  }

  async #send(command: EventCommand, id: string): Promise<Outcome> {
    const event = this.#toEvent(command, id);
    const answer = (await processor(JSON.parse(JSON.stringify(event)))) as Record<string, unknown>;
    this.answers.set(id, answer);
    const { outcome, code, approved, declineReason, decidedBy, amount } = answer;
    const { availableBalance, ledgerBalance } = answer;
    const balances = { availableBalance, ledgerBalance };
    const known = { outcome, code, approved, declineReason, decidedBy, amount, ...balances };
    return JSON.parse(JSON.stringify(known)) as Outcome;
  }

  /** Balances, both lists, and the proof of every identity. */
  async shown(): Promise<Shown & { readonly broken: readonly string[] }> {
    const { cardId } = this.#network;
    const [balance, transactions, fees, proof] = await Promise.all([
      this.#call("GET /cards/{cardId}/balance", { path: { cardId } }),
      this.#call("GET /cards/transactions", { query: { cardId, limit: "200" } }),
      this.#call("GET /cards/fees", { query: { cardId, limit: "200" } }),
      this.#call("GET /cards/{cardId}/balance/proof", { path: { cardId } }),
    ]);
    const lines = transactions.body.items as Record<string, unknown>[];
    const aggregate = lines.find(({ isAggregate }) => isAggregate);
    const identities = proof.body.data.identities as { name: string; holds: boolean }[];
    return {
      available: balance.body.data.availableBalance,
      ledger: balance.body.data.ledgerBalance,
      held: Number(aggregate?.amount ?? 0),
      lines: lines
        .filter((line) => line !== aggregate)
        .map(lineText)
        .toSorted(),
      fees: (fees.body.items as Record<string, unknown>[]).map(feeText).toSorted(),
      used: await this.usage(),
      broken: identities.filter(({ holds }) => !holds).map(({ name }) => name),
    };
  }

  usage(): Promise<object[]> {
    return Promise.all(
      this.#controlIds.map(async (controlId) => {
        const { body } = await this.#ofControl("GET /controls/{controlId}/usage", { path: { controlId } });
        return body.data.used as object;
      }),
    );
  }

  /** The sums of the transactions that each control lists. */
  countedSums(): Promise<object[]> {
    return Promise.all(
      this.#controlIds.map(async (controlId) => {
        const { body } = await this.#ofControl("GET /controls/{controlId}/transactions", {
          path: { controlId },
          query: { limit: "200" },
        });
        const items = body.items as { amount: number; count: number }[];
        const sum = (field: "amount" | "count") => items.reduce((total, item) => total + item[field], 0);
        return { amount: sum("amount"), count: sum("count") };
      }),
    );
  }

  #ofControl(route: EventOptions["route"], options: Omit<EventOptions, "route" | "caller">) {
    const { programId } = this.#network;
    return replay(controls, apiEvent({ ...options, route, caller: { programId } }));
  }

  async declines(): Promise<readonly string[]> {
    const { cardId } = this.#network;
    const query = { cardId, transStatus: "4", limit: "200" };
    const { body } = await this.#call("GET /cards/transactions", { query });
    return (body.items as Record<string, unknown>[]).map(lineText).toSorted();
  }

  #call(route: EventOptions["route"], options: Omit<EventOptions, "route" | "caller">) {
    const { programId } = this.#network;
    return replay(cards, apiEvent({ ...options, route, caller: { programId } }));
  }
}

export type EventCommand = Exclude<Resolved, { do: "deadline" | "status" | "block" | "split" }>;

/** `answers`: what earlier events were answered, for the ids that this one names. */
export function toEvent(
  command: EventCommand,
  cardId: string,
  answers: ReadonlyMap<string, Record<string, unknown>>,
): Partial<ProcessorEvent> {
  const idOf = (name: string, kind: Parameters<typeof newId>[0]) =>
    (answers.get(command.target ?? "")?.[name] as string | undefined) ?? newId(kind);
  switch (command.do) {
    case "authorization":
      return {
        kind: "authorization",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        partialApprovalSupported: command.supportsPartial,
      };
    case "increment":
      return {
        kind: "authorization_incremental",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        lastAttempt: command.isLast,
      };
    case "incrementReversal":
      return {
        kind: "authorization_reversal",
        authorizationId: (answers.get(command.target ?? "")?.authorizationId as string) ?? slotName(0),
        incrementEventId: command.target ?? "unknown",
      };
    case "datedAdvice":
    case "datedReversal":
      return {
        kind: command.do === "datedAdvice" ? "authorization_advice" : "authorization_reversal",
        authorizationId: slotName(command.dated),
        amount: command.amount,
        total: true,
        occurredAt: `2026-01-01T00:00:0${command.occurred}.000Z`,
      };
    case "advice":
      return {
        kind: "authorization_advice",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        total: command.total,
      };
    case "reversal":
      return {
        kind: "authorization_reversal",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        total: command.total && command.amount !== undefined,
        mayBeDone: command.mayBeDone,
      };
    case "cashReversal":
      return {
        kind: "authorization_reversal",
        authorizationId: cashName(command.cash),
        amount: command.amount,
        total: command.amount !== undefined,
      };
    case "cashClearing":
      return { kind: "clearing", authorizationId: cashName(command.cash), amount: command.amount };
    case "expiry":
      return { kind: "authorization_expiry", authorizationId: slotName(command.slot) };
    case "clearing":
      return {
        kind: "clearing",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        final: command.final,
        ...referenceOf(command),
      };
    case "forcePost":
      return { kind: "clearing", amount: command.amount, ...referenceOf(command) };
    case "refund":
      return { kind: "refund", amount: command.amount, ...referenceOf(command) };
    case "refundReversal":
      return { kind: "refund_reversal", transId: idOf("transId", "transaction") };
    case "atm":
      return {
        kind: "atm_withdrawal",
        amount: command.amount,
        feeAmount: command.fee,
        advice: command.advice,
        total: command.total,
        ...referenceOf(command),
        ...(command.cash !== undefined && { authorizationId: cashName(command.cash) }),
      };
    case "fee":
      return { kind: "fee", feeType: command.feeType, amount: command.amount };
    case "feeReversal":
      return { kind: "fee_reversal", feeId: idOf("feeId", "fee") };
    case "inquiry":
      return { kind: "balance_inquiry" };
    case "chargeback":
      return { kind: "chargeback", transId: idOf("transId", "transaction"), amount: command.amount };
    case "outcome":
      return {
        kind: "chargeback_outcome",
        chargebackId: idOf("chargebackId", "chargeback"),
        status: command.status,
      };
    case "deposit":
      return {
        kind: command.pending ? "deposit_pending" : "deposit_cleared",
        accountType: 1,
        accountId: cardId,
        amount: command.amount,
        channel: "crypto",
      };
    case "clearDeposit":
      return { kind: "deposit_cleared", depositId: idOf("depositId", "deposit") };
    case "reverseDeposit":
      return { kind: "deposit_reversed", depositId: idOf("depositId", "deposit") };
    case "returnDeposit":
      return {
        kind: "deposit_returned",
        depositId: idOf("depositId", "deposit"),
        amount: command.amount,
      };
  }
}

/** Whether its sender tells another request with the same id from a repetition. */
export const hasHash = (command: Resolved) => "reply" in command;

const referenceOf = ({ reference }: { readonly reference?: number | undefined }) =>
  reference === undefined ? {} : { referenceCode: `settlement-${reference}` };

const cashName = (cash: number) => `withdrawal-${cash}`;

export const slotName = (slot: number) => `authorization-${slot}`;

export const lineText = ({ transType, transStatus, type, amount }: Record<string, unknown>) =>
  `${transType} ${transStatus} ${type} ${amount}`;

export const feeText = ({ feeType, amount }: Record<string, unknown>) => `${feeType} ${amount}`;
