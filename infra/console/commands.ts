import { CardApprovalStatus } from "../../shared/contract/enums.ts";
import type { OperatorCommand } from "../../shared/contract/operator.ts";
import type { TenantRequest } from "../../shared/tenancy/requests.ts";
import { codeLabel } from "./labels.ts";
import type { Commands, Item } from "./page.ts";

/** A command of the operator with its input. Its reader fills in what is in angle brackets. */
export interface Given {
  readonly about: string;
  readonly command: OperatorCommand;
  readonly input: Readonly<Record<string, unknown>>;
}

const give = (about: string, command: OperatorCommand, input: Given["input"]): Given => {
  return { about, command, input };
};

const reason = "<reason>";

/** The option that names a deployed environment. */
export function environmentOption(environment: string): string {
  return environment === "local" ? "" : ` --environment ${environment}`;
}

/** Shows them as lines for a terminal. */
export function commandSection(environment: string, given: readonly Given[]): Commands[] {
  if (given.length === 0) return [];
  const commands = given.map(({ about, command, input }) => ({
    about,
    line: `npm run operator --${environmentOption(environment)} ${command} '${JSON.stringify(input)}'`,
  }));
  return [{ kind: "commands", title: "Commands", commands }];
}

export function tenantCommands(tenantId: string, isSuspended: boolean): Given[] {
  return [
    isSuspended
      ? give("Accept its requests again", "resume-tenant", { tenantId })
      : give("Reject all its requests", "suspend-tenant", { tenantId, reason }),
    give("Add an API key", "create-api-key", { tenantId, name: "<name>", role: "everything" }),
    give("Revoke all its keys, certificates and ranges", "revoke-credentials", { tenantId }),
    give("Allow a range of addresses", "allow-ip", { tenantId, cidr: "<range>" }),
  ];
}

export function programCommands(programId: string, tenantId: string, isSuspended: boolean): Given[] {
  const key = { tenantId, programId, name: "<name>", role: "everything" };
  return [
    isSuspended
      ? give("Accept its requests again", "resume-program", { programId })
      : give("Reject all its requests", "suspend-program", { programId, reason }),
    give("Add an API key of the Program", "create-api-key", key),
    give("Cards whose issuance awaits a decision", "list-issuances", { programId }),
    give("Make or repair its rate limits", "set-rate-limits", { programId }),
  ];
}

/** What the operator can do about what a Tenant has asked for. */
export function requestCommands(request: TenantRequest): Given[] {
  const { programId, subject, bankAccount, connectionId } = request;
  const what = codeLabel(subject).toLowerCase();
  return [
    connectionId === undefined
      ? give(`Approve its ${what}`, "approve-bank-account", { programId, bankAccount })
      : give(`Approve its ${what}`, "approve-connection", { programId, connectionId }),
    give(`Reject its ${what}`, "reject-request", { programId, subject, reason }),
  ];
}

/** Each kind of record has its own. */
export function recordCommands(kind: string, programId: string, item: Item): Given[] {
  return byKind[kind]?.(programId, item) ?? [];
}

const byKind: Readonly<Record<string, (programId: string, item: Item) => Given[]>> = {
  cards: (programId, { entityId: cardId, blockedAt, cardStatus }) => {
    const card = { programId, cardId };
    const approved = { ...card, cardStatus: CardApprovalStatus.approved };
    return [
      blockedAt === undefined
        ? give("Decline everything", "block-card", { ...card, reason })
        : give("Lift the Card's own block", "unblock-card", card),
      ...(cardStatus === CardApprovalStatus.pending
        ? [give("Approve its issuance", "decide-issuance", approved)]
        : []),
    ];
  },
  cardholders: (programId, { entityId: cardholderId, blockedAt }) => {
    const cardholder = { programId, cardholderId };
    return [
      blockedAt === undefined
        ? give("Block all its Cards, and later ones", "block-cardholder", { ...cardholder, reason })
        : give("Lift the block", "unblock-cardholder", cardholder),
      give("Admin decline; its Cards are blocked", "refuse-cardholder", cardholder),
    ];
  },
  suspense: (programId, { suspenseId }) => {
    const deposit = { programId, suspenseId };
    return [
      give("Credit it to a Wallet", "assign-suspense", { ...deposit, walletId: "<walletId>" }),
      give("Drop a possible duplicate", "drop-suspense", deposit),
      give("Return it to its source", "return-suspense", deposit),
    ];
  },
};
