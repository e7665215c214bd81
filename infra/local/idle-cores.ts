import { type CpuInfo, cpus } from "node:os";

const shortestMs = 50;

/** How idle this machine's cores were since the last look, from 0 to 1. */
export class IdleCores {
  #lookedMs = performance.now();
  #last = sum(cpus());
  #share = 1;

  share(): number {
    if (performance.now() - this.#lookedMs < shortestMs) return this.#share;
    const next = sum(cpus());
    const all = next.all - this.#last.all;
    if (all > 0) this.#share = (next.idle - this.#last.idle) / all;
    this.#last = next;
    this.#lookedMs = performance.now();
    return this.#share;
  }
}

function sum(cores: readonly CpuInfo[]): { idle: number; all: number } {
  const idle = cores.reduce((total, { times }) => total + times.idle, 0);
  const all = cores.reduce(
    (total, { times: { user, nice, sys, idle, irq } }) => total + user + nice + sys + idle + irq,
    0,
  );
  return { idle, all };
}
