import { type Decided, nothing, type Read, type Rejected } from "../../shared/changes/change.ts";
import { execute } from "../../shared/changes/execute.ts";
import { currencyNames, SuspenseStatus } from "../../shared/contract/enums.ts";
import { cancellation } from "../../shared/deposits/cancel-announced.ts";
import type { NewDeposit } from "../../shared/deposits/deposit.ts";
import {
  assignSuspense as assign,
  isOpen,
  listOpenDepositIds,
  settleSuspense,
  toDepositId,
} from "../../shared/deposits/settle-suspense.ts";
import { type SuspenseItem, suspenseItems } from "../../shared/deposits/suspense.ts";
import { depositedOn, type StoredTaker, takerAt, takers } from "../../shared/deposits/takers.ts";
import type { Account } from "../../shared/ledger/account.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { CommandRejected } from "../../shared/tenancy/administration/command-rejected.ts";
import { type Actor, type AuditAction, auditProgram } from "../../shared/tenancy/audit-log.ts";
import { type Command, requireProgram } from "./command.ts";

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
      status: status as Awaited<ReturnType<Command<"list-suspense">>>["items"][number]["status"],
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
export const assignSuspense: Command<"assign-suspense"> = (input, actor) => {
  const { programId, suspenseId } = input;
  const to = "cardId" in input ? { cardId: input.cardId } : { walletId: input.walletId };
  const account: Account =
    "cardId" in input
      ? { kind: "card", accountId: input.cardId }
      : { kind: "wallet", accountId: input.walletId };
  return settle(input, actor, {
    action: "suspense.assign",
    after: { status: SuspenseStatus.assigned, ...to },
    account: takerAt(programId, account),
    decide: (item, stored, at) => {
      if (!stored) return { rejected: `${account.accountId} of Program ${programId} does not exist.` };
      const { depositId, amountMinor, currency, receivedCurrency } = item;
      if (receivedCurrency !== undefined)
        return {
          rejected: `${suspenseId} is in ${receivedCurrency}, the Program in ${currencyNames[currency]}: it can only be returned.`,
        };
      const { cardholderId, cardToken } = stored;
      if (takers[account.kind].findRefusal(stored) !== undefined)
        return { rejected: `${account.accountId} takes no deposits: ${suspenseId} stays in suspense.` };
      const { channel, chain, asset, txHash, reference } = item;
      const status = item.status as NewDeposit["status"];
      const announced = { channel, chain, asset, txHash, reference, announcedFor: item.account.accountId };
      const owner = { ...depositedOn(account, stored), cardholderId, cardToken };
      const deposit = { programId, depositId, amountMinor, currency, status, ...announced, ...owner };
      return assign(item, deposit, at);
    },
  });
};

/** @throws CommandRejected if the item is not in suspense, or the bank has not cleared it */
export const returnSuspense: Command<"return-suspense"> = (input, actor) =>
  settle(input, actor, {
    action: "suspense.return",
    decide: (item, _, at) =>
      item.status === SuspenseStatus.pending
        ? {
            rejected: `${input.suspenseId} is pending: there is no money to return before the bank clears it.`,
          }
        : settleSuspense(item, "return", at),
  });

/** @throws CommandRejected if the item is no possible duplicate in suspense */
export const dropSuspense: Command<"drop-suspense"> = (input, actor) =>
  settle(input, actor, {
    action: "suspense.drop",
    decide: (item, _, at) =>
      item.reason === "POSSIBLE_DUPLICATE"
        ? settleSuspense(item, "drop", at)
        : { rejected: `${input.suspenseId} is no possible duplicate: assign it, or return it.` },
  });

interface Settlement {
  readonly action: AuditAction;
  readonly after?: object;
  /** Only an assignment reads it. */
  readonly account?: Read<StoredTaker>;
  readonly decide: (
    item: SuspenseItem,
    account: StoredTaker | undefined,
    at: Date,
  ) => Omit<Decided<never>, "answer"> | Rejected;
}

interface Found {
  readonly suspense: SuspenseItem | undefined;
  readonly account: StoredTaker | undefined;
}

/** If the bank or another operator has changed the item, its new state decides. */
async function settle(
  { programId, suspenseId }: { readonly programId: string; readonly suspenseId: string },
  actor: Actor,
  { action, after, account = nothing, decide }: Settlement,
): Promise<{ suspenseId: string; depositId: string }> {
  const program = await requireProgram(programId);
  const depositId = toDepositId(suspenseId);
  const settlement = {
    reads: () => ({ suspense: suspenseItems.at(programId, depositId), account }),
    decide: (_: object, { suspense: item, account: stored }: Found) => {
      if (!item) return { rejected: `${suspenseId} of Program ${programId} does not exist.` };
      if (!isOpen(item)) return { rejected: `${suspenseId} is not in suspense any more.` };
      const decided = decide(item, stored, new Date(actor.at));
      if ("rejected" in decided) return decided;
      const change = { before: { status: item.status }, after: { amount: item.amountMinor, ...after } };
      const audit = auditProgram(actor, program, action, change, suspenseId);
      return { ...decided, writes: [...decided.writes, audit], answer: { suspenseId, depositId } };
    },
  };
  const outcome = await execute(settlement, { programId });
  if ("rejected" in outcome) throw new CommandRejected(outcome.rejected);
  return outcome.answer;
}

/** @throws CommandRejected if it is not an announced deposit that is pending */
export const cancelDeposit: Command<"cancel-deposit"> = async ({ programId, depositId }, actor) => {
  const program = await requireProgram(programId);
  const outcome = await execute(cancellation, {
    programId,
    depositId,
    writes: ({ status, amountMinor: amount }) => [
      auditProgram(actor, program, "deposit.cancel", { before: { status }, after: { amount } }, depositId),
    ],
  });
  if ("rejected" in outcome)
    throw new CommandRejected(
      `${depositId} of Program ${programId} is no announced deposit that is pending.`,
    );
  return { depositId };
};
