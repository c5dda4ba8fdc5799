/**
 * What the slim build (slim.ts) leaves out: an asc transform, given with `--transform`. `SLIM` in session/roads.ts answers the questions at which roads part;
 * behind the answers that it never gives stand the files below. Their functions become declarations of functions of the host, and their static data is kept only
 * where something asks for it. So none of this code is compiled, and a road into it that is still open is an import of the binary, by name: build.mjs refuses
 * such a binary.
 */
import { CommonFlags, Node, NodeKind } from "assemblyscript";
import { Transform } from "assemblyscript/transform";

/** Beginnings of paths: AG-UI, binary wires, transcoders, the adapter, documents with JSON Patch, storage frames. */
const LEFT_OUT = [
  "codec/msgpack/",
  "codec/protobuf/",
  "frame/length-prefix",
  "frame/msgpack",
  "frame/storage/",
  "patch/apply",
  "patch/decimal",
  "patch/equal",
  "patch/operations",
  "patch/pointer",
  "patch/quick-replace",
  "patch/scratch",
  "patch/status",
  "reduce/agui/",
  "session/adapt/",
  "session/agui-",
  "session/assembler",
  "session/binary",
  "session/documents",
  "session/fast-path/agui-",
  "session/fast-path/binary-",
  "session/fast-path/frame-scan",
  "session/fast-path/holes",
  "session/fast-path/msgpack-",
  "session/fast-path/pass-tokens",
  "session/fast-path/written",
  "session/frames",
  "session/transcode/",
];

export default class LeaveOut extends Transform {
  afterParse(parser) {
    for (const source of parser.sources) {
      const isLeftOut = LEFT_OUT.some((path) => source.normalizedPath.startsWith(`assembly/${path}`));
      for (const statement of isLeftOut ? source.statements : []) {
        if (statement.kind === NodeKind.FunctionDeclaration) declare(statement);
        else if (statement.kind === NodeKind.Variable) statement.declarations.forEach(makeLazy);
      }
    }
  }
}

/** `function f() {…}` becomes `declare function f()`. */
function declare(declaration) {
  declaration.body = null;
  declaration.decorators = null;
  declaration.flags |= CommonFlags.Ambient;
}

/** `@lazy`: compiled when the first function asks for it. */
function makeLazy(declaration) {
  const { range } = declaration;
  declaration.decorators = [Node.createDecorator(Node.createIdentifierExpression("lazy", range), null, range)];
}
