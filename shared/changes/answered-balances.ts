import type { Balances } from "../contract/balances.ts";
import type { ErrorCode } from "../contract/errors.ts";
import { type Account, type AccountBalances, toBalances } from "../ledger/account.ts";
import { readAccount } from "../ledger/hot-wallets.ts";
import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { IdempotencyKey } from "../platform/idempotency.ts";
import { withinReserve } from "../platform/time-budget.ts";
import {
  type Change,
  type Decided,
  type OfProgram,
  type Read,
  type Reads,
  type Unread,
  unread,
} from "./change.ts";
import { answerRequest, execute, type Once } from "./execute.ts";

interface FoundBalances {
  readonly balances: AccountBalances | undefined | Unread;
}

/** They are read once it is known whose they are. */
const notYet: Read<AccountBalances> = { get: async () => unread, renew: () => unread };

/**
 * The change, answered with the balances after it: its commit requires those before it. Zero for an
 * account that does not exist: its deposit is in suspense.
 */
export function withAnsweredBalances<
  Event extends OfProgram,
  Found extends object,
  Answer,
  Code extends string,
>(
  change: Change<Event, Found, Answer, Code>,
): Change<Event, Found & FoundBalances, Answer & { readonly balances: Balances }, Code> {
  return {
    reads: (event) => ({ ...change.reads(event), balances: notYet }) as Reads<Found & FoundBalances>,
    decide: (event, found, at) => {
      const decision = change.decide(event, found, at);
      if ("done" in decision) return { done: { ...decision.done, balances: toBalances(zeroBalances) } };
      if (!("answer" in decision)) return decision as typeof decision & { readonly readMore: never };
      const { balancesOf: account } = decision;
      if (account && found.balances === unread) {
        const balances = { ...notYet, get: () => readAccount(event.programId, account) };
        return { readMore: { balances } as Partial<Reads<Found & FoundBalances>> };
      }
      return requiringBalances(decision, found.balances === unread ? undefined : found.balances);
    },
  };
}

/** Also where the change moves none of them. */
function requiringBalances<Answer>(decided: Decided<Answer>, seen: AccountBalances | undefined) {
  const { balancesOf: account, accounts = [], entry, answer } = decided;
  const { availableMinor, ledgerMinor } = seen ?? zeroBalances;
  const change = (account && balanceChanges(entry?.postings ?? []).get(account.accountId)) ?? zeroBalances;
  const balances = toBalances({
    ...zeroBalances,
    availableMinor: availableMinor + change.availableMinor,
    ledgerMinor: ledgerMinor + change.ledgerMinor,
  });
  if (!account || !seen) return { ...decided, answer: { ...answer, balances } };
  const own = accounts.find((one) => one.account.accountId === account.accountId);
  const { balances: before } = own ?? {};
  const required = {
    ...(own ?? { name: account.kind === "wallet" ? account.accountId : "account", account }),
    balances: { ...before, availableMinor, ledgerMinor },
  };
  return {
    ...decided,
    accounts: [...accounts.filter((one) => one !== own), required],
    answer: { ...answer, balances },
  };
}

type AnsweredBalances<Answer> = Answer & { readonly balances: Balances };

/**
 * Makes the change that a request asks for, and answers it with the balances after it. Without a
 * key, they are read then: nothing has to be as it was seen.
 * @throws ApiError with the code of a rejection; IDEMPOTENCY_MISMATCH if the key is another's
 * @throws ContendedError when the time for retries is up
 */
export async function answerWithBalances<Event extends OfProgram, Found extends object, Answer, More>(
  change: Change<Event, Found, Answer, ErrorCode>,
  event: Event,
  key: IdempotencyKey | undefined,
  toAnswer: (answer: AnsweredBalances<Answer>) => More,
): Promise<More> {
  if (key) return answerRequest(answering(withAnsweredBalances(change), toAnswer), event, key);
  const { once, read } = readingAfter<Answer, Answer>({ writes: () => [], first: async () => undefined });
  const outcome = await execute(change, event, once);
  if ("rejected" in outcome) throw new ApiError(outcome.rejected, outcome.faults, undefined, outcome.message);
  return toAnswer({ ...outcome.answer, balances: await read(event.programId) });
}

/** Notes whose balances the change is about, and reads them after its commit. */
export function readingAfter<Answer, First>({ writes, first }: Once<Answer, First>) {
  let account: Account | undefined;
  const once: Once<Answer, First> = {
    writes: (decided, at) => {
      account = decided.balancesOf;
      return writes(decided, at);
    },
    first,
  };
  const read = async (programId: string): Promise<Balances> => {
    // A caller who is answered 503 now would repeat what is committed.
    const balances = await withinReserve(() => account && readAccount(programId, account));
    return toBalances(balances ?? zeroBalances);
  };
  return { once, read };
}

function answering<Event extends OfProgram, Found extends object, Answer, More, Code extends string>(
  { reads, decide }: Change<Event, Found, Answer, Code>,
  toAnswer: (answer: Answer) => More,
): Change<Event, Found, More, Code> {
  return {
    reads,
    decide: (...given) => {
      const decision = decide(...given);
      if ("answer" in decision) return { ...decision, answer: toAnswer(decision.answer) };
      return "done" in decision ? { done: toAnswer(decision.done) } : decision;
    },
  };
}
