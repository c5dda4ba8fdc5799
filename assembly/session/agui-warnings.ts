// Warnings of AG-UI: kept while an event is judged (reduce/agui/warnings), reported here.
import { setAccount } from "../memory/heap";
import { admitWarning, clearWarnings, firstWarning, nextWarning } from "../reduce/agui/warnings";
import { add, C_FIRST, C_RUN, C_WARNINGS } from "./layout";
import { reportAguiWarning } from "./output";

/** Reports the warnings that were kept, merged with those of the run. */
export function reportWarnings(c: usize): void {
  const account = setAccount(load<u32>(c, C_FIRST));
  for (let w = firstWarning(); w; w = nextWarning(w)) {
    if (admitWarning(load<u32>(c, C_RUN), w)) reportAguiWarning(c, w);
    else add(c, C_WARNINGS, 1);
  }
  setAccount(account);
  clearWarnings();
}
