import type { EngineMemory } from "../contract.js";
import type { AguiSupport } from "./agui.js";
import type { WasmAssembler } from "./assembler.js";
import type { WasmDocument } from "./document.js";
import { Core } from "./instance.js";
import { type SessionHost, WasmSession } from "./session.js";

type Closable = WasmSession | WasmDocument | WasmAssembler;
type Close = "session_close" | "document_close" | "assembler_close";

/** What is open on one core, and how it is closed; all kinds of handles come from one table. */
export class Handles {
  readonly core: Core;
  readonly host: SessionHost;
  readonly #open = new Map<number, Close>();
  /** A net for what was dropped without close(); it must not hold the session, document or assembler itself. */
  readonly #net = new FinalizationRegistry<number>((handle) => this.#closeHandle(handle));

  /**
   * @param agui what AG-UI and transcoders need; missing where the core has neither
   * @param maxPages limit of the core's memory in 64 KiB pages; 0 = none
   * @throws StreamfoldError `engine_lost` for a binary of another version, `out_of_memory`
   */
  constructor(module: WebAssembly.Module, agui: AguiSupport | undefined, maxPages: number) {
    const core = new Core(module, maxPages, agui?.names);
    this.core = core;
    const host: SessionHost = {
      core,
      agui,
      open: (options, blank) => this.keep(new WasmSession(host, options, blank), "session_close"),
      onClose: this.onClose,
    };
    this.host = host;
  }

  keep<T extends Closable>(opened: T, close: Close): T {
    this.#open.set(opened.handle, close);
    this.#net.register(opened, opened.handle, opened);
    return opened;
  }

  readonly onClose = (closing: Closable): void => {
    this.#net.unregister(closing);
    this.#closeHandle(closing.handle);
  };

  #closeHandle(handle: number): void {
    const close = this.#open.get(handle);
    if (close === undefined) return;
    this.#open.delete(handle);
    if (this.core.isAlive) this.core.exports[close](handle);
  }

  memory(): EngineMemory {
    this.core.enter();
    return { live: this.core.exports.engine_live() >>> 0, held: this.core.exports.engine_held() >>> 0 };
  }

  close(): void {
    this.core.close();
    this.#open.clear();
  }
}
