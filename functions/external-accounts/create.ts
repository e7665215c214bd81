import { type Cardholder, getCardholder } from "../../shared/cardholders/cardholder.ts";
import { askVault } from "../../shared/cards/ask-vault.ts";
import type { AccountDetails } from "../../shared/contract/bank-account.ts";
import type { ExternalAccountCreate, ExternalAccountView } from "../../shared/contract/external-accounts.ts";
import {
  type ExternalAccount,
  externalAccountPuts,
  findLastFour,
  knownAccounts,
  toExternalAccountView,
} from "../../shared/external-accounts/external-account.ts";
import { isOwnName } from "../../shared/external-accounts/names.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { ApiError, invalid } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { createOnce } from "../../shared/platform/idempotency.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";

/**
 * Its number goes to the vault, which gives it back encrypted: nothing else is stored of it but the
 * last four characters.
 * @throws ApiError NOT_FOUND for the Cardholder; VALIDATION_FAILED for another name than theirs;
 * ACCOUNT_EXISTS, also if two add it at once
 */
export const createExternalAccount: Operations["POST /external-accounts"] = async (request) => {
  const { scope, body, idempotency } = request;
  const { programId, currency } = scope;
  if (body.cardholderId !== undefined)
    requireOwnName(body.holderName, await getCardholder(programId, body.cardholderId, "body.cardholderId"));
  const account = await sealed(programId, body, currency);
  const create = () => add(request, account);
  if (!idempotency) return create();
  const key = { ...idempotency, requestHash: hashWithout(body, account) };
  return createOnce(programId, key, undefined, create);
};

/** The number counts by its keyed hash: a hash of the body would let it be guessed. */
function hashWithout(body: ExternalAccountCreate, { fingerprint }: ExternalAccount): string {
  const { iban: _, accountNumber: __, routingNumber: ___, ...others } = body;
  return sha256(JSON.stringify([others, fingerprint]));
}

async function add(
  request: Parameters<Operations["POST /external-accounts"]>[0],
  account: ExternalAccount,
): Promise<ExternalAccountView> {
  const { externalAccountId, status, lastFour, country } = account;
  const outcome = await transact([
    ...externalAccountPuts(account),
    auditRequest(request, "external-account.create", externalAccountId, {
      before: null,
      after: { status, lastFour, country },
    }),
  ]);
  if (outcome.committed) return toExternalAccountView(account);
  const known = knownAccounts.parse(outcome.failedConditions.get("knownAccount"));
  if (known) throw new ApiError("ACCOUNT_EXISTS", [], known.externalAccountId);
  throw new Error(`The external account ${externalAccountId} exists already.`);
}

async function sealed(
  programId: string,
  body: ExternalAccountCreate,
  currency: ExternalAccount["currency"],
): Promise<ExternalAccount> {
  const externalAccountId = newId("externalAccount");
  const details = toDetails(body);
  const { holderName, holderType, accountType, cardholderId, nickname } = body;
  return {
    ...{ programId, externalAccountId, entityId: externalAccountId, status: "new" },
    ...{ holderName, holderType, lastFour: findLastFour(details), currency },
    ...{ accountType, cardholderId, nickname },
    country: "iban" in details ? details.iban.slice(0, 2) : "US",
    ...(await askVault("seal-account", { programId, externalAccountId, account: details })),
    createdAt: timestamp(),
  };
}

function toDetails({
  iban,
  accountNumber,
  routingNumber,
  accountType,
}: ExternalAccountCreate): AccountDetails {
  if (iban !== undefined) return { iban };
  if (accountNumber === undefined || routingNumber === undefined || accountType === undefined)
    throw new Error("The contract lets no account without a number pass.");
  return { accountNumber, routingNumber, accountType };
}

function requireOwnName(holderName: string, cardholder: Cardholder): void {
  if (isOwnName(cardholder, holderName)) return;
  throw invalid("body.holderName", "other_name", "must be the Cardholder's name");
}
