import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { packedKinds } from "../../../../shared/contract/packed-items.ts";
import { environment } from "../../../../shared/platform/environment.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { sha256 } from "../../../../shared/platform/sha256.ts";
import { readBatch } from "../../../../shared/platform/table/batch.ts";
import { absent, exists } from "../../../../shared/platform/table/condition.ts";
import { defineEntity } from "../../../../shared/platform/table/entity.ts";
import { packItem, unpackItem } from "../../../../shared/platform/table/packed.ts";
import { readTogether, transact } from "../../../../shared/platform/table/transact.ts";

/** Its sort key is that of a kind that is packed. `version` is plain. */
const parcels = defineEntity({
  name: "parcel",
  schema: z.object({
    version: z.int(),
    place: z.string().optional(),
    note: z.string().nullish(),
    lines: z.array(z.object({ amountMinor: z.int() })).optional(),
  }),
  key: (programId: string) => ({ pk: `${programId}#HOLD#A`, sk: "HOLD" }),
});
const parcel = { version: 1, place: "Zürich", lines: [{ amountMinor: -5 }, { amountMinor: 5 }] };

const bare = DynamoDBDocumentClient.from(new DynamoDBClient());
afterAll(() => bare.destroy());

let at: ReturnType<typeof parcels.at>;
beforeEach(() => {
  at = parcels.at(newId("program"));
});

async function asStored() {
  const { Item } = await bare.send(new GetCommand({ TableName: environment.issuingTable, Key: at.key }));
  return Item;
}

describe("a packed item", () => {
  it("has its key, what is plain, and one attribute more", async () => {
    await transact([at.create(parcel)]);
    expect(await asStored()).toEqual({ ...at.key, version: 1, z1: expect.any(Uint8Array) });
  });

  it("is read as it was written, however it is read", async () => {
    await at.createNow(parcel);
    const whole = { ...at.key, ...parcel };
    expect(await at.get()).toEqual(parcel);
    expect(await parcels.list(at.key.pk.split("#")[0] as string)).toEqual([parcel]);
    expect(await readBatch([at.key])).toEqual([whole]);
    expect(await readTogether([at.key])).toEqual([whole]);
    expect(await at.createNow(parcel)).toEqual(parcel);
    const { failedConditions } = (await transact([at.create(parcel)])) as never;
    expect(at.parse((failedConditions as ReadonlyMap<string, never>).get("parcel"))).toEqual(parcel);
  });

  it("keeps what is set since beside it, until it is written as a whole", async () => {
    await at.createNow({ ...parcel, note: "fragile" });
    const change = { set: { place: "Genève" }, add: { version: 1 }, remove: ["note", "lines"] } as const;
    const moved = { version: 2, place: "Genève" };
    expect(await at.updateNow(change, exists)).toEqual({ updated: true, item: moved });
    expect(await at.get()).toEqual(moved);
    expect(await asStored()).toMatchObject({ place: "Genève", note: null, version: 2 });
    await transact([at.put({ ...moved, note: null }, { version: 2 })]);
    expect(await asStored()).toEqual({ ...at.key, version: 2, z1: expect.any(Uint8Array) });
    expect(await at.get()).toEqual({ ...moved, note: null });
  });

  it("has no expression on what is packed: it would find nothing", () => {
    const packed = "The attribute place of parcel is packed.";
    expect(() => at.check({ place: "Zürich" })).toThrow(packed);
    expect(() => at.put(parcel, { place: absent })).toThrow(packed);
    expect(() => at.delete({ place: "Zürich" })).toThrow(packed);
    expect(() => at.update({ set: { place: "Bern" } }, { place: "Zürich" })).toThrow(packed);
    expect(() => at.update({ add: { place: 1 } })).toThrow(packed);
    expect(() => at.update({ copy: { version: "place" } })).toThrow(packed);
  });

  it("has its ids and the time of the last one in its key: they are hardly stored again", () => {
    const key = { pk: `${newId("program")}#${newId("card")}`, sk: `TRANSACTION#${newId("transaction")}` };
    const size = (item: object) => (packItem({ ...key, ...item }).z1 as Uint8Array).length;
    const [programId, cardId] = key.pk.split("#");
    const own = { programId, cardId, transId: key.sk.split("#")[1] };
    const [one, other, third] = ["01J9ZK3V7QK8WQ2B6T4MXN5RHC", "01HB3R6Y2D9V7F0ASCW8ZE41PT", "01KX7E5N4G"];
    const others = { programId: `prg_${one}`, cardId: `crd_${other}`, transId: `txn_${third}` };
    expect(size({ ...own, createdAt: new Date().toISOString() })).toBeLessThan(30);
    expect(size(others)).toBeGreaterThan(55);
  });

  it("is read from a stream's record, in base64, and with any key that a sender gave", () => {
    for (const eventId of ["", "evt_zzzzzzzzzz", "evt_ZZZZZZZZZZZZ", "a#b_c", "é\n_01M8GYRT0T", "_"]) {
      const item = {
        pk: `prg_1#EVENT#${eventId}`,
        sk: "EVENT",
        kind: "fee",
        outbox: true,
        appliedAt: "2026",
      };
      const stored = packItem(item);
      expect(stored).toEqual({ pk: item.pk, sk: "EVENT", outbox: true, z1: expect.any(Uint8Array) });
      expect(unpackItem(stored)).toEqual(item);
      expect(unpackItem({ ...stored, z1: (stored.z1 as Buffer).toString("base64") })).toEqual(item);
    }
  });

  it("is not read if its bytes or its key are another's", () => {
    const item = {
      pk: `${newId("program")}#${newId("card")}`,
      sk: `FEE#${newId("fee")}`,
      amountMinor: 1_234,
    };
    const { z1, ...plain } = packItem(item) as typeof item & { readonly z1: Buffer };
    for (let at = 0; at < z1.length; at += 1) {
      const changed = Buffer.from(z1);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => unpackItem({ ...plain, z1: changed })).toThrow();
    }
    const whole = { ...item, cardId: item.pk.split("#")[1] };
    const moved = { ...packItem(whole), pk: `${newId("program")}#${newId("card")}` };
    expect(() => unpackItem(moved)).toThrow(`The item ${moved.pk} ${item.sk} is not what was packed.`);
  });

  it("is unpacked with the dictionary that it was packed with: none changes, ever", () => {
    const digests = Object.entries(packedKinds).map(([kind, { dictionary }]) => [
      kind,
      sha256(dictionary).slice(0, 16),
    ]);
    expect(Object.fromEntries(digests)).toMatchInlineSnapshot(`
      {
        "EVENT": "75a2120e320ae0bd",
        "FEE": "1b19a7bbf97bf4c4",
        "HOLD": "876b99886a1b37b3",
        "TRANSACTION": "63f634e3bfea0951",
        "TRANSFER": "89b5a2616513a6c0",
      }
    `);
  });
});
