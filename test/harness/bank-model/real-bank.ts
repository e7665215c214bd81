import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { execute } from "../../../shared/changes/execute.ts";
import type { ProcessorEvent, ProcessorResult } from "../../../shared/contract/processor.ts";
import { applyOutcome } from "../../../shared/payments/apply-outcome.ts";
import { pullClearing } from "../../../shared/payments/clear-pull.ts";
import { payments, sentWrites } from "../../../shared/payments/payment.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { topUpInSteps } from "../../../shared/top-ups/top-up-card.ts";
import { balancesIn, expectBooksInOrder } from "../books.ts";
import { givenProgram, givenWallet } from "../given-cards.ts";
import { givenExternalAccount } from "../given-payouts.ts";
import { givenStoredCard } from "../given-stored.ts";
import type { Answer } from "../replay.ts";
import { approvalAbove, type Command, fee, type Named, topUp } from "./model.ts";

type Program = Awaited<ReturnType<typeof givenProgram>>;

interface Given {
  readonly program: Program;
  readonly walletId: string;
  /** Those of every payout and pull. */
  readonly order: { readonly externalAccountId: string; readonly mandateId: string };
  readonly cardIds: Readonly<Record<"funded" | "toppedUp", string>>;
}

/** A Wallet, what is paid from it and pulled into it, and its two Cards. */
export class RealBank {
  readonly #given: Given;
  /** By the keys of the model. */
  readonly #ids = new Map<string, string>();

  private constructor(given: Given) {
    this.#given = given;
  }

  static async open(walletMinor: number, ownMinor: number): Promise<RealBank> {
    const settings = { payouts: { fee, approvalAbove }, pulls: { holdDays: 0 } };
    const program = await givenProgram({ settings });
    const { programId } = program;
    const walletId = await givenWallet(program, walletMinor);
    const externalAccountId = await givenExternalAccount(programId);
    const signed = { path: { externalAccountId }, body: { signedAt: "2026-11-01" } };
    const mandate = await program.call("POST /external-accounts/{externalAccountId}/mandates", signed);
    const cardIds = {
      funded: await givenStoredCard(programId, 1, ownMinor),
      toppedUp: await givenStoredCard(programId, 1, ownMinor),
    };
    const path = { cardId: cardIds.toppedUp };
    await program.call("PUT /cards/{cardId}/top-up", { path, body: { walletId, ...topUp, active: true } });
    const order = { externalAccountId, mandateId: mandate.body.data.mandateId };
    return new RealBank({ program, walletId, order, cardIds });
  }

  /** What it answered, as the model says it. */
  async send({ command, key, id }: Named): Promise<object> {
    const { program, cardIds, walletId } = this.#given;
    const { programId } = program;
    switch (command.do) {
      case "payout":
      case "pull":
        return this.#create(key, command.do, command.amount);
      case "spend": {
        const spent = { eventId: id, programId, cardId: cardIds[command.card], amount: command.amount };
        const result = (await processor({ kind: "clearing", ...spent } as ProcessorEvent)) as ProcessorResult;
        return { outcome: result.outcome };
      }
      case "authorize":
      case "release": {
        const kind = command.do === "release" ? "authorization_reversal" : "authorization";
        const sent = { kind, eventId: id, programId, cardId: cardIds.funded, authorizationId: key };
        const { amount } = command as { readonly amount?: number };
        const result = (await processor({ ...sent, amount } as ProcessorEvent)) as ProcessorResult;
        if (result.outcome !== "applied" || command.do === "release") return { outcome: result.outcome };
        const { outcome, approved, declineReason } = result;
        return { outcome, approved, ...(declineReason !== undefined && { declineReason }) };
      }
      case "fund": {
        const fundingWalletId = command.isByWallet ? walletId : null;
        const path = { cardId: cardIds.funded };
        const { limit } = command;
        const spendLimit = command.isByWallet && limit ? { amount: limit, window: "lifetime" } : null;
        const body = { fundingWalletId, spendLimit, moveBalance: true };
        return toAnswer(await program.call("PUT /cards/{cardId}/funding", { path, body }));
      }
      default:
        return this.#step(this.#ids.get(key) ?? "", command, id);
    }
  }

  async #create(key: string, kind: "payout" | "pull", amount: number): Promise<object> {
    const { program, walletId, order } = this.#given;
    const { mandateId, ...account } = order;
    const headers = { "Idempotency-Key": key };
    const body = { walletId, amount, ...account, ...(kind === "pull" && { mandateId }) };
    const route = kind === "pull" ? "POST /pulls" : "POST /payouts";
    const answer = await program.call(route, { body, headers });
    const { payoutId, pullId = payoutId } = answer.body.data ?? {};
    if (pullId !== undefined) this.#ids.set(key, pullId);
    return toAnswer(answer);
  }

  async #step(
    paymentId: string,
    command: Extract<Command, { readonly nth: number }>,
    id: string,
  ): Promise<object> {
    const { program } = this.#given;
    const { programId } = program;
    const kind = paymentId.startsWith("pul_") ? "pull" : "payout";
    const options = {
      path: { [kind === "pull" ? "pullId" : "payoutId"]: paymentId },
      headers: { "Idempotency-Key": id },
    };
    switch (command.do) {
      case "approve":
        return toAnswer(await program.callAsAnother("POST /payouts/{payoutId}/approve", options));
      case "decline":
        return toAnswer(await program.call("POST /payouts/{payoutId}/decline", options));
      case "cancel":
        return toAnswer(
          await program.call(
            kind === "pull" ? "POST /pulls/{pullId}/cancel" : "POST /payouts/{payoutId}/cancel",
            options,
          ),
        );
      case "send":
        return { isDone: await this.#sendToBank(paymentId) };
      case "clear":
        return { isDone: "answer" in (await execute(pullClearing, { programId, pullId: paymentId })) };
      case "report": {
        const { said: status, amount: amountMinor } = command;
        const outcome = { programId, paymentId, kind, status, amountMinor, reasonCode: "MS03" } as const;
        const { result, ...more } = await applyOutcome(outcome);
        return { result, ...("reason" in more && { reason: more.reason }) };
      }
    }
  }

  /** As the file that has it writes it. Files take what is pending. */
  async #sendToBank(paymentId: string): Promise<boolean> {
    const { programId } = this.#given.program;
    const payment = await payments.at(programId, paymentId).get();
    if (payment?.status !== "pending") return false;
    const inFile = { fileId: "file-1", at: now(), timeZone: "Etc/UTC" };
    return (await transact(sentWrites(payment, inFile))).committed;
  }

  /** As the relay does after each change, and more than once. */
  async replenish(): Promise<void> {
    const { program, cardIds } = this.#given;
    const due = {
      ...{ eventId: newId("event"), kind: "top_up.due" as const, programId: program.programId },
      ...{ occurredAt: now().toISOString(), detail: { cardId: cardIds.toppedUp } },
    } as const;
    await Promise.all([topUpInSteps(due), topUpInSteps(due)]);
  }

  /** Once the whole of the books has been checked. */
  async shown() {
    const { program, walletId, cardIds } = this.#given;
    const items = await expectBooksInOrder(program.programId);
    const { availableMinor: available, heldMinor: held, ...wallet } = balancesIn(items, walletId);
    const ledgerOf = (cardId: string) => balancesIn(items, cardId).ledgerMinor;
    const listed = [...this.#ids].map(async ([key, paymentId]) => {
      const { status } = await payments.at(program.programId, paymentId).require();
      return `${key} ${status}`;
    });
    const path = { cardId: cardIds.funded };
    const funding = (await program.call("GET /cards/{cardId}/funding", { path })).body.data;
    return {
      wallet: { available, held, pending: wallet.pendingDepositMinor },
      limit: funding.spendLimit && { amount: funding.spendLimit.amount, used: funding.used },
      cards: { funded: ledgerOf(cardIds.funded), toppedUp: ledgerOf(cardIds.toppedUp) },
      payments: (await Promise.all(listed)).toSorted(),
    };
  }
}

function toAnswer({ status, body }: Answer): object {
  if (status !== 200) return { status, code: body.code };
  const state = body.data.status;
  return { status, ...(state !== undefined && { state }) };
}
