import { CardApprovalStatus } from "../../shared/contract/enums.ts";
import type { OperatorCommand } from "../../shared/contract/operator.ts";
import type { TenantRequest } from "../../shared/tenancy/requests.ts";
import { codeLabel } from "./labels.ts";
import type { Commands } from "./page.ts";

/** A command of the operator with its input. Its reader fills in what is in angle brackets. */
export interface Given {
  readonly about: string;
  readonly command: OperatorCommand;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The option that names a deployed environment. */
export function environmentOption(environment: string): string {
  return environment === "local" ? "" : ` --environment ${environment}`;
}

/** Shows them as lines for a terminal. */
export function commandSection(environment: string, given: readonly Given[]): Commands[] {
  if (given.length === 0) return [];
  return [
    {
      kind: "commands",
      title: "Commands",
      commands: given.map(({ about, command, input }) => ({
        about,
        line: `npm run operator --${environmentOption(environment)} ${command} '${JSON.stringify(input)}'`,
      })),
    },
  ];
}

type Item = Readonly<Record<string, unknown>>;

export function tenantCommands(tenantId: string, isSuspended: boolean): Given[] {
  return [
    isSuspended
      ? { about: "Accept its requests again", command: "resume-tenant", input: { tenantId } }
      : {
          about: "Reject all its requests",
          command: "suspend-tenant",
          input: { tenantId, reason: "<reason>" },
        },
    {
      about: "Add an API key",
      command: "create-api-key",
      input: { tenantId, name: "<name>", role: "everything" },
    },
    {
      about: "Revoke all its keys, certificates and ranges",
      command: "revoke-credentials",
      input: { tenantId },
    },
    { about: "Allow a range of addresses", command: "allow-ip", input: { tenantId, cidr: "<range>" } },
  ];
}

export function programCommands(programId: string, tenantId: string, isSuspended: boolean): Given[] {
  return [
    isSuspended
      ? { about: "Accept its requests again", command: "resume-program", input: { programId } }
      : {
          about: "Reject all its requests",
          command: "suspend-program",
          input: { programId, reason: "<reason>" },
        },
    {
      about: "Add an API key of the Program",
      command: "create-api-key",
      input: { tenantId, programId, name: "<name>", role: "everything" },
    },
    { about: "Cards whose issuance awaits a decision", command: "list-issuances", input: { programId } },
    { about: "Make or repair its rate limits", command: "set-rate-limits", input: { programId } },
  ];
}

/** What the operator can do about what a Tenant has asked for. */
export function requestCommands(request: TenantRequest): Given[] {
  const { programId, subject, bankAccount, connectionId } = request;
  const approve =
    connectionId === undefined
      ? ({ command: "approve-bank-account", input: { programId, bankAccount } } as const)
      : ({ command: "approve-connection", input: { programId, connectionId } } as const);
  const input = { programId, subject, reason: "<reason>" };
  return [
    { about: `Approve its ${codeLabel(subject).toLowerCase()}`, ...approve },
    { about: `Reject its ${codeLabel(subject).toLowerCase()}`, command: "reject-request", input },
  ];
}

/** Each kind of record has its own. */
export function recordCommands(kind: string, programId: string, item: Item): Given[] {
  const of = byKind[kind];
  return of ? of(programId, item) : [];
}

const byKind: Readonly<Record<string, (programId: string, item: Item) => Given[]>> = {
  cards: (programId, { entityId: cardId, blockedAt, cardStatus }) => [
    blockedAt === undefined
      ? {
          about: "Decline everything",
          command: "block-card",
          input: { programId, cardId, reason: "<reason>" },
        }
      : { about: "Lift the Card's own block", command: "unblock-card", input: { programId, cardId } },
    ...(cardStatus === CardApprovalStatus.pending
      ? [
          {
            about: "Approve its issuance",
            command: "decide-issuance",
            input: { programId, cardId, cardStatus: CardApprovalStatus.approved },
          } as const,
        ]
      : []),
  ],
  cardholders: (programId, { entityId: cardholderId, blockedAt }) => [
    blockedAt === undefined
      ? {
          about: "Block all its Cards, and later ones",
          command: "block-cardholder",
          input: { programId, cardholderId, reason: "<reason>" },
        }
      : { about: "Lift the block", command: "unblock-cardholder", input: { programId, cardholderId } },
    {
      about: "Admin decline; its Cards are blocked",
      command: "refuse-cardholder",
      input: { programId, cardholderId },
    },
  ],
  suspense: (programId, { suspenseId }) => [
    {
      about: "Credit it to a Wallet",
      command: "assign-suspense",
      input: { programId, suspenseId, walletId: "<walletId>" },
    },
    { about: "Drop a possible duplicate", command: "drop-suspense", input: { programId, suspenseId } },
    { about: "Return it to its source", command: "return-suspense", input: { programId, suspenseId } },
  ],
};
