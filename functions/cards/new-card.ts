import { type Cardholder, familyName, fullName } from "../../shared/cardholders/cardholder.ts";
import type { Card, Expiry } from "../../shared/cards/card.ts";
import type { CardCreate } from "../../shared/contract/cards.ts";
import { CardApprovalStatus, CardForm, CardStatus } from "../../shared/contract/enums.ts";
import { noEntries } from "../../shared/ledger/account.ts";
import { zeroBalances } from "../../shared/ledger/postings.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { ProgramScope } from "../../shared/platform/http/request.ts";
import { randomInteger, withoutPrefix } from "../../shared/platform/id.ts";

interface CardRequest {
  readonly scope: ProgramScope;
  readonly cardId: string;
  readonly request: CardCreate;
  readonly cardholder: Cardholder;
  readonly bin: string;
  readonly at: Date;
}

/**
 * A Card as requested, not yet approved.
 * @throws ApiError VALIDATION_FAILED if `nameOnCard` is missing and not all of the Cardholder's
 * name can be printed
 */
export function newCard({ scope, cardId, request, cardholder, bin, at }: CardRequest): Card {
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
    ...computeExpiry(request.cardForm, at),
    cardToken: withoutPrefix(cardId),
    nameOnCard,
    externalId: request.externalId,
    ...(request.cardForm === CardForm.physical &&
      request.shippingAddress && {
        shippingAddress: { recipient: fullName(cardholder), ...request.shippingAddress },
      }),
    currency: scope.currency,
    ...zeroBalances,
    ...noEntries,
    cryptoAddresses: [],
    createdAt: timestamp(at),
  };
}

function nameNotPrintable(): ApiError {
  return new ApiError("VALIDATION_FAILED", [
    {
      path: "body.nameOnCard",
      code: "required",
      message: "is required, since not all of the Cardholder's name can be printed on a card",
    },
  ]);
}

/** Virtual three years, physical four, to the end of the issuing month. */
export function computeExpiry(cardForm: CardForm, issuedAt: Date): Expiry {
  return {
    expiryMonth: issuedAt.getUTCMonth() + 1,
    expiryYear: issuedAt.getUTCFullYear() + (cardForm === CardForm.virtual ? 3 : 4),
  };
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
