import { inLanes } from "../../shared/domain/settlements/in-lanes.ts";
import {
  fileClaims,
  fileParts,
  type NetworkRecord,
  toPart,
  unpack,
} from "../../shared/domain/settlements/network-record.ts";
import { now } from "../../shared/platform/clock.ts";
import type { SandboxOperations } from "./operations.ts";

type Feed = SandboxOperations["POST /settlements/{date}/file"];
type FileTransaction = Parameters<Feed>[0]["body"]["transactions"][number];

/** Keeps what the network says. No money moves; a file with the id of an earlier one is ignored. */
export const feedSettlementFile: Feed = async ({ scope: { programId }, path: { date }, body }) => {
  const { fileId, transactions } = body;
  const place = fileParts.at(programId, date, `fed:${fileId}`, 0);
  const answer = (records: number) => ({ date, fileId, records });
  const before = await place.get();
  if (before) return answer(unpack(before).length);
  const { expiresAtSeconds } = toPart(fileId, [], now());
  const records = await inLanes([...transactions.entries()], async ([index, one]): Promise<NetworkRecord> => {
    const origin = `${date}#${fileId}#${index + 1}`;
    const claim = await fileClaims.at(programId, one.referenceCode).createNow({ origin, expiresAtSeconds });
    return toRecord(one, claim !== undefined && claim.origin !== origin);
  });
  const other = await place.createNow(toPart(fileId, records, now()));
  return answer(other ? unpack(other).length : records.length);
};

function toRecord(
  { referenceCode, transId, type, amount, currency, interchange }: FileTransaction,
  isDoubled: boolean,
): NetworkRecord {
  return {
    ...{ referenceCode, type, amountMinor: amount, currency },
    ...(transId !== undefined && { transId }),
    ...(interchange !== undefined && { interchangeMinor: interchange }),
    ...(isDoubled && { isDoubled }),
  };
}
