import * as z from "zod";
import {
  AuthenticationChannel,
  AuthenticationDecidedBy,
  AuthenticationDevice,
  AuthenticationState,
  type AuthenticationView,
  ChallengeMethod,
  Exemption,
} from "../contract/authentications.ts";
import { Currency } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import type { TokenNetwork } from "../contract/tokens.ts";
import { CheckResult } from "../contract/verification.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { readPartitions } from "../lists/list-page.ts";
import { CarriedDeadline, defineDeadline, noDeadline, toStoredDeadline } from "../platform/deadlines.ts";
import { pick } from "../platform/pick.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { TransitionTable } from "../platform/table/transition.ts";
import { StoredMerchant, toShownMerchant } from "../transactions/transaction.ts";

export type AuthenticationTrigger = "pass" | "fail" | "expire";

/** Every legal change of a challenge. What is decided without one never changes its state. */
export const authenticationTransitions = [
  { from: "challenged", trigger: "pass", to: "authenticated" },
  { from: "challenged", trigger: "fail", to: "failed" },
  { from: "challenged", trigger: "expire", to: "expired" },
] as const satisfies TransitionTable<AuthenticationState, AuthenticationTrigger>;

const firstStates = {
  approve: "authenticated",
  challenge: "challenged",
  decline: "rejected",
  attempt: "attempted",
} as const;

/** What a request comes to at once. */
export type FirstDecision = keyof typeof firstStates;

/** An approval for an exemption that was asked for is no authentication. */
export function firstState(decision: FirstDecision, hasExemption: boolean): AuthenticationState {
  return decision === "approve" && hasExemption ? "exempted" : firstStates[decision];
}

/** Electronic commerce indicators. While it is challenged, there is none. */
const indicators: Readonly<Record<AuthenticationState, Readonly<Record<TokenNetwork, string>> | undefined>> =
  {
    challenged: undefined,
    authenticated: { visa: "05", mastercard: "02" },
    exempted: { visa: "07", mastercard: "06" },
    attempted: { visa: "06", mastercard: "01" },
    rejected: { visa: "07", mastercard: "00" },
    failed: { visa: "07", mastercard: "00" },
    expired: { visa: "07", mastercard: "00" },
  };

export function findEci(state: AuthenticationState, network: TokenNetwork): string | undefined {
  return indicators[state]?.[network];
}

/** Whether the issuer bears the fraud of a purchase with it. */
export function shiftsLiability(state: AuthenticationState): boolean {
  return state === "authenticated" || state === "attempted";
}

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
  addressLine: CheckResult.optional(),
  postalCode: CheckResult.optional(),
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

export const authenticationList = defineList({
  name: "authentications",
  filters: ["state"],
  shards: 4,
  recordKey: ({ programId }, authenticationId) => authentications.key(programId, authenticationId),
});

/** Points to a Card's authentication. */
const authenticationsOfCard = defineEntity({
  name: "authenticationOf",
  schema: z.object({ authenticationId: z.string() }),
  key: (programId: string, cardId: string, authenticationId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `AUTHENTICATION#${authenticationId}`,
  }),
});

/** The keys of these Cards' authentications. With a span: at most 50,000, that may be of it. */
export async function readAuthenticationKeys(
  programId: string,
  cardIds: readonly string[],
  span?: Parameters<typeof readPartitions>[1],
): Promise<Key[]> {
  const partitions = cardIds.map((cardId) => authenticationsOfCard.key(programId, cardId, ""));
  const pointers = await readPartitions({ partitions, ids: span && "authentication" }, span ?? {});
  return pointers.map((stored) =>
    authentications.key(programId, authenticationsOfCard.parse(stored).authenticationId),
  );
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
    ...pick(authentication, "cardId", "cardholderId", "plasticId", "tokenId", "state", "currency", "channel"),
    ...pick(authentication, "device", "decidedBy", "reason", "authorizationId"),
    amount: authentication.amountMinor,
    merchantAmount: merchant.srcAmount,
    merchantCurrency: merchant.srcCurrency,
    merchant: toShownMerchant(merchant),
    exemptions: [...(authentication.exemptions ?? [])],
    verification: {
      addressLine: authentication.addressLine ?? "not_present",
      postalCode: authentication.postalCode ?? "not_present",
    },
    eci: findEci(state, network),
    liabilityShift: shiftsLiability(state),
    ...(method && expiresAt !== undefined && { challenge: { method, expiresAt } }),
    dateCreated: authentication.createdAt,
    dateDecided: authentication.decidedAt,
  };
}
