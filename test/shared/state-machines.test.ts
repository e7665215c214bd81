import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { authorityTransitions } from "../../functions/certificates/authorities.ts";
import { authenticationTransitions } from "../../shared/authentications/authentication.ts";
import { cardholderTransitions } from "../../shared/cardholders/cardholder-status.ts";
import { cardApprovalTransitions, cardTransitions } from "../../shared/cards/card-status.ts";
import { shippingTransitions } from "../../shared/cards/shipping.ts";
import { certificateStatus } from "../../shared/contract/account-access.ts";
import { ticketStatus } from "../../shared/contract/account-tickets.ts";
import { AuthenticationState } from "../../shared/contract/authentications.ts";
import { authorityStatus } from "../../shared/contract/authority.ts";
import { DisputeStatus } from "../../shared/contract/disputes.ts";
import {
  CardApprovalStatus,
  CardholderStatus,
  CardStatus,
  DepositStatus,
  DesignStatus,
  PlasticState,
  SuspenseStatus,
} from "../../shared/contract/enums.ts";
import { ExternalAccountStatus } from "../../shared/contract/external-accounts.ts";
import { PayoutStatus } from "../../shared/contract/payouts.ts";
import { PullStatus } from "../../shared/contract/pulls.ts";
import { ShippingStatus } from "../../shared/contract/shipping.ts";
import { TokenState } from "../../shared/contract/tokens.ts";
import { depositTransitions } from "../../shared/deposits/settle-deposit.ts";
import { suspenseTransitions } from "../../shared/deposits/settle-suspense.ts";
import { disputeTransitions } from "../../shared/disputes/transitions.ts";
import { externalAccountTransitions } from "../../shared/external-accounts/external-account.ts";
import { MicroDepositStatus, microDepositTransitions } from "../../shared/payments/micro-deposit.ts";
import { payoutTransitions } from "../../shared/payments/payout.ts";
import { pullTransitions } from "../../shared/payments/pull.ts";
import { plasticTransitions } from "../../shared/plastics/plastic.ts";
import type { TransitionTable } from "../../shared/platform/table/transition.ts";
import { certificateTransitions } from "../../shared/tenancy/certificates/certificate.ts";
import { designTransitions } from "../../shared/tenancy/programs/card-design.ts";
import { ticketTransitions } from "../../shared/tenancy/tickets/ticket.ts";
import { tokenTransitions } from "../../shared/tokens/token.ts";

type Machine = readonly [
  title: string,
  statuses: Readonly<Record<string, number | string>>,
  table: TransitionTable<number | string, string>,
];

const machines: readonly Machine[] = [
  ["Cardholder: `status`", CardholderStatus, cardholderTransitions],
  ["Card issuance: `cardStatus`", CardApprovalStatus, cardApprovalTransitions],
  ["Plastic of a Card: `state`", PlasticState.enum, plasticTransitions],
  ["Shipping of a physical card: `shipping.status`", ShippingStatus.enum, shippingTransitions],
  ["Card operation: `issuerCardStatus`", CardStatus, cardTransitions],
  ["Deposit", DepositStatus, depositTransitions],
  ["Payout: `status`", PayoutStatus.enum, payoutTransitions],
  ["Pull: `status`", PullStatus.enum, pullTransitions],
  ["Suspense item", SuspenseStatus, suspenseTransitions],
  ["Dispute: `status`", DisputeStatus.enum, disputeTransitions],
  ["Authentication: `state`", AuthenticationState.enum, authenticationTransitions],
  ["Digital wallet token: `state`", TokenState.enum, tokenTransitions],
  ["External account: `status`", ExternalAccountStatus.enum, externalAccountTransitions],
  ["Micro-deposit: `status`", MicroDepositStatus.enum, microDepositTransitions],
  ["Card design: `status`", DesignStatus, designTransitions],
  ["Support ticket: `status`", ticketStatus.enum, ticketTransitions],
  ["Client certificate: `status`", certificateStatus.enum, certificateTransitions],
  ["Certificate authority: `status`", authorityStatus.enum, authorityTransitions],
];

const page = readFileSync("docs/state-machines.md", "utf8");
const sections = page.split(/\n(?=## )/);

test("docs/state-machines.md shows the transition tables that the code runs by", async () => {
  const rendered = [sections[0]?.trimEnd(), ...machines.map(render)].join("\n\n");
  await expect(`${rendered}\n`).toMatchFileSnapshot("../../docs/state-machines.md");
  expect(page, "The page says what sets each trigger off.").not.toContain("undefined");
});

test("every state has one answer to each trigger", () => {
  for (const [title, , table] of machines) {
    const seen = table.map(({ from, trigger }) => `${title}: ${from} ${trigger}`);
    expect(seen).toEqual([...new Set(seen)]);
  }
});

/** The words of the page, with the diagram and the steps of the code. */
function render([title, statuses, table]: Machine): string {
  const section = sections.find((one) => one.startsWith(`## ${title}\n`)) ?? `## ${title}\n\nundefined`;
  const words = section.split("\n\n```mermaid")[0]?.trimEnd();
  const triggers = new Map(
    [...section.matchAll(/^\| .* \| (\w+): (.*) \| .* \|$/gm)].map(([, trigger, text]) => [trigger, text]),
  );
  const names = new Map(
    Object.entries(statuses).map(([name, value]) => [
      value,
      value === name ? name : `${value} ${spaced(name)}`,
    ]),
  );
  const rows = table.map(
    ({ from, trigger, to }) =>
      `| ${names.get(from)} | ${trigger}: ${triggers.get(trigger)} | ${names.get(to)} |`,
  );
  const arrows = table.map(({ from, trigger, to }) => `  s${from} --> s${to}: ${trigger}`);
  const states = [...names].map(([value, name]) => `  s${value}: ${name}`);
  return [
    ...[`${words}\n`, "```mermaid", "stateDiagram-v2", ...states, ...arrows, "```\n"],
    ...["| From | Trigger | To |", "|---|---|---|", ...rows],
  ].join("\n");
}

/** `complianceDecline` as "Compliance Decline". */
function spaced(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
