import { describe, expect, it } from "vitest";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { joinParts, writePart } from "../../../shared/platform/long-files/file-parts.ts";
import { givenFilesBucket } from "../../harness/given-files-bucket.ts";

givenFilesBucket();

const contentType = "text/plain";

/** Parts of 5 MB: two are sent together. */
async function givenParts(folder: string, letters = "abc") {
  const texts = [...letters].map((letter) => letter.repeat(5_000_000));
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
    const { whole, file } = await givenParts("ledgers/steps", "abcde");
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

  it("that are gone are an error, and no file", async () => {
    const { file } = await givenParts("ledgers/gone");
    await filesBucket.delete(file.parts[2]?.name ?? "");
    await expect(joinParts(file, undefined, () => false)).rejects.toThrow("is gone");
    expect(await read(file.key)).toBeUndefined();
  });
});
