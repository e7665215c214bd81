import { drawFrom } from "../../../../infra/local/randomness.ts";
import { seededBytes } from "./seeded-bytes.ts";

let isSeeded = false;

/** Makes what the emulation itself draws repeatable, such as request ids. Returns the way back. */
export function beginSeededDraws(seed: string): () => void {
  if (isSeeded) throw new Error("A process can run one recording or replay at a time");
  isSeeded = true;
  drawFromSeed(seed);
  return () => {
    isSeeded = false;
    drawFrom();
  };
}

export function drawFromSeed(seed: string): void {
  drawFrom(seededBytes(seed));
}
