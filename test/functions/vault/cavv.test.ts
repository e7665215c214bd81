import { expect, it } from "vitest";
import { newId, toOtherId } from "../../../shared/platform/id.ts";
import { vault } from "../../harness/given-vault.ts";

const given = () => ({ programId: newId("program"), cardId: newId("card") });
const compute = async (card: ReturnType<typeof given>, authenticationId: string) =>
  (await vault("compute-cavv", { ...card, authenticationId })).cavv;

it("a CAVV has 20 bytes, is the same each time, and names its authentication", async () => {
  const card = given();
  for (const authenticationId of [
    newId("authentication"),
    toOtherId("authentication", "chl_00000000000000000000000000"),
    toOtherId("authentication", "chl_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
  ]) {
    const cavv = await compute(card, authenticationId);
    expect(Buffer.from(cavv, "base64").byteLength).toBe(20);
    expect(await compute(card, authenticationId)).toBe(cavv);
    expect(await vault("verify-cavv", { ...card, cavv })).toEqual({ outcome: "matches", authenticationId });
  }
});

it("a CAVV that was changed at any byte, or is of another Card or Program, proves nothing", async () => {
  const card = given();
  const cavv = await compute(card, newId("authentication"));
  const bytes = Buffer.from(cavv, "base64");
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 0x80;
    expect(await vault("verify-cavv", { ...card, cavv: changed.toString("base64") })).toEqual({
      outcome: "differs",
    });
  }
  const { cardId, programId } = given();
  for (const other of [{ cardId }, { programId }])
    expect(await vault("verify-cavv", { ...card, ...other, cavv })).toEqual({ outcome: "differs" });
});
