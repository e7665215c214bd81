/** Matches processor events and transactions: each event must have exactly one transaction. */
export class Events {
  readonly faults: string[] = [];
  count = 0;
  /** Transactions seen only as an event or only as a record. */
  readonly #half = new Map<string, "event" | "record">();
  readonly #seen = new Set<string>();

  addEvent(programId: string, eventId: string, result: { readonly transId?: string }): void {
    this.count += 1;
    if (result.transId === undefined) return;
    const name = `${programId} ${result.transId}`;
    if (this.#seen.has(name))
      this.faults.push(
        `${programId} ${eventId} names transaction ${result.transId}, which another event names too.`,
      );
    this.#seen.add(name);
    this.#meet(name, "event");
  }

  addTransaction(programId: string, transId: string): void {
    this.#meet(`${programId} ${transId}`, "record");
  }

  /** Call this after the last event and transaction. */
  end(): void {
    for (const [name, side] of this.#half) {
      if (side === "event") this.faults.push(`${name} is an event's answer but has no record.`);
    }
  }

  #meet(name: string, side: "event" | "record"): void {
    const met = this.#half.get(name);
    if (met !== undefined && met !== side) this.#half.delete(name);
    else this.#half.set(name, side);
  }
}
