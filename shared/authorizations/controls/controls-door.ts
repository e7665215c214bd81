import type { CardIdentity } from "../../cards/card.ts";
import { type Read, unread } from "../../changes/change.ts";
import { readMoreUsage, refreshControls } from "../../controls/more-usage.ts";
import { readControls, recallControls } from "../../controls/read-controls.ts";
import { mayHaveControls, renewLeaseAhead } from "../../controls/rulebooks.ts";
import { lacksShare } from "../../controls/shares.ts";
import {
  anyTimeZone,
  findTimeZone,
  parseLimitUsage,
  readUsage,
  readWithUsage,
  withSpendLimit,
} from "../../controls/spend-limit.ts";
import type { ControlsInForce, Usage } from "../../controls/usage.ts";
import { isOnlyUsage, nameOfUsage } from "../../controls/usage-name.ts";
import type { CountedLimit, LimitsDoor } from "../../network-events/funded-card.ts";
import type { ControlsDoor, FoundControls, LostCommit } from "../../network-events/spend-controls.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import { CountingControls } from "./counting.ts";

/** As they were read: of a usage that is split, a part. */
class ReadControls extends CountingControls implements FoundControls {
  get isRemembered(): boolean {
    return this.inForce.isRemembered ?? false;
  }

  lacksShare(writes: readonly WriteAction[], at: Date): boolean {
    return lacksShare(this.inForce, writes, at.getTime());
  }

  readMore(card: CardIdentity, amountMinor: number) {
    return found(readMoreUsage(card, this.inForce, amountMinor));
  }

  readAgain(card: CardIdentity, lost: LostCommit) {
    return found(refreshControls(card, this.inForce, lost));
  }

  release(writes: readonly WriteAction[]): void {
    this.inForce.release?.({ writes });
  }
}

async function found(reading: Promise<ControlsInForce | undefined>): Promise<ReadControls | undefined> {
  const inForce = await reading;
  return inForce && new ReadControls(inForce);
}

/** What an event finds in force for its Card, and what the Card's limit has counted. */
export const controlsDoor: ControlsDoor & LimitsDoor = {
  isOnlyUsage,
  mayBeInForce: mayHaveControls,
  read: (programId, card) => found(readControls(programId, card)),
  recall: (programId) => found(recallControls(programId)),
  renewAhead: renewLeaseAhead,
  readWithUsage,
  limit: ({ sent: { programId, event } }, limit, stored): Read<CountedLimit> => ({
    get: async () => {
      if (!limit) return undefined;
      const [usage, timeZone] = await Promise.all([
        stored ? stored.usage : readUsage(programId, event.cardId),
        // It counts nothing in it: the days do not matter.
        event.kind === "balance_inquiry" ? anyTimeZone : findTimeZone(programId, limit),
      ]);
      return { usage, timeZone };
    },
    renew: renewLimit,
  }),
  withLimit: (controls, cardId, limit, counted) => {
    const { inForce } = (controls ?? {}) as Partial<ReadControls>;
    const { usage, timeZone } = counted as CountedLimit & { readonly usage: Usage | undefined };
    const all = withSpendLimit(inForce, cardId, limit, { usage, timeZone });
    return all && new CountingControls(all);
  },
};

function renewLimit(seen: CountedLimit | undefined, failed: FailedConditions, waited: boolean) {
  const name = nameOfUsage("limit");
  if (!seen || (failed.has("account") && !failed.has(name)) || waited) return unread;
  return failed.has(name) ? { ...seen, usage: parseLimitUsage(failed.get(name)) } : seen;
}
