import { now } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { inLanes } from "../../shared/platform/in-lanes.ts";
import { defined } from "../../shared/platform/pick.ts";
import { settleNamed } from "../../shared/settlements/compare-files.ts";
import {
  fileClaims,
  fileParts,
  type NetworkRecord,
  toPart,
  unpack,
} from "../../shared/settlements/network-record.ts";

type Feed = Operations["POST /settlements/{date}/file"];
type FileTransaction = Parameters<Feed>[0]["body"]["transactions"][number];

/**
 * Keeps what the network says, and settles what it names. No money moves. A file with the id of an
 * earlier one is ignored, and that one settles what was posted since.
 */
export const feedSettlementFile: Feed = async ({ scope: { programId }, path: { date }, body }) => {
  const { fileId, transactions } = body;
  const place = fileParts.at(programId, date, `fed:${fileId}`, 0);
  const settle = async (records: readonly NetworkRecord[]) => {
    await settleNamed(
      programId,
      records.filter(({ isDoubled }) => !isDoubled),
    );
    return { date, fileId, records: records.length };
  };
  const before = await place.get();
  if (before) return settle(unpack(before));
  const { expiresAtSeconds } = toPart(fileId, [], now());
  const records = await inLanes([...transactions.entries()], async ([index, one]): Promise<NetworkRecord> => {
    const origin = `${date}#${fileId}#${index + 1}`;
    const claim = await fileClaims.at(programId, one.referenceCode).createNow({ origin, expiresAtSeconds });
    return toRecord(one, claim !== undefined && claim.origin !== origin);
  });
  const other = await place.createNow(toPart(fileId, records, now()));
  return settle(other ? unpack(other) : records);
};

function toRecord(
  { referenceCode, transId, type, amount, currency, interchange }: FileTransaction,
  isDoubled: boolean,
): NetworkRecord {
  return {
    ...{ referenceCode, type, amountMinor: amount, currency },
    ...defined({ transId, interchangeMinor: interchange }),
    ...(isDoubled && { isDoubled }),
  };
}
