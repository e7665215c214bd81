import { type Link, toHref } from "./page.ts";

export function programTrail(programId: string): Link[] {
  return [{ text: programId, href: toHref(["programs", programId]) }];
}
