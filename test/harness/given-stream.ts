import { isDeepStrictEqual } from "node:util";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import { toToldItem } from "../../shared/contract/outbox.ts";
import { now } from "../../shared/platform/clock.ts";
import { packItem } from "../../shared/platform/table/packed.ts";
import { type StoredItem, storedItems } from "./stored.ts";

type Image = NonNullable<NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"]>;

/** A Program's stream as the relay gets it: what changed between two looks at the table. */
export async function givenStream(programId: string) {
  const read = async () => new Map((await storedItems(programId)).map((item) => [keyOf(item), item]));
  let seen = await read();
  let sequence = 900;
  /** The records since the last time. An item that changed twice since then has one. */
  const next = async (): Promise<DynamoDBRecord[]> => {
    const found = await read();
    const changed = [...found.values()].filter((item) => !isDeepStrictEqual(item, seen.get(keyOf(item))));
    const records = changed.map((item): DynamoDBRecord => {
      const before = seen.get(keyOf(item));
      sequence += 1;
      return {
        eventName: before ? "MODIFY" : "INSERT",
        dynamodb: {
          ...(before && { OldImage: image(before) }),
          NewImage: image(item),
          SequenceNumber: String(sequence).padStart(21, "0"),
          ApproximateCreationDateTime: Math.floor(now().getTime() / 1000),
        },
      };
    });
    seen = found;
    return records.filter(isRelayed);
  };
  return { next };
}

/** The filters of the event source, which `test/system` runs with. */
function isRelayed({ eventName, dynamodb }: DynamoDBRecord): boolean {
  const { sk, outbox } = dynamodb?.NewImage ?? {};
  if (toToldItem(sk?.S)) return true;
  return eventName === "INSERT" && (sk?.S === "OUTBOX" || outbox !== undefined);
}

const keyOf = ({ pk, sk }: StoredItem) => `${pk} ${sk}`;
const image = (item: StoredItem) => marshall(packItem(item), { removeUndefinedValues: true }) as Image;
