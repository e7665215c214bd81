import { handler } from "../../functions/wallets/handler.ts";
import { apiEvent } from "../harness/api-event.ts";
import { randomFrom, someSeed } from "../harness/random.ts";
import { replay } from "../harness/replay.ts";

/** Callers of a process of their own: they know no more of the others than Lambdas do. */
export interface Work {
  readonly programId: string;
  /** One for each caller. */
  readonly walletIds: readonly string[];
  readonly cardIds: readonly string[];
  readonly seconds: number;
}

export interface Done {
  /** How long each answered transfer took, in milliseconds. */
  readonly tookMs: readonly number[];
  /** Answers other than an approval. */
  readonly refused: readonly string[];
}

const random = randomFrom(someSeed() + process.pid);

process.on("message", async (work: Work) => {
  const endsAtMs = performance.now() + work.seconds * 1_000;
  const [tookMs, refused]: [number[], string[]] = [[], []];
  const caller = async (sourceWalletId: string) => {
    while (performance.now() < endsAtMs) {
      const startedMs = performance.now();
      const destinationId = random.pick(work.cardIds);
      const body = { sourceWalletId, destinationType: 1, destinationId, amount: 1 };
      const { programId } = work;
      const event = apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body });
      const answer = await replay(handler, event);
      if (answer.status === 200 && answer.body.data.transStatus === 1) {
        tookMs.push(performance.now() - startedMs);
      } else refused.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    }
  };
  await Promise.all(work.walletIds.map(caller));
  process.send?.({ tookMs, refused } satisfies Done);
});
process.send?.("ready");
