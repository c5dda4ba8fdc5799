// Tags of the arms of ag_ui.Event that tokens and patches use, the numbers of their types and of `replace` (proto/ag_ui.proto), for the roads that know these by heart.
import {
  AG_REASONING_END, AG_REASONING_MESSAGE_END, AG_REASONING_START, AG_STEP_FINISHED, AG_STEP_STARTED, AG_TEXT_MESSAGE_END, AG_TOOL_CALL_END,
} from "../../abi/agui";

export const ARM_TEXT: u32 = 0x12, ARM_ARGS: u32 = 0x2a, ARM_REASONING: u32 = 0x01da;
export const NUMBER_TEXT: u32 = 1, NUMBER_ARGS: u32 = 4, NUMBER_REASONING: u32 = 26;
export const ARM_DELTA: u32 = 0x42, NUMBER_DELTA: u32 = 7, OPERATION_REPLACE: u32 = 2;

/** By arm, the `AG_` id of events that hold a type and a name alone, which open or close something. */
export const BRACKET_ARMS: usize = memory.data<i32>([
  0, 0, 0, AG_TEXT_MESSAGE_END, 0, 0, AG_TOOL_CALL_END, 0, 0, 0, 0, 0, 0, 0, 0, AG_STEP_STARTED, AG_STEP_FINISHED, 0, 0, 0, 0, 0, 0, 0, 0, AG_REASONING_START, 0, 0,
  AG_REASONING_MESSAGE_END, 0, AG_REASONING_END, 0,
]);

/** Tag of the name of such an event: the younger messages of reasoning have their owner first. */
@inline export function bracketField(arm: u32): u32 { return arm < 25 ? 0x12 : 0x1a; }
