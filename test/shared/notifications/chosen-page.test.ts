import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import {
  type ChosenEventType,
  chosenBody,
  chosenEventTypes,
  chosenNotifications,
} from "../../../shared/contract/chosen-notifications.ts";
import { EventType } from "../../../shared/contract/enums.ts";
import { chosenExample, chosenExamples } from "../../tools/openapi/chosen-examples.ts";

const subjects = {
  chd: "Cardholders",
  crd: "Cards",
  trf: "Transfers",
  dep: "Deposits",
  aut: "Authorizations",
  ath: "Authentications",
  rpt: "Reports",
  blk: "Bulks",
  tok: "Tokens",
  exa: "External accounts",
  plc: "Plastics",
  pay: "Payouts",
  pul: "Pulls",
} as const;

/** What the body is about: a balance is of Cards and Wallets. */
function subjectOf(eventType: ChosenEventType): string {
  if (eventType === EventType.balanceChanged) return "Balances";
  const prefix = chosenExamples[eventType][0].slice(0, 3);
  return subjects[prefix as keyof typeof subjects] ?? prefix;
}

const fieldsOf = (eventType: ChosenEventType) => Object.keys(chosenNotifications[eventType].data.shape);
const groups = Map.groupBy(chosenEventTypes, subjectOf);

/** The fields that all types of a subject have. */
function viewOf(types: readonly ChosenEventType[]): string[] {
  const [first = 90, ...others] = types;
  return fieldsOf(first).filter((name) => others.every((type) => fieldsOf(type).includes(name)));
}

function tableOf(): string[] {
  return [
    "| `eventTypes` | `type` | | `data` beside the view |",
    "|---|---|---|---|",
    ...[...groups.values()].flatMap((types) =>
      types.map((eventType) => {
        const { type, summary } = chosenNotifications[eventType];
        const more = fieldsOf(eventType).filter((name) => !viewOf(types).includes(name));
        return `| ${eventType} | \`${type}\` | ${summary} | ${more.map((name) => `\`${name}\``).join(", ")} |`;
      }),
    ),
  ];
}

/** As JSON of short lines. */
function printed(value: object): string[] {
  return ["```json", ...toLines(value), "```"];
}

function toLines(value: object, indent = ""): string[] {
  const lines: string[] = [];
  let line = `${indent} `;
  const parts = Object.entries(value);
  for (const [index, [name, one]] of parts.entries()) {
    const comma = index < parts.length - 1 ? "," : "";
    const inner =
      typeof one === "object" && JSON.stringify(one).length > 100 ? toLines(one, `${indent}  `) : [];
    const text = ` "${name}": ${inner.length > 0 ? "{" : `${JSON.stringify(one)}${comma}`}`;
    if (line.length + text.length > 130 || inner.length > 0) {
      lines.push(line);
      line = `${indent} `;
    }
    line += text;
    if (inner.length === 0) continue;
    lines.push(line, ...inner.slice(1, -1));
    line = `${indent}  }${comma}`;
  }
  return [`${indent}{`, ...lines.filter((one) => one.trim() !== ""), line, `${indent}}`];
}

function page(): string {
  return [
    ...introduction,
    "",
    ...tableOf(),
    "",
    "## The body",
    "",
    ...printed(chosenExample(EventType.balanceChanged)),
    "",
    ...promises,
    ...[...groups].flatMap(([subject, [first = EventType.balanceChanged]]) => [
      "",
      `## ${subject}`,
      "",
      ...notes[subject as keyof typeof notes],
      "",
      ...printed(chosenExamples[first][1]),
    ]),
    "",
  ].join("\n");
}

const introduction = [
  "# Webhooks by choice",
  "",
  "Beside the [transaction webhooks](webhooks.md), an endpoint gets any of these types that its `eventTypes` name.",
  "",
  "A type is sent only to endpoints that name it, and recorded only while an active one does. It is signed, tried again, listed,",
  "redelivered and replayed like the others. `webhooks` of [openapi.json](openapi.json) has an example of each body.",
];

const promises = [
  "`eventId` is also the `webhook-id`. `data` is what `GET` answered at the moment of the change, with the fields of the table beside",
  "it, and without `contact`, names of people, deposit addresses, tokens and codes. It is rendered once: redelivered, repeated and",
  "replayed, the bytes are the same, whatever has changed since. `metadata` is that of a moment later, when it was recorded.",
  "",
  "Ignore an `eventId` that you know. Deliveries come in any order; the ids of one `subjectId` sort in the order of its changes.",
];

const notes = {
  Cardholders: [
    "`changed` has the names of the fields that `PUT` changed, without their values. A deleted Cardholder is a change of status.",
  ],
  Cards: [
    "A Card that is Active at once sends `card.created` alone; with manual approval, its decision is a change of status. `blocked`",
    "is true also while its Cardholder is blocked.",
  ],
  Transfers: [
    "A transfer between two Wallets is told once. An unload has a `sourceCardId`, and no `sourceWalletId`.",
  ],
  Deposits: [
    "The same for Wallets and Cards, with `walletId` or `cardId`. A part that is returned is told as returned; `amount` is then still",
    "that of the deposit.",
  ],
  Authorizations: [
    "The authorization with the `event` that happened to it: also a declined increment, and the rest that a last clearing releases.",
    "`GET /authorizations/{authorizationId}` has all of its events.",
  ],
  Plastics: [
    "A [plastic](plastics.md) is a number with its expiry. A Card has one, or more while it is replaced.",
  ],
  Tokens: [
    "A [digital wallet token](tokens.md). `token.status_changed` has the state that it had before as `previousState`.",
  ],
  "External accounts": [
    "A bank account that is paid to or pulled from, without its holder's name. `previousStatus` is the status that it had before.",
  ],
  Authentications: [
    "A purchase that is confirmed by a [one-time passcode](card-data.md). `authenticated` is false if the code expired or was guessed",
    "wrong too often.",
  ],
  Pulls: [
    "A [pull](pulls.md) as it is made, and each status that it gets: a repeated report of the bank tells nothing.",
  ],
  Payouts: [
    "A [payout](payouts.md) as it is made, and each status that it gets: a repeated report of the bank tells nothing.",
  ],
  Reports: [
    "Its `status` is `done` or `failed`. It has no `url`: `GET /reports/{reportId}` makes one for 15 minutes. See [reports](reports.md).",
  ],
  Bulks: ["`GET /bulk/{bulkId}/results` has what became of each line. See [bulks](issuing.md)."],
  Balances: [
    "One for each entry or hold that changes one of the two balances, with the balances right after it: each follows from the one before",
    "of the same `subjectId`. `cause` is the kind of the [journal entry](ledger.md), `relatedId` the record behind it.",
    "",
    "While an endpoint names this type, the Program's Wallets are not divided, and transfers of one Wallet are committed one by one. A",
    "Wallet that is already [divided](ledger.md) sends this type from its next merge on, at most an hour later.",
  ],
} as const;

test("docs/webhook-events.md is made from the contract", async () => {
  await expect(page()).toMatchFileSnapshot("../../../docs/webhook-events.md");
});

test("docs/webhooks.md names each type that can be chosen", () => {
  const text = readFileSync("docs/webhooks.md", "utf8");
  for (const eventType of chosenEventTypes) {
    const { type } = chosenNotifications[eventType];
    expect(text, type).toMatch(new RegExp(`^\\| .*\\b${eventType}\\b.* \\| .*\`${type}\``, "m"));
  }
});

describe("each type", () => {
  it.each(chosenEventTypes)(
    "%i has an example that fits what it declares, and has no other field",
    (eventType) => {
      const { data } = chosenNotifications[eventType];
      const body = chosenBody(eventType).strict().extend({ data: data.strict() });
      expect(body.safeParse(chosenExample(eventType)).error?.issues).toBeUndefined();
    },
  );

  it("is a number of the contract, and each number from 10 on is a type", () => {
    expect(chosenEventTypes).toEqual(Object.values(EventType).filter((number) => number >= 10));
    const names = chosenEventTypes.map((eventType) => chosenNotifications[eventType].type);
    expect(new Set(names).size).toBe(names.length);
  });
});
