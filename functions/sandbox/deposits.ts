import type { z } from "zod";
import { findAddress } from "../../shared/cards/address-owner.ts";
import { answerWithBalances } from "../../shared/changes/answered-balances.ts";
import { DestinationType } from "../../shared/contract/enums.ts";
import type { SandboxDeposit, SandboxDepositResponse } from "../../shared/contract/sandbox.ts";
import { type DepositEvent, depositChange } from "../../shared/deposits/deposit-events.ts";
import { ApiError, invalid } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import type { IdempotencyKey } from "../../shared/platform/idempotency.ts";
import { requireFields } from "./execute-event.ts";

/** Pending, unless the body says otherwise. */
export const depositInWallet: Operations["POST /wallets/{walletId}/deposits"] = (request) =>
  announce(request, DestinationType.wallet, request.path.walletId);

/** A deposit that the Card cannot take goes to suspense; the balances stay. */
export const depositOnCard: Operations["POST /cards/{cardId}/deposits"] = (request) =>
  announce(request, DestinationType.card, request.path.cardId);

/**
 * As the custodian finds the Card.
 * @throws ApiError VALIDATION_FAILED for what is no address of the chain; NOT_FOUND without a Card
 */
export const depositAtAddress: Operations["POST /deposits"] = async (request) => {
  const { address, ...body } = request.body;
  const found = await findAddress(request.scope.programId, { chain: body.chain, address });
  if (!found) throw invalid("body.address", "invalid_format", "must be an address of the chain");
  const { cardId } = found;
  if (cardId === undefined) throw new ApiError("NOT_FOUND");
  return announce({ ...request, body }, DestinationType.card, cardId, { cardId });
};

export const clearDeposit: Operations["POST /deposits/{depositId}/clear"] = (request) =>
  settle(request, "deposit_cleared");

export const reverseDeposit: Operations["POST /deposits/{depositId}/reverse"] = (request) =>
  settle(request, "deposit_reversed");

/** Returns a cleared deposit, reverses a pending one. */
export const returnDeposit: Operations["POST /deposits/{depositId}/return"] = (request) =>
  settle(request, "deposit_returned");

interface DepositRequest {
  readonly scope: { readonly programId: string };
  readonly idempotency?: IdempotencyKey | undefined;
}

function announce<More extends object>(
  { scope: { programId }, body, idempotency }: DepositRequest & { body: z.output<typeof SandboxDeposit> },
  accountType: DestinationType,
  accountId: string,
  more?: More,
) {
  const { pending, ...details } = body;
  const kind = pending ? "deposit_pending" : "deposit_cleared";
  const base = { programId, eventId: newId("event"), channel: "crypto", accountType, accountId } as const;
  return executeDeposit({ ...base, kind, ...details }, idempotency, more);
}

function settle(
  {
    scope: { programId },
    path,
    idempotency,
  }: DepositRequest & { readonly path: { readonly depositId: string } },
  kind: "deposit_cleared" | "deposit_reversed" | "deposit_returned",
) {
  return executeDeposit({ programId, eventId: newId("event"), kind, ...path }, idempotency);
}

/** Answered with the balances after it. */
function executeDeposit<More extends object>(
  event: DepositEvent,
  idempotency: IdempotencyKey | undefined,
  more?: More,
): Promise<z.output<typeof SandboxDepositResponse> & More> {
  return answerWithBalances(depositChange(event), event, idempotency, (answer) => {
    const { suspenseId, balances } = answer;
    const ids = {
      ...requireFields("depositId")(answer),
      ...(suspenseId !== undefined && { suspenseId }),
    };
    return { ...ids, ...(more as More), ...balances };
  });
}
