/**
 * Server-sent events. Each committed event is turned into a <em>message</em> once; the latest
 * messages are buffered and every client reads them with its own cursor. A client that falls behind
 * reads from the store, or receives <em>resync</em>; a client that does not read is disconnected.
 * GPUs and the queue have no history: only the latest state is sent. A <em>log follower</em> reads
 * a log while it grows.
 */
@NullMarked
package dev.berth.server.stream;

import org.jspecify.annotations.NullMarked;
