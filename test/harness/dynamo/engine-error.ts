/** What the engine answers with instead: its name, and what the SDK's exception of it has. */
export class EngineError extends Error {
  override readonly name: string;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(name: string, message: string, members: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = name;
    this.members = members;
  }
}

export function invalid(message: string): EngineError {
  return new EngineError("ValidationException", message);
}
