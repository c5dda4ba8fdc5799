import type { EngineSession, SessionCore, SessionOptions } from "../engine/contract.js";
import { StreamfoldError } from "../errors.js";

/**
 * The session behind a reducer. Events that come as objects are folded by the plain JavaScript engine, whichever engine was
 * asked for: turning them into text for the core would cost more than folding them. The first bytes or text move
 * everything into the engine's own session, once, by checkpoint and restore. With the engine `js` both are the same session.
 * Nothing is made before the first call that needs it.
 */
export class Sessions {
  /** The engine's own session, once bytes have come. */
  wire: EngineSession | undefined;
  /** The session that holds the state; undefined before the first call. */
  current: EngineSession | undefined;
  readonly options: SessionOptions;
  /** Models go in and out as JSON alone. */
  readonly textOnly: boolean;
  #core: SessionCore | undefined;

  constructor(core: SessionCore, options: SessionOptions) {
    this.#core = core;
    this.options = options;
    this.textOnly = core.textOnly === true;
  }

  /** The session that holds the state, for reading and for values. */
  any(): EngineSession {
    if (this.current !== undefined) return this.current;
    const core = this.#core!;
    if (core.kind === "js" || core.createObjectSession === undefined) return this.bytes();
    this.current = core.createObjectSession(this.options);
    return this.current;
  }

  /** The engine's own session, with whatever the object session held. The object session stays when the move fails. */
  bytes(): EngineSession {
    if (this.wire !== undefined) return this.wire;
    // hooks of an adapter see values
    const core = this.#core!;
    const next =
      this.options.transcode?.adapt?.block && core.createObjectSession
        ? core.createObjectSession(this.options)
        : core.createSession(this.options);
    const former = this.current;
    if (former !== undefined) refill(next, former.checkpoint());
    return this.#settleOn(next);
  }

  /** Replaces the state by a checkpoint; a bad one changes nothing and is thrown. */
  restore(checkpoint: Uint8Array): void {
    if (this.wire !== undefined) {
      const fault = this.wire.restore(checkpoint);
      if (fault !== undefined) throw new StreamfoldError(fault);
      return;
    }
    const next = this.#core!.createSession(this.options);
    refill(next, checkpoint);
    this.#settleOn(next);
  }

  /** A fork of one stream in sessions of its own; the options are those of these sessions with other listeners. */
  fork(streamId: string, as: string, options: SessionOptions): Sessions {
    const session = this.any().fork(streamId, as, options);
    if ("code" in session) throw new StreamfoldError(session);
    const fork = new Sessions(this.#core!, options);
    fork.current = session;
    if (this.wire !== undefined) fork.wire = session;
    return fork;
  }

  /** Asks for accepted events to be reported; false when they are not and it is too late. */
  reportEvents(): boolean {
    if (this.options.events) return true;
    if (this.current !== undefined) return false;
    this.options.events = true;
    return true;
  }

  close(): void {
    const { current } = this;
    this.current = this.wire = this.#core = undefined;
    current?.close();
  }

  #settleOn(next: EngineSession): EngineSession {
    this.current?.close();
    this.current = this.wire = next;
    return next;
  }
}

/** Restores into a new session, and closes it again when that fails. */
function refill(next: EngineSession, checkpoint: Uint8Array): void {
  try {
    const fault = next.restore(checkpoint);
    if (fault !== undefined) throw new StreamfoldError(fault);
  } catch (error) {
    next.close();
    throw error;
  }
}
