import type { Change, FoundBy, OfProgram, Read } from "./change.ts";

/** Declares a change that finds what its `reads` name. */
export function defineChange<Event extends OfProgram, Answer, Code extends string>() {
  return <Named extends Readonly<Record<string, Read<unknown>>>>(
    declared: Pick<Change<Event, NoInfer<FoundBy<Named>>, Answer, Code>, "decide"> & {
      readonly reads: (event: Event) => Named;
    },
  ) => declared as unknown as Change<Event, FoundBy<Named>, Answer, Code>;
}
