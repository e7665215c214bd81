import type * as z from "zod";
import {
  type Cardholder,
  cardholders,
  familyName,
  fullName,
  getCardholder,
} from "../cardholders/cardholder.ts";
import { addressPuts } from "../cards/address-owner.ts";
import { type Card, cards } from "../cards/card.ts";
import { computeExpiry } from "../cards/card-plastic.ts";
import { cardStatusEvent, countIssuedCard } from "../cards/card-status.ts";
import { cardList, toCardView } from "../cards/card-view.ts";
import { cardOfPut } from "../cards/cards-of-cardholder.ts";
import {
  approvedStatuses,
  chargeIssuance,
  type IssuanceDecisionWrites,
  issueAddresses,
  readFunding,
} from "../cards/issuance.ts";
import { limitFields, newLimit } from "../cards/limit.ts";
import { approvalWrites, productionWrites } from "../cards/outside-requests.ts";
import type { Expiry } from "../cards/usable.ts";
import type { ProgramSettings } from "../contract/account-programs.ts";
import type { CardCreate, IssuedCard } from "../contract/cards.ts";
import {
  CardApprovalStatus,
  CardForm,
  CardholderStatus,
  CardStatus,
  DesignStatus,
  IssuanceApproval,
} from "../contract/enums.ts";
import type { Metadata } from "../contract/primitives.ts";
import { mayMoveMoney } from "../contract/roles.ts";
import { putInForce } from "../controls/commit-control.ts";
import { noEntries } from "../ledger/account.ts";
import { zeroBalances } from "../ledger/postings.ts";
import { listInsert } from "../lists/entry.ts";
import { now, timestamp } from "../platform/clock.ts";
import { ApiError, invalid, withStatus } from "../platform/http/api-error.ts";
import type { ProgramScope } from "../platform/http/request.ts";
import { notAllowed } from "../platform/http/require-allowed.ts";
import { newId, randomInteger, withoutPrefix } from "../platform/id.ts";
import { labelPuts, newLabels, requireUnique } from "../platform/labels.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import type { StoredItem, WriteAction } from "../platform/table/transact.ts";
import { toActor } from "../tenancy/audit-log.ts";
import { readCardDesign } from "../tenancy/programs/card-design.ts";
import { getProgram } from "../tenancy/programs/program.ts";
import {
  type Chosen,
  choose,
  commitIssuance,
  findFaults,
  hashChoices,
  planControls,
  planLoad,
  requireFundingWallet,
  requireFunds,
  rulebookNames,
  toLoadError,
} from "./chosen.ts";

/** Who issues it, and what as. */
interface Issuance {
  readonly scope: ProgramScope;
  readonly requestId: string;
  readonly body: CardCreate;
}

/**
 * Approved at once, unless the Program has manual approval. The transaction requires the
 * Cardholder's status and counts the card, so that none is issued for one just deleted or declined.
 * It also has the Card's controls and its load.
 * @throws ApiError OPERATION_NOT_ALLOWED for a load or a Wallet with a key of the role no_money;
 * NOT_FOUND for an unknown Cardholder or Wallet; COMPLIANCE_STATE if it is not Approved;
 * DESIGN_NOT_APPROVED; VALIDATION_FAILED for what only the time and the Program decide;
 * LIMIT_REACHED for too many controls; INSUFFICIENT_FUNDS; EXTERNAL_ID_EXISTS
 */
export async function issueCard(
  { scope, requestId, body }: Issuance,
  cardId = newId("card"),
): Promise<z.input<typeof IssuedCard>> {
  const { programId } = scope;
  const spends = body.load ? "load" : body.fundingWalletId !== undefined && "fundingWalletId";
  if (spends && !mayMoveMoney(scope))
    throw notAllowed(`A ${spends} with the operation cards_issueCard`, scope);
  const [cardholder, { settings }, design] = await Promise.all([
    getCardholder(programId, body.cardholderId, "body.cardholderId"),
    getProgram(programId),
    readCardDesign(programId, body.cardType),
    body.load && requireFunds(programId, body.load),
    body.fundingWalletId === undefined || requireFundingWallet(programId, body.fundingWalletId),
  ]);
  if (cardholder.status !== CardholderStatus.approved) throw notApproved(cardholder);
  if (design?.status !== DesignStatus.approved)
    throw withStatus("DESIGN_NOT_APPROVED", design?.status ?? "empty", [DesignStatus.approved], DesignStatus);
  const at = now();
  const faults = findFaults(body, settings, at);
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const bin = body.bin ?? settings.cardBin;
  const requested = newCard({ scope, cardId, request: body, cardholder, bin, settings, at });
  const { card, writes, charge } = await decided(programId, requested, settings);
  const chosen = choose(body, card, toActor({ scope, requestId }), now());
  return commitCard({ scope, card, metadata: body.metadata, writes, charge, chosen }, cardholder);
}

interface DecidedCard {
  readonly scope: ProgramScope;
  readonly card: Card;
  readonly metadata: Metadata | undefined;
  readonly writes: readonly WriteAction[];
  readonly charge: IssuanceDecisionWrites["charge"];
  readonly chosen: Chosen;
}

/** Decides again if the Cardholder's block or a rulebook has changed meanwhile. */
async function commitCard({ scope, card, metadata, writes, charge, chosen }: DecidedCard, found: Cardholder) {
  const { programId } = scope;
  const { externalId } = card;
  let cardholder = found;
  const repeat = chosen.controls ? putInForce : retryDecision;
  const { answer } = await repeat(async () => {
    const { blockedAt } = cardholder;
    const issued = { ...card, ...(blockedAt !== undefined && { cardholderBlockedAt: blockedAt }) };
    const controls = await planControls(scope, issued, chosen);
    const load = planLoad(programId, issued, chosen);
    const stored = { ...issued, ...load?.account };
    const outcome = await commitIssuance(programId, load ?? toCharged(charge), [
      ...cardWrites(programId, stored, cardholder),
      ...labelPuts({ programId, kind: "card", recordId: card.entityId }, { externalId, metadata }),
      ...writes,
      ...controls.writes,
    ]);
    if (outcome.committed) {
      const { mustWait } = controls;
      return { mustWait, answer: { ...toCardView(issued), metadata, ...controls.answer, ...load?.answer } };
    }
    const failed = outcome.failedConditions;
    requireUnique(failed, { recordId: card.entityId });
    const conflict = rulebookNames.filter((name) => failed.has(name));
    if (failed.has("cardholder")) cardholder = requireIssuable(cardholder, failed.get("cardholder"));
    else if (failed.has("source")) throw toLoadError(failed.get("source"));
    else if (conflict.length === 0)
      throw new Error(`A Card was not issued: ${[...failed.keys()].join(", ")}.`);
    return new Conflict("cardholder", ...conflict);
  });
  return answer;
}

/** It is loaded, or its Wallet is charged: never both. */
function toCharged(charge: IssuanceDecisionWrites["charge"]) {
  return charge && { at: now(), ...charge, writes: [] };
}

function cardWrites(programId: string, card: Card, cardholder: Cardholder): WriteAction[] {
  const { entityId: cardId, cardholderId } = card;
  return [
    {
      ...cards.at(programId, cardId).create(card),
      alongside: [listInsert(cardList, programId, cardId, card)],
    },
    countIssuedCard(programId, cardholder),
    cardOfPut(programId, cardholderId, cardId),
  ];
}

/**
 * The Cardholder as it is now, if only the block is another one.
 * @throws ApiError COMPLIANCE_STATE
 */
function requireIssuable({ blockedAt }: Cardholder, found: StoredItem): Cardholder {
  const stored = cardholders.parse(found);
  if (stored?.status !== CardholderStatus.approved || stored.blockedAt === blockedAt)
    throw notApproved(stored);
  return stored;
}

const notApproved = ({ status }: Pick<Cardholder, "status"> = { status: CardholderStatus.deleted }) =>
  withStatus("COMPLIANCE_STATE", status, [CardholderStatus.approved], CardholderStatus);

/** Approved at once, with its fee and events, or waiting for a decision. */
async function decided(programId: string, card: Card, settings: ProgramSettings) {
  if (settings.issuanceApproval === IssuanceApproval.manual)
    return { card, writes: approvalWrites(programId, card) };
  const addresses = await issueAddresses(programId, settings.extendedPublicKeys);
  const charged = chargeIssuance(programId, card, settings, now(), await readFunding(programId, card));
  const approved = {
    ...card,
    ...approvedStatuses(card.cardForm),
    ...addresses,
    ...charged.account,
  };
  const statusEvent = cardStatusEvent(programId, card.entityId, approved);
  const writes = [
    statusEvent,
    ...charged.writes,
    ...addressPuts(programId, card.entityId, approved.cryptoAddresses),
    ...productionWrites(programId, card),
  ];
  return { card: approved, writes, charge: charged.charge };
}

interface CardRequest {
  readonly scope: ProgramScope;
  readonly cardId: string;
  readonly request: CardCreate;
  readonly cardholder: Cardholder;
  readonly bin: string;
  readonly settings: Pick<ProgramSettings, "timeZone">;
  readonly at: Date;
}

/**
 * A Card as requested, not yet approved.
 * @throws ApiError VALIDATION_FAILED if `nameOnCard` is missing and not all of the Cardholder's
 * name can be printed
 */
export function newCard({ scope, cardId, request, cardholder, bin, settings, at }: CardRequest): Card {
  const nameOnCard = request.nameOnCard ?? defaultNameOnCard(cardholder);
  if (nameOnCard === undefined) throw nameNotPrintable();
  return {
    entityId: cardId,
    cardholderId: cardholder.entityId,
    cardHolderLastName: familyName(cardholder),
    cardStatus: CardApprovalStatus.pending,
    issuerCardStatus: CardStatus.pending,
    cardForm: request.cardForm,
    cardType: request.cardType,
    bin,
    // The vault draws the digits between, so that each number of the range is as likely.
    lastFour: String(randomInteger(0, 10_000)).padStart(4, "0"),
    ...(chosenExpiry(request) ?? computeExpiry(request.cardForm, at)),
    cardToken: withoutPrefix(cardId),
    nameOnCard,
    ...newLabels(request),
    chosenHash: hashChoices(request),
    ...(request.cardForm === CardForm.physical &&
      request.shippingAddress && {
        shippingAddress: { recipient: fullName(cardholder), ...request.shippingAddress },
      }),
    currency: scope.currency,
    ...(request.fundingWalletId !== undefined && { fundingWalletId: request.fundingWalletId }),
    ...(request.spendLimit && limitFields(newLimit(request.spendLimit, timestamp(at), settings))),
    ...zeroBalances,
    ...noEntries,
    cryptoAddresses: [],
    createdAt: timestamp(at),
  };
}

function nameNotPrintable(): ApiError {
  return invalid(
    "body.nameOnCard",
    "required",
    "is required, since not all of the Cardholder's name can be printed on a card",
  );
}

function chosenExpiry({ expiryMonth, expiryYear }: CardCreate): Expiry | undefined {
  return expiryMonth === undefined || expiryYear === undefined ? undefined : { expiryMonth, expiryYear };
}

const maximumLength = 26;
/** What a card bureau can print: letters of the Latin script, digits, space and a few marks. */
const printable = /^[\p{Script=Latin}\d .,'’&/-]+$/u;

/**
 * The whole name, or initials and the whole last name, in the form that fits. Undefined if a part
 * cannot be printed, as in another script, or does not fit: half a name is none, so it is asked
 * for.
 */
export function defaultNameOnCard({ firstName = "", lastName = "" }: Names): string | undefined {
  const [first, last] = [plain(firstName), plain(lastName)];
  const initials = first.split(" ").map((part) => [...part].slice(0, 1).join(""));
  const forms = [
    `${first} ${last}`,
    ...(last === "" ? [] : [`${initials.join(" ")} ${last}`, `${initials[0]} ${last}`]),
  ];
  return forms
    .map((form) => form.trim())
    .find((form) => form.length <= maximumLength && printable.test(form));
}

type Names = Pick<Cardholder, "firstName" | "lastName">;

/** Without marks that no letter has in it, and other forms of the same characters. */
function plain(name: string): string {
  const composed = name.normalize("NFKC").replace(/\p{M}/gu, "");
  return composed.replace(/[‘ʼʻ]/g, "’").replace(/[‐‑–]/g, "-").replace(/\s+/g, " ").trim();
}
