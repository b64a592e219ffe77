/**
 * Repeatable measurements: {@code berth bench}. Each is compared with a <em>floor</em>, the cost of
 * the same work without Berth on the same machine, because machines differ and are noisy.
 */
@NullMarked
package dev.berth.app.bench;

import org.jspecify.annotations.NullMarked;
