// Tags of the arms of ag_ui.Event that tokens and patches use, the numbers of their types and of `replace` (proto/ag_ui.proto), for the roads that know these by heart.
export const ARM_TEXT: u32 = 0x12, ARM_ARGS: u32 = 0x2a, ARM_REASONING: u32 = 0x01da;
export const NUMBER_TEXT: u32 = 1, NUMBER_ARGS: u32 = 4, NUMBER_REASONING: u32 = 26;
export const ARM_DELTA: u32 = 0x42, NUMBER_DELTA: u32 = 7, OPERATION_REPLACE: u32 = 2;
