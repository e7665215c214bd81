import * as z from "zod";
import {
  AuthenticationChannel,
  AuthenticationDecidedBy,
  AuthenticationDevice,
  AuthenticationState,
  type AuthenticationView,
  ChallengeMethod,
  ComparedAddress,
  Exemption,
} from "../contract/authentications.ts";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import type { ListKind } from "../lists/kind.ts";
import { CarriedDeadline, defineDeadline, noDeadline, toStoredDeadline } from "../platform/deadlines.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { StoredMerchant, toShownMerchant } from "../transactions/transaction.ts";
import { findEci, shiftsLiability } from "./eci.ts";

/** A purchase that its Card's issuer is asked about before it is authorized, by 3-D Secure. */
const Authentication = z.object({
  programId: z.string(),
  /** authenticationId. */
  entityId: z.string(),
  cardId: z.string(),
  cardholderId: z.string(),
  plasticId: z.string().optional(),
  tokenId: z.string().optional(),
  state: AuthenticationState,
  network: z.enum(["visa", "mastercard"]),
  currency: integerEnum(Currency),
  amountMinor: z.int().optional(),
  merchant: StoredMerchant,
  channel: AuthenticationChannel,
  device: AuthenticationDevice.optional(),
  exemptions: z.array(Exemption).readonly().optional(),
  addressLine: ComparedAddress.optional(),
  postalCode: ComparedAddress.optional(),
  decidedBy: AuthenticationDecidedBy,
  reason: z.string().optional(),
  /** How its challenge is answered. Both stay after its end. */
  method: ChallengeMethod.optional(),
  expiresAt: z.string().optional(),
  /** The passcode's, which has the code while it can be used. */
  challengeId: z.string().optional(),
  createdAt: z.string(),
  decidedAt: z.string().optional(),
  /** The purchase that has it. */
  authorizationId: z.string().optional(),
  /** When a challenge in the app ends. A passcode's own deadline ends both. */
  ...CarriedDeadline.shape,
});
export type Authentication = Readonly<z.output<typeof Authentication>>;

export const authentications = defineEntity({
  name: "authentication",
  schema: Authentication,
  saysWhenChanged: true,
  key: (programId: string, authenticationId: string) => ({
    pk: `${programId}#${authenticationId}`,
    sk: "AUTHENTICATION",
  }),
});

export const authenticationList: ListKind = {
  name: "authentications",
  filters: ["state"],
  orders: [],
  shards: 4,
  recordKey: ({ programId }, authenticationId) => authentications.key(programId, authenticationId),
};

/** Points to a Card's authentication. */
const authenticationsOfCard = defineEntity({
  name: "authenticationOf",
  schema: z.object({ authenticationId: z.string() }),
  key: (programId: string, cardId: string, authenticationId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `AUTHENTICATION#${authenticationId}`,
  }),
});

/** The keys of the authentications of these Cards. */
export async function readAuthenticationKeys(programId: string, cardIds: readonly string[]): Promise<Key[]> {
  const pointers = await Promise.all(cardIds.map((cardId) => authenticationsOfCard.list(programId, cardId)));
  return pointers.flat().map(({ authenticationId }) => authentications.key(programId, authenticationId));
}

export const challengeExpiry = defineDeadline("expire_authentication", "normal");

/** Fails under `authentication` if its id is taken. */
export function authenticationCreate(authentication: Authentication): WriteAction {
  const { programId, entityId, cardId, state, method, expiresAt } = authentication;
  const isInApp = state === "challenged" && method === "app";
  const deadline =
    isInApp && expiresAt !== undefined
      ? toStoredDeadline(
          challengeExpiry.at({ ownerId: programId, deadlineId: entityId, dueAt: new Date(expiresAt) }),
        )
      : {};
  return {
    ...authentications.at(programId, entityId).create({ ...authentication, ...deadline }),
    alongside: [
      listInsert(authenticationList, programId, entityId, authentication),
      authenticationsOfCard.at(programId, cardId, entityId).create({ authenticationId: entityId }),
    ],
  };
}

/** Ends a challenge, once. Fails under `authentication` if it has ended. */
export function challengeEnd(before: Authentication, after: Authentication): WriteAction {
  const { programId, entityId } = before;
  return {
    ...authentications.at(programId, entityId).put({ ...after, ...noDeadline }, { state: "challenged" }),
    alongside: [listUpdate(authenticationList, programId, entityId, before, after)],
  };
}

export function toAuthenticationView(authentication: Authentication): AuthenticationView {
  const { entityId, merchant, state, network, method, expiresAt } = authentication;
  return {
    authenticationId: entityId,
    cardId: authentication.cardId,
    cardholderId: authentication.cardholderId,
    plasticId: authentication.plasticId,
    tokenId: authentication.tokenId,
    state,
    amount: authentication.amountMinor,
    currency: authentication.currency,
    merchantAmount: merchant.srcAmount,
    merchantCurrency: merchant.srcCurrency,
    merchant: toShownMerchant(merchant),
    channel: authentication.channel,
    device: authentication.device,
    exemptions: [...(authentication.exemptions ?? [])],
    verification: {
      addressLine: authentication.addressLine ?? "not_present",
      postalCode: authentication.postalCode ?? "not_present",
    },
    decidedBy: authentication.decidedBy,
    reason: authentication.reason,
    eci: findEci(state, network),
    liabilityShift: shiftsLiability(state),
    ...(method && expiresAt !== undefined && { challenge: { method, expiresAt } }),
    dateCreated: authentication.createdAt,
    dateDecided: authentication.decidedAt,
    authorizationId: authentication.authorizationId,
  };
}
