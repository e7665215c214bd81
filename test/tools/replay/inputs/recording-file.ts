import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import type { Aliases } from "../turns/aliases.ts";
import type { Turn } from "../turns/turns.ts";
import { type Answered, Input } from "./input.ts";

const format = "card-issuing-inputs";
const version = 1;

const OutsideAnswer = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.enum(["refused", "lost", "silent"]) }),
  z.strictObject({
    outcome: z.literal("answered"),
    status: z.int(),
    bytes: z.int(),
    body: z.string().optional(),
    encoding: z.string().optional(),
    afterMs: z.int().optional(),
  }),
]);

const Header = z.strictObject({
  format: z.literal(format),
  version: z.literal(version),
  /** Of everything that is drawn. */
  seed: z.string().min(1),
  startedAt: z.int(),
  receivers: z.array(z.string()),
});
export type Header = z.output<typeof Header>;

/** An input, and what it did. */
const RecordedTurn = z.strictObject({
  at: z.int(),
  input: Input,
  /** The status or outcome that the caller got. */
  answered: z.string(),
  /** How receivers answered meanwhile. */
  outside: z.array(OutsideAnswer).default([]),
  /** The digest of every record that it wrote, one after the other. */
  writes: z.string().default(""),
});
export type RecordedTurn = z.input<typeof RecordedTurn>;

export function toRecorded(
  input: Input,
  { at, writes, outside }: Turn,
  { outcome }: Pick<Answered, "outcome">,
): RecordedTurn & { input: Input } {
  const digests = writes.map(({ digest }) => digest).join("");
  return { at, input, answered: outcome, outside: [...outside], writes: digests };
}

const TableDigest = z.strictObject({ records: z.int(), digest: z.string() });
export type TableDigest = z.output<typeof TableDigest>;

const End = z.strictObject({ end: z.strictObject({ tables: z.record(z.string(), TableDigest) }) });
export type End = z.output<typeof End>["end"];

const Certificate = z.strictObject({ certificate: z.string() });

/** One line for the header, for each input, and for the end; nothing for a killed run. */
export class RecordingWriter {
  readonly #file: string;
  readonly #aliases: Aliases;
  readonly #certificates = new Map<string, number>();

  constructor(file: string, header: Pick<Header, "seed" | "startedAt" | "receivers">, aliases: Aliases) {
    const { seed, startedAt, receivers } = header;
    this.#file = file;
    this.#aliases = aliases;
    writeFileSync(file, `${JSON.stringify({ format, version, seed, startedAt, receivers })}\n`, {
      mode: 0o600,
    });
  }

  write(turn: Omit<RecordedTurn, "input"> & { input: Input }): void {
    const { input, ...others } = turn;
    const { writes, outside } = others;
    const line = {
      ...others,
      input: "request" in input ? { request: this.#withNumber(input.request) } : input,
      outside: outside?.length === 0 ? undefined : outside,
      writes: writes === "" ? undefined : writes,
    };
    this.#append(this.#aliases.hide(JSON.stringify(line)));
  }

  /** Also compresses a file named `.gz`. */
  end(end: End): void {
    this.#append(JSON.stringify({ end }));
    if (this.#file.endsWith(".gz"))
      writeFileSync(this.#file, gzipSync(readFileSync(this.#file), { level: 9 }));
  }

  /** A certificate has a line of its own, before the first request with it. */
  #withNumber<R extends { certificate: string }>(request: R): R {
    let number = this.#certificates.get(request.certificate);
    if (number === undefined) {
      number = this.#certificates.size;
      this.#certificates.set(request.certificate, number);
      this.#append(JSON.stringify({ certificate: request.certificate }));
    }
    return { ...request, certificate: String(number) };
  }

  #append(line: string): void {
    appendFileSync(this.#file, `${line}\n`);
  }
}

export class UnreadableRecording extends Error {}

export interface Recording {
  header: Header;
  inputs: number;
  /** Undefined if the recorded run has not ended, or was killed. */
  end: End | undefined;
  /** Secrets that the replay has drawn replace their names. */
  read(number: number, aliases: Aliases): z.output<typeof RecordedTurn>;
}

/** Reads a recording, also a compressed one. Throws UnreadableRecording with the line. */
export function readRecording(file: string): Recording {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
  const fail = (line: number, reason: string) => new UnreadableRecording(`${file}, line ${line}: ${reason}`);
  const lines = text.split("\n");
  if (lines.pop() !== "")
    throw fail(lines.length + 1, "it is cut off. The run was killed while it wrote: delete this line");
  const parse = <Schema extends z.ZodType>(schema: Schema, line: number): z.output<Schema> => {
    try {
      return schema.parse(JSON.parse(lines[line - 1] ?? ""));
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      throw fail(line, `it is not of a recording of version ${version}. ${reason}`);
    }
  };
  const header = parse(Header, 1);
  const certificates: string[] = [];
  const turns: number[] = [];
  let end: End | undefined;
  for (let line = 2; line <= lines.length; line += 1) {
    const start = lines[line - 1]?.slice(0, 20) ?? "";
    if (start.startsWith('{"certificate"')) certificates.push(parse(Certificate, line).certificate);
    else if (start.startsWith('{"end"')) end = parse(End, line).end;
    else turns.push(line);
  }
  return {
    header,
    end,
    inputs: turns.length,
    read: (number, aliases) => {
      const line = turns[number - 1] ?? 0;
      lines[line - 1] = aliases.reveal(lines[line - 1] ?? "");
      const turn = parse(RecordedTurn, line);
      if (!("request" in turn.input)) return turn;
      const { request } = turn.input;
      const certificate = certificates[Number(request.certificate)];
      if (certificate === undefined) throw fail(line, `there is no certificate ${request.certificate}`);
      return { ...turn, input: { request: { ...request, certificate } } };
    },
  };
}
