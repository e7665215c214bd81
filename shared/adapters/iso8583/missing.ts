import type { Message } from "./codec.ts";

/** A data element is missing, or does not say what it must. */
export class Missing extends Error {
  readonly field: number;

  constructor(field: number, message = "is missing") {
    super(message);
    this.field = field;
  }
}

export function requireFrom(fields: Message["fields"]): (field: number) => string {
  return (field) => {
    const value = fields[field];
    if (value === undefined || value.trim() === "") throw new Missing(field);
    return value;
  };
}
