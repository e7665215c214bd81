import type { z } from "zod";
import { readCardIdentity } from "../cards/read-identity.ts";
import { defineChange, later, nothing, type StepRefusal, unread } from "../changes/change.ts";
import { answerRequest } from "../changes/execute.ts";
import type { BankDeposit, BankDepositResponse } from "../contract/balances.ts";
import { CardStatus, type Currency, DepositStatus, inUse, TransferStatus } from "../contract/enums.ts";
import type { Account } from "../ledger/account.ts";
import { timestamp } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import type { ProgramScope } from "../platform/http/request.ts";
import { newId } from "../platform/id.ts";
import type { IdempotencyKey } from "../platform/idempotency.ts";
import { namePuts } from "../platform/labels.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import { referenceTo } from "./deposit-view.ts";
import { expectedNotice, expectedPuts } from "./expected.ts";
import { newDeposit } from "./new-deposit.ts";
import { depositedOn, takerAt, takers } from "./takers.ts";

type BankDepositAnswer = z.output<typeof BankDepositResponse>;

interface BankDepositRequest {
  readonly scope: ProgramScope;
  readonly account: Account;
  readonly body: BankDeposit;
  readonly idempotency?: IdempotencyKey | undefined;
}

/**
 * Pending until the bank's `deposit_cleared`; in a sandbox, until the Program's clearing delay is
 * over.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if the card is closed or not yet approved;
 * IDEMPOTENCY_MISMATCH
 */
export function depositFromBank(request: BankDepositRequest): Promise<BankDepositAnswer> {
  const { scope, account, body, idempotency } = request;
  const { programId, currency } = scope;
  return answerRequest(announcement, { programId, currency, account, body }, idempotency);
}

interface Announcement {
  readonly programId: string;
  readonly currency: Currency;
  readonly account: Account;
  readonly body: BankDeposit;
}

const announcement = defineChange<Announcement, BankDepositAnswer, StepRefusal>()({
  reads: ({ programId, account }) => ({
    program: { get: () => getProgram(programId) },
    // Only a Card has one.
    identity:
      account.kind === "card" ? { get: () => readCardIdentity(programId, account.accountId) } : nothing,
    account: later(takerAt(programId, account)),
  }),
  decide: ({ programId, currency, account, body }, { program, identity, account: stored }, at) => {
    if (!program || !stored || (account.kind === "card" && !identity)) return { rejected: "NOT_FOUND" };
    const on = depositedOn(account, stored === unread ? undefined : stored);
    // Its condition has failed: it takes no deposits, or spends from a Wallet, which takes them.
    if (stored !== unread && !(on.cardId !== undefined && takers.card.findRefusal(stored) === undefined))
      return illegalStatus(stored.issuerCardStatus ?? "", inUse, CardStatus);
    const delaySeconds = environment.hasSimulatedBank ? program.settings.clearingDelaySeconds : undefined;
    const days = body.expiresInDays ?? 14;
    const deposit = {
      programId,
      depositId: newId("deposit"),
      ...on,
      amountMinor: body.amount,
      currency,
      status: delaySeconds === 0 ? DepositStatus.cleared : DepositStatus.pending,
      channel: "bank" as const,
      reference: body.reference,
      externalId: body.externalId,
      cardholderId: identity?.cardholderId,
      cardToken: identity?.cardToken,
      expiresAt: timestamp(new Date(at.getTime() + days * 86_400_000)),
      ...(delaySeconds && { clearsAt: timestamp(new Date(at.getTime() + delaySeconds * 1000)) }),
    };
    const isExpected = deposit.status === DepositStatus.pending;
    const { commit } = newDeposit(deposit, at);
    const notice = expectedNotice({ ...deposit, createdAt: "" }, program.settings.bankAccount);
    return {
      ...commit,
      writes: [
        ...commit.writes,
        ...expectedPuts(deposit),
        ...(isExpected ? [notice] : []),
        ...namePuts({ programId, kind: "deposit", recordId: deposit.depositId }, body.externalId),
      ],
      answer: {
        depositId: deposit.depositId,
        transStatus: isExpected ? TransferStatus.pending : TransferStatus.approved,
        amount: deposit.amountMinor,
        currency,
        dateCreated: timestamp(at),
        expiresAt: deposit.expiresAt,
        creditorReference: referenceTo(deposit),
        ...(isExpected && { status: "expected" as const }),
      },
    };
  },
});
