/** The list that an outcome of that type has, by message and type. */
const LISTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  RunFinishedEvent: { success: "pendingToolCallIds", interrupt: "interrupts" },
  SubagentFinishedEvent: { suspended: "interruptIds" },
};

/** The list that an outcome of this type has in an event of that message; undefined when it has none. */
export function listOfOutcome(message: string, type: string): string | undefined {
  const lists = LISTS[message]!;
  return Object.hasOwn(lists, type) ? lists[type] : undefined;
}
