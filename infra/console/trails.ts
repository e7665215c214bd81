import { hrefOf, type Link } from "./page.ts";

export function programTrail(programId: string): Link[] {
  return [{ text: programId, href: hrefOf(["programs", programId]) }];
}
