import { currencyNames, SuspenseStatus } from "../../shared/contract/enums.ts";
import { readCardOrWallet } from "../../shared/domain/cards/card.ts";
import type { NewDeposit } from "../../shared/domain/deposits/deposit-change.ts";
import {
  assignSuspense as assign,
  isOpen,
  listOpenDepositIds,
  type SuspenseItem,
  settleSuspense,
  suspenseItems,
  toDepositId,
} from "../../shared/domain/deposits/suspense.ts";
import type { Account } from "../../shared/domain/ledger/account.ts";
import { type Commit, commit } from "../../shared/domain/ledger/commit.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { CommandRejected } from "../../shared/tenancy/administration/command-rejected.ts";
import { type Actor, type AuditedAction, auditPut } from "../../shared/tenancy/audit-log.ts";
import { type Command, requireProgram } from "./command.ts";

type Listed = Awaited<ReturnType<Command<"list-suspense">>>["items"][number];

/**
 * The oldest first.
 * @throws CommandRejected if the Program does not exist
 */
export const listSuspense: Command<"list-suspense"> = async (input, actor) => {
  const { programId, limit, after } = input;
  await requireProgram(programId);
  const depositIds = await listOpenDepositIds(programId, after, limit);
  const found = await readBatch(depositIds.map((depositId) => suspenseItems.at(programId, depositId).key));
  const open = found.map((item) => suspenseItems.parse(item)).filter(isOpen);
  // Items were settled between the two reads. A shorter page would look like the last: read again.
  if (open.length < found.length) return listSuspense(input, actor);
  const items = open
    .toSorted((left, right) => (left.suspenseId < right.suspenseId ? -1 : 1))
    .map(({ suspenseId, depositId, amountMinor, channel, status, reason, account, createdAt, ...item }) => ({
      suspenseId,
      depositId,
      amount: amountMinor,
      currency: item.receivedCurrency ?? currencyNames[item.currency],
      channel,
      status: status as Listed["status"],
      reason,
      accountId: account.accountId,
      reference: item.reference,
      duplicateOf: item.duplicateOf,
      note: item.note,
      dateCreated: createdAt,
    }));
  return { items };
};

/**
 * Credits the account in the transaction that settles the item, so one of several operators assigns
 * it. A pending deposit stays pending there, and clears by its own event.
 * @throws CommandRejected if the item is not in suspense, or the account does not exist or takes no
 * deposits
 */
export const assignSuspense: Command<"assign-suspense"> = async (input, actor) => {
  const account: Account =
    "cardId" in input
      ? { kind: "card", accountId: input.cardId }
      : { kind: "wallet", accountId: input.walletId };
  const { programId, suspenseId } = input;
  const to = "cardId" in input ? { cardId: input.cardId } : { walletId: input.walletId };
  return settle(input, actor, {
    action: "suspense.assign",
    after: { status: SuspenseStatus.assigned, ...to },
    plan: async (item, at) => {
      const stored = await readCardOrWallet(programId, account);
      if (!stored) throw new CommandRejected(`${account.accountId} of Program ${programId} does not exist.`);
      const { depositId, amountMinor, currency, receivedCurrency } = item;
      const { channel, chain, asset, txHash, reference } = item;
      if (receivedCurrency !== undefined)
        throw new CommandRejected(
          `${suspenseId} is in ${receivedCurrency}, the Program in ${currencyNames[currency]}: it can only be returned.`,
        );
      const status = item.status as NewDeposit["status"];
      const announced = { channel, chain, asset, txHash, reference, announcedFor: item.account.accountId };
      const { cardholderId, cardToken } = stored;
      const owner = { account, cardholderId, cardToken };
      const deposit = { programId, depositId, amountMinor, currency, status, ...announced, ...owner };
      return assign(item, deposit, at);
    },
    rejection: () => `${account.accountId} takes no deposits: ${suspenseId} stays in suspense.`,
  });
};

/** @throws CommandRejected if the item is not in suspense, or the bank has not cleared it */
export const returnSuspense: Command<"return-suspense"> = (input, actor) =>
  settle(input, actor, {
    action: "suspense.return",
    after: {},
    plan: async (item, at) => {
      if (item.status === SuspenseStatus.pending)
        throw new CommandRejected(
          `${input.suspenseId} is pending: there is no money to return before the bank clears it.`,
        );
      return settleSuspense(item, "return", at);
    },
    rejection: () => `${input.suspenseId} was not returned.`,
  });

/** @throws CommandRejected if the item is no possible duplicate in suspense */
export const dropSuspense: Command<"drop-suspense"> = (input, actor) =>
  settle(input, actor, {
    action: "suspense.drop",
    after: {},
    plan: async (item, at) => {
      if (item.reason !== "POSSIBLE_DUPLICATE")
        throw new CommandRejected(`${input.suspenseId} is no possible duplicate: assign it, or return it.`);
      return settleSuspense(item, "drop", at);
    },
    rejection: () => `${input.suspenseId} was not dropped.`,
  });

interface Settlement {
  readonly action: AuditedAction["action"];
  readonly after: object;
  readonly plan: (item: SuspenseItem, at: Date) => Promise<Commit>;
  /** The message when a failed condition is not the item's own. */
  readonly rejection: () => string;
}

async function settle(
  { programId, suspenseId }: { readonly programId: string; readonly suspenseId: string },
  actor: Actor,
  { action, after, plan, rejection }: Settlement,
): Promise<{ suspenseId: string; depositId: string }> {
  const { tenantId } = await requireProgram(programId);
  const depositId = toDepositId(suspenseId);
  return retry(async () => {
    const item = await suspenseItems.at(programId, depositId).get();
    if (!item) throw new CommandRejected(`${suspenseId} of Program ${programId} does not exist.`);
    if (!isOpen(item)) throw new CommandRejected(`${suspenseId} is not in suspense any more.`);
    const planned = await plan(item, new Date(actor.at));
    const change = { tenantId, programId, subjectId: suspenseId, before: { status: item.status } };
    const audit = auditPut(actor, { ...change, action, after: { amount: item.amountMinor, ...after } });
    const outcome = await commit({ ...planned, writes: [...planned.writes, audit] });
    if (outcome.outcome === "committed") return { suspenseId, depositId };
    // The bank or another operator changed the item: its new state decides.
    if (!outcome.failedConditions.has("suspense")) throw new CommandRejected(rejection());
    return new Conflict("suspense");
  });
}
