import { isForgotten } from "../../../shared/authorizations/holds/give-expiry.ts";
import { holds } from "../../../shared/authorizations/holds/hold.ts";
import { changesWalkId } from "../../../shared/lists/compaction.ts";
import { now } from "../../../shared/platform/clock.ts";
import { deadlines } from "../../../shared/platform/deadlines.ts";
import type { Item } from "./scan.ts";

/** Each Program has the walk of its changes, and each open hold that is days old its expiry. */
export class DeadlineCheck {
  readonly #at = now();
  readonly #programs = new Set<string>();
  readonly #forgotten: (readonly [programId: string, authorizationId: string])[] = [];

  add(programId: string, item: Item): void {
    if (item.sk === "WALLET") this.#programs.add(programId);
    if (item.sk !== "HOLD") return;
    const hold = holds.parse(item);
    if (isForgotten(hold, this.#at)) this.#forgotten.push([programId, hold.authorizationId]);
  }

  /** Reads again what seemed to lack one: sweeps go on during a scan. */
  async faults(): Promise<string[]> {
    const faults: string[] = [];
    for (const programId of this.#programs) {
      const walk = await deadlines.at(programId, changesWalkId(programId)).get();
      if (!walk) faults.push(`${programId} has no deadline that walks its changes.`);
    }
    for (const [programId, authorizationId] of this.#forgotten) {
      const hold = await holds.at(programId, authorizationId).get();
      if (hold && isForgotten(hold, this.#at))
        faults.push(`${programId} ${authorizationId} is an open hold without a deadline.`);
    }
    return faults;
  }
}
