import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { execute } from "../../../shared/changes/execute.ts";
import type { ProcessorEvent, ProcessorResult } from "../../../shared/contract/processor.ts";
import { externalAccounts } from "../../../shared/external-accounts/external-account.ts";
import { applyOutcome } from "../../../shared/payments/apply-outcome.ts";
import { mandates } from "../../../shared/payments/mandate.ts";
import { payments, sentWrites } from "../../../shared/payments/payment.ts";
import { pullClearing } from "../../../shared/payments/pull-step.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { topUpInSteps } from "../../../shared/top-ups/top-up-card.ts";
import { balancesIn, expectBooksInOrder } from "../books.ts";
import { givenProgram, givenWallet } from "../given-cards.ts";
import { givenExternalAccount } from "../given-payouts.ts";
import { givenStoredCard } from "../given-stored.ts";
import type { Answer } from "../replay.ts";
import type { StoredItem } from "../stored.ts";
import { accountCount, approvalAbove, type Command, fee, firstMandate, type Named, topUp } from "./model.ts";

type Created = Extract<Command, { do: "payout" | "pull" }>;

type Program = Awaited<ReturnType<typeof givenProgram>>;

interface Given {
  readonly program: Program;
  readonly walletId: string;
  readonly externalAccountIds: readonly string[];
  readonly cardIds: Readonly<Record<"funded" | "toppedUp", string>>;
}

/** A Wallet, what is paid from it and pulled into it, and its two Cards. */
export class RealBank {
  readonly #given: Given;
  /** By the keys of the model. */
  readonly #ids = new Map<string, string>();
  readonly #begun = new Set<string>();
  readonly #mandates = new Map<string, { externalAccountId: string; mandateId: string }>();

  private constructor(given: Given) {
    this.#given = given;
  }

  static async open(walletMinor: number, ownMinor: number): Promise<RealBank> {
    const settings = { payouts: { fee, approvalAbove }, pulls: { holdDays: 0 } };
    const program = await givenProgram({ settings });
    const { programId } = program;
    const walletId = await givenWallet(program, walletMinor);
    const statuses = Array.from({ length: accountCount }, (_, number) => (number === 0 ? "verified" : "new"));
    const adding = statuses.map((status) => givenExternalAccount(programId, status as "verified" | "new"));
    const externalAccountIds = await Promise.all(adding);
    const cardIds = {
      funded: await givenStoredCard(programId, 1, ownMinor),
      toppedUp: await givenStoredCard(programId, 1, ownMinor),
    };
    const path = { cardId: cardIds.toppedUp };
    await program.call("PUT /cards/{cardId}/top-up", { path, body: { walletId, ...topUp, active: true } });
    const bank = new RealBank({ program, walletId, externalAccountIds, cardIds });
    await bank.#sign(firstMandate, 0);
    return bank;
  }

  /** What it answered, as the model says it. */
  async send({ command, key, id, mandate = "" }: Named): Promise<object> {
    const { program, cardIds, walletId } = this.#given;
    const { programId } = program;
    switch (command.do) {
      case "payout":
      case "pull":
        return this.#create(key, command, this.#mandates.get(mandate)?.mandateId);
      case "sign":
        return this.#sign(key, command.account);
      case "end": {
        const route = "POST /external-accounts/{externalAccountId}/mandates/{mandateId}/cancel";
        const path = this.#mandates.get(key) ?? {};
        return toAnswer(await program.call(route, { path }));
      }
      case "verify":
        return this.#verify(key, command.account);
      case "confirm":
        return this.#confirm(command.account);
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

  async #sign(key: string, account: number): Promise<object> {
    const { program, externalAccountIds } = this.#given;
    const path = { externalAccountId: externalAccountIds[account] ?? "" };
    const request = { path, body: { signedAt: "2026-11-01" }, headers: { "Idempotency-Key": key } };
    const answer = await program.call("POST /external-accounts/{externalAccountId}/mandates", request);
    const mandateId = answer.body.data?.mandateId ?? (await this.#findUnknown(path));
    if (mandateId !== undefined) this.#mandates.set(key, { ...path, mandateId });
    return toAnswer(answer);
  }

  /** A repetition after a kill is told that it was done before, and not what it has made. */
  async #findUnknown(path: { readonly externalAccountId: string }): Promise<string | undefined> {
    const route = "GET /external-accounts/{externalAccountId}/mandates";
    const { items = [] } = (await this.#given.program.call(route, { path })).body;
    const known = new Set([...this.#mandates.values()].map(({ mandateId }) => mandateId));
    return items.find(({ mandateId }: { mandateId: string }) => !known.has(mandateId))?.mandateId;
  }

  async #verify(key: string, account: number): Promise<object> {
    const { program, externalAccountIds } = this.#given;
    const externalAccountId = externalAccountIds[account] ?? "";
    const isAgain = this.#begun.has(key);
    this.#begun.add(key);
    const answer = await program.call("POST /external-accounts/{externalAccountId}/verification", {
      ...{ path: { externalAccountId }, body: { method: "micro_deposits" } },
    });
    const { microDeposits } = await externalAccounts.at(program.programId, externalAccountId).require();
    // What was begun before a kill, whose answer was lost, is this one's too.
    const isBegun = answer.status === 200 || isAgain;
    const known = new Set(this.#ids.values());
    for (const [index, id] of (isBegun ? (microDeposits?.paymentIds ?? []) : []).entries())
      if (!known.has(id)) this.#ids.set(`${key}-${index}`, id);
    return toAnswer(answer);
  }

  async #confirm(account: number): Promise<object> {
    const { program, externalAccountIds } = this.#given;
    const path = { externalAccountId: externalAccountIds[account] ?? "" };
    const { microDeposits } = await externalAccounts.at(program.programId, path.externalAccountId).require();
    const body = { amounts: microDeposits?.amounts ?? [1, 2] };
    const route = "POST /external-accounts/{externalAccountId}/verification/confirm";
    return toAnswer(await program.call(route, { path, body }));
  }

  async #create(key: string, command: Created, mandateId: string | undefined): Promise<object> {
    const { program, walletId, externalAccountIds } = this.#given;
    const { do: kind, amount, account } = command;
    const externalAccountId = externalAccountIds[account];
    const headers = { "Idempotency-Key": key };
    const body = { walletId, amount, externalAccountId, ...(kind === "pull" && { mandateId }) };
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
    const { kind } = await payments.at(programId, paymentId).require();
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
        const { said: status, amount: amountMinor, entry, reason } = command;
        const isBack = status === "rejected" || status === "returned";
        const outcome = {
          ...{ programId, paymentId, kind, status, amountMinor, entry },
          ...(isBack && { reasonCode: reason }),
        };
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
    const { program, walletId, cardIds, externalAccountIds } = this.#given;
    const items = await expectBooksInOrder(program.programId);
    const { availableMinor: available, heldMinor: held, ...wallet } = balancesIn(items, walletId);
    const ledgerOf = (cardId: string) => balancesIn(items, cardId).ledgerMinor;
    const read = [...this.#ids].map(async ([key, paymentId]) => ({
      ...{ key, payment: await payments.at(program.programId, paymentId).require() },
    }));
    const found = await Promise.all(read);
    const accounts = externalAccountIds.map((id) => externalAccounts.at(program.programId, id).require());
    const signed = [...this.#mandates].map(async ([key, { externalAccountId, mandateId }]) => {
      const { status, sequence } = await mandates
        .at(program.programId, externalAccountId, mandateId)
        .require();
      return `${key} ${status} ${sequence}`;
    });
    const path = { cardId: cardIds.funded };
    const funding = (await program.call("GET /cards/{cardId}/funding", { path })).body.data;
    const left = found
      .filter(({ payment: { kind, status } }) => kind === "micro_deposit" && status === "completed")
      .reduce((sum, { payment }) => sum + payment.amountMinor, 0);
    return {
      wallet: { available, held, pending: wallet.pendingDepositMinor },
      limit: funding.spendLimit && { amount: funding.spendLimit.amount, used: funding.used },
      cards: { funded: ledgerOf(cardIds.funded), toppedUp: ledgerOf(cardIds.toppedUp) },
      payments: found.map(({ key, payment }) => `${key} ${payment.status}`).toSorted(),
      accounts: (await Promise.all(accounts)).map(({ status }) => status),
      mandates: (await Promise.all(signed)).toSorted(),
      reserve: left + paidByReserve(items),
    };
  }
}

/** By the entries of micro-deposits. */
function paidByReserve(items: readonly StoredItem[]): number {
  return items
    .filter(({ kind }) => kind === "micro_deposit" || kind === "micro_deposit_return")
    .flatMap(({ postings = [] }) => postings as { account: string; amountMinor: number }[])
    .filter(({ account }) => account === "program_reserve")
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

function toAnswer({ status, body }: Answer): object {
  if (status !== 200) return { status, code: body.code };
  const { status: state, sequence } = body.data;
  return { status, ...(state !== undefined && { state }), ...(sequence !== undefined && { sequence }) };
}
