import type { z } from "zod";
import type { BankDeposit, BankDepositResponse } from "../../contract/balances.ts";
import { DepositStatus, TransferStatus } from "../../contract/enums.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { ProgramScope } from "../../platform/http/request.ts";
import { newId } from "../../platform/id.ts";
import type { IdempotencyKey } from "../../platform/idempotency.ts";
import { getProgram } from "../../tenancy/programs/program.ts";
import { readCardIdentity } from "../cards/card.ts";
import type { Account } from "../ledger/account.ts";
import { commitIdempotent } from "../ledger/commit.ts";
import { type NewDeposit, newDeposit } from "./deposit-change.ts";
import { expectedNotice } from "./expected.ts";

type BankDepositAnswer = z.output<typeof BankDepositResponse>;

export interface BankDepositRequest {
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
export async function depositFromBank(request: BankDepositRequest): Promise<BankDepositAnswer> {
  const { scope, account, body, idempotency } = request;
  const { programId, currency } = scope;
  const [program, identity] = await Promise.all([
    getProgram(programId),
    account.kind === "card" ? readCardIdentity(programId, account.accountId) : undefined,
  ]);
  if (account.kind === "card" && !identity) throw new ApiError("NOT_FOUND");
  const delaySeconds = environment.hasSimulatedBank ? program.settings.clearingDelaySeconds : undefined;

  const at = now();
  const days = body.expiresInDays ?? 14;
  const deposit: NewDeposit = {
    programId,
    depositId: newId("deposit"),
    account,
    amountMinor: body.amount,
    currency,
    status: delaySeconds === 0 ? DepositStatus.cleared : DepositStatus.pending,
    channel: "bank",
    reference: body.reference,
    externalId: body.externalId,
    cardholderId: identity?.cardholderId,
    cardToken: identity?.cardToken,
    expiresAt: timestamp(new Date(at.getTime() + days * 86_400_000)),
    ...(delaySeconds && {
      clearsAt: timestamp(new Date(at.getTime() + delaySeconds * 1000)),
    }),
  };
  const answer: BankDepositAnswer = {
    depositId: deposit.depositId,
    transStatus: deposit.status === DepositStatus.cleared ? TransferStatus.approved : TransferStatus.pending,
    amount: deposit.amountMinor,
    currency,
    dateCreated: timestamp(at),
    expiresAt: deposit.expiresAt,
  };
  const { commit: booked } = newDeposit(deposit, at);
  const isExpected = deposit.status === DepositStatus.pending;
  const notice = isExpected
    ? [expectedNotice({ ...deposit, createdAt: "" }, program.settings.bankAccount)]
    : [];
  const commit = { ...booked, writes: [...booked.writes, ...notice] };
  const result = await commitIdempotent(commit, idempotency, answer);
  if (result.outcome === "failed") {
    const isMissing = result.failedConditions.has("account") && !result.failedConditions.get("account");
    throw new ApiError(isMissing ? "NOT_FOUND" : "ILLEGAL_TRANSITION");
  }
  return result.answer;
}
