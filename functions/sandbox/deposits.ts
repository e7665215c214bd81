import type { z } from "zod";
import { DestinationType } from "../../shared/contract/enums.ts";
import type { SandboxDeposit, SandboxDepositResponse } from "../../shared/contract/sandbox.ts";
import type { AppliedResult } from "../../shared/domain/network/plan.ts";
import type { DepositEvent } from "../../shared/domain/network/plan-deposit.ts";
import { newId } from "../../shared/platform/id.ts";
import type { IdempotencyKey } from "../../shared/platform/idempotency.ts";
import { executeWithBalances, pick } from "./answers.ts";
import type { SandboxOperations } from "./operations.ts";

/** Pending, unless the body says otherwise. */
export const depositInWallet: SandboxOperations["POST /wallets/{walletId}/deposits"] = ({
  scope: { programId },
  path: { walletId: accountId },
  body,
  idempotency,
}) =>
  executeDeposit(
    newDeposit(programId, { accountType: DestinationType.wallet, accountId }, body),
    idempotency,
  );

/** A deposit that the Card cannot take goes to suspense; the balances stay. */
export const depositOnCard: SandboxOperations["POST /cards/{cardId}/deposits"] = ({
  scope: { programId },
  path: { cardId: accountId },
  body,
  idempotency,
}) =>
  executeDeposit(newDeposit(programId, { accountType: DestinationType.card, accountId }, body), idempotency);

export const clearDeposit: SandboxOperations["POST /deposits/{depositId}/clear"] = ({
  scope: { programId },
  path: { depositId },
  idempotency,
}) => executeDeposit({ ...base(programId), kind: "deposit_cleared", depositId }, idempotency);

export const reverseDeposit: SandboxOperations["POST /deposits/{depositId}/reverse"] = ({
  scope: { programId },
  path: { depositId },
  idempotency,
}) => executeDeposit({ ...base(programId), kind: "deposit_reversed", depositId }, idempotency);

/** Returns a cleared deposit, reverses a pending one. */
export const returnDeposit: SandboxOperations["POST /deposits/{depositId}/return"] = ({
  scope: { programId },
  path: { depositId },
  idempotency,
}) => executeDeposit({ ...base(programId), kind: "deposit_returned", depositId }, idempotency);

function base(programId: string) {
  return { programId, eventId: newId("event") };
}

function newDeposit(
  programId: string,
  account: { accountType: DestinationType; accountId: string },
  { pending, ...details }: z.output<typeof SandboxDeposit>,
): DepositEvent {
  const kind = pending ? "deposit_pending" : "deposit_cleared";
  return { ...base(programId), kind, channel: "crypto", ...account, ...details };
}

function executeDeposit(
  event: DepositEvent,
  key: IdempotencyKey | undefined,
): Promise<z.output<typeof SandboxDepositResponse>> {
  return executeWithBalances(event, key, (result: AppliedResult) => {
    const { suspenseId } = result;
    return { ...pick("depositId")(result), ...(suspenseId !== undefined && { suspenseId }) };
  });
}
