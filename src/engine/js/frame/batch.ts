/**
 * Bytes of complete messages that are decoded at once. Decoding costs about 90 ns a call, so that a call per event would be 10 % of it;
 * far larger batches suffer when one character beyond Latin-1 makes all their text two bytes wide.
 */
export const BATCH = 4096;
