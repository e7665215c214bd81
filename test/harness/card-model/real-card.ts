import { handler as cards } from "../../../functions/cards/handler.ts";
import { handler as controls } from "../../../functions/controls/handler.ts";
import { expireHold } from "../../../functions/deadlines/due-network-events.ts";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import type { Reply as ReceiverReply } from "../../../shared/authorizations/decisions/ask.ts";
import type { AuthorizationQuestion } from "../../../shared/contract/authorization-endpoint.ts";
import type { ControlRules } from "../../../shared/contract/controls.ts";
import { CardStatus } from "../../../shared/contract/enums.ts";
import { layOutUsage } from "../../../shared/controls/lay-out-usage.ts";
import { readProgramScope } from "../../../shared/controls/read-controls.ts";
import { usageParts } from "../../../shared/controls/usage.ts";
import { lapse } from "../../../shared/network-events/apply/ask-and-decide.ts";
import { cardChanges } from "../../../shared/network-events/apply/card-changes.ts";
import { toTokenId } from "../../../shared/platform/token-id.ts";
import { operate } from "../administration.ts";
import { apiEvent, type EventOptions } from "../api-event.ts";
import { givenActiveControls } from "../given-active-controls.ts";
import { givenNetwork } from "../given-network.ts";
import { givenReceiver } from "../given-receiver.ts";
import { replay } from "../replay.ts";
import type { Outcome, Resolved } from "./answers.ts";
import { brokenLaws } from "./authorization-laws.ts";
import type { Given } from "./card.ts";
import type { Question, Reply } from "./commands.ts";
import { partOf, standIn } from "./model.ts";
import { isDisputeRequest, RealDisputes } from "./real-disputes.ts";
import { isOfPlastics, RealPlastics, references } from "./real-plastics.ts";
import { type EventCommand, hasHash, slotName, toEvent, tokenName } from "./to-event.ts";

/** What a card shows of itself. */
export interface Shown {
  readonly available: number;
  readonly ledger: number;
  readonly held: number;
  readonly lines: readonly string[];
  readonly fees: readonly string[];
  readonly disputes: readonly string[];
  /** What can still be disputed of each settlement. */
  readonly free: readonly string[];
  /** What each control has counted. */
  readonly used: readonly object[];
  readonly plastics: readonly string[];
  /** Its authentications, and which authorization has each. */
  readonly proofs: readonly string[];
  readonly tokens: readonly string[];
}

/** A real card, used over the processor's events and looked at over the API. */
export class RealCard {
  readonly #network: Awaited<ReturnType<typeof givenNetwork>>;
  readonly #controlIds: readonly string[];
  /** What each event was answered, ids included. */
  readonly answers = new Map<string, Record<string, unknown>>();
  readonly #disputes: RealDisputes;
  readonly #hasReceiver: boolean;
  readonly #plastics: RealPlastics;

  private constructor(
    network: Awaited<ReturnType<typeof givenNetwork>>,
    controlIds: readonly string[],
    hasReceiver: boolean,
    plastics: RealPlastics,
  ) {
    this.#plastics = plastics;
    this.#network = network;
    this.#hasReceiver = hasReceiver;
    this.#controlIds = controlIds;
    this.#disputes = new RealDisputes(network, this.answers);
  }

  static async open(given: Given): Promise<RealCard> {
    const { openingMinor, partialApproval, controls, hasReceiver, creditsAtOnce } = given;
    const { physical = false, wantsVerified = false } = given;
    const network = await givenNetwork({ availableMinor: openingMinor });
    await network.setProgram({ partialApproval, provisionalCreditAtOnce: creditsAtOnce });
    const verified = { cvc: { block: ["mismatch"] }, threeDS: { block: ["failed", "reused"] } } as const;
    const ofVerified = { owner: "card", rules: { verification: verified } } as const;
    const all = await givenActiveControls(network, [
      ...controls.map(({ owner, ...velocity }) => ({ owner, rules: { velocity } })),
      ...(wantsVerified ? [ofVerified as unknown as { owner: "card"; rules: ControlRules }] : []),
    ]);
    // It has counted nothing that could be compared.
    const controlIds = all.slice(0, controls.length);
    const plastics = await RealPlastics.open(network, physical);
    const card = new RealCard(network, controlIds, hasReceiver, plastics);
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
      lapse: () => lapse(cardChanges, this.#network.programId, id),
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
    if (command.do === "close") {
      await this.#network.setStatus(CardStatus.closed);
      return {};
    }
    if (isOfPlastics(command)) return this.#plastics.happen(command, id);
    if (isDisputeRequest(command)) return this.#disputes.happen(command, id);
    const isKnown = this.#questions.has(id) || this.answers.has(id);
    if ("reply" in command && !isKnown)
      this.#questions.set(id, { reply: command.reply, asked: () => {}, mayAnswer: Promise.resolve() });
    return this.#send(command, id);
  }

  /** Sends another request under an earlier one's id. */
  async happenAgain(command: EventCommand, id: string): Promise<Outcome> {
    const event = await this.#toEvent(command, id);
    return (await processor(JSON.parse(JSON.stringify({ ...event, requestHash: "another" })))) as never;
  }

  async #toEvent(command: EventCommand, eventId: string) {
    const { programId, cardId } = this.#network;
    const requestHash = hasHash(command) ? { requestHash: "one" } : {};
    const { plastic } = command.do === "authorization" || command.do === "token" ? command : {};
    const { token } = command.do === "authorization" || command.do === "atm" ? command : {};
    const named = {
      ...(plastic !== undefined && { plasticId: this.#plastics.plasticId(plastic) }),
      ...(token !== undefined && { tokenId: toTokenId(programId, "visa", tokenName(token)) }),
      ...(command.do === "authorization" && (await this.#plastics.verification(command))),
    };
    const event = toEvent(command, cardId, this.answers);
    return { ...event, ...named, ...requestHash, programId, cardId, eventId };
  }

  async #send(command: EventCommand, id: string): Promise<Outcome> {
    const event = await this.#toEvent(command, id);
    const answered = await processor(JSON.parse(JSON.stringify(event)));
    const answer: Record<string, unknown> = JSON.parse(JSON.stringify(answered));
    this.answers.set(id, answer);
    const { outcome, code, approved, declineReason, decidedBy, amount } = answer;
    const { availableBalance, ledgerBalance, tokenOutcome, tokenState } = answer;
    const more = { availableBalance, ledgerBalance, tokenOutcome, tokenState };
    const known = { outcome, code, approved, declineReason, decidedBy, amount, ...more };
    return JSON.parse(JSON.stringify(known)) as Outcome;
  }

  /** Balances, both lists, and the proof of every identity. */
  async shown(): Promise<Shown & { readonly broken: readonly string[] }> {
    const { cardId } = this.#network;
    const [balance, transactions, fees, proof, disputed, plastics] = await Promise.all([
      this.#call("GET /cards/{cardId}/balance", { path: { cardId } }),
      this.#call("GET /cards/transactions", { query: { cardId, limit: "200" } }),
      this.#call("GET /cards/fees", { query: { cardId, limit: "200" } }),
      this.#call("GET /cards/{cardId}/balance/proof", { path: { cardId } }),
      this.#disputes.shown(),
      this.#plastics.shown(references),
    ]);
    const lines = transactions.body.items as Record<string, unknown>[];
    const aggregate = lines.find(({ isAggregate }) => isAggregate);
    const identities = proof.body.data.identities as { name: string; holds: boolean }[];
    return {
      available: balance.body.data.availableBalance,
      ledger: balance.body.data.ledgerBalance,
      held: Number(aggregate?.amount ?? 0),
      lines: lines
        .filter((line) => line !== aggregate && !isOfToken(line))
        .map(lineText)
        .toSorted(),
      ...disputed,
      ...plastics,
      fees: (fees.body.items as Record<string, unknown>[]).map(feeText).toSorted(),
      used: await this.usage(),
      broken: [
        ...identities.filter(({ holds }) => !holds).map(({ name }) => name),
        ...(await this.#brokenLaws(Number(aggregate?.amount ?? 0))),
      ],
    };
  }

  #brokenLaws(heldMinor: number): Promise<string[]> {
    const { cardId } = this.#network;
    const read: Parameters<typeof brokenLaws>[0] = async (route, options) =>
      (await this.#call(route as EventOptions["route"], options)).body;
    return brokenLaws(read, { cardId, heldMinor, hasReceiver: this.#hasReceiver });
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
    const lines = (body.items as Record<string, unknown>[]).filter((line) => !isOfToken(line));
    return lines.map(lineText).toSorted();
  }

  #call(route: EventOptions["route"], options: Omit<EventOptions, "route" | "caller">) {
    const { programId } = this.#network;
    return replay(cards, apiEvent({ ...options, route, caller: { programId } }));
  }
}

/** Records of tokens move nothing. */
const isOfToken = ({ transType }: Record<string, unknown>) => transType === 55 || transType === 56;

export const lineText = ({ transType, transStatus, type, amount }: Record<string, unknown>) =>
  `${transType} ${transStatus} ${type} ${amount}`;

export const feeText = ({ feeType, amount }: Record<string, unknown>) => `${feeType} ${amount}`;
