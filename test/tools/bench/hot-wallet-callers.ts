import { handler } from "../../../functions/wallets/handler.ts";
import { TransferStatus } from "../../../shared/contract/enums.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { randomFrom, someSeed } from "../../harness/random.ts";
import { replay } from "../../harness/replay.ts";
import type { Done } from "./caller-processes.ts";

/** Callers of a process of their own: they know no more of the others than Lambdas do. */
export interface Work {
  readonly programId: string;
  /** One for each caller. */
  readonly walletIds: readonly string[];
  readonly cardIds: readonly string[];
  readonly seconds: number;
  /** Sends the id of each transfer when it is answered. */
  readonly reports?: boolean;
  /** Read so often, and asked for a transfer of this amount that may be partial. */
  readonly watched?: { readonly walletId: string; readonly amount: number; readonly everyMs: number };
}

/** Each transfer is of one minor unit. */
export interface Transferred extends Done {
  /** Readings of the watched Wallet, and transfers from it, of its amount. */
  readonly readMs: readonly number[];
  readonly partialMs: readonly number[];
}

const random = randomFrom(someSeed() + process.pid);

process.on("message", async (work: Work) => {
  const { programId, watched } = work;
  const endsAtMs = performance.now() + work.seconds * 1_000;
  const [tookMs, readMs, partialMs, refused]: [number[], number[], number[], string[]] = [[], [], [], []];

  async function time(took: number[], event: ReturnType<typeof apiEvent>): Promise<void> {
    const startedMs = performance.now();
    const { status, body } = await replay(handler, event);
    if (work.reports && status === 200 && body.data.transferId)
      process.send?.({ transferId: body.data.transferId });
    const isDone =
      status === 200 && (body.data.transStatus ?? TransferStatus.approved) === TransferStatus.approved;
    if (isDone) took.push(performance.now() - startedMs);
    else refused.push(`${status} ${JSON.stringify(body)}`);
  }

  const transfer = (sourceWalletId: string, amount: number, allowPartial: boolean) => {
    const destinationId = random.pick(work.cardIds);
    const body = { sourceWalletId, destinationType: 1, destinationId, amount, allowPartial };
    return apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body });
  };
  const caller = async (walletId: string) => {
    while (performance.now() < endsAtMs) await time(tookMs, transfer(walletId, 1, false));
  };
  const repeat = async (everyMs: number, took: number[], next: () => ReturnType<typeof apiEvent>) => {
    while (performance.now() < endsAtMs) await Promise.all([time(took, next()), pause(everyMs)]);
  };
  await Promise.all(work.walletIds.map(caller));
  if (watched) {
    const { walletId, amount, everyMs } = watched;
    const view = { route: "GET /wallets/{walletId}", path: { walletId }, caller: { programId } } as const;
    await Promise.all([
      repeat(everyMs, readMs, () => apiEvent(view)),
      repeat(everyMs, partialMs, () => transfer(walletId, amount, true)),
    ]);
  }
  process.send?.({ tookMs, readMs, partialMs, refused } satisfies Transferred);
});
process.send?.("ready");
