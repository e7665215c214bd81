import { type KindGuide, record } from "./cardholder-guide.ts";

const cardId = record("crd");
const tokenId = record("tok");
const none = "none";

export const tokenGuides = {
  account_checked: {
    example: { externalAccountId: record("exa"), outcome: "close_match", name: "A. Lovelace" },
    when: "A bank has said whose an external account is (`account.check`).",
    effect: none,
    writes: none,
    notes: [
      "Only `match` verifies the account. With `unavailable`, its bank answers no such question.",
      "With a `checkId`, it counts only for that verification; for another one it is `ILLEGAL_TRANSITION`.",
    ],
  },
  token_request: {
    example: {
      cardId,
      network: "visa",
      wallet: "apple_pay",
      requestorId: "40010030273",
      tokenReference: "DNITHE382012",
      device: { type: "phone", name: "Ana's phone" },
      risk: "green",
    },
    when: "A wallet, or a merchant, asks for a digital wallet token of the card. Invoke the function.",
    effect: none,
    writes:
      "55 token_activation_request with the amount 0: `transStatus` 3, 1 if a passcode is asked for, or 4",
    notes: [
      "Decided by the Program's [rules](tokens.md#rules). A card that cannot be used declines with its own reason, one that has 10 " +
        "tokens with `LIMIT_REACHED`.",
      "With `plasticId`, a plastic that was stopped or replaced declines too; one that the Card awaits needs a passcode. Leave it out " +
        "where an app gave the Card.",
      "A request with a `tokenReference` that exists gets the first answer, whatever became of the token. If it is another card's, the answer " +
        "is `ILLEGAL_TRANSITION`.",
    ],
  },
  token_notice: {
    example: { cardId, tokenId, event: "suspend" },
    when: "The wallet has suspended, resumed or deleted a token.",
    effect: none,
    writes: "56 token_advice with the amount 0",
    notes: [
      "The same notice again, with another `eventId`, changes nothing and gets the same answer. Another step that the token's " +
        "state does not permit is `ILLEGAL_TRANSITION`.",
    ],
  },
  token_passcode: {
    example: { cardId, tokenId, code: "123456" },
    when: "The Cardholder entered the passcode of a token.",
    effect: none,
    writes: "if it decides: 56 token_advice; the 55 has `transStatus` 3 or 4",
    notes: [
      "`authenticated` in the answer says whether the code was right and in time. The fifth wrong code declines the token.",
    ],
  },
} as const satisfies Readonly<Record<string, KindGuide>>;
