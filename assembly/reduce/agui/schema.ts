// The table of the AG-UI event model: lookups, and the strict walk that tells in one pass whether a value is exactly what the
// table describes. Text is canonical (validated, compact, shortest escapes), so equal strings are equal bytes.
import { KIND_ARRAY, KIND_BOOLEAN, KIND_NULL, KIND_NUMBER, KIND_OBJECT, KIND_STRING } from "../../abi/codes";
import { equalBytes } from "../../memory/copy";
import { isPointer } from "../../patch/index";
import { integerValue } from "../../text/number";
import { stringEnd } from "../../text/scan";
import { skipScalar, skipTrusted } from "../../text/trusted";
import {
  ENUM_VALUES, ENUMS, EVENT_MASKS, MEMBERS, NAME_COUNT, NAME_MULTIPLIER, NAME_SHIFT, NAME_TABLE, PLACES, RULE_ANY, RULE_BOOLEAN, RULE_CONST, RULE_COUNT,
  RULE_ENUM, RULE_LIST, RULE_NON_NULL, RULE_OBJECT, RULE_OPEN_OBJECT, RULE_POINTER, RULE_STRING, RULE_TEXT_OR_LIST, RULE_TIMESTAMP, RULE_UNION, RULES,
  SHAPES, TEXT_PLACES, TEXTS, TYPE_MULTIPLIER, TYPE_SHIFT, TYPE_TABLE, TYPE_TEXTS, UNIONS, VARIANTS,
} from "./schema-table.generated";

/** No name of the table. */
export const NO_NAME: u32 = NAME_COUNT;

const OPEN: u32 = 1, MAY_GO: u32 = 2, LEGACY: u32 = 4;
const REQUIRED: u32 = 1, LEGACY_NULL: u32 = 2;

// ---------------------------------------------------------------- texts

@inline export function textStart(id: u32): usize { return TEXTS + <usize>load<u16>(TEXT_PLACES + (id << 2)); }
@inline export function textLength(id: u32): u32 { return <u32>load<u16>(TEXT_PLACES + (id << 2), 2); }
@inline function isText(id: u32, p: usize, n: u32): bool { return textLength(id) == n && equalBytes(textStart(id), p, n); }

/** Text of the type with that `AG_` id, or of a retired one. */
@inline export function typeName(type: u32): usize { return textStart(load<u8>(TYPE_TEXTS + type)); }
@inline export function typeNameLength(type: u32): u32 { return textLength(load<u8>(TYPE_TEXTS + type)); }
/** Text of a member's name, `F_` or `N_` id. */
@inline export function memberName(name: u32): usize { return textStart(name); }
@inline export function memberNameLength(name: u32): u32 { return textLength(name); }

// The first and the last eight bytes, as proto/write-core.mjs folds them.
@inline function foldText(p: usize, n: u32): u64 {
  return n < 8 ? load<u64>(p) << (64 - (n << 3)) : load<u64>(p) ^ (load<u64>(p + n - 8) << 3);
}

/** `F_` or `N_` id of a name, NO_NAME for one the table does not have. */
export function nameId(p: usize, n: u32): u32 {
  const id = <u32>load<u8>(NAME_TABLE + <usize>((foldText(p, n) * NAME_MULTIPLIER) >> NAME_SHIFT)) - 1;
  return id < NAME_COUNT && isText(id, p, n) ? id : NO_NAME;
}

/** `AG_` id of a type, the id of a retired one behind AG_COUNT, 0 = unknown. */
export function typeId(p: usize, n: u32): u32 {
  const id = <u32>load<u8>(TYPE_TABLE + <usize>((foldText(p, n) * TYPE_MULTIPLIER) >> TYPE_SHIFT));
  return id && typeNameLength(id) == n && equalBytes(typeName(id), p, n) ? id : 0;
}

// ---------------------------------------------------------------- shapes, members, rules

/** Bits by `F_` id for the events of a type: the members it has, those it must have, those that hold strings (and `type`). */
@inline export function describedOf(type: u32): u64 { return load<u64>(EVENT_MASKS + type * 24); }
@inline export function requiredOf(type: u32): u64 { return load<u64>(EVENT_MASKS + type * 24, 8); }
@inline export function stringsOf(type: u32): u64 { return load<u64>(EVENT_MASKS + type * 24, 16); }

@inline function shapeWord(shape: u32): u32 { return load<u32>(SHAPES + (shape << 3)); }
@inline export function isOpen(shape: u32): bool { return (shapeWord(shape) >> 24 & OPEN) != 0; }
/** A value of the shape has to go where a required member is of an unknown kind. */
@inline export function mayGo(shape: u32): bool { return (shapeWord(shape) >> 24 & MAY_GO) != 0; }
/** The boundary has to look into values of the shape. */
@inline export function isLegacyShape(shape: u32): bool { return (shapeWord(shape) >> 24 & LEGACY) != 0; }
@inline export function placesOf(shape: u32): u32 { return shapeWord(shape) >> 16 & 255; }
/** Bits by place: the members a value of the shape must have. */
@inline export function requiredPlaces(shape: u32): u32 { return load<u32>(SHAPES + (shape << 3), 4); }
/** The member at a place (from 0) of a shape. */
@inline export function memberAt(shape: u32, place: u32): usize { return MEMBERS + ((shapeWord(shape) & 0xffff) + place << 2); }
/** Place + 1 of the member with that name, 0 = the shape has none. */
@inline export function placeOf(shape: u32, name: u32): u32 { return name < NAME_COUNT ? <u32>load<u8>(PLACES + shape * NAME_COUNT + name) : 0; }
@inline export function nameOf(member: usize): u32 { return <u32>load<u8>(member); }
@inline export function ruleOf(member: usize): u32 { return <u32>load<u8>(member, 1); }
@inline export function isRequired(member: usize): bool { return (load<u8>(member, 2) & <u8>REQUIRED) != 0; }
@inline export function takesLegacyNull(member: usize): bool { return (load<u8>(member, 2) & <u8>LEGACY_NULL) != 0; }

@inline export function ruleKind(rule: u32): u32 { return <u32>load<u8>(RULES + (rule << 2)); }
@inline export function ruleArgument(rule: u32): u32 { return <u32>load<u8>(RULES + (rule << 2), 1); }
@inline function ruleLeast(rule: u32): u32 { return <u32>load<u8>(RULES + (rule << 2), 2); }

/** Name of the member that tells the values of a union apart. */
@inline export function discriminatorOf(union: u32): u32 { return <u32>load<u8>(UNIONS + (union << 2)); }
@inline export function isLegacyUnion(union: u32): bool { return load<u8>(UNIONS + (union << 2), 3) != 0; }

/** The shape that a value of the discriminator (canonical contents) chooses, 0 = none. */
export function variantOf(union: u32, p: usize, n: u32): u32 {
  const first = <u32>load<u8>(UNIONS + (union << 2), 1), count = <u32>load<u8>(UNIONS + (union << 2), 2);
  for (let i = first; i < first + count; i++) if (isText(load<u8>(VARIANTS + (i << 1)), p, n)) return <u32>load<u8>(VARIANTS + (i << 1), 1);
  return 0;
}

/** Whether an enum lists that string (canonical contents). */
export function isListed(list: u32, p: usize, n: u32): bool {
  const first = <u32>load<u8>(ENUMS + (list << 1)), count = <u32>load<u8>(ENUMS + (list << 1), 1);
  for (let i = first; i < first + count; i++) if (isText(load<u8>(ENUM_VALUES + i), p, n)) return true;
  return false;
}

// ---------------------------------------------------------------- values

/** `KIND_` id of the canonical value at `p`. */
export function kindAt(p: usize): u32 {
  switch (<u32>load<u8>(p)) {
    case 0x22: return KIND_STRING;
    case 0x7b: return KIND_OBJECT;
    case 0x5b: return KIND_ARRAY;
    case 0x6e: return KIND_NULL;
    case 0x74: case 0x66: return KIND_BOOLEAN;
    default: return KIND_NUMBER;
  }
}

/** Whether the number text is an integer within ±(2^53−1), in any spelling. */
export function isTimestamp(p: usize, n: u32): bool {
  const first = <u32>load<u8>(p);
  if (first == 0x2d) return integerValue(p + 1, n - 1) >= 0;
  return first - 48 < 10 && integerValue(p, n) >= 0;
}

/** Whether the number text is an integer from 0 to 2^53−1, in any spelling. */
export function isCount(p: usize, n: u32): bool {
  const first = <u32>load<u8>(p);
  return (first == 0x2d || first - 48 < 10) && integerValue(p, n) >= 0;
}

/** Start of the value of the last member of the object at `p` with that name (`F_` or `N_` id), 0 = there is none. */
export function findNamed(p: usize, name: u32): usize { return findText(p, memberName(name), memberNameLength(name)); }

/** `findNamed` for any name. */
export function findText(p: usize, name: usize, n: u32): usize {
  let found: usize = 0;
  if (load<u8>(++p) == 0x7d) return 0;
  while (true) {
    const key = p + 1, end = stringEnd(key);
    p = end + 2;
    if (<u32>(end - key) == n && equalBytes(key, name, n)) found = p;
    p = skipTrusted(p);
    if (load<u8>(p++) == 0x7d) return found;
  }
  return found;
}

/**
 * Walks the value at `p` strictly: the address behind it, or 0 when anything about it is not exactly as the rule says: a wrong value,
 * something unknown, a repeated or a missing member.
 */
export function checkValue(p: usize, rule: u32): usize {
  const first = <u32>load<u8>(p);
  switch (ruleKind(rule)) {
    case RULE_STRING: return first == 0x22 ? stringEnd(p + 1) + 1 : 0;
    case RULE_ANY: return skipTrusted(p);
    case RULE_NON_NULL: return first == 0x6e ? 0 : skipTrusted(p);
    case RULE_OPEN_OBJECT: return first == 0x7b ? skipTrusted(p) : 0;
    case RULE_BOOLEAN: return first == 0x74 ? p + 4 : first == 0x66 ? p + 5 : 0;
    case RULE_OBJECT: return first == 0x7b ? checkObject(p, ruleArgument(rule)) : 0;
    case RULE_UNION: return first == 0x7b ? checkUnion(p, ruleArgument(rule)) : 0;
    case RULE_LIST: return first == 0x5b ? checkList(p, rule) : 0;
    case RULE_TEXT_OR_LIST: return first == 0x22 ? stringEnd(p + 1) + 1 : first == 0x5b ? checkList(p, rule) : 0;
    case RULE_CONST: case RULE_ENUM: case RULE_POINTER: return first == 0x22 ? checkText(p, rule) : 0;
    case RULE_TIMESTAMP: {
      const end = skipScalar(p);
      return isTimestamp(p, <u32>(end - p)) ? end : 0;
    }
    case RULE_COUNT: {
      const end = skipScalar(p);
      return isCount(p, <u32>(end - p)) ? end : 0;
    }
    default: return 0;
  }
}

function checkText(p: usize, rule: u32): usize {
  const end = stringEnd(p + 1);
  return isAllowedText(rule, p + 1, <u32>(end - p) - 1) ? end + 1 : 0;
}

/** Whether canonical string contents are what a const, enum or pointer rule allows. */
export function isAllowedText(rule: u32, p: usize, n: u32): bool {
  const kind = ruleKind(rule);
  if (kind == RULE_CONST) return isText(ruleArgument(rule), p, n);
  return kind == RULE_ENUM ? isListed(ruleArgument(rule), p, n) : isPointer(p, n);
}

function checkList(p: usize, rule: u32): usize {
  const element = ruleArgument(rule);
  if (load<u8>(++p) == 0x5d) return ruleLeast(rule) ? 0 : p + 1;
  while (true) {
    p = checkValue(p, element);
    if (!p) return 0;
    if (load<u8>(p++) == 0x5d) return p;
  }
  return 0;
}

function checkUnion(p: usize, union: u32): usize {
  const value = findFirst(p, discriminatorOf(union));
  if (!value || load<u8>(value) != 0x22) return 0;
  const shape = variantOf(union, value + 1, <u32>(stringEnd(value + 1) - value) - 1);
  return shape ? checkObject(p, shape) : 0;
}

// As findNamed, but the first one: the walk notices a second.
function findFirst(p: usize, name: u32): usize {
  const text = memberName(name), length = memberNameLength(name);
  if (load<u8>(++p) == 0x7d) return 0;
  while (true) {
    const key = p + 1, end = stringEnd(key);
    p = end + 2;
    if (<u32>(end - key) == length && equalBytes(key, text, length)) return p;
    p = skipTrusted(p);
    if (load<u8>(p++) == 0x7d) return 0;
  }
  return 0;
}

/** `checkValue` for an object of a shape. */
function checkObject(p: usize, shape: u32): usize {
  let seen: u32 = 0;
  if (load<u8>(++p) != 0x7d) while (true) {
    const key = p + 1, end = stringEnd(key), name = nameId(key, <u32>(end - key)), place = placeOf(shape, name);
    p = end + 2;
    if (place) {
      const bit: u32 = 1 << (place - 1);
      if (seen & bit) return 0;
      seen |= bit;
      p = checkValue(p, ruleOf(memberAt(shape, place - 1)));
      if (!p) return 0;
    } else {
      if (!isOpen(shape)) return 0;
      p = skipTrusted(p);
    }
    if (load<u8>(p) == 0x7d) break;
    p++;
  }
  return requiredPlaces(shape) & ~seen ? 0 : p + 1;
}
