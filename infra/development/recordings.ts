import type { InvocationObserver, ObservedInvocation } from "../local/interfaces.ts";
import type { Recorder } from "./control.ts";

const CAPACITY = 20_000;

/** Keeps the inputs and answers of invocations while it is switched on. Switching it on starts afresh. */
export class Recordings implements Recorder {
  #on = false;
  #kept: ObservedInvocation[] = [];

  readonly observe: InvocationObserver = (invocation) => {
    if (this.#on && this.#kept.length < CAPACITY) this.#kept.push(structuredClone(invocation));
  };

  setRecording(on: boolean): void {
    if (on && !this.#on) this.#kept = [];
    this.#on = on;
  }

  recordings(): ObservedInvocation[] {
    return this.#kept;
  }
}
