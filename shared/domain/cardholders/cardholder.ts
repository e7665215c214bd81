import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { CardholderCreate, CardholderView } from "../../contract/cardholders.ts";
import { CardholderStatus } from "../../contract/enums.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey, type Key } from "../../platform/table/keys.ts";

/** A Cardholder as it is stored. */
export interface Cardholder extends CardholderCreate, Key {
  /** cardholderId. */
  readonly entityId: string;
  readonly status: CardholderStatus;
  /** Cards that are not Closed; counted in the transactions that issue, close and decline them. */
  readonly openCards: number;
  readonly createdAt: string;
  /** Since when the platform has blocked all its Cards: ISO 8601 UTC. */
  readonly blockedAt?: string;
  /** Names the hosted KYC to the compliance provider while it is under way. */
  readonly kycSession?: string;
  /** The alternative provider's token. A credential: kept only until the review ends, never answered, published or logged. */
  readonly kycToken?: string;
}

/** A new Cardholder's item: Draft, without cards. */
export function draftCardholder(
  programId: string,
  cardholderId: string,
  details: CardholderCreate,
  createdAt: string,
): Cardholder {
  return {
    ...issuingKey.cardholder(programId, cardholderId),
    entityId: cardholderId,
    status: CardholderStatus.draft,
    openCards: 0,
    createdAt,
    ...details,
  };
}

/**
 * The Cardholder as it is now, consistently read.
 *
 * @throws ApiError NOT_FOUND where the Program has none by this id.
 */
export async function getCardholder(programId: string, cardholderId: string): Promise<Cardholder> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.cardholder(programId, cardholderId),
      ConsistentRead: true,
    }),
  );
  if (!Item) throw new ApiError("NOT_FOUND");
  return Item as Cardholder;
}

/** The Cardholder as it is answered: personal data under `contact`, nothing of the compliance review. */
export function cardholderView(cardholder: Cardholder): CardholderView {
  const { firstName, lastName, dateOfBirth, gender, email, phone, address, nationality } = cardholder;
  return {
    cardholderId: cardholder.entityId,
    status: cardholder.status,
    altKycEnabled: cardholder.altKycEnabled,
    externalId: cardholder.externalId,
    contact: { firstName, lastName, dateOfBirth, gender, email, phone, address, nationality },
    dateCreated: cardholder.createdAt,
  };
}
