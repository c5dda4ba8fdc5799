import { ENDED, StreamState } from "../reduce/agentue/state.js";
import { AgentueChanges } from "./agentue-changes.js";
import type { MessageQueue } from "./queue.js";

/** One logical stream of a session. */
export class Stream extends StreamState {
  readonly id: string;
  declare readonly changes: AgentueChanges;
  /** What waits while the stream is paused; undefined when it is not. */
  queue: MessageQueue | undefined = undefined;
  /** It has paused by itself: the first of its queue is a patch of a reference. */
  waiting = false;
  /** Place in the order in which streams ended; 0 when it has not. */
  endOrder = 0;

  constructor(id: string) {
    super(new AgentueChanges(id));
    this.id = id;
  }

  /** A stream of its own, under that id, that is where this one is; its log of changes begins there. */
  fork(id: string): Stream {
    const fork = new Stream(id);
    fork.status = this.status;
    fork.seq = this.seq;
    fork.document = this.document!.fork();
    fork.skipping = this.skipping;
    fork.applied = this.applied;
    fork.skipped = this.skipped;
    fork.dropped = this.dropped;
    fork.queue = this.queue?.copy();
    fork.waiting = this.waiting;
    fork.changes.restore(this.changes.version);
    return fork;
  }
}

/** The streams of a session, in the order in which they were opened. */
export class Streams {
  private readonly byId = new Map<string, Stream>();
  /** Ended streams, the first ended first. */
  private readonly ended = new Set<Stream>();
  private endings = 0;
  private readonly keepEnded: number;
  private recent: Stream | undefined;

  constructor(keepEnded: number) {
    this.keepEnded = keepEnded;
  }

  get size(): number {
    return this.byId.size;
  }

  find(id: string): Stream | undefined {
    if (this.recent !== undefined && this.recent.id === id) return this.recent;
    const stream = this.byId.get(id);
    if (stream !== undefined) this.recent = stream;
    return stream;
  }

  add(stream: Stream): void {
    this.byId.set(stream.id, stream);
  }

  remove(id: string): boolean {
    const stream = this.byId.get(id);
    if (stream === undefined) return false;
    this.byId.delete(id);
    this.ended.delete(stream);
    if (this.recent === stream) this.recent = undefined;
    return true;
  }

  all(): IterableIterator<Stream> {
    return this.byId.values();
  }

  /** Follows a stream's status after it may have changed, and releases the first ended one where there are too many. */
  followStatus(stream: Stream): void {
    if (stream.status !== ENDED) {
      if (stream.endOrder > 0) {
        stream.endOrder = 0;
        this.ended.delete(stream);
      }
      return;
    }
    if (stream.endOrder > 0) return;
    stream.endOrder = ++this.endings;
    this.ended.add(stream);
    this.trim();
  }

  /** Takes over the order of ending that saved streams bring along. */
  restoreEnded(): void {
    const ended = [...this.byId.values()].filter((stream) => stream.endOrder > 0);
    ended.sort((a, b) => a.endOrder - b.endOrder);
    for (const stream of ended) {
      this.ended.add(stream);
      this.endings = stream.endOrder;
    }
    this.trim();
  }

  private trim(): void {
    for (const stream of this.ended) {
      if (this.ended.size <= this.keepEnded) return;
      this.remove(stream.id);
    }
  }
}
