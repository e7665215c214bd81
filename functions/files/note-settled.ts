import type { FileHeader } from "../../shared/adapters/clearing-file/read-record.ts";
import { now } from "../../shared/platform/clock.ts";
import { fileParts, toPart } from "../../shared/settlements/network-record.ts";
import type { FileRecord, RecordOutcome } from "./file-format.ts";

/**
 * Keeps what a clearing file says for the settlement of its date: an item for each Program's
 * records of a part. A file that is fed again replaces what it said.
 */
export async function noteSettled(
  { header, digest }: { readonly header: FileHeader; readonly digest: string },
  from: number,
  part: readonly FileRecord[],
  outcomes: readonly RecordOutcome[],
): Promise<void> {
  const said = outcomes.flatMap((outcome, index) => {
    const { settles } = part[index] ?? {};
    const { programId } = outcome;
    if (!settles || programId === undefined) return [];
    const isDoubled = outcome.status === "duplicate" && outcome.isDoubled === true;
    const reason = outcome.status === "rejected" ? outcome.reason : undefined;
    return [
      { programId, record: { ...settles, ...(isDoubled && { isDoubled }), ...(reason && { reason }) } },
    ];
  });
  for (const [programId, ofProgram] of Map.groupBy(said, (one) => one.programId)) {
    const records = ofProgram.map(({ record }) => record);
    const place = fileParts.at(programId, header.date, digest.slice(0, 32), from);
    await place.updateNow({ set: toPart(header.fileId, records, now()) });
  }
}
