import * as z from "zod";
import type { ProgramSettings } from "../../contract/account-programs.ts";
import type { Fault } from "../../contract/errors.ts";
import { isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

type Bins = Pick<ProgramSettings, "cardBin" | "moreBins">;

/** As settings have them. */
export function toBinSettings([cardBin = "", ...moreBins]: readonly string[], before: Bins): Bins {
  return { cardBin, ...((moreBins.length > 0 || before.moreBins) && { moreBins }) };
}

/** With which a Card can be issued; the first one is the default. */
export function programBins({ cardBin, moreBins = [] }: Bins): string[] {
  return [cardBin, ...moreBins];
}

/** A test range, which all Programs can have: no network routes it. */
const testBin = "400000";

/** Who has the BINs that begin with the same six digits, also after the settings drop them. */
export const binRanges = defineEntity({
  name: "BIN range",
  table: "accounts",
  schema: z.object({
    holders: z.array(z.object({ bin: z.string(), programId: z.string() })),
    /** Each write requires the version that it replaces. */
    version: z.int(),
  }),
  key: (firstSix: string) => ({ pk: `BIN#${firstSix}`, sk: "BIN" }),
});

interface BinClaims {
  readonly writes: readonly WriteAction[];
  /** Another Program has them, or a part of their range. */
  readonly taken: readonly string[];
}

/**
 * Claims the BINs that a Program is about to have. They stay its own for good: Cards keep their
 * numbers. Failed condition: `BIN range`, if another claim came between.
 */
export async function claimBins(programId: string, bins: readonly string[]): Promise<BinClaims> {
  const claimed = bins.filter((bin) => !bin.startsWith(testBin));
  const ranges = [...new Set(claimed.map((bin) => bin.slice(0, 6)))];
  const claims = await Promise.all(
    ranges.map((range) =>
      claimInRange(
        programId,
        range,
        claimed.filter((bin) => bin.startsWith(range)),
      ),
    ),
  );
  return {
    writes: claims.flatMap(({ writes }) => writes),
    taken: claims.flatMap(({ taken }) => taken),
  };
}

async function claimInRange(programId: string, range: string, bins: readonly string[]): Promise<BinClaims> {
  const at = binRanges.at(range);
  const { holders, version } = (await at.get()) ?? { holders: [], version: 0 };
  const others = holders.filter((holder) => holder.programId !== programId);
  const taken = bins.filter((bin) => others.some((other) => overlap(bin, other.bin)));
  const added = bins.filter((bin) => !holders.some((holder) => holder.bin === bin));
  if (taken.length > 0 || added.length === 0) return { writes: [], taken };
  const next = {
    holders: [...holders, ...added.map((bin) => ({ bin, programId }))],
    version: version + 1,
  };
  return { writes: [at.put(next, version === 0 ? isNew : { version })], taken };
}

function overlap(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

export function takenBins(taken: readonly string[], path: string): Fault[] {
  return taken.map((bin) => ({
    path,
    code: "bin_in_use",
    message: `must not have ${bin}, which is another Program's`,
  }));
}
