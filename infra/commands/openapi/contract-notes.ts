import { readFileSync } from "node:fs";

/** What the contract's comments say of a schema, and of each of its fields. */
export interface Notes {
  text?: string;
  readonly fields: Map<string, string>;
}

const declaration = /^(?:export )?const (\w+)/;
const field = /^ {2}(\w+):/;

/** The doc comments of a contract's module by the names of its declarations: of each itself, and of the fields that are declared directly in it. */
export function readNotes(file: string): ReadonlyMap<string, Notes> {
  const notes = new Map<string, Notes>();
  let comment: string[] | undefined;
  let inComment = false;
  let current: Notes = { fields: new Map() };
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const begins = /^ *\/\*\*/.test(line);
    if (begins) comment = [];
    if (begins || inComment) {
      comment?.push(line.replace(/^ *(?:\/\*\*|\*(?!\/))? ?/, "").replace(/ ?\*\/$/, ""));
      inComment = !line.includes("*/");
      continue;
    }
    const text = comment?.join(" ").replace(/\s+/g, " ").trim();
    comment = undefined;
    const declared = declaration.exec(line)?.[1];
    if (declared !== undefined) {
      current = { fields: new Map(), ...(text && { text }) };
      notes.set(declared, current);
    }
    const name = field.exec(line.replace(/^ {4}/, "  "))?.[1];
    if (name !== undefined && text) current.fields.set(name, text);
  }
  return notes;
}
