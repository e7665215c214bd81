import type { ProgramSettings } from "../contract/account-programs.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import { monotonicMs } from "../platform/clock.ts";
import { readProgram } from "../tenancy/programs/program.ts";
import { type CardEvent, hasFact } from "./card-event.ts";

const knownMs = 60_000;
const known = new BoundedMap<string, { readonly settlesByFiles: boolean; readonly untilMs: number }>(10_000);

type Settings = Pick<ProgramSettings, "settlementFiles">;

/**
 * The Program's setting as it was at most a minute ago: no posting waits for it alone. `reading`:
 * the settings, where the event needs them anyway.
 */
export async function settlesLater(
  event: CardEvent,
  reading: Promise<Settings | undefined> | undefined,
): Promise<boolean> {
  if (!hasFact(event, "maySettle")) return false;
  const { programId } = event;
  const before = known.get(programId);
  if (before && monotonicMs() < before.untilMs) return before.settlesByFiles;
  const settings = reading ? await reading : (await readProgram(programId))?.settings;
  const settlesByFiles = settings?.settlementFiles ?? false;
  known.set(programId, { settlesByFiles, untilMs: monotonicMs() + knownMs });
  return settlesByFiles;
}
