import { describe, expect, it } from "vitest";
import { StoredEvent, withCarriedEvent } from "../../../../shared/platform/outbox/carried-event.ts";
import { outboxPut } from "../../../../shared/platform/outbox/outbox-put.ts";
import { packItem } from "../../../../shared/platform/table/packed.ts";
import type { WriteAction } from "../../../../shared/platform/table/transact.ts";
import { givenNetwork } from "../../../harness/given-network.ts";

const at = new Date("2026-11-20T08:00:00.123Z");
const carriers = new Set(["processorEvent", "transfer"]);
const record = (name: string, sk = name): WriteAction => ({
  name,
  Put: { TableName: "issuing", Item: { pk: "prg_1#wlt_1", sk, createdAt: "2026-11-20" } },
});
const carry = (...writes: WriteAction[]) => withCarriedEvent(writes, carriers);
const itemOf = (write: WriteAction | undefined) => (write && "Put" in write ? write.Put.Item : undefined);

describe("the event of a commit", () => {
  it("is carried by the first record that may carry it, and is read from it unchanged", () => {
    const event = outboxPut("prg_1", "transfer.completed", { transferId: "trf_1", memo: "é" }, at);
    const [before, carrier, other, ...rest] = carry(
      record("hold"),
      event,
      record("transfer"),
      record("transfer", "second"),
    );
    expect(rest).toEqual([]);
    expect([before, other]).toEqual([record("hold"), record("transfer", "second")]);
    const { expiresAtSeconds: _, pk: __, sk: ___, ...written } = event.Put.Item;
    expect(StoredEvent.parse(itemOf(carrier))).toEqual(written);
    expect(itemOf(carrier)).toMatchObject({ pk: "prg_1#wlt_1", sk: "transfer", createdAt: "2026-11-20" });
  });

  it("is an item of its own where no record may carry it, or where its retries read it again", () => {
    const swept = [outboxPut("prg_1", "card.swept", {}, at), record("transaction")];
    expect(carry(...swept)).toEqual(swept);
    const challenge = [outboxPut("prg_1", "otp.challenged", {}, at), record("processorEvent")];
    expect(carry(...challenge)).toEqual(challenge);
  });

  it("keeps the record of an authorization or clearing within half a write unit", async () => {
    const network = await givenNetwork({ availableMinor: 100_000 });
    const merchant = {
      merchantName: "Corner Coffee Roasters",
      mcc: "5814",
      merchantId: "M-100200300",
      merchantCity: "Dublin",
      merchantCountry: "IE",
    };
    const authorizationId = "A-1234567890";
    await network.apply({ kind: "authorization", authorizationId, amount: 1_299, ...merchant });
    await network.apply({ kind: "clearing", authorizationId, amount: 1_299, ...merchant });
    const events = (await network.everything()).filter(({ sk }) => sk === "EVENT");
    expect(events).toHaveLength(2);
    for (const item of events) {
      const { z1, ...plain } = packItem(item);
      expect(JSON.stringify(plain).length + (z1 as Uint8Array).length).toBeLessThan(512);
    }
  });
});
