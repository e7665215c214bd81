import * as z from "zod";
import { filesBucket, isPartReplaced, isUploadGone } from "../file-store.ts";
import { randomToken } from "../id.ts";

/** An object that a step has written. What a killed step wrote has another name. */
export const FilePart = z.object({ name: z.string(), bytes: z.int() });
export type FilePart = Readonly<z.output<typeof FilePart>>;

/** Writes a part of the file, in its folder. */
export async function writePart(folder: string, step: number, text: string | Uint8Array): Promise<FilePart> {
  const bytes = Buffer.from(text as string);
  const name = `${folder}/${step}-${randomToken(9)}`;
  await filesBucket.write(name, bytes, "application/octet-stream");
  return { name, bytes: bytes.length };
}

/** @throws Error if it is gone: the file has expired while it was made */
export async function readPart({ name, bytes }: FilePart): Promise<Buffer> {
  const part = await filesBucket.read(name);
  if (part?.length !== bytes) throw new Error(`The part ${name} of a file is gone.`);
  return Buffer.from(part);
}

/** How far parts are joined. */
export const Joined = z.object({ uploadId: z.string(), next: z.int(), tags: z.array(z.string()) });
export type Joined = Readonly<z.output<typeof Joined>>;

/** S3 takes 5 MB at least, but of the last one. */
const minimumBytes = 8_000_000;

/**
 * Joins parts until the time is up. Undefined once the whole file is there: it is there at once, or
 * not at all.
 */
export async function joinParts(
  { key, contentType, parts }: { key: string; contentType: string; parts: readonly FilePart[] },
  begun: Joined | undefined,
  isTimeUp: () => boolean,
): Promise<Joined | undefined> {
  const begin = () => filesBucket.beginUpload(key, contentType);
  let { uploadId, next, tags } = begun ?? { uploadId: await begin(), next: 0, tags: [] };
  try {
    while (next < parts.length) {
      const chunk: Buffer[] = [];
      for (let bytes = 0; bytes < minimumBytes && next < parts.length; next += 1) {
        const part = await readPart(parts[next] as FilePart);
        chunk.push(part);
        bytes += part.length;
      }
      const number = tags.length + 1;
      tags = [...tags, await filesBucket.writePart(key, { uploadId, number }, Buffer.concat(chunk))];
      if (next < parts.length && isTimeUp()) return { uploadId, next, tags };
    }
    await filesBucket.completeUpload(key, uploadId, tags);
  } catch (error) {
    // A repeated message has joined the same upload: this one gets an upload of its own.
    if (isPartReplaced(error)) return { uploadId: await begin(), next: 0, tags: [] };
    const isThere = isUploadGone(error) && (await filesBucket.read(key, { range: [0, 0] })) !== undefined;
    if (!isThere) throw error;
  }
  return undefined;
}
