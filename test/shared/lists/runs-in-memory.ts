import { Block, pack, packBlock, unpack } from "../../../shared/lists/block.ts";
import type { Directory } from "../../../shared/lists/directory.ts";
import { compareEntries, type Entry, summed } from "../../../shared/lists/entry.ts";
import type { ListedKind } from "../../../shared/lists/listed-kind.ts";
import { buildLists, type Run, runOf } from "../../../shared/lists/run.ts";
import type { PartName } from "../../../shared/lists/run-plan.ts";
import type { Parts } from "../../../shared/lists/select-page.ts";

/** What reading would cost: the items, and half a read unit for each 4 KB of each. */
export interface WouldBeReads {
  directories: number;
  blocks: number;
  units: number;
}

/** Runs kept in memory, packed as they are stored. */
export class RunsInMemory implements Parts {
  readonly runs: Run[] = [];
  readonly reads: WouldBeReads = { directories: 0, blocks: 0, units: 0 };
  freshEntries: readonly Entry[] = [];
  /** Bytes of all parts that were ever written. */
  written = 0;
  private readonly kind: ListedKind;
  private readonly parts = new Map<string, Uint8Array>();

  constructor(kind: ListedKind) {
    this.kind = kind;
  }

  /** Adds a run of these entries; `instead` leaves others out, which it is merged from. */
  add(entries: readonly Entry[], instead: readonly Run[] = []): Run {
    const sorted = summed(entries).toSorted(compareEntries("createdAt"));
    const run = runOf(`run${this.runs.length}-${this.parts.size}`, sorted);
    for (const { list, blocks, directories } of buildLists(this.kind, sorted)) {
      for (const [index, block] of blocks.entries()) {
        this.put(`${run.runId} ${list} ${index}`, packBlock(this.kind, block));
      }
      for (const [index, directory] of directories.entries()) {
        this.put(`${run.runId} ${list} d${index}`, pack(directory));
      }
    }
    for (const other of instead) this.runs.splice(this.runs.indexOf(other), 1);
    if (sorted.length > 0) this.runs.push(run);
    return run;
  }

  async fresh(): Promise<readonly Entry[]> {
    return this.freshEntries;
  }

  async directories(names: readonly PartName[]): Promise<Directory[]> {
    this.reads.directories += names.length;
    return names.map(({ runId, list, index }) => unpack<Directory>(this.get(`${runId} ${list} d${index}`)));
  }

  async blocks(names: readonly PartName[]): Promise<Block[]> {
    this.reads.blocks += names.length;
    return names.map(({ runId, list, index }) => new Block(this.kind, this.get(`${runId} ${list} ${index}`)));
  }

  private put(name: string, body: Uint8Array): void {
    this.parts.set(name, body);
    this.written += body.byteLength;
  }

  private get(name: string): Uint8Array {
    const body = this.parts.get(name);
    if (!body) throw new Error(`There is no ${name}.`);
    this.reads.units += Math.ceil((body.byteLength + 100) / 4096) / 2;
    return body;
  }
}
