import { describe, expect, it, vi } from "vitest";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { joinParts, writePart } from "../../../shared/platform/long-files/file-parts.ts";

const contentType = "text/plain";
const original = filesBucket.writePart.bind(filesBucket);

/** Two of the long parts are sent together, the fewest bytes that a step sends. */
const long = 4_000_000;

async function givenParts(folder: string, lengths: readonly number[] = [long, long, 10]) {
  const texts = lengths.map((length, index) => `${index}`.repeat(length));
  const parts = [];
  for (const [step, text] of texts.entries()) parts.push(await writePart(folder, step, text));
  return { whole: texts.join(""), file: { key: `${folder}/whole`, contentType, parts } };
}

const read = async (key: string) => {
  const found = await filesBucket.read(key);
  return found && Buffer.from(found).toString();
};

describe("the parts of a long file", () => {
  it("are joined step by step, and the file is there only when it is whole", async () => {
    const { whole, file } = await givenParts("ledgers/steps", [long, long, long, long, 10]);
    const first = await joinParts(file, undefined, () => true);
    expect(first).toMatchObject({ next: 2 });
    const second = await joinParts(file, first, () => true);
    expect(second).toMatchObject({ next: 4 });
    expect(await read(file.key)).toBeUndefined();
    expect(await joinParts(file, second, () => true)).toBeUndefined();
    expect((await read(file.key)) === whole).toBe(true);
  });

  it("are joined though the last step is repeated after its file was there", async () => {
    const { whole, file } = await givenParts("ledgers/repeated");
    const first = await joinParts(file, undefined, () => true);
    expect(await joinParts(file, first, () => false)).toBeUndefined();
    expect(await joinParts(file, first, () => false)).toBeUndefined();
    expect((await read(file.key)) === whole).toBe(true);
  });

  it("are joined by one of two that share an upload, or anew", async () => {
    const { whole, file } = await givenParts("ledgers/shared");
    const first = await joinParts(file, undefined, () => true);
    const joinOn = async () => {
      let joined = await joinParts(file, first, () => true);
      while (joined) joined = await joinParts(file, joined, () => true);
    };
    await Promise.all([joinOn(), joinOn()]);
    expect((await read(file.key)) === whole).toBe(true);
  });

  it("are joined though each is shorter than storage takes, and however few they are", async () => {
    for (const [count, bytes] of [
      [9, 1_000_001],
      [41, 200_000],
      [1, 10],
    ] as const) {
      const folder = `ledgers/small-${count}`;
      const text = "x".repeat(bytes);
      const parts: Awaited<ReturnType<typeof writePart>>[] = [];
      for (let step = 0; step < count; step += 1)
        parts.push(await writePart(folder, step, `${step % 10}${text.slice(1)}`));
      const sent: number[] = [];
      const write = vi.spyOn(filesBucket, "writePart").mockImplementation(async function (
        this: never,
        ...given
      ) {
        sent.push((given[2] as Uint8Array).length);
        return original(...given);
      });
      expect(
        await joinParts({ key: `${folder}/whole`, contentType, parts }, undefined, () => false),
      ).toBeUndefined();
      write.mockRestore();
      expect(sent.slice(0, -1).every((size) => size >= 5 * 2 ** 20)).toBe(true);
      expect((await read(`${folder}/whole`))?.length).toBe(count * bytes);
    }
  }, 60_000);

  it("that are gone are an error, and no file", async () => {
    const { file } = await givenParts("ledgers/gone");
    await filesBucket.delete(file.parts[2]?.name ?? "");
    await expect(joinParts(file, undefined, () => false)).rejects.toThrow("is gone");
    expect(await read(file.key)).toBeUndefined();
  });
});
