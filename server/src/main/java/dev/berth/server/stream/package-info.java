/**
 * What is pushed to those who hold a connection open. Every event is turned into a <em>message</em>
 * once; the last ones are <em>kept</em>, and each client reads along with a cursor of its own. One
 * that falls behind reads on from the store, or is told to <em>resync</em>; one that does not read
 * at all is cut. A <em>picture</em> (cards, queue) has no history: only the newest is sent. A
 * <em>follower</em> reads a log as it grows.
 */
@NullMarked
package dev.berth.server.stream;

import org.jspecify.annotations.NullMarked;
